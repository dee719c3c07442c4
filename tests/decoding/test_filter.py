"""Tests of filtering by gain, and of the histogram of the gain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.decoding.batch import decode
from aligner.decoding.filter import FilterSummary, filter_file
from aligner.decoding.histogram import Histogram
from tests.support import text_of, write


@pytest.fixture(scope="module")
def pairs(sample):
    """Return the pairs of a text: some with exchanged targets, one with an empty side, one with a TAB."""
    text = text_of(sample.train)
    wrong = [(source, text[k + 30][1]) for k, (source, _) in enumerate(text[:20])]
    return [*text, ("a  b", ""), *wrong, (text[0][0].replace(" ", "\t"), text[0][1])]


@pytest.fixture
def files(pairs, tmp_path):
    """Return the files of the two sides."""
    sides = ("".join(f"{line}\n" for line in side) for side in zip(*pairs, strict=True))
    return [write(tmp_path / name, side) for name, side in zip(("src", "tgt"), sides, strict=True)]


@pytest.mark.parametrize("threads", [1, 2])
def test_pairs_are_kept_by_gain(tiny_model, pairs, files, tmp_path, threads, monkeypatch):
    monkeypatch.setattr("aligner.files.lines.READ_BYTES", 500)
    monkeypatch.setattr("aligner.decoding.stream.PAIRS_PER_CHUNK", 20)
    gains = decode(tiny_model, tiny_model.encode(pairs), scores=True).scores[:, 2]
    least = float(np.median(gains[np.isfinite(gains)]))
    kept, dropped = tmp_path / "kept", tmp_path / "dropped"
    options = {"dropped": str(dropped), "min_gain": least, "threads": threads}
    summary = filter_file(tiny_model, *files, str(kept), **options)
    rows = ["\t".join(side.replace("\t", " ") for side in pair) for pair in pairs]
    good = [row for row, gain in zip(rows, gains, strict=True) if gain >= least]
    bad = [row for row, gain in zip(rows, gains, strict=True) if gain < least]
    assert kept.read_text("utf-8").splitlines() == good
    assert dropped.read_text("utf-8").splitlines() == bad
    assert (summary.kept, summary.dropped, summary.without_gain) == (len(good), len(bad), 1)
    assert len(summary.gains) == len(pairs) - 1
    assert sum(count for lowest, count, _ in summary.gains.bars() if lowest >= least) == len(good)


def test_sides_are_written_unchanged(tiny_model, pairs, files, tmp_path):
    outputs = [tmp_path / "kept.src", tmp_path / "kept.tgt"]
    filter_file(tiny_model, *files, str(outputs[0]), target_output=str(outputs[1]), min_gain=-50)
    kept = [pair for pair in pairs if all(pair)]
    for output, side in zip(outputs, zip(*kept, strict=True), strict=True):
        assert output.read_text("utf-8").splitlines() == list(side)


def test_open_bars_say_so():
    summary = FilterSummary(Histogram(1.0))
    summary.add(np.array([-40.0, *np.arange(0, 4, 0.02), 50.0]))
    header, first, *_, last, kept, dropped = summary.describe()
    assert header.split() == ["gain", "from", "pairs"]
    assert first.split()[:2] == ["below", "0.50"]
    assert last.split()[:3] == ["3.50", "or", "more"]
    assert (first.split()[3], last.split()[4]) == ("-", "+")
    assert (kept[:8], dropped[:10]) == ("kept 151", "dropped 51")
    summary = FilterSummary(Histogram(1.0))
    summary.add(np.array([2.0]))
    assert summary.describe()[1].split()[:3] == ["all", "1", "+"]
    summary.add(np.array([0.0]))
    assert (" - #" in summary.describe()[1], " + #" in summary.describe()[-3]) == (True, True)


@given(st.lists(st.floats(-70, 70) | st.just(float("-inf")), max_size=60), st.floats(-5, 5))
def test_bars_count_every_value_once(values, origin):
    histogram = Histogram(origin)
    histogram.add(np.array(values))
    finite = [value for value in values if np.isfinite(value)]
    bars = histogram.bars()
    assert sum(count for _, count, _ in bars) == len(histogram) == len(finite)
    assert len(bars) <= 16
    starts = [start for start, *_ in bars]
    assert starts == sorted(set(starts))
    if bars and starts[0] < origin <= starts[-1]:
        above = sum(count for start, count, _ in bars if start >= origin)
        assert above == sum(value >= origin for value in finite)
