"""English names of the books of the Bible, and their usual abbreviations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files


def names_of(references: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of the books of references such as `MAT 1:1`, by code, the usual name first.

    Books without an English name, and what is no reference, are left out.
    """
    names, codes = _names(), dict.fromkeys(reference.partition(" ")[0] for reference in references)
    return {code: names[code] for code in codes if code in names}


@cache
def _names() -> dict[str, list[str]]:
    """Return all names by the codes of USFM."""
    table = (files("aligner.scripture") / "book_names.tsv").read_text("utf-8")
    return {code: names for code, *names in (line.split("\t") for line in table.splitlines())}
