"""scripts/reproduce: every paper's table and chart, from made-up figures; and the drawing."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import count
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


@pytest.fixture
def reproduce(monkeypatch):
    """The script as a module."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = SourceFileLoader("reproduce", str(SCRIPTS / "reproduce"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class MadeUp:
    """A laboratory that never runs anything: figures from 10 percent upwards, no two alike."""

    def __init__(self):
        self.figures = (10 + k / 8 for k in count())

    def model(self, corpus, size, *settings):
        return Path("model")

    def curve(self, corpus, size, *settings):
        return [next(self.figures) for _ in range(15)]

    def aer(self, corpus, model, *decoding):
        return next(self.figures)

    best = aer


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
