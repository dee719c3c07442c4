"""Parts: the counts of some shards in one round. Parts of the same round add up, in any order.

A part has counts for the whole lexicon, and counts for each slice of it. A process reads only the counts that
it needs from the file of a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, TypeAlias, TypeVar

from aligner.criteria import Counts
from aligner.errors import DataError
from aligner.shards.expected_counts import ExpectedLinks
from aligner.shards.folder import Folder
from aligner.shards.pairs import LengthPairs, WordPairs
from aligner.shards.ranges import describe_shards
from aligner.shards.state import FIRST_ITERATION, PAIRS_ROUND, WORDS_ROUND, RunState
from aligner.shards.stored_file import StoredFile
from aligner.shards.word_counts import WordCounts

CommonPart: TypeAlias = WordCounts | LengthPairs | Counts
"""The counts of a part that concern the whole lexicon: of round 0, of round 1, and of an iteration."""

SlicePart: TypeAlias = WordPairs | ExpectedLinks
"""The counts of a part for one slice: of round 1, and of an iteration."""

_COMMON = {WORDS_ROUND: WordCounts, PAIRS_ROUND: LengthPairs, FIRST_ITERATION: Counts}
_OF_SLICE = {PAIRS_ROUND: WordPairs, FIRST_ITERATION: ExpectedLinks}

_Sum = TypeVar("_Sum")


@dataclass(frozen=True, eq=False)
class Part:
    """The counts of some shards in one round.

    common: the counts for the whole lexicon; slices: the counts for each slice, none in round 0.
    """

    common: CommonPart
    slices: tuple[SlicePart, ...] = ()

    def __add__(self, other: Part) -> Part:
        """Return the sum of both parts, which are of the same round."""
        return Part(add(self.common, other.common), tuple(map(add, self.slices, other.slices)))

    def values(self) -> dict[str, Any]:
        """Return the values of the part's file."""
        of_slices = {f"slice.{number}": part for number, part in enumerate(self.slices, start=1)}
        return {"common": self.common, **of_slices}

    @classmethod
    def read(cls, file: StoredFile, round: int, slices: int) -> Part:
        """Read the part of an open file."""
        numbers = range(1, slices + 1) if round > WORDS_ROUND else ()
        kind = _OF_SLICE.get(min(round, FIRST_ITERATION))
        return cls(read_common(file, round), tuple(file.take(f"slice.{number}", kind) for number in numbers))


def read_common(file: StoredFile, round: int) -> CommonPart:
    """Read the counts for the whole lexicon from an open file."""
    part: CommonPart = file.take("common", _COMMON[min(round, FIRST_ITERATION)])
    return part


def cover(folder: Folder, round: int, wanted: frozenset[int]) -> list[str]:
    """Return the names of parts that have each of these shards once, large parts first.

    Raises DataError if there is no part of a shard.
    """
    parts = folder.parts(round)
    names: list[str] = []
    missing = wanted
    for shards in sorted(parts, key=len, reverse=True):
        if shards <= missing:
            names.append(parts[shards])
            missing -= shards
    if missing:
        raise DataError(
            f"{folder.path}: found no part of the shards {describe_shards(missing)} in round {round};"
            f" expected one of each; count them first"
        )
    return names


def add_parts(
    folder: Folder, run: RunState, current: str, shards: frozenset[int], read: Callable[[StoredFile], _Sum]
) -> tuple[_Sum, dict[str, str]]:
    """Add up what ``read`` takes from the parts of some shards in the current round.

    current: the identity of the state. Also returns the identities of the shards' texts.
    """
    texts: dict[str, str] = {}

    def terms() -> Iterator[_Sum]:
        for name in cover(folder, run.round, shards):
            with folder.opened_part(name, current) as (file, own):
                term = read(file)
            texts.update(own)
            yield term

    return reduce(add, terms()), texts
