"""The README's commands run, and print what it says they print; its Python runs too."""

import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from aligner.cli.main import main
from aligner.recipe.load import load_recipe
from aligner.sample.files import write_sample

README = (Path(__file__).resolve().parent.parent / "README.md").read_text("utf-8")
BLOCKS = [block.group(0) for block in re.finditer(r"(?:^    .*\n|^\n(?=    ))+", README, re.MULTILINE)]
SESSION = [line[4:] for block in BLOCKS if "    $ " in block for line in block.splitlines() if line]
COMMANDS = [line[4:] for block in BLOCKS for line in block.splitlines() if line.startswith("    align ")]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with the files that the README speaks of."""
    directory = tmp_path_factory.mktemp("readme")
    write_sample(directory)
    for side in ("src", "tgt"):
        (directory / side).write_bytes((directory / f"dev.{side}").read_bytes())
    first = [(directory / side).read_text("utf-8").split()[0] for side in ("src", "tgt")]
    (directory / "words.tsv").write_text("\t".join(first) + "\n", "utf-8")
    lines = len((directory / "src").read_text("utf-8").splitlines())
    for side in ("src", "tgt"):
        text = (directory / side).read_text("utf-8")
        pieces = [" ".join("@@ ".join(word) for word in line.split(" ")) for line in text.split("\n")]
        (directory / f"{side}.pieces").write_bytes("\n".join(pieces).encode())
    (directory / "known").write_text("0-0\n" + "\n" * (lines - 1), "utf-8")
    return directory


@pytest.fixture
def run(place, monkeypatch, capsysbinary):
    """Run a command line there; returns the lines of all that it printed."""
    monkeypatch.chdir(place)

    def run_line(line):
        arguments = shlex.split(line, comments=True)
        if arguments[0] == "head":
            return Path(arguments[2]).read_text("utf-8").splitlines()[: -int(arguments[1])]
        assert arguments[0] == "align", line
        monkeypatch.setattr(sys, "argv", arguments)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        main()
        out, err = capsysbinary.readouterr()
        return (out + err).decode().splitlines()

    return run_line


def same(promised, printed):
    """Whether two lines agree: words exactly, figures to one percent, since processors round differently."""
    words = [re.sub(r"[\d.]+ s  [\d,]+ pairs/s", "", line).split() for line in (promised, printed)]
    if len(words[0]) != len(words[1]):
        return False
    for one, other in zip(*words, strict=True):
        figures = [word.replace(",", "").rstrip("%;") for word in (one, other)]
        try:
            if float(figures[0]) != pytest.approx(float(figures[1]), rel=0.01):
                return False
        except ValueError:
            if one != other:
                return False
    return True


def test_the_session_prints_what_it_says(run):
    printed = []
    for line in SESSION:
        if line.startswith("$ "):
            printed = run(line[2:])
            assert printed, line
        elif line != "...":
            assert any(same(line, other) for other in printed), f"README: {line}\nprinted: {printed}"
    assert sum(line.startswith("$ align") for line in SESSION) >= 3


@pytest.mark.parametrize("command", COMMANDS)
def test_every_other_command_runs(run, place, command):
    if not (place / "model").exists():
        run("align train train.src train.tgt -m model")
    run(command)


def test_the_recipes_that_it_names_are_there(run):
    known = [line.split()[0] for line in run("align configs")]
    for named in re.findall(r"(?:-c|--config) ([a-z0-9-]+)", README):
        assert named in known


def test_the_recipe_is_one(tmp_path):
    (block,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    (tmp_path / "mine.toml").write_text(block)
    assert len(load_recipe(tmp_path / "mine.toml").stages) == 2


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_the_python_runs(place, monkeypatch, block):
    monkeypatch.chdir(place)
    exec(compile(block, "README.md", "exec"), {})
