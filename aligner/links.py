"""Links between the words of sentence pairs: alignments, hand-made gold, and every text format of both.

Everywhere a link (i, j) joins source position i and target position j, both counted from 0.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aligner.errors import ConfigError, DataError
from aligner.files import PathLike, display_name, open_output
from aligner.textio import read_lines

Link = tuple[int, int]

#: The largest position that is believed; a larger one is a damaged file, not a word of a sentence.
MAX_POSITION = 9_999_999


@dataclass(frozen=True, eq=False)
class Alignments:
    """The links of n sentence pairs in compressed rows: those of pair k are offsets[k]:offsets[k + 1].

    offsets int64 [n + 1]; source, target int32 [L], within a pair strictly increasing by (i, j);
    probabilities float32 [L] in 0..1, or None. Raises DataError where the arrays are anything else.

    scores: float64 [n, 3] or None, forward, reverse and gain of each pair, see ``aligner.scores``; -inf where
    it was not aligned.
    """

    offsets: NDArray[np.int64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    probabilities: NDArray[np.float32] | None = None
    scores: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for name, dtype in (("offsets", np.int64), ("source", np.int32), ("target", np.int32)):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype))
        size = self.source.size
        if self.offsets.size == 0 or self.offsets[0] != 0 or self.offsets[-1] != size:
            raise DataError(f"offsets must run from 0 to the number of links, {size}")
        if (np.diff(self.offsets) < 0).any() or self.target.size != size:
            raise DataError("offsets must not decrease, and source and target must be equally long")
        for positions in (self.source, self.target):
            if size and not 0 <= positions.min() <= positions.max() <= MAX_POSITION:
                raise DataError(f"a link's position must lie in 0..{MAX_POSITION}")
        if not _increasing(self.pair, self._codes()).all():
            raise DataError("the links of a pair must be sorted and distinct (see Alignments.from_links)")
        if self.probabilities is not None:
            probabilities = np.ascontiguousarray(self.probabilities, np.float32)
            object.__setattr__(self, "probabilities", probabilities)
            # Sums of rounded numbers may exceed 1 by a little.
            if probabilities.size != size or not ((probabilities >= 0) & (probabilities < 1.001)).all():
                raise DataError("there must be one probability in 0..1 for every link")
        if self.scores is not None and (self.scores.shape != (len(self), 3) or np.isnan(self.scores).any()):
            raise DataError("there must be three scores for every sentence pair")

    @classmethod
    def from_links(
        cls,
        pairs: int,
        pair: ArrayLike,
        source: ArrayLike,
        target: ArrayLike,
        probabilities: ArrayLike | None = None,
    ) -> Alignments:
        """Links [L] of `pairs` sentence pairs in any order; of equal links the most probable one stays."""
        pair, source, target = (np.asarray(x, np.int64) for x in (pair, source, target))
        values = None if probabilities is None else np.asarray(probabilities, np.float32)
        code = source << 32 | target
        if not _increasing(pair, code).all():
            order = np.lexsort((code, pair))
            pair, code = pair[order], code[order]
            first = np.flatnonzero(np.concatenate(([True], _increasing(pair, code))))
            values = None if values is None else np.maximum.reduceat(values[order], first)
            pair, code = pair[first], code[first]
        offsets = np.concatenate(([0], np.cumsum(np.bincount(pair, minlength=pairs))))
        if offsets.size != pairs + 1:
            raise DataError(f"found links of sentence pair {offsets.size - 2}, but there are {pairs} pairs")
        return cls(offsets, code >> 32, code & 0xFFFFFFFF, values)

    @classmethod
    def from_lists(cls, lists: Iterable[Iterable[Link]]) -> Alignments:
        """One list of (i, j) per sentence pair, in any order, duplicates merged."""
        rows = [list(links) for links in lists]
        links = np.array(list(chain.from_iterable(rows)), np.int64).reshape(-1, 2)
        pair = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        return cls.from_links(len(rows), pair, links[:, 0], links[:, 1])

    @classmethod
    def concatenate(cls, parts: Sequence[Alignments]) -> Alignments:
        """The sentence pairs of all parts, in order; probabilities and scores stay where all have them."""
        parts = [part for part in parts if len(part)] or [cls.from_lists([])]
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        values = [part.probabilities for part in parts if part.probabilities is not None]
        scores = [part.scores for part in parts if part.scores is not None]
        return cls(
            np.concatenate(([0], np.cumsum(lengths))),
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.target for part in parts]),
            np.concatenate(values) if sum(map(len, values)) == lengths.sum() and values else None,
            np.concatenate(scores) if len(scores) == len(parts) else None,
        )

    def __len__(self) -> int:
        return self.offsets.size - 1

    @overload
    def __getitem__(self, n: int) -> list[Link]: ...
    @overload
    def __getitem__(self, n: slice) -> Alignments: ...
    def __getitem__(self, n: int | slice) -> list[Link] | Alignments:
        """The sorted links of pair n, or the alignments of a run of pairs."""
        if isinstance(n, slice):
            start, stop, step = n.indices(len(self))
            if step != 1:
                raise IndexError("a slice of alignments has step 1")
            offsets = self.offsets[start : max(start, stop) + 1]
            part = slice(offsets[0], offsets[-1])
            values = None if self.probabilities is None else self.probabilities[part]
            scores = None if self.scores is None else self.scores[start:stop]
            return Alignments(offsets - offsets[0], self.source[part], self.target[part], values, scores)
        n = range(len(self))[n]  # an IndexError or a number from 0
        part = slice(self.offsets[n], self.offsets[n + 1])
        return list(zip(self.source[part].tolist(), self.target[part].tolist(), strict=True))

    def __iter__(self) -> Iterator[list[Link]]:
        links = list(zip(self.source.tolist(), self.target.tolist(), strict=True))
        return (links[start:stop] for start, stop in pairwise(self.offsets.tolist()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Alignments):
            return NotImplemented
        return (
            np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self._codes(), other._codes())
            and all(
                mine is theirs if mine is None or theirs is None else np.array_equal(mine, theirs)
                for mine, theirs in ((self.probabilities, other.probabilities), (self.scores, other.scores))
            )
        )

    @property
    def pair(self) -> NDArray[np.int64]:
        """The sentence pair of every link [L]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def reversed(self) -> Alignments:
        """The same links, and scores, with source and target exchanged."""
        links = Alignments.from_links(len(self), self.pair, self.target, self.source, self.probabilities)
        return links if self.scores is None else replace(links, scores=self.scores[:, [1, 0, 2]])

    def _codes(self) -> NDArray[np.int64]:
        """One number per link [L], ordered within a pair as the links are."""
        return self.source.astype(np.int64) << 32 | self.target


