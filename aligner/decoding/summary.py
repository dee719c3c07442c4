"""The summary of a decoding run: counts, and signs of a wrong input."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from aligner.decoding.batch import MAX_CELLS, is_oversized
from aligner.decoding.decoder import Decoder
from aligner.decoding.scores import ScoreHistogram
from aligner.decoding.token_counts import TokenCounts
from aligner.links.alignments import Alignments
from aligner.messages import counted
from aligner.text.bitext import Bitext
from aligner.text.misalignment import ShiftFinder


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
        Pairs with an empty side; of these, lines without exactly one separator.
    oversized, first_oversized
        Pairs that were too large to align, and the line number of the first, from 1; 0 if there is none.
    shifts
        Evidence that one side has slipped by some lines.
    scores
        The distribution of sentence scores, or None if no scores are computed.
    """

    decoder: Decoder
    pairs: int = 0
    links: int = 0
    empty: int = 0
    bad: int = 0
    oversized: int = 0
    first_oversized: int = 0
    shifts: ShiftFinder = field(default_factory=ShiftFinder)
    scores: ScoreHistogram | None = None

    def add(self, bitext: Bitext, alignments: Alignments) -> None:
        """Add a chunk and its alignments."""
        source, target = bitext.source, bitext.target
        oversized = np.flatnonzero(is_oversized(bitext))
        if len(oversized) and not self.oversized:
            self.first_oversized = self.pairs + int(oversized[0]) + 1
        self.oversized += len(oversized)
        self.shifts.add(source.lengths, target.lengths)
        self.pairs += len(bitext)
        self.links += len(alignments.source)
        if self.scores is not None:
            self.scores.add(alignments)
        self.empty += int(np.count_nonzero((source.lengths == 0) | (target.lengths == 0)))
        self.add_tokens(bitext)

    def describe(self) -> list[str]:
        """Return lines for messages: the counts, anything unusual, then the quantiles of the scores."""
        pairs, links = counted(self.pairs, "pair"), counted(self.links, "link")
        lines = [f"{pairs}, {links} ({self.decoder.describe()})"]
        if self.oov_tokens:
            lines.append(f"{self.oov_tokens:,} of {counted(self.tokens, 'token')} out of vocabulary")
        lines += self.describe_exchange()
        if self.empty:
            empty = f"{counted(self.empty, 'pair')} with an empty side got an empty line"
            bad = counted(
                self.bad, "line without exactly one separator", "lines without exactly one separator"
            )
            lines.append(f"{empty}, among them {bad}" if self.bad else empty)
        if self.oversized:
            lines.append(
                f"{counted(self.oversized, 'pair')} of over {MAX_CELLS:,} cells got an empty line,"
                f" the first in line {self.first_oversized:,}"
            )
        shift = self.shifts.found()
        if shift is not None:
            lines.append(shift.describe())
        if self.scores is not None:
            lines += self.scores.describe()
        return lines
