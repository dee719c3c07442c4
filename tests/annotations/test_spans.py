"""Tests of the projection of spans."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from aligner.annotations.spans import Span, place_apart, project_spans, read_spans, write_spans
from tests.annotations.cases import LENGTHS, identity, link_lines, links_of, with_probabilities


def spans_within(length):
    """Return the strategy of spans, which may overlap, of a sentence."""
    ends = st.tuples(st.integers(0, length), st.integers(0, length)).filter(lambda pair: pair[0] != pair[1])
    span = st.tuples(ends, st.sampled_from(["A", "B:c"])).map(lambda x: Span(*sorted(x[0]), x[1]))
    return st.lists(span, max_size=4) if length else st.just([])


@given(st.integers(0, 6).flatmap(lambda n: st.tuples(st.just(n), spans_within(n))))
def test_identity_returns_the_line(case):
    length, spans = case
    line = write_spans(spans, [])
    assert read_spans(line) == spans
    assert project_spans(read_spans(line), identity(length)) == (spans, 0)


@given(LENGTHS, st.data())
def test_nesting_is_kept(lengths, data):
    """Two spans, one inside the other, stay so, and none but those without links inside are left out."""
    links = with_probabilities(data.draw(link_lines(*lengths)), lengths[1])
    outer, inner = (data.draw(spans_within(lengths[0])) for _ in range(2))
    if outer and inner and outer[0].start <= inner[0].start and inner[0].end <= outer[0].end:
        spans = [inner[0]._replace(label="inner"), outer[0]._replace(label="outer")]
        found = {span.label: span for span in project_spans(spans, links)[0]}
        assert set(found) != {"inner"}
        if len(found) == 2:
            assert found["outer"].start <= found["inner"].start < found["inner"].end <= found["outer"].end


@given(LENGTHS, st.data())
def test_runs_apart_have_no_common_words(lengths, data):
    links = with_probabilities(data.draw(link_lines(*lengths)), lengths[1])
    cuts = sorted(data.draw(st.sets(st.integers(0, lengths[0]))))
    spans = list(pairwise(cuts))
    runs = place_apart(spans, links, (0, lengths[1]))
    words = [j for run in runs if run for j in range(*run)]
    assert len(runs) == len(spans)
    assert len(words) == len(set(words))
    assert set(words) <= set(range(lengths[1]))


def test_spans_without_links_are_left_out():
    spans = [Span(0, 1, "A"), Span(1, 3, "B"), Span(0, 3, "C")]
    assert project_spans(spans, links_of("1-2 2-0", 4)) == ([Span(0, 3, "B"), Span(0, 3, "C")], 1)
