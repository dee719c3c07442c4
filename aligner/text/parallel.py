"""Parallel texts: several languages of one text, line by line or matched by the ids of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from aligner.arrays import offsets_of
from aligner.errors import ConfigError, DataError
from aligner.files.lines import (
    PAIRS_PER_CHUNK,
    Chunk,
    lines_of,
    located,
    numbered_lines,
    side_by_side,
    words_of,
)
from aligner.files.opening import PathLike
from aligner.messages import counted, excerpt
from aligner.scripture.verses import joined
from aligner.text.bitext import Bitext
from aligner.text.lookup import Lookup

LEAST_LANGUAGES = 3
"""Two languages to align, and one to align them through."""


@dataclass(frozen=True, eq=False)
class ParallelTexts:
    """Texts of at least three languages: line n of each is the same sentence. A missing sentence is empty.

    Attributes
    ----------
    languages
        The lines of each language, by its name, which has letters, digits and underscores. A missing line is
        empty.
    ids
        The id of each line, or None.

    Raises
    ------
    ConfigError
        If there are fewer than three languages, or if a name is not one.
    DataError
        If the texts have different numbers of lines.
    """

    languages: Mapping[str, Sequence[str]]
    ids: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if len(self.languages) < LEAST_LANGUAGES:
            raise ConfigError(
                f"found {counted(len(self.languages), 'language')}; expected at least {LEAST_LANGUAGES}: two"
                f" to align, and one to align them through"
            )
        for name in self.languages:
            if not re.fullmatch(r"\w+", name):  # it could not be a part of the name of a pair or of a file
                raise ConfigError(
                    f"found {excerpt(name)} as a language; expected letters, digits and underscores, such as"
                    f" en or zh_Hant"
                )
        lengths = {name: len(lines) for name, lines in self.languages.items()}
        if len({*lengths.values(), *([] if self.ids is None else [len(self.ids)])}) > 1:
            found = ", ".join(f"{length:,} of {name}" for name, length in lengths.items())
            raise DataError(f"found {found} lines; expected as many lines, and ids, in each language")

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(next(iter(self.languages.values())))

    def unpaired(self) -> dict[str, list[str]]:
        """Return the ids of lines that one language alone has, by the language."""
        rows = zip(self.ids or (), *self.languages.values(), strict=True)
        alone = [(name, sides) for name, *sides in rows if sum(map(bool, sides)) == 1]
        return {
            language: [name for name, sides in alone if sides[k]] for k, language in enumerate(self.languages)
        }

    def chunk(self, source: str, target: str, first: int, stop: int) -> Chunk:
        """Return lines first to stop - 1 of two languages; raise DataError if a line has a newline in it."""
        sides = (self.languages[name][first:stop] for name in (source, target))
        return Chunk.of_strings(list(zip(*sides, strict=True)))

    def bitext(
        self, source: str, target: str, lookup: Lookup, *, max_length: int, threads: int = 1
    ) -> Bitext:
        """Return the lines that both languages have, as a bitext (see ``read_bitext``).

        So the bitext of two languages is the same, whatever others have.
        """
        edges = [*range(0, len(self), PAIRS_PER_CHUNK), len(self)]
        chunks = (self.chunk(source, target, *span) for span in pairwise(edges))
        text = Bitext.from_chunks(chunks, lookup, max_length=max_length, threads=threads)
        return text.select(text.sizes > 0)

    def spans(self, cells: int) -> Iterator[tuple[int, int]]:
        """Cut the lines into spans, first <= n < stop, so that no two languages have more cells in one.

        A line that has more cells is a span of its own.
        """
        lengths = [[len(words_of(line)) for line in lines] for lines in self.languages.values()]
        offsets = offsets_of(np.max(lengths, axis=0) ** 2)
        first = 0
        while first < len(self):
            stop = int(np.searchsorted(offsets, offsets[first] + cells, side="right")) - 1
            stop = max(first + 1, stop)
            yield first, stop
            first = stop


def read_parallel_texts(
    paths: Mapping[str, PathLike], *, ids: bool = False, **skipping: Any
) -> ParallelTexts:
    """Read the texts of several languages.

    Parameters
    ----------
    paths
        The file of each language, by its name. "-" is standard input.
    ids
        True if each line is ``ID TAB text``. Lines of one id belong together, wherever they stand. A language
        may lack any id. Lines are in the order of the first file. Ids that it lacks follow, in the order of
        the next files. Verses that one language joins, such as `GAL 1:1-2`, are joined in all.
    skipping
        Keywords ``skip_bad`` and ``report`` of ``aligner.files.lines.read_lines``: a bad line is missing.

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
        rows = list(
            side_by_side(
                [(path, lines_of(path, **skipping)) for path in paths.values()],
                "as many lines in all texts, empty where a text lacks one; or give each line an id (--ids)",
            )
        )
        return ParallelTexts({name: [row[n] for row in rows] for n, name in enumerate(paths)})
    texts = joined([_read_named(path, **skipping) for path in paths.values()])
    union = list(dict.fromkeys(key for lines in texts for key in lines))
    return ParallelTexts(
        {name: [lines.get(key, "") for key in union] for name, lines in zip(paths, texts, strict=True)}, union
    )


def _read_named(path: PathLike, **skipping: Any) -> dict[str, str]:
    """Return the text of each id. Blank lines have none."""
    found: dict[str, str] = {}
    for number, line in numbered_lines(path, **skipping):
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
