"""The README: its commands run in order in an empty folder and print what it says, and its Python runs."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from aligner.cli.main import VERBS
from aligner.links.formats.plain import read_links
from aligner.links.symmetrize import SYMMETRIZATIONS
from aligner.models.model_file import load
from aligner.recipe.builtin import builtin_recipes
from tests.program import outputs_of

README = (Path(__file__).resolve().parent.parent / "README.md").read_text("utf-8")
BLOCKS = [block.group(0) for block in re.finditer(r"(?:^    .*\n|^\n(?=    ))+", README, re.MULTILINE)]
SESSION = [line[4:] for block in BLOCKS if "    $ " in block for line in block.splitlines() if line]
COOKBOOK = re.findall(r"^    (\S.*)$", README.split("## Cookbook")[1].split("## Guarantees")[0], re.MULTILINE)
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)

needs_shell = pytest.mark.skipif(shutil.which("sh") is None, reason="the README's commands are for a shell")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make an empty folder, in which all commands run, one after another."""
    return tmp_path_factory.mktemp("readme")


def run(command, folder):
    """Run a command line, in this process if it needs no shell; return the lines that it printed."""
    if command.startswith("align ") and not set(command) & set("|&;<>()$"):
        with chdir(folder):
            status, out, err = outputs_of(shlex.split(command)[1:])
        assert status == 0, f"{command}\n{err}"
        return (err + out).splitlines()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout.decode()}"
    return done.stdout.decode().splitlines()


@pytest.fixture(scope="module")
def trained(folder):
    """Run the session of the README; return its lines, each with the lines that its command printed."""
    printed, lines = [], []
    for line in SESSION:
        if line.startswith("$ "):
            printed = run(line[2:], folder)
        elif line != "...":
            lines.append((line, printed))
    return lines


def agree(promised, printed):
    """Return True if two lines have the same words, and figures within 1 %: processors round differently."""
    words, others = promised.split(), printed.split()
    if len(words) != len(others):
        return False
    for word, other in zip(words, others, strict=True):
        figures = [text.replace(",", "").rstrip("%;") for text in (word, other)]
        try:
            if float(figures[0]) != pytest.approx(float(figures[1]), rel=0.01):
                return False
        except ValueError:
            if word != other:
                return False
    return True


@pytest.mark.slow
@needs_shell
def test_the_session_prints_what_the_readme_says(trained):
    assert len(trained) >= 8
    for line, printed in trained:
        assert any(agree(line, other) for other in printed), f"README: {line}\nprinted: {printed}"


@pytest.mark.slow
@needs_shell
def test_the_cookbook_runs_in_order(trained, folder):
    assert len(COOKBOOK) >= 12
    printed = {command: run(command, folder) for command in COOKBOOK}
    (links,), (with_scores,) = (lines for command, lines in printed.items() if "decode model - " in command)
    assert links == "0-0 1-1"
    assert re.fullmatch(r"0-0 1-1(\t-?\d+\.\d{4}){4}", with_scores)
    kept, lines = (
        len((folder / name).read_text("utf-8").splitlines()) for name in ("filtered.tsv", "train.src")
    )
    assert 0.9 * lines < kept <= lines
    both, gdfa = (list(read_links(folder / name)) for name in ("both.links", "gdfa.links"))
    assert all({*few} <= {*many} for few, many in zip(both, gdfa, strict=True))
    assert any(both)
    assert (folder / "dev.linked.tsv").read_text("utf-8").count("\t") == 2 * len(both)
    assert load(folder / "run" / "model").corpus["lines"] == lines
    assert (folder / "priors").read_text("utf-8").startswith("LEX\t")


def test_every_verb_has_an_example():
    commands = [line.removeprefix("$ ") for line in SESSION if line.startswith("$ ")] + COOKBOOK
    assert set(re.findall(r"\balign ([a-z]+)", "\n".join(commands))) == set(VERBS) - {"serve"}
    assert "`align serve model" in README  # runs until somebody ends it


def test_recipes_in_the_readme_are_built_in():
    named = set(re.findall(r"(?:-c|configs) ([a-z][a-z0-9-]+)(?=\s)", README)) - {
        "mine.toml",
        *SYMMETRIZATIONS,
    }
    assert named
    assert named <= set(builtin_recipes())


@needs_shell
def test_the_python_runs(trained, folder, monkeypatch):
    monkeypatch.chdir(folder)
    (program,) = PYTHON
    exec(compile(program, "README.md", "exec"), {"__name__": "readme"})


def test_each_guarantee_names_its_test():
    tests = Path(__file__).resolve().parent
    table = README.split("## Guarantees")[1].split("## Python")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 8
    for row in rows:
        path, name = re.search(r"`([a-z_/]+\.py)::(\w+)`", row).groups()
        assert f"def {name}(" in (tests / path).read_text("utf-8"), row
