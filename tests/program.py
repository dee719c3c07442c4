"""The program under test, run in this process or in a new one, and files of the sample for it."""

import bz2
import gzip
import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from aligner.cli.main import main
from tests.support import text_of

TESTS = Path(__file__).resolve().parent

PROGRAM = "from aligner.cli.process import run; run()"

FAST = ["-c", "fast", "--set", "stage.1.iterations=2", "--set", "stage.2.iterations=2"]
"""Options for few iterations of the recipe ``fast``."""


def run_here(arguments, stdin=b""):
    """Run ``align`` in this process; return its exit status."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["align", *map(str, arguments)])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            main()
        except SystemExit as stop:
            return stop.code
    return 0


def outputs_of(arguments):
    """Run ``align`` in this process; return its exit status, stdout and stderr, as text."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2)]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        status = run_here(arguments)
    return status, *(stream.buffer.getvalue().decode() for stream in streams)


@pytest.fixture
def align(capsysbinary):
    """Return a function that runs ``align`` in this process, and returns stdout, bytes, and stderr, text."""

    def run(*arguments, stdin=b"", status=0):
        returned = run_here(arguments, stdin)
        out, err = capsysbinary.readouterr()
        assert returned == status, err.decode()
        return out, re.sub(r"^compiling .*\n", "", err.decode(), flags=re.MULTILINE)

    return run


def process(code_or_arguments, **options):
    """Run ``align`` with a list of arguments, or a string of Python code, in a new process."""
    if isinstance(code_or_arguments, str):
        command = ["-c", code_or_arguments]
    else:
        command = ["-c", PROGRAM, *map(str, code_or_arguments)]
    return subprocess.run([sys.executable, *command], check=False, **options)


def converse(running, lines, answers):
    """Send each line to a process only after it has answered the line before, and check the answers."""
    with running:
        for line, answer in lines:
            running.stdin.write(line)
            running.stdin.flush()
            assert answers.readline() == answer
        running.stdin.close()
        assert answers.read() == b""
        assert running.wait() == 0


@pytest.fixture(scope="session")
def program():
    """Return the command that runs ``align`` in a process forked from a process with all modules loaded."""
    if not hasattr(os, "pidfd_open"):  # Linux has it
        yield [sys.executable, "-c", PROGRAM]
        return
    with TemporaryDirectory() as folder:
        socket = Path(folder) / "socket"
        command = [sys.executable, "-m", "tests.fork_server", socket]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, cwd=TESTS.parent, **streams) as server:
            assert server.stdout.readline() == b"ready\n"
            yield [sys.executable, "-IS", str(TESTS / "fork_client.py"), str(socket)]
            server.kill()


@pytest.fixture(scope="module")
def align_on_path(program, tmp_path_factory):
    """Put a folder with ``align``, in new processes, and the folder of Python in front of PATH."""
    script = tmp_path_factory.mktemp("bin") / "align"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(program)} "$@"\n')
    script.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{script.parent}:{Path(sys.executable).parent}", prepend=os.pathsep)
        yield


@pytest.fixture(scope="session")
def texts(sample, tmp_path_factory):
    """Return a directory with the text of the sample, in several formats, and its gold links."""
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
    """Return the directory of texts, with a model and the training links written by ``align train``."""
    text = texts / "train.src", texts / "train.tgt"
    output = "-m", texts / "model", "--links", texts / "train.links"
    status, out, err = outputs_of(["train", *text, *output, *FAST, "-j", "2"])
    assert (status, out) == (0, ""), err
    return texts
