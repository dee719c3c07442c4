"""scripts/reproduce and scripts/accuracy: every table, and every chart, from made-up figures."""

import random
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import count
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


@pytest.fixture
def script(monkeypatch):
    """Scripts as modules, by their names."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def load(name):
        loader = SourceFileLoader(name, str(SCRIPTS / name))
        module = module_from_spec(spec_from_loader(loader.name, loader))
        loader.exec_module(module)
        return module

    return load


@pytest.fixture
def reproduce(script):
    return script("reproduce")


class MadeUp:
    """A laboratory that never runs anything: figures from 10 percent upwards, no two alike."""

    def __init__(self, folder=None):
        self.figures = (10 + k / 8 for k in count())
        self.out = folder

    def text(self, corpus, size):
        file = self.out / "text"
        file.write_text("a line\n" * 3)
        return file, file

    def model(self, corpus, size, *settings):
        return Path("model")

    def curve(self, corpus, size, *settings):
        return [next(self.figures) for _ in range(15)]

    def aer(self, corpus, model, *decoding):
        return next(self.figures)

    def best(self, corpus, model, *combinations, thresholds=()):
        return next(self.figures)


@pytest.mark.parametrize("paper", ["liang2006", "liang2008", "graca2007", "cheng2017"])
def test_every_table_has_its_chart(reproduce, paper, tmp_path):
    pytest.importorskip("matplotlib")
    table, chart = reproduce.PAPERS[paper](MadeUp(), [10_000, 100_000])
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert len({row.count("|") for row in rows}) <= 2
    figure = reproduce.draw(chart)
    assert [axes.get_title() for axes in figure.axes] == list(chart.panels)
    assert {axes.get_xlabel() for axes in figure.axes} == {chart.x}
    assert figure.axes[0].get_ylabel() == "dev AER, percent"
    assert figure.axes[0].get_ylim()[0] == 0
    for axes, lines in zip(figure.axes, chart.panels.values(), strict=True):
        drawn = [list(zip(*line.get_data(), strict=True)) for line in axes.lines]
        assert drawn == [line.points for line in lines]
    names = {text.get_text() for text in figure.legends[0].get_texts()}
    lines = [line for lines in chart.panels.values() for line in lines]
    assert names == {f"{line.label}, paper" if line.published else line.label for line in lines}
    figure.savefig(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_sizes_are_said_in_short(reproduce):
    assert [sys.modules["charts"].short(size) for size in (500, 10_000, 100_000, 1_130_104)] == [
        "500",
        "10K",
        "100K",
        "1.13M",
    ]


@pytest.mark.parametrize("claim", ["sets", "criteria", "mre", "cognates"])
def test_every_claim_has_its_table(script, claim, tmp_path, monkeypatch):
    accuracy = script("accuracy")
    monkeypatch.setattr(accuracy.peers, "present", dict)
    head, rule, *rows = accuracy.CLAIMS[claim](MadeUp(tmp_path), [10_000, 100_000])
    assert {row.count("|") for row in (head, rule, *rows)} == {head.count("|")}
    figures = [cell for row in rows for cell in row.split("|") if "." in cell]
    assert len(set(figures)) == len(figures) >= 4


def test_how_often_one_is_above_another(script):
    rng = random.Random(1)
    one, other = ([(0, rng.randrange(100)) for _ in range(size)] for size in (30, 20))
    other = [row for row in other if row not in one]
    wins = sum(a > b for a in one for b in other)
    assert script("accuracy").above([one, other], 1) == pytest.approx(wins / len(one) / len(other))


def test_peers_are_merged_by_what_makes_their_files(script):
    peers = script("peers.py")
    assert peers.merged("r") == "cp r links"
    assert peers.merged("union") == "atools -i f -j r -c union >links"
    assert set(peers.present()) <= {"fast_align", "eflomal"}


def test_texts_for_peers_have_no_empty_sides(script, tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("A b\n\nc\n")
    target.write_text("X\ny\nz\n")
    script("peers.py").prepare(source, target, 2, tmp_path)
    assert (tmp_path / "both").read_text() == "a b ||| x\n- ||| -\n"
    assert (tmp_path / "s").read_text() == "a b\n-\n"
