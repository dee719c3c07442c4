"""Token tables: a row for each token of a text, with its id, verse, lemma, Strong's number and morphology.

A table is TSV with a header, and has the tokens in the order of the text. Clear Bible's tables are read, too:
their ids BBCCCVVVWWWP tell the order and the verse, unless the column ``source_verse`` names the verse in the
numbering of the source.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from aligner.errors import DataError
from aligner.files.lines import lines_of, located, numbered_lines
from aligner.files.opening import PathLike, write_texts
from aligner.messages import counted, display_name, excerpt
from aligner.scripture.verses import Verse


class Token(NamedTuple):
    """A token of a verse. Fields that are not known are empty.

    Attributes
    ----------
    id
        The id of the token in its edition, such as `o010010010012`.
    text
        The token as the text has it.
    lemma
        Its dictionary form.
    strong
        Its Strong's number.
    morph
        Its morphology, in the code of the edition.
    skip_space_after
        "y" if no space follows it in the verse.
    """

    id: str
    text: str
    lemma: str = ""
    strong: str = ""
    morph: str = ""
    skip_space_after: str = ""


TokenTable: TypeAlias = Mapping[str, Sequence[Token]]
"""The tokens of each verse, in the order of the text, by its name, such as `GEN 1:1`."""

_COLUMNS = ["id", "verse", *Token._fields[1:]]

_OTHER_NAMES = {"identifier": "id", "strongs": "strong"}
"""The columns of Clear's tables that have another name here."""

_CLEAR_ID = re.compile("[a-z]?([0-9]{8})[0-9]{3,4}$")


def is_table(path: PathLike) -> bool:
    """Return True if a path is a file with the header of a token table, or of one of Clear's."""
    return os.path.isfile(path) and _is_header(_columns(next(lines_of(path, skip_bad=True), "")))


def read_tokens(path: PathLike) -> TokenTable:
    """Read a token table; DataError, with file and line, if a file is none."""
    rows: list[tuple[str, Token]] = []
    columns: list[str] = []
    for number, line in numbered_lines(path):
        with located(path, number):
            if columns:
                rows.append(_row(columns, line.split("\t")))
            elif not _is_header(columns := _columns(line)):
                raise ValueError(f"found {excerpt(line)}; expected a header with the columns id and text")
    if not rows:
        raise DataError(f"{display_name(path)}: found no token; expected a table with a header and rows")
    if "verse" not in columns:
        # 781 verses of Clear's Hebrew have rows in another order than the text. Ids have its order.
        rows.sort(key=lambda row: row[1].id)
    verses: dict[str, list[Token]] = {}
    for verse, token in rows:
        verses.setdefault(verse, []).append(token)
    return verses


def write_tokens(path: PathLike, tokens: TokenTable) -> None:
    """Write a token table."""
    rows = ((token.id, verse, *token[1:]) for verse, own in tokens.items() for token in own)
    write_texts(path, ("\t".join(row) + "\n" for row in (_COLUMNS, *rows)))


def _columns(line: str) -> list[str]:
    """Return the names of the columns of a header."""
    return [_OTHER_NAMES.get(name, name) for name in line.split("\t")]


def _is_header(columns: list[str]) -> bool:
    """Return True if a token table may have these columns."""
    return {"id", "text"} <= {*columns}


def _row(columns: list[str], values: list[str]) -> tuple[str, Token]:
    """Return the verse and the token of a row; ValueError for a row of another length, or without a verse."""
    if len(values) != len(columns):
        raise ValueError(f"found {counted(len(values), 'column')}; expected {len(columns)}, as in the header")
    row = dict(zip(columns, values, strict=True))
    if "verse" not in row:
        match = _CLEAR_ID.match(row["id"])
        first, last = (row.get(f"source_verse{end}", "") for end in ("", "_range_end"))
        first = first or (match[1] if match else "")
        if not re.fullmatch("([0-9]{8}){1,2}", first + last):
            raise ValueError(
                f"found the id {excerpt(row['id'])} and the verse {excerpt(first + last)}; expected"
                " BBCCCVVVWWW and BBCCCVVV, or a column verse"
            )
        row["verse"] = _verse(first, last)
    return sys.intern(row["verse"]), Token(*(sys.intern(row.get(name, "")) for name in Token._fields))


@cache
def _verse(first: str, last: str) -> str:
    """Return the verse of 8 digits, or the range up to the last one, if it is in the same chapter."""
    verse = Verse.of_number(first)
    return str(verse._replace(last=int(last[5:])) if last[:5] == first[:5] and last > first else verse)