def occurs_in(links: Alignments, others: Alignments) -> NDArray[np.bool_]:
    """Which of `links` [L] are also among `others`; DataError if they are not of equally many pairs."""
    check_lengths(links, others)
    if not len(links.source) or not len(others.source):
        return np.zeros(len(links.source), np.bool_)
    # Lay the matrices of all pairs out in one: a row is a source position, so equal cells are equal links.
    heights = np.zeros((2, len(links)), np.int64)
    for height, operand in zip(heights, (links, others), strict=True):
        height[operand.pair] = operand.source + 1  # sources increase, and the last assignment stays
    first_row = np.concatenate(([0], np.cumsum(heights.max(axis=0))))
    width = 1 + int(max(links.target.max(), others.target.max()))
    wanted, known = ((first_row[x.pair] + x.source) * width + x.target for x in (links, others))
    place = np.minimum(np.searchsorted(known, wanted), known.size - 1)
    return known[place] == wanted


def intersection(first: Alignments, second: Alignments) -> Alignments:
    """The links that are in both, pair by pair, without probabilities; DataError if the pairs differ."""
    both = occurs_in(first, second)
    return Alignments.from_links(len(first), first.pair[both], first.source[both], first.target[both])


def union(first: Alignments, second: Alignments) -> Alignments:
    """The links that are in either, pair by pair, without probabilities; DataError if the pairs differ."""
    check_lengths(first, second)
    pair, source, target = (
        np.concatenate((getattr(first, name), getattr(second, name))) for name in ("pair", "source", "target")
    )
    return Alignments.from_links(len(first), pair, source, target)


