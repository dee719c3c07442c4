"""Summaries of runs over a text: counts, and signs of a wrong input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from aligner.arrays import Float64s, Int64s
from aligner.decoding.histogram import Histogram
from aligner.decoding.learned_decoder import AnyDecoder
from aligner.decoding.scores import score_columns
from aligner.decoding.text_block import MAX_CELLS, is_oversized
from aligner.links.alignments import Alignments
from aligner.messages import counted
from aligner.text.bitext import Bitext
from aligner.text.misalignment import ShiftFinder
from aligner.text.unicode_forms import LEAST_SHARE, REMEDY, tokens_of_known_words

_MOST_LOOKED_UP = 1000
"""The number of out-of-vocabulary words that are looked up in the vocabulary of the other language."""

_MOST_NAMED = 3


@dataclass(kw_only=True)
class TokenCounts:
    """Counts of tokens. Summaries of a text derive from it.

    Attributes
    ----------
    tokens
        Tokens of both sides.
    oov_tokens
        Out-of-vocabulary tokens of both sides.
    looked_up, found_in_other
        Different out-of-vocabulary words of the first mostly unknown text that were looked up in the
        vocabulary of the other language, and how many of them it has.
    in_other_form
        Out-of-vocabulary tokens whose words the model has in another Unicode form.
    unknown
        The first out-of-vocabulary words of a mostly unknown text.
    """

    tokens: int = 0
    oov_tokens: int = 0
    looked_up: int = 0
    found_in_other: int = 0
    in_other_form: int = 0
    unknown: list[str] = field(default_factory=list)

    def add_tokens(self, counts: TokenCounts) -> None:
        """Add the counts of a part of the text, without its words if enough are looked up."""
        self.tokens += counts.tokens
        self.oov_tokens += counts.oov_tokens
        self.in_other_form += counts.in_other_form
        if self.looked_up < _MOST_LOOKED_UP:
            self.unknown = self.unknown or counts.unknown
            self.looked_up += counts.looked_up
            self.found_in_other += counts.found_in_other

    def describe_unknown(self) -> list[str]:
        """Return lines for messages about the cause of unknown words: other forms, or exchanged sides."""
        if self.in_other_form > LEAST_SHARE * self.tokens:
            return [
                f"{counted(self.in_other_form, 'token')} of words that the model has in another Unicode form;"
                f" {REMEDY}, and train the model on such text"
            ]
        if 2 * self.oov_tokens > self.tokens and 2 * self.found_in_other > self.looked_up:
            return ["source and target seem exchanged: most words are of the other language"]
        if 2 * self.oov_tokens > self.tokens:
            return [
                f"most tokens are unknown, such as {', '.join(self.unknown)}; expected the languages and the"
                " tokenisation of the text that the model was trained on"
            ]
        return []


def count_tokens(bitext: Bitext) -> TokenCounts:
    """Count the tokens of a text, and look up its words in the other language if most are unknown."""
    sides = bitext.sides
    counts = TokenCounts(
        tokens=sum(len(side.tokens) for side in sides),
        oov_tokens=sum(int(np.count_nonzero(side.is_oov)) for side in sides),
        in_other_form=sum(tokens_of_known_words(side.oov, side.vocabulary) for side in sides),
    )
    if 2 * counts.oov_tokens > counts.tokens:
        for side, other in zip(sides, sides[::-1], strict=True):
            words = side.oov.words[:_MOST_LOOKED_UP] if side.oov else []
            counts.unknown = counts.unknown or [repr(word) for word in words[:_MOST_NAMED]]
            counts.looked_up += len(words)
            counts.found_in_other += sum(word in other.vocabulary.index for word in words)
    return counts


class ChunkCounts(NamedTuple):
    """Counts of a chunk of text and its alignments, which a summary adds up.

    lengths: words of each source sentence and each target sentence, 0 if it is empty; oversized: the numbers
    of the pairs that are too large to align, from 0; scores: the score and the gain of each pair.
    """

    lengths: tuple[Int64s, Int64s]
    oversized: Int64s
    links: int
    tokens: TokenCounts
    scores: Float64s | None

    @classmethod
    def of(cls, bitext: Bitext, alignments: Alignments) -> ChunkCounts:
        """Count a chunk."""
        source, target = (side.counted_lengths for side in bitext.sides)
        scores = None if alignments.scores is None else score_columns(alignments)[:, [0, 3]]
        oversized = np.flatnonzero(is_oversized(bitext))
        return cls((source, target), oversized, len(alignments.source), count_tokens(bitext), scores)


@dataclass
class DecodeSummary(TokenCounts):
    """Counts of the pairs, links and tokens of a decoding run.

    Attributes
    ----------
    decoder
        The decoder.
    pairs, links
        Sentence pairs and links.
    empty, bad
        Pairs with an empty side; of these, bad lines (see ``read_bitext``).
    oversized, first_oversized
        Pairs that were too large to align, and the line number of the first, from 1; 0 if there is none.
    shifts
        Evidence that one side has slipped by some lines.
    scores
        The distributions of score and gain (see ``score_histograms``), or None if no scores are computed.
    known
        The number of known links that were imposed, in words, or an empty string.
    """

    decoder: AnyDecoder
    pairs: int = 0
    links: int = 0
    empty: int = 0
    bad: int = 0
    oversized: int = 0
    first_oversized: int = 0
    shifts: ShiftFinder = field(default_factory=ShiftFinder)
    scores: dict[str, Histogram] | None = None
    known: str = ""

    def add(self, chunk: ChunkCounts) -> None:
        """Add a chunk."""
        source, target = chunk.lengths
        if len(chunk.oversized) and not self.oversized:
            self.first_oversized = self.pairs + int(chunk.oversized[0]) + 1
        self.oversized += len(chunk.oversized)
        self.shifts.add(source, target)
        self.pairs += len(source)
        self.links += chunk.links
        if self.scores is not None and chunk.scores is not None:
            for histogram, column in zip(self.scores.values(), chunk.scores.T, strict=True):
                histogram.add(column)
        self.empty += int(np.count_nonzero((source == 0) | (target == 0)))
        self.add_tokens(chunk.tokens)

    def describe(self) -> list[str]:
        """Return lines for messages: the counts, anything unusual, then the quantiles of the scores."""
        pairs, links = counted(self.pairs, "pair"), counted(self.links, "link")
        lines = [f"{pairs}, {links} ({self.decoder.describe()})"]
        if self.known:
            lines.append(self.known)
        if self.oov_tokens:
            lines.append(f"{self.oov_tokens:,} of {counted(self.tokens, 'token')} out of vocabulary")
        lines += self.describe_unknown()
        if self.empty:
            empty = f"{counted(self.empty, 'pair')} with an empty side got an empty line"
            lines.append(f"{empty}, among them {counted(self.bad, 'bad line')}" if self.bad else empty)
        if self.oversized:
            lines.append(
                f"{counted(self.oversized, 'pair')} of over {MAX_CELLS:,} cells got an empty line,"
                f" the first in line {self.first_oversized:,}"
            )
        shift = self.shifts.found()
        if shift is not None:
            lines.append(shift.describe())
        if self.scores is not None:
            lines += [
                f"{name} quantiles in nats: {histogram.describe_quantiles()}"
                for name, histogram in self.scores.items()
                if len(histogram)
            ] or ["no pair has a score"]
        return lines


def score_histograms() -> dict[str, Histogram]:
    """Return empty histograms of the score and the gain of sentence pairs, for ``DecodeSummary``."""
    return {"score": Histogram(), "gain": Histogram()}
