"""Documents whose commands are run. What they print is compared with what the document says.

Blocks of ``console`` have commands after ``$``, and lines that they print. Blocks of ``sh`` have commands
alone. Blocks of ``python`` are run, too. Blocks of other languages, such as ``bash``, are only shown.
"""

import re
import shlex
import shutil
import subprocess
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.program import outputs_of

ROOT = Path(__file__).resolve().parent.parent

needs_shell = pytest.mark.skipif(shutil.which("sh") is None, reason="commands of documents are for a shell")


class Step(NamedTuple):
    """A command or a Python program of a document, and the lines that it is said to print."""

    code: str
    promised: list[str]
    language: str = "sh"


def steps_of(path):
    """Return the steps of a document, in order."""
    blocks = re.findall(r"^```(console|sh|python)\n(.*?)^```$", (ROOT / path).read_text("utf-8"), re.M | re.S)
    steps = []
    for language, text in blocks:
        if language == "python":
            steps.append(Step(text, [], language))
        for line in [] if language == "python" else text.splitlines():
            if language == "console" and not line.startswith("$ "):
                steps[-1].promised.append(line)
            elif line.startswith((" ", "done")):  # of the loop above
                steps[-1] = Step(f"{steps[-1].code}\n{line}", [])
            elif line:
                steps.append(Step(line.removeprefix("$ "), []))
    return steps


def run_document(path, folder, replaced=("", "")):
    """Run all steps of a document in a folder; return the lines that each command printed.

    replaced: a part of commands, and what is run in its place.
    """
    printed = {}
    for step in steps_of(path):
        if step.language == "python":
            with chdir(folder):
                exec(compile(step.code, str(path), "exec"), {"__name__": "document"})
            continue
        printed[step.code] = lines = run(step.code.replace(*replaced), folder)
        for promised in step.promised:
            if promised and promised != "...":
                assert any(agree(promised, line) for line in lines), (
                    f"{path}: $ {step.code}\nexpected: {promised}\nprinted:\n" + "\n".join(lines)
                )
    return printed


def run(command, folder):
    """Run a command line, in this process if it needs no shell; return the lines that it printed.

    A shell needs the fixture ``align_on_path``.
    """
    if command.startswith("align ") and not set(command) & set("|&;<>()$*\n"):
        with chdir(folder):
            status, out, err = outputs_of(shlex.split(command)[1:])
        assert status == 0, f"{command}\n{err}"
        return (err + out).splitlines()
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout.decode()}"
    return done.stdout.decode().splitlines()


def agree(promised, printed):
    """Return True if two lines have the same words, and figures within 1 %: processors round differently."""
    words, others = promised.split(), printed.split()
    return len(words) == len(others) and all(map(_is_near, words, others))


def _is_near(word, other):
    """Return True if two words are equal, or figures within 1 %."""
    try:
        figures = [float(text.replace(",", "").rstrip("%;")) for text in (word, other)]
    except ValueError:
        return word == other
    return figures[0] == pytest.approx(figures[1], rel=0.01)