def check_lengths(first: Alignments, second: Alignments, names: str = "the two sets of links") -> None:
    """Raise DataError, with both numbers, if the two do not cover the same number of sentence pairs."""
    if len(first) != len(second):
        raise DataError(f"{names} have {len(first)} and {len(second)} sentence pairs, expected equally many")


def read_links(path: PathLike) -> Alignments:
    """Pharaoh links, `i-j` or `i-j:p`, one line per sentence pair; DataError names the file and line."""
    codes, probabilities, lengths = array("q"), array("f"), array("q")
    for number, line in _numbered_lines(path):
        tokens = line.split()
        try:
            if ":" in line:
                tokens, numbers = _split_probabilities(tokens)
                probabilities.extend(numbers)
            codes.extend(map(_CODES.__getitem__, tokens))
            if probabilities and len(probabilities) != len(codes):
                raise ValueError("some links have a probability and some have none; give all of them or none")
        except ValueError as error:
            raise DataError(f"{display_name(path)}:{number}: {error}") from None
        lengths.append(len(tokens))
    code = np.array(codes, np.int64)
    pair = np.repeat(np.arange(len(lengths)), lengths)
    values = np.array(probabilities, np.float32) if probabilities else None
    return Alignments.from_links(len(lengths), pair, code >> 32, code & 0xFFFFFFFF, values)


def format_links(alignments: Alignments, *, probabilities: bool = False) -> str:
    """Pharaoh text: `i-j` sorted by (i, j), single spaces, one line per pair, empty if it has no link.

    With `probabilities`, `i-j:p` with four decimals, never scientific; DataError if there are none.
    """
    source, target = alignments.source.astype(np.int64), alignments.target.astype(np.int64)
    steps = _steps(alignments) if probabilities else None
    after_source, after_target = _digits(source), _digits(target) + 1
    # Every link is followed by a space or, if it is its line's last, a newline; so is an empty line.
    widths = after_source + after_target + (1 if steps is None else 1 + len(":0.0000"))
    links_before, empty = alignments.offsets, np.diff(alignments.offsets) == 0
    ends = np.concatenate([[0], np.cumsum(widths)])
    text = np.full(ends[-1] + np.count_nonzero(empty), ord(" "), np.uint8)
    at = ends[:-1] + np.cumsum(empty)[alignments.pair] + after_source
    _put_numbers(text, at, source)
    text[at] = ord("-")
    at += after_target
    _put_numbers(text, at, target)
    if steps is not None:
        _put_numbers(text, at + len(":0.0000"), steps + 100_000)
        text[at] = ord(":")
        text[at + 1] = ord("0") + steps // 10_000
        text[at + 2] = ord(".")
    line_ends = ends[links_before[1:]] + np.cumsum(empty) - 1
    text[line_ends] = ord("\n")
    return text.tobytes().decode("ascii")


def _steps(alignments: Alignments) -> NDArray[np.int64]:
    """Probabilities in units of 1 / 10,000: four decimals resolve what a posterior is good for."""
    if alignments.probabilities is None:
        if len(alignments.source):
            raise DataError("these links have no probabilities to write")
        return np.empty(0, np.int64)
    return np.rint(10_000 * np.minimum(alignments.probabilities.astype(np.float64), 1)).astype(np.int64)


