"""Standard streams of the process: pipes, closed streams, full disks."""

import json
import os
import subprocess
import sys

import pytest

from tests.program import FAST, PROGRAM, converse

POSIX_SHELL = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
NAMED_STREAMS = pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")


@pytest.mark.parametrize(
    "options",
    ["-j 1", "-j 3", pytest.param("-j 1 -o /dev/stdout", marks=NAMED_STREAMS), "--scores -"],
)
def test_each_line_is_answered_before_the_next_is_sent(program, trained, align, tmp_path, options):
    """Scores follow the links of each line."""
    lines = (trained / "train.tsv").read_bytes().splitlines(keepends=True)
    answers = (trained / "train.links").read_bytes().splitlines(keepends=True)
    if "--scores" in options:
        align("decode", trained / "model", trained / "train.tsv", "--scores", tmp_path / "scores")
        scores = (tmp_path / "scores").read_bytes().splitlines(keepends=True)
        answers = [links.rstrip() + b"\t" + own for links, own in zip(answers, scores, strict=True)]
    command = [*program, "decode", trained / "model", "-", "-q", *options.split()]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    converse(running, zip(lines[:5], answers[:5], strict=True), running.stdout)


def test_scores_follow_words_with_other_line_separators(trained, align):
    text = "a\u2028b \u0085\tc\vd \f\n".encode()
    out, _ = align("decode", trained / "model", "-", "--links-format", "tsv", "--scores", "-", stdin=text)
    source, target, _, *scores = out.decode().removesuffix("\n").split("\t")
    assert (source, target, len(scores)) == ("a b", "c d", 4)  # the format splits words at any white space


def test_scores_are_in_the_objects_of_json_lines(trained, align, tmp_path):
    text = b"\n".join([*(trained / "train.tsv").read_bytes().splitlines()[:2], b"a\t\n"])
    out, _ = align("decode", trained / "model", "-", "--links-format", "jsonl", "--scores", "-", stdin=text)
    align("decode", trained / "model", "-", "--scores", tmp_path / "scores", stdin=text)
    rows = [json.loads(line)["scores"] for line in out.splitlines()]
    expected = [line.split("\t") for line in (tmp_path / "scores").read_text().splitlines()]
    assert [[f"{row[name]:.4f}" for name in ("score", "forward", "reverse", "gain")] for row in rows[:2]] == (
        expected[:2]
    )
    assert set(rows[2].values()) == {None}


def test_closed_pipe_ends_silently(program, trained):
    """Repeat ``align decode ... | head -1``, with enough lines to fill the pipe."""
    text = (trained / "train.tsv").read_bytes() * 100
    arguments = [*program, "decode", trained / "model", "-"]
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
        assert running.wait() == 128 + 13


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ("decode {0}/model {0}/dev.tsv -q", "<stdout>"),
        ("configs", "<stdout>"),
        ("decode {0}/model {0}/dev.tsv -q -o /dev/full", "/dev/full"),
        ("train {0}/dev.tsv -q -c fast -m /dev/null --links /dev/full", "/dev/full"),
    ],
)
def test_full_disk_is_reported(program, trained, arguments, name):
    command = [*program, *arguments.format(trained).split()]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(f"align: {name}: cannot be written (No space left")


def by_shell(line, arguments):
    """Run ``align`` with arguments as "$@" in a line of the shell."""
    command = ["sh", "-c", line, "sh", sys.executable, "-c", PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False)


@POSIX_SHELL
def test_closed_stream_that_is_not_used(trained, align, tmp_path):
    lexicon = ["lexicon", trained / "model"]
    text = trained / "train.src", trained / "train.tgt"
    train = ["train", *text, "-m", tmp_path / "model", "--links", tmp_path / "links", *FAST]
    for closed, arguments, out in ("<&- 2>&-", lexicon, align(*lexicon)[0]), ("<&- >&- 2>&-", train, b""):
        done = by_shell(f'exec "$@" {closed}', arguments)
        assert (done.returncode, done.stdout) == (0, out)
    assert (tmp_path / "links").read_bytes() == (trained / "train.links").read_bytes()
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()


@POSIX_SHELL
@pytest.mark.parametrize(
    ("closed", "arguments", "message"),
    [
        (">&-", ["decode", "{}/model", "{}/dev.tsv", "-q"], b"<stdout>: cannot be written"),
        ("<&-", ["eval", "{}/dev.gold", "-"], b"<stdin>: cannot be read"),
    ],
)
def test_closed_stream_that_is_used_is_an_error(trained, closed, arguments, message):
    done = by_shell(f'exec "$@" {closed}', [argument.format(trained) for argument in arguments])
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"align: " + message)
    assert done.stderr.count(b"\n") == 1
