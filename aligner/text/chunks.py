"""Chunks: the lines of a bitext as bytes, many pairs at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from aligner.errors import DataError
from aligner.messages import excerpt
from aligner.text.lines import Piece, split_lines

PAIRS_PER_CHUNK = 1 << 13
"""About how many sentence pairs a thread decodes at a time."""


class Chunk(NamedTuple):
    """Lines of the source text and the same lines of the target text, each ending in a newline.

    origin: the pieces of files that the lines come from, for ``check``; empty if they come from memory.
    """

    source: bytes
    target: bytes
    lines: int
    origin: tuple[Piece, ...] = ()

    @classmethod
    def join(cls, chunks: Sequence[Chunk]) -> Chunk:
        """Concatenate chunks."""
        source, target, lines, origin = zip(*chunks, strict=True)
        return cls(b"".join(source), b"".join(target), sum(lines), tuple(chain.from_iterable(origin)))

    @classmethod
    def of_strings(cls, pairs: Sequence[tuple[str, str]]) -> Chunk:
        """Encode pairs of strings as UTF-8; raise DataError for other objects, and strings of more lines."""
        try:
            return cls(_join_lines([s for s, _ in pairs]), _join_lines([t for _, t in pairs]), len(pairs))
        except (TypeError, ValueError):
            raise DataError(_describe_wrong_pair(pairs)) from None

    def check(self) -> None:
        """Raise DataError, with file and line, if the text is not UTF-8 or contains NUL."""
        for piece in self.origin:
            piece.check()

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Check the text, and return its lines as pairs of strings without newlines."""
        self.check()
        return zip(split_lines(self.source), split_lines(self.target), strict=True)


def chunks_of_strings(pairs: Iterable[tuple[str, str]]) -> Iterator[Chunk]:
    """Yield pairs of strings in chunks of at most ``PAIRS_PER_CHUNK`` pairs."""
    iterator = iter(pairs)
    while batch := list(islice(iterator, PAIRS_PER_CHUNK)):
        yield Chunk.of_strings(batch)


def _describe_wrong_pair(pairs: Sequence[object]) -> str:
    """Return a message about the first object that is no pair of strings."""
    wrong = next(
        pair
        for pair in pairs
        if not isinstance(pair, tuple | list) or [isinstance(side, str) for side in pair] != [True, True]
    )
    return (
        f"found {excerpt(repr(wrong))} as a sentence pair; expected a source and a target sentence, two"
        f" strings with words separated by spaces"
    )


def _join_lines(lines: list[str]) -> bytes:
    """Return the lines as UTF-8, each with a newline. Lone surrogates are encoded, too."""
    text = "\n".join((*lines, ""))
    if text.count("\n") != len(lines):
        line = next(line for line in lines if "\n" in line)
        raise DataError(
            f"found a newline inside the text {excerpt(line)}; expected a text of one line; replace the "
            f"newline by a space, or split the text"
        )
    return text.encode("utf-8", "surrogatepass")
