"""The option --skip-bad: bad lines are empty pairs for each verb, and the links of other lines stay."""

import gzip
import shutil
import subprocess

import pytest

from tests.program import FAST, converse
from tests.support import write

LINES = 30
BAD = {3: b"caf\xe9\tx", 7: b"a\tb \0 c"}
VERBS = [
    "train S T -m new -c fast",
    "train model.src model.tgt --dev-source S --dev-target T --dev-gold links -m new -c fast",
    "decode model S T",
    "filter model S T",
    "report model S T",
    "suggest model S T",
    "eval links links --errors --source S --target T",
    "show links S T",
    "show links S T --html page",
    "find . links S T --by regex",
    "lexicon --links links --lexicon-format csv --text S T",
    "lexicon model --lexicon-format csv --text S T",
    "symmetrize links --source S --target T --links-format tsv",
    "project links tags T --annotation-format tags",
    "remap links --source S S --target T T",
    "pivot a=S b=T c=T -c fast -o folder",
    "shard read run 1 S T",
]


@pytest.fixture(scope="module")
def folders(trained, tmp_path_factory):
    """Return folders of a text with two bad lines, and of this text with these pairs empty."""
    folders = []
    for name, bad in (("bad", BAD), ("empty", dict.fromkeys(BAD, b"\t"))):
        folder = tmp_path_factory.mktemp(name)
        lines = (trained / "train.tsv").read_bytes().splitlines()[:LINES]
        lines = [bad.get(n, line) + b"\n" for n, line in enumerate(lines, 1)]
        write(folder / "both", b"".join(lines))
        for k, side in enumerate("ST"):
            content = b"".join(line.strip(b"\n").split(b"\t")[k] + b"\n" for line in lines)
            write(folder / side, content)
            write(folder / f"{side}.gz", gzip.compress(content))
        for file in ("model", "train.src", "train.tgt"):
            shutil.copy(trained / file, folder / file.replace("train", "model"))
        folders.append(folder)
    return folders


@pytest.fixture
def bad_text(folders, align, monkeypatch):
    """Go to the folder of the text with bad lines, which has links of it, and tags."""
    monkeypatch.chdir(folders[0])
    align("decode", "model", "S", "T", "--skip-bad", "-q", "-o", "links")
    lines = (folders[1] / "S").read_bytes().split(b"\n")[:-1]
    write(folders[0] / "tags", b"".join(b"N " * len(line.split()) + b"\n" for line in lines))


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_that_reads_text_skips_bad_lines(bad_text, align, tmp_path, verb):
    if "shard" in verb:
        align("shard", "start", tmp_path / "run", "--shards", "1")
    command = [tmp_path / word if word in ("new", "page", "run", "folder") else word for word in verb.split()]
    _, err = align(*command, status=1)
    assert "S:3: byte 3 of the line is 0xe9" in err or "T:7: byte 2 of the line is NUL" in err
    out, err = align(*command, "--skip-bad")
    assert "S:3: byte 3 of the line is 0xe9" in err or "S" not in verb.split()
    assert "T:7: byte 2 of the line is NUL" in err
    if verb.split()[0] in ("decode", "project", "remap", "symmetrize"):
        assert out.count(b"\n") == LINES


@pytest.mark.parametrize("verb", ["learn model S T /dev/null -m new", "tune model S T /dev/null"])
def test_verbs_with_gold_skip_bad_lines_before_they_read_it(bad_text, align, verb):
    assert "byte 3 of the line is 0xe9" in align(*verb.split(), status=1)[1].splitlines()[-1]
    err = align(*verb.split(), "--skip-bad", status=1)[1]
    assert "S:3: byte 3 of the line is 0xe9" in err
    assert "gold" in err.splitlines()[-1]


def links_of(align, folder, output, *text, threads="1"):
    """Train on a text and decode it; return its links."""
    model, links, text = output / "model", output / "links", [folder / name for name in text]
    options = "--links", links, *FAST, "--force", "--skip-bad", "-j", threads
    align("train", *text, "-m", model, *options)
    assert align("decode", model, *text, "--skip-bad")[0] == links.read_bytes()
    return links.read_bytes()


@pytest.mark.parametrize(
    ("text", "threads"), [("S T", "1"), ("both", "1"), ("S T", "3"), ("both", "3"), ("S.gz T.gz", "1")]
)
def test_links_are_those_of_the_text_with_these_pairs_empty(folders, align, tmp_path, text, threads):
    expected = links_of(align, folders[1], tmp_path, "S", "T")
    assert links_of(align, folders[0], tmp_path, *text.split(), threads=threads) == expected
    assert expected.count(b"\n") == LINES


def test_live_co_process_answers_bad_lines(program, folders, align):
    expected = align("decode", folders[0] / "model", folders[1] / "both")[0].splitlines(keepends=True)
    lines = (folders[0] / "both").read_bytes().splitlines(keepends=True)
    command = [*program, "decode", "-q", folders[0] / "model", "-", "--skip-bad"]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    converse(running, [*zip(lines, expected, strict=True)][:8], running.stdout)


def test_one_shard_or_many_and_standard_input_count_the_same(folders, align, tmp_path):
    texts = {"whole": "S T", "both": "both", "stdin": "-"}
    models = []
    for name, text in texts.items():
        stdin = (folders[0] / "both").read_bytes() if text == "-" else b""
        files = [word if word == "-" else folders[0] / word for word in text.split()]
        model = tmp_path / name
        _, err = align("train", *files, "-m", model, *FAST, "--skip-bad", stdin=stdin)
        assert "left out: 2 in bad lines" in err
        models.append(model.read_bytes())
    align("shard", "start", tmp_path / "run", "--shards", "2", *FAST)
    lines = (folders[0] / "both").read_bytes().splitlines(keepends=True)
    for shard, part in enumerate((lines[:5], lines[5:]), 1):
        write(tmp_path / f"part{shard}", b"".join(part))
        _, err = align("shard", "read", tmp_path / "run", shard, tmp_path / f"part{shard}", "--skip-bad")
        assert "left out: 1 in bad lines" in err
    while not (tmp_path / "run" / "model").exists():
        align("shard", "count", tmp_path / "run", "1-2")
        align("shard", "update", tmp_path / "run")
    models.append((tmp_path / "run" / "model").read_bytes())
    assert len(set(models)) == 1
