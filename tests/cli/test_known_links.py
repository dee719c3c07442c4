"""Corrected lines in every output: no confirmed link is missing, no forbidden link is there."""

import itertools
import json

import pytest

from aligner.compat import eflomal
from aligner.links.formats import LINK_FORMATS
from aligner.links.symmetrize import SYMMETRIZATIONS
from tests.program import FAST


@pytest.fixture(scope="module")
def corrected(sample):
    """Return line -> (confirmed, forbidden) of every other line, with a link that no model would find."""
    lines = {}
    for n, pair in enumerate(sample.train[:40:2]):
        cells = set(itertools.product(range(len(pair.source)), range(len(pair.target))))
        confirmed = set(pair.sure) | {(len(pair.source) - 1, 0)}
        lines[2 * n + 1] = confirmed, (cells - confirmed if n % 2 else set(sorted(cells - confirmed)[::3]))
    return lines


@pytest.fixture(scope="module")
def known(corrected, tmp_path_factory):
    """Return a file of the corrected lines: half of them by forbidden cells, half by the mark ``=``."""
    path = tmp_path_factory.mktemp("known") / "known"
    with path.open("w") as file:
        for n, (line, (confirmed, forbidden)) in enumerate(corrected.items()):
            tokens = [f"{i}-{j}" for i, j in sorted(confirmed)]
            tokens += ["="] if n % 2 else [f"{i}!{j}" for i, j in sorted(forbidden)]
            file.write(f"{line}\t{' '.join(tokens)}\n")
    return path


@pytest.fixture
def models(plain, learned):
    return [plain, learned]


@pytest.fixture
def check(corrected):
    """Return a function that asserts: no confirmed link is missing, and no forbidden link is present."""

    def run(lines):
        lines = [set(links) for links in lines]
        missing = sum(len(confirmed - lines[n - 1]) for n, (confirmed, _) in corrected.items())
        present = sum(len(forbidden & lines[n - 1]) for n, (_, forbidden) in corrected.items())
        assert (missing, present) == (0, 0)

    return run


def written(text, format="pharaoh"):
    """Return the links of each line of bytes in a format."""
    return [pair.links for pair in LINK_FORMATS[format].read("-", lines=text.decode().splitlines())]


@pytest.fixture
def sides(texts):
    """Return the files of both sides."""
    return [texts / "train.src", texts / "train.tgt"]


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["-j", "3"],
        ["--threshold", "0.9"],
        ["--method", "posterior", "--threshold", "0.01"],
        *(["--method", "viterbi", "--combine", name] for name in SYMMETRIZATIONS),
    ],
    ids=" ".join,
)
def test_links_of_decode(align, sides, models, known, check, kind, options):
    check(written(align("decode", models[kind], *sides, "--known-links", known, *options)[0]))


def test_probabilities_and_json(align, sides, models, known, corrected, check):
    out, _ = align("decode", models[1], *sides, "--known-links", known, "--probabilities")
    lines = [dict(token.split(":") for token in line.split()) for line in out.decode().splitlines()]
    check([[tuple(map(int, link.split("-"))) for link in line] for line in lines])
    for n, (confirmed, _) in corrected.items():
        assert {float(lines[n - 1][f"{i}-{j}"]) for i, j in confirmed} == {1.0}
    out, _ = align("decode", models[1], *sides, "--known-links", known, "--links-format", "jsonl")
    check(written(out, "jsonl"))
    assert all(json.loads(line) for line in out.decode().splitlines())


@pytest.mark.parametrize("format", ["tsv", "giza", "talp"])
def test_other_formats(align, sides, models, known, check, format, tmp_path):
    command = ["decode", models[0], *sides, "--known-links", known, "--links-format", format]
    align(*command, "-o", tmp_path / "links")
    check(written(align("symmetrize", tmp_path / "links", "--input-format", format)[0]))


def test_line_by_line_from_a_pipe(align, texts, models, known, check):
    text = (texts / "train.bars").read_bytes()
    check(written(align("decode", models[1], "-", "--known-links", known, stdin=text)[0]))


def test_links_of_training(align, sides, known, check, tmp_path):
    output = "-m", tmp_path / "model", "--links", tmp_path / "links"
    align("train", *sides, *output, "--known-links", known, *FAST)
    check(written((tmp_path / "links").read_bytes()))


def test_links_that_fit_no_line_or_pair_are_reported(align, sides, models, tmp_path):
    known, train = tmp_path / "known", ["train", *sides, "-m", tmp_path / "model", *FAST]
    known.write_text("2\t0-1 0!0\n4\t= 0-0\n99\t0-0\n")
    _, said = align("decode", models[1], *sides, "--known-links", known)
    assert "2 known links and 1 forbidden link in 2 lines, 1 of them complete; 1 entry of no line" in said
    assert "1 entry of no line of the text" in align(*train, "--known-links", known)[1]
    known.write_text("2\t0-99\n")
    assert "known:2: found 0-99 in a pair" in align(*train, "--force", "--known-links", known, status=1)[1]


def test_stand_ins_and_their_symmetrisations(align, texts, sides, known, check, tmp_path):
    command = ["compat", "fast_align", "-vodi", texts / "train.bars", "--known-links", known]
    both = []
    for option in ([], ["-r"]):
        both.append(tmp_path / f"links{len(both)}")
        both[-1].write_bytes(align(*command, *option)[0])
        check(written(both[-1].read_bytes()))
    for method in SYMMETRIZATIONS:
        check(written(align("symmetrize", *both, "-c", method)[0]))
    for name in ("intersect", "grow-diag-final"):
        check(written(align("compat", "atools", "-i", both[0], "-j", both[1], "-c", name)[0]))
    forward = tmp_path / "forward"
    text = ["-s", sides[0], "-t", sides[1]]
    align("compat", "eflomal", *text, "-f", forward, "--known-links", known)
    check(written(forward.read_bytes()))
    lines = [path.read_text("utf-8").splitlines() for path in sides]
    eflomal.Aligner().align(*lines, links_filename_rev=tmp_path / "reverse", known_links=known)
    check(written((tmp_path / "reverse").read_bytes()))


def test_stand_ins_refuse_known_links_that_do_not_fit(align, texts, models, known, tmp_path):
    command = ["compat", "fast_align", "-i", texts / "dev.bars"]
    (tmp_path / "bad").write_text("2\t0-999\n")
    assert "found 0-999" in align(*command, "--known-links", tmp_path / "bad", status=1)[1]
    said = align(*command, "-f", models[0], "--known-links", known, status=2)[1]
    assert "use align decode --known-links" in said
