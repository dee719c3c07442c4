"""Maps from tokens to the matching tokens of another tokenisation, for many lines at a time.

Tokens match as ``token_matching`` says. Most lines are matched together, character by character in arrays,
which takes a tenth of the time. Lines with byte tokens, and lines whose texts are not equal in the first
reading, are matched one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.links.token_matching import ANY_MARKS, comparable_characters, match_tokens, unescaped
from aligner.text.lines import words_of

_BYTE_TOKEN = "<0x"

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class TokenMaps:
    """For each token of some lines, the positions of the matching tokens in the other tokenisation.

    Attributes
    ----------
    line_offsets
        Line n has the tokens line_offsets[n] to line_offsets[n + 1] - 1, int64 [lines + 1].
    offsets
        Token t matches positions[offsets[t]:offsets[t + 1]], int64 [tokens + 1].
    positions
        Positions in a line, int64 [matches].
    errors
        For each line whose texts differ, the error that says where. Its tokens match none.
    """

    line_offsets: Integers
    offsets: Integers
    positions: Integers
    errors: dict[int, ValueError]

    @classmethod
    def of(cls, lines: Sequence[str], others: Sequence[str], marks: str = ANY_MARKS) -> TokenMaps:
        """Match the tokens of each line with the tokens of the same line of ``others``."""
        old, new = _Tokens.of(lines), _Tokens.of(others)
        texts = zip(lines, others, old.plain_lines(), new.plain_lines(), strict=True)
        apart = [
            n
            for n, (line, other, plain, other_plain) in enumerate(texts)
            if plain != other_plain or _BYTE_TOKEN in line or _BYTE_TOKEN in other
        ]
        matches = [_match_together(old.without(apart), new.without(apart))]
        errors: dict[int, ValueError] = {}
        for n in apart:
            try:
                token_map = match_tokens(words_of(lines[n]), words_of(others[n]), marks)
            except ValueError as error:
                errors[n] = error
            else:
                tokens = old.line_offsets[n] + np.repeat(np.arange(len(token_map)), list(map(len, token_map)))
                matches.append((tokens, np.fromiter(chain.from_iterable(token_map), np.int64)))
        token, position = (np.concatenate(arrays) for arrays in zip(*matches, strict=True))
        order = np.argsort(token, kind="stable")
        matches_of_token = np.bincount(token, minlength=len(old.lengths))
        return cls(old.line_offsets, offsets_of(matches_of_token), position[order], errors)


class _Tokens(NamedTuple):
    """Tokens of lines with their characters to compare.

    line_offsets: int64 [lines + 1]; lengths: the number of characters of each token, int64 [tokens]; plain:
    the characters of all tokens, uint32.
    """

    line_offsets: Integers
    lengths: Integers
    plain: NDArray[np.uint32]

    @classmethod
    def of(cls, lines: Sequence[str]) -> _Tokens:
        """Split lines into tokens, in the first reading."""
        text = unescaped("\n".join(("", *lines, "")).replace("\t", " "))
        codes = _codes(text)
        newline = codes == ord("\n")
        space = newline | (codes == ord(" "))
        first = np.flatnonzero(space[:-1] & ~space[1:]) + 1  # of each token
        counts = _CHARACTERS.counts(codes)
        at = codes == ord("@")
        marks = np.flatnonzero(at[:-2] & at[1:-1] & space[2:])
        counts[marks] = counts[marks + 1] = 0
        ends_of_lines = np.flatnonzero(newline)
        offsets = offsets_of(counts)
        lengths = np.diff(offsets[first], append=offsets[-1])
        return cls(np.searchsorted(first, ends_of_lines), lengths, _CHARACTERS.plain(codes, counts))

    def plain_lines(self) -> list[bytes]:
        """Return the characters to compare of each line."""
        data = self.plain.tobytes()
        ends = 4 * offsets_of(self.lengths)[self.line_offsets]
        return [data[a:b] for a, b in pairwise(ends.tolist())]

    def without(self, lines: Sequence[int]) -> _Tokens:
        """Return the tokens with no characters in some lines."""
        lengths = self.lengths.copy()
        for n in lines:
            lengths[self.line_offsets[n] : self.line_offsets[n + 1]] = 0
        return self._replace(lengths=lengths)


class _Characters:
    """The characters to compare of each code point, looked up once."""

    def __init__(self) -> None:
        self._counts = np.full(sys.maxunicode + 1, -1, np.int8)
        self._starts = np.zeros(sys.maxunicode + 1, np.int32)
        self._plain = np.empty(0, np.uint32)

    def counts(self, codes: NDArray[np.uint32]) -> NDArray[np.int8]:
        """Return the number of characters to compare of each code point, int8 [codes]."""
        counts = self._counts[codes]
        unknown = codes[counts < 0]
        if len(unknown):
            new = np.unique(unknown)
            plain = [_codes(comparable_characters(chr(code))) for code in new.tolist()]
            lengths = np.array(list(map(len, plain)))
            self._counts[new] = lengths
            self._starts[new] = len(self._plain) + offsets_of(lengths)[:-1]
            self._plain = np.concatenate([self._plain, *plain])
            counts = self._counts[codes]
        return counts

    def plain(self, codes: NDArray[np.uint32], counts: NDArray[np.int8]) -> NDArray[np.uint32]:
        """Return the characters to compare, one after another. counts: 0 for code points to leave out."""
        kept = np.flatnonzero(counts)
        return self._plain[ranges(self._starts[codes[kept]], counts[kept])]


def _codes(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _match_together(old: _Tokens, new: _Tokens) -> tuple[Integers, Integers]:
    """Return the pairs of a token and the position in the line of a matching token.

    Both texts have the same characters in each line.
    """
    tokens, others = np.flatnonzero(old.lengths), np.flatnonzero(new.lengths)
    other_of_character = np.repeat(np.arange(len(others)), new.lengths[others])
    ends = np.cumsum(old.lengths)[tokens]
    first = other_of_character[ends - old.lengths[tokens]]
    counts = other_of_character[ends - 1] + 1 - first
    other = others[ranges(first, counts)]
    line_begin = np.repeat(new.line_offsets[:-1], np.diff(new.line_offsets))
    return np.repeat(tokens, counts), other - line_begin[other]


def ranges(starts: NDArray[np.integer], counts: NDArray[np.integer]) -> Integers:
    """Return the concatenation of ranges of integers from ``starts``, with ``counts`` integers each."""
    offsets = offsets_of(counts)
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1] - starts, counts)


_CHARACTERS = _Characters()
