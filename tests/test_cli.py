"""The program end to end: what it reads, writes, says and returns."""

import bz2
import gzip
import io
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

import aligner.storage
import aligner.training
from aligner import __version__
from aligner.errors import AlignerError
from aligner.recipes import installed_configs
from cli.main import _VERBS, main
from tests.support import text_of

PROGRAM = "from cli.main import run; run()"

FAST = ["--set", "stage.1.iterations=2", "--set", "stage.2.iterations=2"]
"""Few iterations of the default recipe."""


@pytest.fixture
def align(monkeypatch, capsysbinary):
    """Run ``align`` here; returns what it wrote to stdout, as bytes, and to stderr, as text."""

    def run(*arguments, stdin=b"", status=0):
        monkeypatch.setattr(sys, "argv", ["align", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            main()
            returned = 0
        except SystemExit as stop:
            returned = stop.code
        out, err = capsysbinary.readouterr()
        assert returned == status, err.decode()
        return out, err.decode()

    return run


def process(code_or_arguments, **options):
    """Run ``align`` with arguments, or some code, in a process of its own."""
    if isinstance(code_or_arguments, str):
        command = ["-c", code_or_arguments]
    else:
        command = ["-c", PROGRAM, *map(str, code_or_arguments)]
    return subprocess.run([sys.executable, *command], check=False, **options)


@pytest.fixture(scope="module")
def texts(sample, tmp_path_factory):
    """A directory with the sample's text, in two files, in one, and compressed."""
    directory = tmp_path_factory.mktemp("texts")
    for name, pairs in [("train", sample.train), ("dev", sample.dev)]:
        text = text_of(pairs)
        sides = ["".join(line + "\n" for line in side).encode() for side in zip(*text, strict=True)]
        for suffix, side in zip(("src", "tgt"), sides, strict=True):
            (directory / f"{name}.{suffix}").write_bytes(side)
        (directory / f"{name}.tsv").write_bytes("".join(f"{s}\t{t}\n" for s, t in text).encode())
        (directory / f"{name}.bars").write_bytes("".join(f"{s} ||| {t}\n" for s, t in text).encode())
        (directory / f"{name}.src.gz").write_bytes(gzip.compress(sides[0]))
        (directory / f"{name}.tgt.bz2").write_bytes(bz2.compress(sides[1]))
        gold = [
            " ".join(f"{i}{'-' if (i, j) in pair.sure else '?'}{j}" for i, j in sorted(pair.possible))
            for pair in pairs
        ]
        (directory / f"{name}.gold").write_text("".join(line + "\n" for line in gold))
    return directory


@pytest.fixture(scope="module")
def trained(texts):
    """A directory with the text, a model and the links that its training wrote, by the program."""
    text = texts / "train.src", texts / "train.tgt"
    output = "-m", texts / "model", "--links", texts / "train.links"
    done = process(["train", *text, *output, *FAST, "-j", "2"], capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == b""
    return texts


# --------------------------------------------------------------------------- train and decode


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_decoding_the_training_text_repeats_training_s_links(trained, align, threads):
    out, _ = align("decode", trained / "model", trained / "train.src", trained / "train.tgt", "-j", threads)
    assert out == (trained / "train.links").read_bytes()
    assert out.count(b"\n") == 60


@pytest.mark.parametrize("threads", [1, 3])
def test_the_model_is_the_same_bytes_for_any_threads(trained, align, tmp_path, threads):
    align("train", trained / "train.src", trained / "train.tgt", "-m", tmp_path / "m", *FAST, "-j", threads)
    assert (tmp_path / "m").read_bytes() == (trained / "model").read_bytes()


def test_an_interrupted_run_goes_on(trained, align, tmp_path, monkeypatch):
    text = [trained / "train.src", trained / "train.tgt", "-m", tmp_path / "m", *FAST]

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("aligner.storage.save", interrupted)
        align("train", *text, "--checkpoint-every", "0", status=130)
    assert (tmp_path / "m.checkpoint").exists()
    assert not (tmp_path / "m").exists()
    _, err = align("train", *text, "--resume")
    assert [line[:17] for line in err.splitlines() if "/2 " in line] == ["hmm agreement 2/2"]
    assert (tmp_path / "m").read_bytes() == (trained / "model").read_bytes()
    assert not (tmp_path / "m.checkpoint").exists()


@pytest.mark.parametrize(
    "source",
    [["train.tsv"], ["train.bars"], ["train.src.gz", "train.tgt.bz2"], ["train.bars", "--format", "bars"]],
)
def test_every_layout_of_the_text_gives_the_same_model_and_links(trained, align, tmp_path, source):
    paths = [trained / part if part.startswith("train") else part for part in source]
    align("train", *paths, "-m", tmp_path / "model", *FAST)
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()
    out, _ = align("decode", trained / "model", *paths)
    assert out == (trained / "train.links").read_bytes()


def test_standard_input_and_output(trained, align, tmp_path):
    links = (trained / "train.links").read_bytes()
    text = (trained / "train.tsv").read_bytes()
    assert align("decode", trained / "model", "-", stdin=text)[0] == links
    assert align("decode", trained / "model", "-", "-o", "-", stdin=text)[0] == links
    source = (trained / "train.src").read_bytes()
    assert align("decode", trained / "model", "-", trained / "train.tgt", stdin=source)[0] == links
    out, _ = align("train", "-", "-m", tmp_path / "model", *FAST, "--links", "-", stdin=text)
    assert out == links
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()


def test_output_files_compressed_or_not(trained, align, tmp_path):
    links = (trained / "train.links").read_bytes()
    arguments = ["decode", trained / "model", trained / "train.tsv", "-o"]
    assert align(*arguments, tmp_path / "links")[0] == b""
    assert (tmp_path / "links").read_bytes() == links
    align(*arguments, tmp_path / "links.gz")
    assert gzip.decompress((tmp_path / "links.gz").read_bytes()) == links
    assert sorted(path.name for path in tmp_path.iterdir()) == ["links", "links.gz"]


def test_one_line_out_for_every_line_in(trained, align):
    lines = [b"a\tb", b"", b"\t", b"only\t", b"\tonly", b"  ", b"\xe2\x80\xa8 x\ty", b"a b\tc d"]
    for text in (b"\n".join(lines), b"\n".join(lines) + b"\n", b"\r\n".join(lines) + b"\r\n"):
        out, err = align("decode", trained / "model", "-", "--format", "tsv", stdin=text)
        assert out.count(b"\n") == len(lines)
        assert "5 pairs with an empty side got an empty line" in err
        assert "links (competitive, average, threshold 0.5)" in err
    assert align("decode", trained / "model", "-", stdin=b"")[0] == b""


def test_bad_lines_stop_unless_skipped(trained, align, tmp_path):
    good = (trained / "train.tsv").read_bytes().splitlines(keepends=True)
    text = b"".join([*good[:3], b"no separator\n", b"a\tb\tc\n", *good[3:]])
    _, err = align("decode", trained / "model", "-", stdin=text, status=1)
    assert err.startswith("align: <stdin>:4: found TAB 0 times")
    out, err = align("decode", trained / "model", "-", "--skip-bad", stdin=text)
    links = (trained / "train.links").read_bytes().splitlines(keepends=True)
    assert out == b"".join([*links[:3], b"\n\n", *links[3:]])
    assert "2 of them were lines without exactly one separator" in err
    _, err = align("train", "-", "-m", tmp_path / "model", *FAST, "--skip-bad", stdin=text)
    assert "2 without exactly one separator" in err


def test_exchanged_sides_are_noticed(trained, align):
    said = "source and target seem exchanged"
    for text, exchanged in [(("train.tgt", "train.src"), True), (("train.src", "train.tgt"), False)]:
        _, err = align("decode", trained / "model", *(trained / name for name in text))
        assert (said in err) == exchanged
    _, err = align("decode", trained / "model", "-", stdin=b"neither one\tnor other\n" * 3)
    assert "12 of 12 tokens unknown" in err
    assert said not in err


def test_decoding_options(trained, align):
    def links(*options):
        out, _ = align("decode", trained / "model", trained / "dev.src", trained / "dev.tgt", *options)
        return [set(line.split()) for line in out.decode().splitlines()]

    few, many = links("--threshold", "0.9"), links("--threshold", "0.05", "--combine", "union")
    assert all(one <= other for one, other in zip(few, many, strict=True))
    assert few != many
    intersection, union = links("--method", "viterbi"), links("--method", "viterbi", "--combine", "union")
    forward = links("--method", "viterbi", "--combine", "forward")
    for less, some, more in zip(intersection, forward, union, strict=True):
        assert less <= some <= more
    for line in links("--probabilities", "--threshold", "0.5"):
        assert all(0.5 <= float(link.partition(":")[2]) <= 1 for link in line)


def test_scores_are_written_beside_links(trained, align, tmp_path):
    text = trained / "dev.tsv"
    plain, _ = align("decode", trained / "model", text)
    out, err = align("decode", trained / "model", text, "--scores", tmp_path / "scores")
    assert out == plain
    assert "score, nats a word: 1% below -" in err
    assert "gain, nats a word: 1% below " in err
    lines = (tmp_path / "scores").read_bytes().splitlines()
    assert len(lines) == len(plain.splitlines())
    for line in lines:
        mean, forward, reverse, gain = map(float, line.split(b"\t"))
        assert mean == pytest.approx((forward + reverse) / 2, abs=1e-4)
        assert -30 < mean < min(0, gain)
    out, _ = align("decode", trained / "model", text, "-o", tmp_path / "links", "--scores", "-")
    assert out == (tmp_path / "scores").read_bytes()
    assert (tmp_path / "links").read_bytes() == plain
    _, err = align("decode", trained / "model", text, "--scores", "-", status=1)
    assert "found the same file for -o - and --scores -" in err
    assert align("decode", trained / "model", text, "-o", os.devnull, "--scores", os.devnull)[0] == b""


def test_a_lexicon_is_listed(trained, align, tmp_path):
    out, err = align("lexicon", trained / "model", "--best", "2", "--least", "0.01")
    lines = [line.split("\t") for line in out.decode().splitlines()]
    assert err == f"{len(lines):,} translations of {len({given for given, *_ in lines}):,} words\n"
    assert all(0.01 <= float(probability) <= 1 for *_, probability in lines)
    sources = set((trained / "train.src").read_text("utf-8").lower().split())
    assert {given for given, *_ in lines} <= sources
    align("lexicon", trained / "model", "--reverse", "--format", "moses", "-o", tmp_path / "lex.e2f", "-q")
    reverse = [line.split(" ") for line in (tmp_path / "lex.e2f").read_text("utf-8").splitlines()]
    assert {source for source, *_ in reverse} <= sources
    align("train", "-", "-m", tmp_path / "model", *FAST, stdin="a\xa0a\tb\n".encode())
    _, err = align("lexicon", tmp_path / "model", "--format", "moses")
    left_out = "(left out: 1 with white space in a word, at which moses readers split)"
    assert err == f"0 translations of 0 words {left_out}\n"
    _, err = align("lexicon", trained / "model", "--format", "xml", status=1)
    assert "unknown lexicon format 'xml'" in err


# --------------------------------------------------------------------------- what is said, and where


def test_training_reports_each_iteration(trained, align, tmp_path):
    dev = ["--dev-source", trained / "dev.tsv", "--dev-gold", trained / "dev.gold"]
    out, err = align("train", trained / "train.tsv", "-m", tmp_path / "model", *FAST, *dev)
    assert out == b""
    lines = err.splitlines()
    assert lines[0].startswith("60 pairs, ")
    assert lines[1].startswith("about ")
    assert [line.split("  ")[0] for line in lines[2:]] == [
        "ibm1 independent 1/2",
        "ibm1 independent 2/2",
        "hmm agreement 1/2",
        "hmm agreement 2/2",
    ]
    assert all(line.endswith("%") and "dev AER" in line and "perplexity" in line for line in lines[2:])
    # Looking at text with gold does not change what is learnt.
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()
    two_files = ["--dev-source", trained / "dev.src", "--dev-target", trained / "dev.tgt", *dev[2:]]
    _, again = align("train", trained / "train.tsv", "-m", tmp_path / "model", *FAST, *two_files)
    assert [line.split("AER")[-1] for line in again.splitlines()[1:]] == [
        line.split("AER")[-1] for line in lines[1:]
    ]


def test_quiet_is_quiet(trained, align, tmp_path):
    text = trained / "train.tsv"
    assert align("train", text, "-m", tmp_path / "model", *FAST, "--quiet") == (b"", "")
    out, err = align("decode", trained / "model", text, "-q")
    assert (out, err) == ((trained / "train.links").read_bytes(), "")
    out, err = align("eval", trained / "train.gold", trained / "train.links", "-q")
    assert out.startswith(b"links")
    assert err == ""
    assert align("sample", tmp_path / "sample", "--pairs", "5", "-q") == (b"", "")


def test_only_data_on_stdout(trained, align):
    out, err = align("decode", trained / "model", trained / "dev.tsv")
    assert out.count(b"\n") == 10
    assert set(out) <= set(b"0123456789- \n")
    assert err.startswith("10 pairs, ")
    assert err.count("\n") == 1


def test_eval_writes_a_table_or_json(trained, align):
    out, err = align("eval", trained / "train.gold", trained / "train.links")
    header, row = out.decode().splitlines()
    assert header.split() == ["links", "AER", "P", "R", "F1", "|A|", "|S|", "|P|"]
    assert row.split()[0] == str(trained / "train.links")
    assert f"version:{__version__}" in err
    out, err = align("eval", trained / "train.gold", trained / "train.links", "--json", "--bootstrap", "50")
    (score,) = json.loads(out)["scores"]
    assert score["interval"][0] <= score["aer"] <= score["interval"][1]
    assert f"{100 * score['aer']:.2f}" == row.split()[1]
    assert err == ""


def test_configs_and_version_and_help(align):
    listed = [line.split(maxsplit=1) for line in align("configs")[0].decode().splitlines()]
    assert listed == [[name, summary] for name, summary in installed_configs().items()]
    assert align("--version")[0].decode().strip() == f"align, version {__version__}"
    for verb in _VERBS:
        assert verb in align("--help")[0].decode()
        assert align(verb, "-h")[0].decode().startswith(f"Usage: align {verb}")


def test_the_sample_trains_decodes_and_scores(align, tmp_path):
    """What the sample's own README says."""
    sample = tmp_path / "sample"
    align("sample", sample, "--pairs", "200")
    align("train", sample / "train.src", sample / "train.tgt", "-m", tmp_path / "model")
    align("decode", tmp_path / "model", sample / "dev.src", sample / "dev.tgt", "-o", tmp_path / "dev.links")
    out, _ = align("eval", sample / "dev.gold", tmp_path / "dev.links", "--json")
    assert json.loads(out)["scores"][0]["aer"] < 0.6


# --------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decode", "{}/nothing", "a", "b"], "nothing: cannot read this model"),
        (["decode", "{}/train.src", "a", "b"], "not a model of this program"),
        (["decode", "{}/model", "{}/nothing"], "nothing: cannot be read"),
        (["decode", "{}/model", "{}/dev.src", "{}/train.tgt", "-o", "{}/x"], "train.tgt:11: found a line"),
        (["decode", "{}/model", "{}/dev.src"], "found neither TAB nor"),
        (["decode", "{}/model", "{}/dev.src", "{}/dev.tgt", "--format", "tsv"], "format 'tsv' and two files"),
        (["decode", "{}/model", "-", "-"], "found - for SOURCE and TARGET"),
        (["train", "-", "{}/train.tgt", "-m", "{}/x", "--dictionary", "-"], "for SOURCE and --dictionary"),
        (["train", "-", "{}/train.tgt", "-m", "{}/x", "--known-links", "-"], "for SOURCE and --known-links"),
        (
            ["train", "-", "-m", "{}/x", "--dev-source", "{}/dev.tsv", "--dev-gold", "/dev/stdin"],
            "for SOURCE and --dev-gold",
        ),
        (["eval", "-", "-"], "found - for GOLD and LINKS 1"),
        (["eval", "{}/dev.gold", "-", "{}/train.links", "-"], "found - for LINKS 1 and LINKS 3"),
        (["train", "{}/train.tsv", "-m", ""], "-m: found an empty name"),
        (["train", "{}/train.tsv", "-m", "{}/x", "--links", ""], "--links: found an empty name"),
        (
            ["train", "{}/train.tsv", "-m", "{}/x", "--dev-source", "", "--dev-gold", "{}/dev.gold"],
            "--dev-source: found an empty name",
        ),
        (["decode", "{}/model", "{}/dev.src", ""], "TARGET: found an empty name"),
        (["decode", "{}/model", "{}/dev.tsv", "-o", ""], "-o: found an empty name"),
        (["decode", "{}/model", "{}/dev.tsv", "--scores", ""], "--scores: found an empty name"),
        (["lexicon", "{}/model", "-o", ""], "-o: found an empty name"),
        (["decode", "{}/model", "{}/dev.tsv", "-o", "{}/no/links"], "no/links: cannot be written"),
        (["decode", "{}/model", "{}/dev.tsv", "--threshold", "2"], "threshold"),
        (["decode", "{}/model", "{}/dev.tsv", "--combine", "grow"], "no meaning"),
        (["decode", "{}/model", "{}/dev.tsv", "--method", "viterbi", "--probabilities"], "probabilities"),
        (["train", "{}/train.tsv", "-m", "{}/x", "-c", "defalt"], "did you mean 'default'"),
        (["train", "{}/train.tsv", "-m", "{}/x", "--set", "stage.1.model=hmmm"], "did you mean 'hmm'"),
        (["train", "{}/train.tsv", "-m", "{}/x", "--set", "data.max_length=2"], "no usable sentence pair"),
        (["train", "{}/train.tsv", "-m", "{}/x", "--set", "stage.1.alpha=nan"], "expected a finite number"),
        (["train", "{}/train.src", "{}/train.tgt", "-m", "{}/x", "--skip-bad"], "--skip-bad) and two files"),
        (["train", "{}/train.tsv", "-m", "{}/x", "--dictionary-weight", "2"], "without a dictionary"),
        (["decode", "{}/model", "{}/dev.tsv", "--method", "viterbi", "--threshold", "1"], "threshold = 1.0"),
        (["train", "-", "-m", "{}/x"], "no usable sentence pair among 0"),
        (
            [
                "train",
                "{}/train.tsv",
                "-m",
                "{}/x",
                "--dev-source",
                "{}/dev.tsv",
                "--dev-gold",
                "{}/train.gold",
            ],
            "train.gold: gold of 60 sentences for the 10 sentence pairs of",
        ),
        (["eval", "{}/dev.gold", "{}/train.links"], "expected equally many"),
        (["eval", "{}/dev.gold", "{}/dev.src"], "dev.src:1: found"),
        (["sample", "{}"], "not empty"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_an_error_is_one_line_that_says_what_to_do(trained, align, arguments, message):
    before = sorted(trained.iterdir())
    out, err = align(*(argument.format(trained) for argument in arguments), status=1)
    assert out == b""
    last = err.splitlines()[-1]
    assert last.startswith("align: ")
    assert message in last
    assert "Traceback" not in err
    assert err.count("align: ") == 1
    assert sorted(trained.iterdir()) == before


TRAIN = ["train", "{}/train.tsv"]
DECODE = ["decode", "{}/model", "{}/dev.src", "{}/dev.tgt"]


@pytest.mark.parametrize(
    ("arguments", "both"),
    [
        ([*TRAIN, "-m", "{}/x", "--links", "{}/x"], "-m {}/x and --links {}/x"),
        ([*TRAIN, "-m", "{}/x", "--links", "{}/./x"], "-m {}/x and --links {}/./x"),
        ([*TRAIN, "-m", "{}/x", "--links", "{}/x.checkpoint"], "{}/x.checkpoint and the checkpoint {}/x.c"),
        ([*TRAIN, "-m", "{}/train.tsv"], "SOURCE {}/train.tsv and -m {}/train.tsv"),
        ([*TRAIN, "-m", "{}/x", "--links", "{}/train.tsv"], "SOURCE {}/train.tsv and --links {}/train.tsv"),
        (
            ["train", "{}/train.src", "{}/train.tgt", "-m", "{}/train.tgt"],
            "TARGET {}/train.tgt and -m {}/train.tgt",
        ),
        ([*TRAIN, "-m", "{}/x", "--dictionary", "{}/x"], "--dictionary {}/x and -m {}/x"),
        ([*TRAIN, "-m", "{}/x", "--dictionary", "{}/x.checkpoint"], "t and the checkpoint {}/x.checkpoint"),
        (
            [*TRAIN, "-m", "{}/x", "--known-links", "{}/train.links", "--links", "{}/train.links"],
            "--known-links {}/train.links and --links {}/train.links",
        ),
        (
            [*TRAIN, "-m", "{}/dev.gold", "--dev-source", "{}/dev.tsv", "--dev-gold", "{}/dev.gold"],
            "--dev-gold {}/dev.gold and -m {}/dev.gold",
        ),
        ([*TRAIN, "-m", "{}/x.toml", "-c", "{}/x.toml"], "-c {}/x.toml and -m {}/x.toml"),
        ([*DECODE, "-o", "{}/dev.src"], "SOURCE {}/dev.src and -o {}/dev.src"),
        ([*DECODE, "-o", "{}/model"], "MODEL {}/model and -o {}/model"),
        ([*DECODE, "--scores", "{}/dev.tgt"], "TARGET {}/dev.tgt and --scores {}/dev.tgt"),
        ([*DECODE, "--scores", "/dev/stdout"], "-o - and --scores /dev/stdout"),
        ([*DECODE, "-o", "{}/x", "--scores", "{}/./x"], "-o {}/x and --scores {}/./x"),
        (["lexicon", "{}/model", "-o", "{}/model"], "MODEL {}/model and -o {}/model"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_no_output_replaces_an_input_or_another_output(trained, align, arguments, both):
    before = {path: path.read_bytes() for path in trained.iterdir()}
    out, err = align(*(argument.format(trained) for argument in arguments), status=1)
    assert (out, err.count("\n")) == (b"", 1)
    assert both.replace("{}", str(trained)) in err
    assert {path: path.read_bytes() for path in trained.iterdir()} == before


@pytest.mark.parametrize(
    "where", [["-m", "{}/no/model"], ["-m", "{}"], ["-m", "{}/x", "--links", "{}/no/links"]]
)
def test_a_place_that_cannot_be_written_is_found_before_training(trained, align, where, monkeypatch):
    monkeypatch.setattr(aligner.training, "train", None)  # would fail otherwise
    where = [argument.format(trained) for argument in where]
    _, err = align("train", trained / "train.tsv", *where, status=1)
    assert "cannot be written" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["train", "a"],
        ["train", "a", "b", "c", "-m", "x"],
        ["decode", "model"],
        ["decode", "m", "a", "b", "--threads", "0"],
        ["decode", "m", "a", "b", "--threshold", "high"],
        ["decode", "m", "a", "--format", "csv"],
        ["train", "a", "b", "-m", "x", "--dev-source", "a"],
        ["train", "a", "b", "-m", "x", "--dev-gold", "a"],
        ["train", "a", "b", "-m", "x", "--dev-target", "a"],
        ["eval", "gold"],
        ["eval", "gold", "links", "--bootstrap", "0"],
        ["sample"],
        ["--frobnicate"],
    ],
    ids=" ".join,
)
def test_wrong_usage_returns_2_and_says_how_it_is_right(align, arguments):
    out, err = align(*arguments, status=2)
    assert out == b""
    assert err.startswith("Usage: align")
    assert "Error: " in err


def test_an_interrupt_is_no_traceback(trained, align, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("aligner.storage.load", interrupted)
    out, err = align("decode", trained / "model", "-", status=130)
    assert (out, err.strip()) == (b"", "align: interrupted")


# --------------------------------------------------------------------------- processes


@pytest.mark.parametrize("threads", ["1", "3"])
def test_each_line_of_a_pipe_is_answered_before_the_next_is_sent(trained, threads):
    lines = (trained / "train.tsv").read_bytes().splitlines(keepends=True)[:5]
    answers = (trained / "train.links").read_bytes().splitlines(keepends=True)
    arguments = [sys.executable, "-c", PROGRAM, "decode", trained / "model", "-"]
    with subprocess.Popen(
        [*arguments, "-q", "-j", threads], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        for line, answer in zip(lines, answers, strict=False):
            running.stdin.write(line)
            running.stdin.flush()
            assert running.stdout.readline() == answer
        running.stdin.close()
        assert running.stdout.read() == b""
        assert running.wait() == 0


@contextmanager
def waiting(trained, *arguments, **options):
    """A process that has decoded one line and waits for another."""
    arguments = ["decode", trained / "model", "-", "-q", *arguments]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], **streams, **options) as running:
        running.stdin.write((trained / "train.tsv").read_bytes().splitlines(keepends=True)[0])
        running.stdin.flush()
        assert running.stdout.readline()
        yield running


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_interruption_while_waiting_for_input_is_no_crash(trained, tmp_path, name):
    with waiting(trained, "--scores", tmp_path / "scores") as running:
        assert len(list(tmp_path.iterdir())) == 1
        running.send_signal(getattr(signal, name))
        assert running.wait() == 128 + getattr(signal, name)
        assert running.stderr.read().strip() == b"align: interrupted"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signal")
def test_a_signal_that_is_ignored_stays_so(trained):
    """As under nohup."""
    with waiting(trained, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as running:
        running.send_signal(signal.SIGHUP)
        running.stdin.close()
        assert running.wait() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
def test_an_interruption_comes_again_until_it_is_heard():
    code = """if True:
        import ctypes, signal, sys, threading
        from cli import process
        process.catch_signals()
        ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGTERM))()
        held = threading.Lock()
        held.acquire()
        for _ in range(2):
            try:
                held.acquire()  # which nobody will give back
            except KeyboardInterrupt:
                pass
        sys.exit(process.stop())
    """
    done = process(code, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, b"")


def test_an_interruption_just_when_a_file_is_open_leaves_nothing_behind(trained, tmp_path):
    paths = [str(path) for path in (trained / "model", trained / "dev.tsv", "-o", tmp_path / "x")]
    code = f"""if True:
        import contextlib, sys
        def enter(stack, context):
            context.__enter__()
            raise KeyboardInterrupt
        contextlib.ExitStack.enter_context = enter
        sys.argv = ["align", "decode", *{paths!r}]
        {PROGRAM}
    """
    done = process(code, capture_output=True)
    assert (done.returncode, done.stderr.strip()) == (130, b"align: interrupted")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [RuntimeError("no compiled object yet"), AlignerError("odd"), None])
def test_what_goes_wrong_after_an_interruption_is_the_interruption(trained, align, monkeypatch, error):
    def load(path):
        received.append(signal.SIGTERM)
        if error is not None:
            raise error
        return real(path)

    received, real = [], aligner.storage.load
    monkeypatch.setattr("cli.process.received", received)
    monkeypatch.setattr("aligner.storage.load", load)
    _, err = align("decode", trained / "model", trained / "dev.tsv", "-q", status=143)
    assert err.strip() == "align: interrupted"


def test_a_reader_that_leaves_is_no_error_message(trained):
    """As in ``align decode ... | head -1``; enough lines that the pipe is full."""
    text = (trained / "train.tsv").read_bytes() * 100
    arguments = [sys.executable, "-c", PROGRAM, "decode", trained / "model", "-"]
    with subprocess.Popen(
        [*arguments, "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        running.stdout.close()
        try:
            running.stdin.write(text)
            running.stdin.close()
        except BrokenPipeError:
            pass
        assert running.stderr.read() == b""
        running.stderr.close()
        assert running.wait() == 1


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["decode", "{}/model", "{}/dev.tsv", "-q"], "<stdout>"),
        (["decode", "{}/model", "{}/dev.tsv", "-q", "-o", "/dev/full"], "/dev/full"),
        (["decode", "{}/model", "{}/dev.tsv", "-q", "-o", os.devnull, "--scores", "/dev/full"], "/dev/full"),
        (["train", "{}/dev.tsv", "-q", *FAST, "-m", "/dev/full"], "/dev/full"),
        (["train", "{}/dev.tsv", "-q", *FAST, "-m", os.devnull, "--links", "/dev/full"], "/dev/full"),
        (["configs"], "<stdout>"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_full_disk_is_an_error_in_words(trained, arguments, name):
    with open("/dev/full", "wb") as full:
        done = process([a.format(trained) for a in arguments], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith(f"align: {name}: cannot be written (No space left")
    assert done.stderr.count("\n") == 1


def by_shell(line, arguments):
    """Run ``align`` as "$@" in a line of the shell."""
    command = ["sh", "-c", line, "sh", sys.executable, "-c", PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_file_that_grows_too_large_is_named(trained, tmp_path):
    arguments = ["decode", trained / "model", trained / "train.tsv", "-q", "-o", tmp_path / "links"]
    done = by_shell('ulimit -f 1; exec "$@"', arguments)
    assert done.returncode == 1
    assert done.stderr.startswith(b"align: %b/links: cannot be written (File too large)" % bytes(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_streams_that_are_closed_and_not_needed(trained, align, tmp_path):
    decode = ["decode", trained / "model", trained / "train.src", trained / "train.tgt"]
    train = ["train", trained / "train.tsv", "-m", tmp_path / "model", *FAST]
    lexicon = ["lexicon", trained / "model"]
    links, listed = align(*decode, "-q")[0], align(*lexicon, "-q")[0]
    for closed in ("2>&-", "<&- 2>&-"):
        for arguments, out in ((decode, links), (lexicon, listed), (train, b"")):
            done = by_shell(f'exec "$@" {closed}', arguments)
            assert (done.returncode, done.stdout) == (0, out)
    for closed in (">&-", "<&- >&- 2>&-"):
        for arguments in (train, [*decode, "-o", tmp_path / "links"], [*lexicon, "-o", tmp_path / "lexicon"]):
            assert by_shell(f'exec "$@" {closed}', arguments).returncode == 0
        assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()
        assert (tmp_path / "links").read_bytes() == links
        assert (tmp_path / "lexicon").read_bytes() == listed


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("closed", "arguments", "message"),
    [
        (">&-", ["decode", "{}/model", "{}/dev.tsv", "-q"], b"<stdout>: cannot be written"),
        (">&-", ["configs"], b"<stdout>: cannot be written"),
        ("<&-", ["decode", "{}/model", "-", "{}/dev.tgt"], b"<stdin>: cannot be read"),
        ("<&-", ["eval", "{}/dev.gold", "-"], b"<stdin>: cannot be read"),
    ],
)
def test_a_stream_that_is_closed_and_needed_is_an_error(trained, closed, arguments, message):
    done = by_shell(f'exec "$@" {closed}', [argument.format(trained) for argument in arguments])
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"align: " + message)
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["train", "--help"],
        ["decode", "--help"],
        ["configs"],
        ["eval", "{}/g", "{}/g"],
    ],
    ids=" ".join,
)
def test_what_aligns_nothing_does_not_import_numba(tmp_path, arguments):
    (tmp_path / "g").write_text("0-0 1-1\n")
    arguments = ["align", *(argument.format(tmp_path) for argument in arguments)]
    code = f"""if True:
        import sys
        sys.argv = {arguments!r}
        from cli.main import main
        main()
        heavy = {{"numba", "llvmlite", "aligner.kernels"}} & set(sys.modules)
        assert not heavy, heavy
        assert "eval" in sys.argv or "numpy" not in sys.modules
    """
    done = process(code, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_package_s_names_are_loaded_on_first_use():
    code = """if True:
        import sys
        import aligner
        assert {name for name in sys.modules if name.startswith("aligner")} == {"aligner", "aligner._version"}
        assert set(dir(aligner)) == set(aligner.__all__)
        for name in aligner.__all__:
            assert getattr(aligner, name) is not None
    """
    done = process(code, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
