"""Pieces of messages: counts with their nouns, names of inputs, and excerpts of lines."""

import os

EXTRAS = {
    "zstd": ["backports.zstd"],
    "plots": ["matplotlib"],
    "learn": ["lightgbm"],
    "cluster": ["cryptography", "distributed"],
    "notebook": ["anywidget"],
    "scripture": ["usfmtc"],
    "serve": ["starlette", "uvicorn", "lightgbm"],
}
"""The packages of each extra that the program may need. Package indexes have them, but not this program."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 pair", "1,234 pairs". ``plural``: by default, the noun with an s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def display_name(path: str | os.PathLike[str]) -> str:
    """Return the name of an input; `-` is standard input."""
    return "<stdin>" if path == "-" else os.fspath(path)


def excerpt(line: str) -> str:
    """Return the first 60 characters of a line, quoted."""
    return repr(line if len(line) <= 60 else line[:60] + "...")


def missing_extra(purpose: str, extra: str) -> str:
    """Return the message for an extra that is not installed."""
    packages = " ".join(EXTRAS[extra])
    return f"{purpose} needs the extra {extra}, which is not installed; install it: pip install {packages}"