def _digits(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many decimal digits each number has."""
    return np.searchsorted(10 ** np.arange(1, 10), numbers, side="right") + 1


def _put_numbers(text: NDArray[np.uint8], ends: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
    """Write decimal numbers into text, the last digit of each before its end."""
    places = ends.copy()
    while len(numbers):
        places -= 1
        text[places] = ord("0") + numbers % 10
        numbers = numbers // 10
        more = numbers > 0
        numbers, places = numbers[more], places[more]


def write_links(path: PathLike, alignments: Alignments, *, probabilities: bool = False) -> None:
    """Write `format_links` to a path."""
    with open_output(path) as file:
        for start in range(0, len(alignments), 1 << 16):  # a bounded amount of text at a time
            part = alignments[start : start + (1 << 16)]
            file.write(format_links(part, probabilities=probabilities).encode("ascii"))


class Reading(NamedTuple):
    """How a gold file was read: its format, base and direction, and how many links to NULL were dropped."""

    format: str = "pharaoh"
    one_based: bool = False
    reversed: bool = False
    null_links: int = 0


@dataclass(frozen=True)
class Gold:
    """Hand-made links: `sure`, and `possible`, which always includes the sure ones (Och & Ney 2003)."""

    sure: Alignments
    possible: Alignments
    reading: Reading = field(default=Reading(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "possible", union(self.sure, self.possible))

    def __len__(self) -> int:
        return len(self.sure)


def read_gold(
    path: PathLike,
    *,
    format: str = "auto",
    one_based: bool = False,
    reversed: bool = False,
    sentences: int | None = None,
) -> Gold:
    """Gold links; DataError names the file and line.

    `pharaoh`: a line per sentence pair of `i-j` (sure) and `i?j` or `ipj` (possible), counted from 0, or from
    1 with `one_based`. `wa` (NAACL 2003): a line per link, `sentence i j [S|P] [confidence]`, sure unless it
    says P; positions count from 1 by definition of the format, so `one_based` changes nothing, and a link to
    position 0, NULL, is dropped and counted. The sentence is the number of a line of the text, from 1, in any
    order and with any zeros in front; one that is not named has no links, and there are `sentences` of them
    or, without it, as many as the highest number says. `auto` tells the two formats apart by the first line
    that is not empty. `reversed`: the file says target before source.
    """
    lines = list(_numbered_lines(path))
    if format == "auto":
        first = next((line for _, line in lines if line.strip()), "")
        format = "wa" if re.match(r"\s*\d+\s+\d+\s+\d", first, re.ASCII) else "pharaoh"
    if format not in GOLD_FORMATS:
        raise ConfigError(f"unknown gold format {format!r} (known: {', '.join(GOLD_FORMATS)})")
    parse = GOLD_FORMATS[format]
    one_based = one_based or format == "wa"
    rows: list[tuple[int, int, int, bool]] = []
    for number, line in lines:
        try:
            rows.extend(parse(line, number, one_based))
            if format == "wa" and sentences is not None and rows and rows[-1][0] >= sentences:
                raise ValueError(f"found sentence {rows[-1][0] + 1}, but there are only {sentences}")
        except ValueError as error:
            raise DataError(f"{display_name(path)}:{number}: {error}") from None
    table = np.array(rows, np.int64).reshape(-1, 4)
    if format == "pharaoh":
        sentences = len(lines)
    elif sentences is None:
        sentences = int(table[:, 0].max(initial=-1)) + 1
    is_null = (table[:, 1:3] < 0).any(axis=1)
    pair, i, j, is_sure = table[~is_null].T
    source, target = (j, i) if reversed else (i, j)
    sure = is_sure == 1
    return Gold(
        Alignments.from_links(sentences, pair[sure], source[sure], target[sure]),
        Alignments.from_links(sentences, pair, source, target),
        Reading(format, one_based, reversed, int(is_null.sum())),
    )


def format_gold(gold: Gold) -> str:
    """Gold text: `i-j` sure and `i?j` only possible, sorted by (i, j), counted from 0, one line per pair."""
    marks = np.where(occurs_in(gold.possible, gold.sure), "-", "?").tolist()
    links = zip(gold.possible.source.tolist(), marks, gold.possible.target.tolist(), strict=True)
    texts = [f"{i}{mark}{j}" for i, mark, j in links]
    return "".join([" ".join(texts[a:b]) + "\n" for a, b in pairwise(gold.possible.offsets.tolist())])


def _increasing(pair: NDArray[np.int64], code: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each link but the first comes strictly after the one before it [L - 1]."""
    return (pair[1:] > pair[:-1]) | ((pair[1:] == pair[:-1]) & (code[1:] > code[:-1]))


# A text repeats the same few thousand links, so each is parsed once. Beyond this position links are rare, and
# remembering them would let one broken file fill the memory.
_REMEMBERED = 512


class _Codes(dict[str, int]):
    """`i-j` -> i << 32 | j."""

    def __missing__(self, token: str) -> int:
        i, _, j = _parse_link(token, "-")
        code = i << 32 | j
        if max(i, j) < _REMEMBERED:
            self[token] = code
        return code


_CODES = _Codes()


def _parse_link(token: str, marks: str) -> tuple[int, str, int]:
    """Position, mark and position of one link; ValueError says what was found and expected."""
    match = re.fullmatch(rf"(\d{{1,7}})([{marks}])(\d{{1,7}})", token, re.ASCII)
    if match is None:
        shapes = " or ".join(f"i{mark}j" for mark in marks)
        raise ValueError(f"found {_quoted(token)}, expected {shapes} with positions 0 to {MAX_POSITION}")
    return int(match[1]), match[2], int(match[3])


def _split_probabilities(tokens: list[str]) -> tuple[list[str], list[float]]:
    """`i-j:p` tokens as links and probabilities, which are fewer if some tokens have none."""
    links, values = [], []
    for token in tokens:
        link, colon, text = token.partition(":")
        links.append(link)
        if colon:
            try:
                values.append(float(text))
            except ValueError:
                values.append(-1.0)
            if not 0 <= values[-1] <= 1:
                raise ValueError(f"found {_quoted(token)}, expected i-j:p with a probability p in 0..1")
    return links, values


def _parse_pharaoh_gold(line: str, number: int, one_based: bool) -> Iterator[tuple[int, int, int, bool]]:
    """(pair, i, j, sure) of every link of a line of `i-j`, `i?j` and `ipj`."""
    for token in line.split():
        i, mark, j = _parse_link(token, "-?p")
        if one_based and min(i, j) == 0:
            raise ValueError(
                f"found {_quoted(token)}, but one-based positions count from 1; "
                "this gold seems to be zero-based: leave out one_based (--one-based)"
            )
        yield number - 1, i - one_based, j - one_based, mark == "-"


_WA_LINE = re.compile(r"(\d{1,9})\s+(\d{1,7})\s+(\d{1,7})(?:\s+([SP]))?(?:\s+[\d.eE+-]+)?", re.ASCII)


def _parse_wa(line: str, number: int, one_based: bool) -> Iterator[tuple[int, int, int, bool]]:
    """(pair, i, j, sure) of the link of a line `sentence i j [S|P] [confidence]`; NULL has position -1."""
    match = _WA_LINE.fullmatch(line.strip())
    if match is None and line.strip():
        raise ValueError(f"found {_quoted(line.strip())}, expected: sentence i j [S|P] [confidence]")
    if match is not None:
        pair, i, j = (int(text) - 1 for text in match.group(1, 2, 3))
        if pair < 0:
            raise ValueError("found sentence 0, but the sentences of this format count from 1")
        yield pair, i, j, match[4] != "P"


#: What one line of a gold file says, by format: a parser of (line, its number, one_based).
GOLD_FORMATS = {"pharaoh": _parse_pharaoh_gold, "wa": _parse_wa}


def _quoted(found: str) -> str:
    """What a message shows of the text it found."""
    return repr(found if len(found) <= 80 else found[:77] + "...")


def _numbered_lines(path: PathLike) -> Iterator[tuple[int, str]]:
    """The lines of a file and their numbers, from 1."""
    return enumerate(chain.from_iterable(read_lines(path)), 1)
