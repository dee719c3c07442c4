"""Token tables: a row for each token of a text, with its id, verse, lemma, Strong's number and morphology.

A table is TSV with a header, and has the tokens in the order of the text. Clear Bible's tables are read, too:
their ids BBCCCVVVWWWP tell the order and the verse, unless the column ``source_verse`` names the verse in the
numbering of the source.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from aligner.errors import DataError
from aligner.messages import counted, display_name, excerpt
from aligner.text.files import PathLike, open_output
from aligner.text.lines import lines_of, located, numbered_lines
from aligner.text.verses import Verse


class Token(NamedTuple):
    """A row of a token table. Fields that are not known are empty.

    Attributes
    ----------
    id
        The id of the token in its edition, such as `o010010010012`.
    verse
        The id of its line, such as `GEN 1:1`.
    text
        The token as the text has it.
    lemma
        Its dictionary form.
    strong
        Its Strong's number.
    morph
        Its morphology, in the code of the edition.
    """

    id: str
    verse: str
    text: str
    lemma: str = ""
    strong: str = ""
    morph: str = ""

    def row(self, verse: str) -> Token:
        """Return the row of the token in the table of a text that names the verse otherwise."""
        return self._replace(verse=verse)


_OTHER_NAMES = {"identifier": "id", "strongs": "strong"}
"""The columns of Clear's tables that have another name here."""

_CLEAR_ID = re.compile("[a-z]?([0-9]{8})[0-9]{3,4}$")


@dataclass(frozen=True)
class TokenTable:
    """The tokens of one side of a text, in the order of the text.

    Attributes
    ----------
    tokens
        The tokens.
    file
        The name of the file, for messages.
    """

    tokens: list[Token]
    file: str = "tokens"

    @staticmethod
    def is_header(line: str) -> bool:
        """Return True if a line is the header of a token table, or of one of Clear's."""
        return {"id", "text"} <= {*_columns(line)}

    @classmethod
    def read(cls, path: PathLike) -> TokenTable:
        """Read a file; DataError, with file and line, if it is no token table."""
        tokens: list[Token] = []
        columns: list[str] = []
        for number, line in numbered_lines(path):
            with located(path, number):
                if columns:
                    tokens.append(_token(columns, line.split("\t")))
                elif cls.is_header(line):
                    columns = _columns(line)
                else:
                    raise ValueError(f"found {excerpt(line)}; expected a header with the columns id and text")
        if not tokens:
            raise DataError(f"{display_name(path)}: found no token; expected a table with a header and rows")
        if "verse" not in columns:
            # 781 verses of Clear's Hebrew have rows in another order than the text. Ids have its order.
            tokens.sort(key=attrgetter("id"))
        return cls(tokens, display_name(path))

    @classmethod
    def find(cls, path: PathLike) -> TokenTable | None:
        """Read a file; None if it is no token table, such as a folder."""
        is_table = os.path.isfile(path) and cls.is_header(next(lines_of(path), ""))
        return cls.read(path) if is_table else None

    @cached_property
    def verses(self) -> dict[str, list[Token]]:
        """The tokens of each verse."""
        verses: dict[str, list[Token]] = {}
        for token in self.tokens:
            verses.setdefault(token.verse, []).append(token)
        return verses

    @staticmethod
    def write(path: PathLike, tokens: Iterable[Token]) -> None:
        """Write a table."""
        with open_output(path) as file:
            file.write("".join("\t".join(row) + "\n" for row in chain([Token._fields], tokens)).encode())


def _columns(line: str) -> list[str]:
    """Return the names of the columns of a header."""
    return [_OTHER_NAMES.get(name, name) for name in line.split("\t")]


def _token(columns: list[str], values: list[str]) -> Token:
    """Return the token of a row; ValueError for a row of another length, or without a verse."""
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
    return Token(*(sys.intern(row.get(name, "")) for name in Token._fields))


@cache
def _verse(first: str, last: str) -> str:
    """Return the verse of 8 digits, or the range up to the last one, if it is in the same chapter."""
    verse = Verse.of_number(first)
    return str(verse._replace(last=int(last[5:])) if last[:5] == first[:5] and last > first else verse)
