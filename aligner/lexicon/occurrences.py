"""The occurrences of each word type in a text: an inverted index of one side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aligner import kernels
from aligner.arrays import Int64s, offsets_of, position_type
from aligner.kernels.structs import OccurrenceLists, Side
from aligner.system.threads import run_all, split_rows
from aligner.text.bitext import SentencePairs
from aligner.text.sentences import Sentences

_CELLS_PER_VISIT = 48
"""Visiting an occurrence takes as long as processing this many of its cells."""

_MOST_SPANS = 64
"""The largest number of spans of a text: each span has an array as large as the vocabulary."""


class SpanOccurrences(NamedTuple):
    """The occurrences in some sentence pairs: word type s has the occurrences begins[s] <= k < ends[s].

    numbers: int64 [pairs], the pairs; begins, ends: int64 [types + 1].
    """

    numbers: Int64s
    begins: Int64s
    ends: Int64s


class Occurrences(NamedTuple):
    """The occurrences of every word type of one side of a text, divided by spans of sentence pairs.

    lists: the occurrences by type, where the last type is the out-of-vocabulary word; spans: the numbers of
    the pairs of each span, int64; ends: int64 [spans, types + 1], the end of each span among the occurrences
    of each type.
    """

    lists: OccurrenceLists
    spans: list[Int64s]
    ends: Int64s

    @classmethod
    def of_source(cls, bitext: SentencePairs, threads: int = 1, numbers: Int64s | None = None) -> Occurrences:
        """Find the occurrences of a text's source words, by spans that take about as long to visit.

        numbers: the pairs, in any order; by default all. Occurrences are in the order of the text.
        """
        numbers = np.arange(len(bitext)) if numbers is None else np.sort(numbers)
        work = (bitext.sizes + _CELLS_PER_VISIT * bitext.source.lengths)[numbers]
        spans = split_rows(offsets_of(work), min(threads, _MOST_SPANS))
        parts = [numbers[begin:end] for begin, end in spans]
        position = position_type(bitext.source.lengths[numbers])
        return cls.of(side_of(bitext.source), bitext.source_types, parts, position)

    @classmethod
    def of(
        cls, side: Side, types: int, spans: list[Int64s], position: type[np.integer] = np.int32
    ) -> Occurrences:
        """Sort occurrences by type, by counting sort, with a thread for each span of pairs.

        position: the type of positions.
        """
        threads = len(spans)
        ends = np.zeros((len(spans), types + 1), np.int64)

        def count(n: int) -> None:
            kernels.index.count_words(spans[n], side, ends[n])

        run_all(range(len(spans)), count, threads)
        starts = offsets_of(ends.sum(axis=0))
        ends[:] = starts[:-1] + np.cumsum(ends, axis=0) - ends  # begins, until occurrences are written
        lists = OccurrenceLists(starts, np.empty(starts[-1], np.int32), np.empty(starts[-1], position))

        def sort(n: int) -> None:
            kernels.index.sort_occurrences(spans[n], side, ends[n], lists.pair, lists.position)

        run_all(range(len(spans)), sort, threads)
        return cls(lists, spans, ends)

    def by_span(self) -> list[SpanOccurrences]:
        """Return the occurrences of each span."""
        begins = [self.lists.starts[:-1], *self.ends]
        return [SpanOccurrences(*each) for each in zip(self.spans, begins[:-1], self.ends, strict=True)]


def side_of(sentences: Sentences) -> Side:
    """Return sentences as kernels take them."""
    return Side(sentences.tokens, sentences.offsets)
