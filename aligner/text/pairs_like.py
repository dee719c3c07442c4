"""Sentence pairs in memory: pairs of strings or token lists, rows of a data set, two columns, or a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from typing import Any, TypeAlias

import numpy as np

from aligner.errors import DataError
from aligner.files.lines import words_of
from aligner.messages import counted, excerpt

PairsLike: TypeAlias = Iterable[Any]
"""Sentence pairs: pairs of a source and a target side, a tuple of two columns of sides, a data frame with
these columns alone, of any library, or the rows of a Hugging Face data set, ``{"fr": ..., "en": ...}`` or
``{"translation": {"fr": ..., "en": ...}}``, of which the first language of the first row is the source. A
side is a string with words separated by spaces or TABs, or a list of tokens."""


_PAIRS = tuple, list, np.ndarray
"""The types of a sentence pair: a string of two letters is none."""

_MISSING = "None", "nan", "<NA>"
"""The missing cells of data frames, as strings."""


def string_pairs(text: PairsLike) -> Iterator[tuple[str, str]]:
    """Return sentence pairs as strings. Raise TypeError if this is no text, DataError if one is no pair."""
    return map(_string_pair, _in_order_of_languages(_rows(text)), count())


def line_of(side: Iterable[str]) -> str:
    """Return a string itself, or the line that splits into these tokens; DataError if there is none."""
    if isinstance(side, str):
        return side
    tokens = list(side)
    line = " ".join(tokens)
    if "\n" in line or words_of(line) != tokens:
        token = next(token for token in tokens if "\n" in token or words_of(token) != [token])
        raise DataError(
            f"found the token {excerpt(token)}; expected text without space, TAB or newline; split it into"
            f" tokens, or pass the side as a string"
        )
    return line


def _rows(text: Any) -> Iterator[Any]:
    """Return the pairs of a text in any form; raise DataError for columns that are no two of equal length."""
    if hasattr(text, "collect") or hasattr(text, "to_pylist"):
        raise TypeError(
            f"found a {type(text).__name__} as a text; expected a data frame of pandas or polars; pass"
            f" frame.collect() in place of a LazyFrame, table.to_pandas() in place of a Table"
        )
    if isinstance(text, dict):
        raise DataError(
            f"found a dictionary of {_keys(text)} as a text; expected sentence pairs or rows; pass one part,"
            f" such as data['train'], or two columns, such as zip(data['fr'], data['en'])"
        )
    if hasattr(text, "columns"):
        names = list(text.columns)
        if len(names) != 2 or names[0] == names[1]:
            raise DataError(
                f"found {counted(len(names), 'column')} ({', '.join(map(str, names)):.60}); expected a source"
                f" and a target column; pass two: (frame['source'], frame['target'])"
            )
        text = tuple(text[name] for name in names)
    if not isinstance(text, tuple) or len(text) != 2 or any(isinstance(side, str | tuple) for side in text):
        with suppress(TypeError):
            if not isinstance(text, str | bytes):
                return iter(text)
        raise TypeError(
            f"found {excerpt(str(text))} as a text; expected sentence pairs; pass [(source, target)], two"
            f" columns of a data frame, or read_bitext(...) of files"
        )
    if any(isinstance(side, list) for side in text):
        raise DataError(
            "found a tuple of lists, which may be two pairs or two columns; pass zip(sources, targets) for"
            " columns, or a list of pairs"
        )
    sources, targets = map(list, text)
    if len(sources) != len(targets):
        raise DataError(
            f"found columns of {len(sources):,} and {len(targets):,} sentences; expected as many of each"
        )
    return zip(sources, targets, strict=True)


def _in_order_of_languages(rows: Iterator[Any]) -> Iterator[Any]:
    """Yield rows, those of data sets as pairs; raise DataError for dictionaries of other keys."""
    languages: list[str] = []
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            yield row
            continue
        sides = row["translation"] if isinstance(row.get("translation"), dict) else row
        languages = languages or list(sides)
        if len(languages) != 2 or sides.keys() != set(languages):
            raise DataError(
                f"row {number} (from 0): found the keys {_keys(row)}; expected the same two languages in each"
                f" row, alone or as its 'translation'; pass [(row['fr'], row['en']) for row in data]"
            )
        yield tuple(sides[language] for language in languages)


def _keys(row: dict[Any, Any]) -> str:
    """Return the keys of a dictionary, for a message."""
    return f"{', '.join(map(repr, row)):.60}"


def _string_pair(pair: Any, row: int) -> tuple[str, str]:
    """Return a sentence pair as strings; raise DataError if it is none, such as a string of two letters."""
    sides: tuple[Any, ...] = ()
    try:
        sides = tuple(pair) if isinstance(pair, _PAIRS) else ()
        source, target = sides
        return line_of(source), line_of(target)
    except (TypeError, ValueError):
        found, remedy = excerpt(repr(pair)), ""
        if hasattr(pair, "to_numpy"):
            found, remedy = f"a {type(pair).__name__}", "; pass columns as (frame['source'], frame['target'])"
        elif any(str(side) in _MISSING for side in sides if not isinstance(side, str)):
            remedy = (
                "; fill missing cells by frame.fillna('') (in polars, fill_null), or drop their rows by"
                " frame.dropna() (drop_nulls)"
            )
        raise DataError(
            f"row {row} (from 0): found {found} as a sentence pair; expected a source and a target sentence,"
            f" each a string with words separated by spaces or a list of tokens, as in [('la maison', 'the"
            f" house')]{remedy}"
        ) from None
