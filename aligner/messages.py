"""Pieces of messages: counts with their nouns, names of inputs, and excerpts of lines."""

import os


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 pair", "1,234 pairs". ``plural``: by default, the noun with an s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def display_name(path: str | os.PathLike[str]) -> str:
    """Return the name of an input; `-` is standard input."""
    return "<stdin>" if path == "-" else os.fspath(path)


def excerpt(line: str) -> str:
    """Return the first 60 characters of a line, quoted."""
    return repr(line if len(line) <= 60 else line[:60] + "...")
