"""What is known about a text's words beforehand: a bilingual dictionary, known and forbidden links.

Nothing here is learned: a dictionary adds observed counts to the expected ones (Merialdo 1994, as in Smith,
lecture 19: "augment E step counts with observed counts before each M step"), known links leave only the
alignments that agree with them (Pereira & Schabes 1992).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.criteria.counts import PseudoCounts
from aligner.errors import ConfigError, DataError
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.blocks import Block
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.links.alignments import Alignments, check_lengths, intersection
from aligner.links.pharaoh import parse_link
from aligner.models import ModelPair
from aligner.models.variants import CellSet, Restricted
from aligner.text.bitext import Bitext
from aligner.text.files import PathLike, display_name
from aligner.text.lines import read_lines
from aligner.text.sentences import Indices
from aligner.text.vocabulary import Vocabulary

HEAVIEST = 1e3
"""The greatest weight of an entry, and of a dictionary."""

HEAVIEST_WORD = 1 << 30
"""The greatest weight of all entries of a word: with what a text adds to it, it fits into 64 bits."""


@dataclass(frozen=True)
class Dictionary:
    """Entries (source text, target text, weight): as many observed translations of one by the other.

    An entry of several words on a side counts for every pair of a source and a target word, its weight
    divided by the number of such pairs. Equal entries add up. DataError for a weight out of range.
    """

    entries: tuple[tuple[str, str, float], ...]

    def __post_init__(self) -> None:
        for source, target, weight in self.entries:
            if not 0.0 <= weight <= HEAVIEST:
                raise DataError(f"dictionary: {source!r}, {target!r}: weight {weight}, not 0 to {HEAVIEST:g}")

    def word_pairs(self, lowercase: bool) -> Iterator[tuple[int, str, str, float]]:
        """(entry, source word, target word, weight)."""
        for number, (source, target, weight) in enumerate(self.entries):
            sides = [_words(side.lower() if lowercase else side) for side in (source, target)]
            share = weight / max(len(sides[0]) * len(sides[1]), 1)
            yield from ((number, s, t, share) for s in sides[0] for t in sides[1])


def _words(text: str) -> list[str]:
    """What ASCII spaces and TABs separate, as in a bitext."""
    return [word for word in re.split("[ \t]", text) if word]


@dataclass(frozen=True)
class KnownLinks:
    """Links known to be there and cells known to be none, of every line of a text.

    name: what messages call it. DataError where a cell is both.
    """

    known: Alignments
    forbidden: Alignments
    name: str = "known links"

    def __post_init__(self) -> None:
        check_lengths(self.known, self.forbidden, f"{self.name}: known and forbidden links")
        both = intersection(self.known, self.forbidden)
        if len(both.source):
            n, i, j = both.pair[0], both.source[0], both.target[0]
            raise DataError(f"{self.name}:{n + 1}: found {i}-{j} and {i}!{j}; expected one of them at most")

    def of(self, bitext: Bitext, indices: Indices) -> CellSet:
        """Those of the pairs with these numbers; DataError if a position is not in its sentence."""
        if len(self.known) != len(bitext):
            raise DataError(
                f"{self.name}: found {len(self.known)} lines; expected {len(bitext)}, one for each line of"
                f" the text"
            )
        place = np.full(len(bitext), -1)
        chosen = np.arange(len(bitext))[indices]
        place[chosen] = np.arange(len(chosen))
        pair, source, target = (
            np.concatenate([getattr(self.known, name), getattr(self.forbidden, name)])
            for name in ("pair", "source", "target")
        )
        known = np.arange(len(pair)) < len(self.known.source)
        outside = (source >= bitext.source.lengths[pair]) | (target >= bitext.target.lengths[pair])
        for k in np.flatnonzero(outside & (place[pair] >= 0))[:1].tolist():
            n = int(pair[k])
            raise DataError(
                f"{self.name}:{n + 1}: found {source[k]}{'-' if known[k] else '!'}{target[k]} in a pair of"
                f" {len(bitext.source[n])} and {len(bitext.target[n])} words; positions count from 0"
            )
        order = np.argsort(place[pair], kind="stable")
        order = order[place[pair][order] >= 0]
        offsets = np.searchsorted(place[pair][order], np.arange(len(chosen) + 1))
        return CellSet(
            offsets.astype(np.int64),
            np.ascontiguousarray(source[order], np.int32),
            np.ascontiguousarray(target[order], np.int32),
            known[order],
        )


@dataclass(frozen=True)
class Evidence:
    """What training is given besides the text; nothing by default.

    weight: multiplies the dictionary's weights.
    """

    dictionary: Dictionary | None = None
    weight: float = 1.0
    links: KnownLinks | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.weight <= HEAVIEST:
            raise ConfigError(f"dictionary weight {self.weight}: expected 0 to {HEAVIEST:g}")
        if self.dictionary is None and self.weight != 1.0:
            raise ConfigError(f"dictionary weight {self.weight} without a dictionary: there is none to weigh")

    @classmethod
    def read(cls, dictionary: PathLike | None, weight: float, links: PathLike | None) -> Evidence:
        """From the files that there are."""
        return cls(
            None if dictionary is None else read_dictionary(dictionary),
            weight,
            None if links is None else read_known_links(links),
        )

    @property
    def kinds(self) -> list[str]:
        """What there is, by the names under which criteria may refuse it."""
        there = {"dictionary": self.dictionary, "known links": self.links}
        return [kind for kind, value in there.items() if value is not None]

    def about(self, bitext: Bitext, indices: Indices, lowercase: bool) -> KnownFacts:
        """What it says of the pairs with these numbers of a text."""
        words = cells = None
        if self.dictionary is not None:
            vocabularies = bitext.source_vocabulary, bitext.target_vocabulary
            words = _encoded(self.dictionary, *vocabularies, self.weight, lowercase)
        if self.links is not None:
            cells = self.links.of(bitext, indices)
        some = cells is not None and len(cells.known) > 0
        return KnownFacts(words, cells if some else None, self.links is not None)


class _KnownWords(NamedTuple):
    """A dictionary's word pairs of which both words are known.

    entry, source, target: int32 [word pairs], the entry's number and word ids; counts: int64 fixed point
    [word pairs]; entries: how many the dictionary has.
    """

    entry: NDArray[np.int32]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    counts: NDArray[np.int64]
    entries: int

    def pair_ids(self, pairs: CooccurrenceIndex) -> NDArray[np.int64]:
        """The pair_id of each word pair, or 0."""
        ones = np.ones(len(self.source), np.int32)
        block = Block(self.source, ones, self.target, ones, np.empty(0, np.uint32))
        return pairs.find(block).pair_ids.astype(np.int64)


class KnownFacts(NamedTuple):
    """Evidence about one training text, in its word ids; None where it says nothing.

    asked: whether links were given, be there any or not.
    """

    words: _KnownWords | None = None
    cells: CellSet | None = None
    asked: bool = False

    def restrict(self, pair: ModelPair) -> ModelPair:
        """The pair, inferring only alignments that agree with the known links."""
        return pair if self.cells is None else Restricted.of(pair, self.cells)

    def pseudo_counts(self, index: CooccurrenceIndex) -> PseudoCounts:
        """Return the dictionary's counts.

        Word pairs that do not co-occur in the text, or were pruned, have no place in the tables and are left
        out.
        """
        if self.words is None:
            return PseudoCounts.none()
        pair_ids = self.words.pair_ids(index)  # looked up each time, since pruning renumbers them
        present = pair_ids > 0
        return PseudoCounts(pair_ids[present], self.words.counts[present])

    def report(self, pairs: CooccurrenceIndex) -> dict[str, int]:
        """How much there is: of the dictionary, also how many entries have no words that occur together."""
        found = {}
        if self.words is not None:
            used = len(np.unique(self.words.entry[self.words.pair_ids(pairs) > 0]))
            found["dictionary_entries"] = self.words.entries
            found["dictionary_unused"] = self.words.entries - used
        if self.asked:
            known = np.empty(0, np.bool_) if self.cells is None else self.cells.known
            found["known_links"] = int(np.count_nonzero(known))
            found["forbidden_links"] = len(known) - found["known_links"]
        return found


def _encoded(
    dictionary: Dictionary, source: Vocabulary, target: Vocabulary, weight: float, lowercase: bool
) -> _KnownWords:
    ids, counts = [], []
    for number, source_word, target_word, share in dictionary.word_pairs(lowercase):
        s, t = source.index.get(source_word), target.index.get(target_word)
        if s is not None and t is not None:
            ids.append((number, s, t))
            counts.append(round(share * weight * COUNT_SCALE))
    columns = np.array(ids, np.int32).reshape(-1, 3).T.copy()
    entry, source_ids, target_ids = columns
    _check_weights(source, source_ids, counts)
    _check_weights(target, target_ids, counts)
    return _KnownWords(entry, source_ids, target_ids, np.array(counts, np.int64), len(dictionary.entries))


def _check_weights(vocabulary: Vocabulary, ids: NDArray[np.int32], counts: list[int]) -> None:
    """Raise DataError, with the word, if its entries weigh more than a sum of counts can hold."""
    totals = np.bincount(ids, np.array(counts) / COUNT_SCALE)
    for k in np.flatnonzero(totals > HEAVIEST_WORD)[:1].tolist():
        raise DataError(
            f"dictionary: the entries of {vocabulary.words[k]!r} weigh {totals[k]:,.0f} together; expected at"
            f" most {HEAVIEST_WORD:,}; give them, or the dictionary, less weight"
        )


def read_dictionary(path: PathLike) -> Dictionary:
    """Lines ``source TAB target`` or ``source TAB target TAB weight``, weight 1 if not said.

    Blank lines say nothing. DataError, with file and line, for anything else.
    """
    entries = []
    for number, line in enumerate(chain.from_iterable(read_lines(path)), start=1):
        if not line.strip():
            continue
        source, *others = line.split("\t")
        try:
            weight = float(others[1]) if len(others) > 1 else 1.0
        except ValueError:
            weight = -1.0
        sides = source.strip(" "), others[0].strip(" ") if others else ""
        if not all(sides) or len(others) > 2 or not 0.0 <= weight <= HEAVIEST:
            raise DataError(
                f"{display_name(path)}:{number}: found {line[:80]!r}; expected: source TAB target, or source"
                f" TAB target TAB weight, with words on both sides and a weight from 0 to {HEAVIEST:g}"
            )
        entries.append((*sides, weight))
    return Dictionary(tuple(entries))


def read_known_links(path: PathLike) -> KnownLinks:
    """``i-j`` (a link) and ``i!j`` (none) from 0, one line per line of the training text; most may be blank.

    DataError, with file and line, for anything else, and where a cell is both.
    """
    found: dict[str, list[tuple[int, int, int]]] = {"-": [], "!": []}
    lines = 0
    for line in chain.from_iterable(read_lines(path)):
        for token in line.split():
            try:
                i, mark, j = parse_link(token, "-!")
            except ValueError:
                raise DataError(
                    f"{display_name(path)}:{lines + 1}: found {token[:80]!r}; expected i-j, a known"
                    f" link, or i!j, a forbidden one, with positions from 0"
                ) from None
            found[mark].append((lines, i, j))
        lines += 1
    known, forbidden = (
        Alignments.from_links(lines, *np.array(rows, np.int64).reshape(-1, 3).T) for rows in found.values()
    )
    return KnownLinks(known, forbidden, display_name(path))
