"""Parts: the counts of some shards in one round. Parts of the same round add up, in any order.

A part has counts for the whole lexicon, and counts for each slice of it. A process reads only the counts that
it needs from the file of a part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from aligner.shards.counts import CountsWithoutLinks, ExpectedLinks
from aligner.shards.pairs import LengthPairs, WordPairs
from aligner.shards.state import FIRST_ITERATION, PAIRS_ROUND, WORDS_ROUND
from aligner.shards.stored_file import StoredFile
from aligner.shards.words import Words

CommonPart: TypeAlias = Words | LengthPairs | CountsWithoutLinks
"""The counts of a part that concern the whole lexicon: of round 0, of round 1, and of an iteration."""

SlicePart: TypeAlias = WordPairs | ExpectedLinks
"""The counts of a part for one slice: of round 1, and of an iteration."""

_COMMON = {WORDS_ROUND: Words, PAIRS_ROUND: LengthPairs, FIRST_ITERATION: CountsWithoutLinks}
_OF_SLICE = {PAIRS_ROUND: WordPairs, FIRST_ITERATION: ExpectedLinks}


@dataclass(frozen=True, eq=False)
class Part:
    """The counts of some shards in one round.

    common: the counts for the whole lexicon; slices: the counts for each slice, none in round 0.
    """

    common: CommonPart
    slices: tuple[SlicePart, ...] = ()

    def plus(self, other: Part) -> Part:
        """Return the sum of both parts, which are of the same round."""
        common = self.common.plus(other.common)  # type: ignore[arg-type]
        pairs = zip(self.slices, other.slices, strict=True)
        return Part(common, tuple(a.plus(b) for a, b in pairs))  # type: ignore[arg-type]

    def values(self) -> dict[str, Any]:
        """Return the values of the part's file."""
        of_slices = {f"slice.{number}": part for number, part in enumerate(self.slices, start=1)}
        return {"common": self.common, **of_slices}

    @classmethod
    def read(cls, file: StoredFile, round: int, slices: int) -> Part:
        """Read the part of an open file."""
        numbers = range(1, slices + 1) if round > WORDS_ROUND else ()
        return cls(read_common(file, round), tuple(read_slice(file, round, number) for number in numbers))


def read_common(file: StoredFile, round: int) -> CommonPart:
    """Read the counts for the whole lexicon from the open file of a part."""
    part: CommonPart = file.take("common", _COMMON[min(round, FIRST_ITERATION)])
    return part


def read_slice(file: StoredFile, round: int, number: int) -> SlicePart:
    """Read the counts of one slice from the open file of a part."""
    part: SlicePart = file.take(f"slice.{number}", _OF_SLICE[min(round, FIRST_ITERATION)])
    return part
