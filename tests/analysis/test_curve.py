"""Curves over thresholds, and their charts."""

import sys

import pytest

from aligner.analysis.curve import THRESHOLDS, compute_curve, distinct_thresholds
from aligner.analysis.plot import write_curves
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.links.alignments import Alignments
from aligner.links.evaluation import score
from tests.refusals import refused


def test_posterior_links_give_the_scores_of_decoding_at_each_threshold(tiny_model, dev):
    text, gold = dev
    links = decode(tiny_model, text, Decoder("posterior", "average", THRESHOLDS[0]))
    curve = compute_curve(links, gold)
    assert [point.threshold for point in curve] == list(THRESHOLDS)
    for point in curve:
        at_threshold = decode(tiny_model, text, Decoder("posterior", "average", point.threshold))
        assert point.score == score(at_threshold, gold)
    assert len({point.score.links for point in curve}) > 5


@pytest.mark.parametrize(
    ("lowest", "first"), [(0.01, 0.05), (0.05, 0.05), (0.15, 0.15), (0.35, 0.35), (0.5003, 0.5), (1.0, 0.95)]
)
def test_thresholds_that_all_links_reach_are_one(lowest, first):
    links = Alignments.from_links(1, [0, 0], [0, 1], [0, 1], [lowest, 1.0])
    thresholds = distinct_thresholds(links)
    assert thresholds == THRESHOLDS[THRESHOLDS.index(first) :]
    assert distinct_thresholds(Alignments.from_lists([[(0, 0)]])) == THRESHOLDS


def test_chart_without_matplotlib_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    refused("pip install matplotlib", write_curves, tmp_path / "curve.png", [])
    assert not list(tmp_path.iterdir())
