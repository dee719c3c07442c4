"""Occurrences of word types, compared with a search through the text."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aligner.kernels.structs import Side
from aligner.lexicon.occurrences import Occurrences
from aligner.system.threads import split_rows
from tests.support import TEXTS, bitext_of

ROWS = st.lists(st.lists(st.integers(0, 6), max_size=9), min_size=1, max_size=12)


def side(rows):
    """Return lists of word ids as one side of a text."""
    tokens = np.array([word for row in rows for word in row], np.int32)
    return Side(tokens, np.cumsum([0, *map(len, rows)]))


def spans_of(text, threads):
    """Return the numbers of the pairs of each of some spans of a text."""
    return [np.arange(begin, end) for begin, end in split_rows(text.offsets, threads)]


def listed(lists, begin, end):
    """Return (pair, position) of the occurrences begin <= k < end."""
    return list(zip(lists.pair[begin:end].tolist(), lists.position[begin:end].tolist(), strict=True))


def naive_occurrences(rows, word, pairs):
    """Return (pair, position) of a word in some pairs, in the order of the text."""
    return [(n, k) for n in pairs for k, other in enumerate(rows[n]) if other == word]


@given(rows=ROWS, threads=st.integers(1, 5))
def test_spans_divide_the_occurrences_by_pair(rows, threads):
    text = side(rows)
    occurrences = Occurrences.of(text, 6, spans_of(text, threads))
    assert len(occurrences.lists.starts) == 8
    by_span = occurrences.by_span()
    assert [span.tolist() for span, _, _ in by_span] == [span.tolist() for span in occurrences.spans]
    assert [n for span, _, _ in by_span for n in span] == list(range(len(rows)))
    for span, begins, ends in by_span:
        for word in range(7):
            found = listed(occurrences.lists, begins[word], ends[word])
            assert found == naive_occurrences(rows, word, span.tolist())


@given(text=TEXTS, threads=st.integers(1, 5))
def test_occurrences_of_source_words_do_not_depend_on_threads(text, threads):
    bitext = bitext_of(text)
    expected = Occurrences.of_source(bitext).lists
    for found, array in zip(Occurrences.of_source(bitext, threads).lists, expected, strict=True):
        np.testing.assert_array_equal(found, array)


def test_positions_beyond_16_bits_are_exact():
    """Words have parts, so that a sentence of few words may have more parts than 65,535."""
    bitext = bitext_of([(["a"] * 70_000, ["b"])])
    assert Occurrences.of_source(bitext).lists.position.tolist() == [*range(70_000)]
