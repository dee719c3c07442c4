"""The program as its users run it, in this process or one of its own, on the text of the sample."""

import bz2
import gzip
import io
import subprocess
import sys

import pytest

from aligner.cli.main import main
from tests.support import text_of

PROGRAM = "from aligner.cli.process import run; run()"

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


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def trained(texts):
    """A directory with the text, a model and the links that its training wrote, by the program."""
    text = texts / "train.src", texts / "train.tgt"
    output = "-m", texts / "model", "--links", texts / "train.links"
    done = process(["train", *text, *output, *FAST, "-j", "2"], capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == b""
    return texts
