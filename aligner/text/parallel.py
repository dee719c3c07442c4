"""Parallel texts: several languages of one text, line by line or matched by the ids of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.errors import ConfigError, DataError
from aligner.messages import counted, display_name, excerpt
from aligner.text.bitext import Bitext
from aligner.text.files import PathLike
from aligner.text.lines import PAIRS_PER_CHUNK, Chunk, join_lines, lines_of, located, numbered_lines

LEAST_LANGUAGES = 3
"""Two languages to align, and one to align them through."""

_SPACES = np.frombuffer(b" \t\n", np.uint8)


@dataclass(frozen=True, eq=False)
class LanguageLines:
    """The lines of one language.

    Attributes
    ----------
    data
        UTF-8 text. Each line ends in a newline.
    offsets
        Where each line begins, and the end of the last, int64 [lines + 1].
    words
        The number of words of each line, int64 [lines].
    """

    data: bytes
    offsets: NDArray[np.int64]
    words: NDArray[np.int64]

    @classmethod
    def of(cls, lines: Sequence[str]) -> LanguageLines:
        """Return lines given as strings; raise DataError for a string with a newline."""
        data = join_lines(list(lines))
        letters = np.frombuffer(data, np.uint8)
        offsets = np.append(0, np.flatnonzero(letters == ord("\n")) + 1)
        ends_word = ~np.isin(letters[:-1], _SPACES) & np.isin(letters[1:], _SPACES)
        words_before = offsets_of(ends_word.view(np.int8))
        return cls(data, offsets, np.diff(words_before[np.maximum(offsets - 1, 0)]))

    def slice(self, first: int, stop: int) -> bytes:
        """Return lines first to stop - 1."""
        return self.data[self.offsets[first] : self.offsets[stop]]


@dataclass(frozen=True, eq=False)
class ParallelTexts:
    """Texts of at least three languages: line n of each is the same sentence. A missing sentence is empty.

    Attributes
    ----------
    languages
        The lines of each language, by its name, which has letters, digits and underscores.
    ids
        The id of each line, or None.

    Raises
    ------
    ConfigError
        If there are fewer than three languages, or if a name is not one.
    DataError
        If the texts have different numbers of lines.
    """

    languages: Mapping[str, LanguageLines]
    ids: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if len(self.languages) < LEAST_LANGUAGES:
            raise ConfigError(
                f"found {counted(len(self.languages), 'language')}; expected at least {LEAST_LANGUAGES}: two"
                f" to align, and one to align them through"
            )
        for name in self.languages:
            check_language(name)
        lengths = {name: len(lines.words) for name, lines in self.languages.items()}
        if len({*lengths.values(), *([] if self.ids is None else [len(self.ids)])}) > 1:
            found = ", ".join(f"{length:,} of {name}" for name, length in lengths.items())
            raise DataError(f"found {found} lines; expected as many lines, and ids, in each language")

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(next(iter(self.languages.values())).words)

    @classmethod
    def of(cls, languages: Mapping[str, Sequence[str]], ids: Sequence[str] | None = None) -> ParallelTexts:
        """Return texts of strings.

        Parameters
        ----------
        languages
            The lines of each language, by its name. A missing line is empty.
        ids
            The id of each line, or None.

        Raises
        ------
        ConfigError, DataError
            As for the class, and if a line has a newline in it.
        """
        return cls({name: LanguageLines.of(lines) for name, lines in languages.items()}, ids)

    def chunk(self, source: str, target: str, first: int = 0, stop: int | None = None) -> Chunk:
        """Return lines first to stop - 1 of two languages."""
        stop = len(self) if stop is None else stop
        sides = self.languages[source], self.languages[target]
        return Chunk(sides[0].slice(first, stop), sides[1].slice(first, stop), stop - first)

    def bitext(
        self, source: str, target: str, *, lowercase: bool, max_length: int, threads: int = 1
    ) -> Bitext:
        """Return the lines that both languages have, as a bitext (see ``read_bitext``).

        So the bitext of two languages is the same, whatever others have.
        """
        edges = [*range(0, len(self), PAIRS_PER_CHUNK), len(self)]
        chunks = (self.chunk(source, target, *span) for span in pairwise(edges))
        text = Bitext.from_chunks(chunks, lowercase=lowercase, max_length=max_length, threads=threads)
        return text.select(text.sizes > 0)

    def spans(self, cells: int) -> Iterator[tuple[int, int]]:
        """Cut the lines into spans, first <= n < stop, so that no two languages have more cells in one.

        A line that has more cells is a span of its own.
        """
        longest = np.max([lines.words for lines in self.languages.values()], axis=0)
        offsets = offsets_of(longest**2)
        first = 0
        while first < len(self):
            stop = int(np.searchsorted(offsets, offsets[first] + cells, side="right")) - 1
            stop = max(first + 1, stop)
            yield first, stop
            first = stop


def check_language(name: str) -> None:
    """Raise ConfigError for a language that could not be a part of the name of a pair or of a file."""
    if not re.fullmatch(r"\w+", name):
        raise ConfigError(
            f"found {excerpt(name)} as a language; expected letters, digits and underscores, such as en or"
            f" zh_Hant"
        )


def read_parallel_texts(paths: Mapping[str, PathLike], *, ids: bool = False) -> ParallelTexts:
    """Read the texts of several languages.

    Parameters
    ----------
    paths
        The file of each language, by its name. "-" is standard input.
    ids
        True if each line is ``ID TAB text``. Lines of one id belong together, wherever they stand. A language
        may lack any id. Lines are in the order of the first file. Ids that it lacks follow, in the order of
        the next files.

    Returns
    -------
    ParallelTexts
        The texts. Without ids, line n is line n of each file.

    Raises
    ------
    ConfigError
        If there are fewer than three languages, or if a name is not one.
    DataError
        If a file cannot be read, if files without ids have different numbers of lines, or if a line with an
        id has no TAB, or an id that was there before.
    """
    if not ids:
        texts = {name: list(lines_of(path)) for name, path in paths.items()}
        _check_lengths(paths, texts)
        return ParallelTexts.of(texts)
    named = {name: _read_named(path) for name, path in paths.items()}
    union = list(dict.fromkeys(key for lines in named.values() for key in lines))
    return ParallelTexts.of(
        {name: [lines.get(key, "") for key in union] for name, lines in named.items()}, union
    )


def _read_named(path: PathLike) -> dict[str, str]:
    """Return the text of each id. Blank lines have none."""
    found: dict[str, str] = {}
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        with located(path, number):
            name, tab, text = line.partition("\t")
            name = name.strip()
            if not tab or not name:
                raise ValueError(f"found {excerpt(line)}; expected an id, a TAB, and the text of the line")
            if name in found:
                raise ValueError(f"found the id {excerpt(name)} again; expected another id for each line")
            found[name] = text
    return found


def _check_lengths(paths: Mapping[str, PathLike], texts: Mapping[str, Sequence[str]]) -> None:
    """Raise DataError, with the line, if a file ends before another."""
    shortest, longest = (choose(texts, key=lambda name: len(texts[name])) for choose in (min, max))
    if len(texts[shortest]) < len(texts[longest]):
        raise DataError(
            f"{display_name(paths[longest])}:{len(texts[shortest]) + 1}: found a line, but"
            f" {display_name(paths[shortest])} ends before it; expected as many lines in all texts, empty"
            f" where a text lacks one; or give each line an id (--ids)"
        )
