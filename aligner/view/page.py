"""The page: one HTML file that holds its style, its program and its data, and requests nothing.

The files in ``page/`` are its parts. ``page.html`` names each part as ``{{part}}``. The scripts share one
scope and are concatenated in the order of ``_SCRIPTS``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

from aligner.text.files import PathLike, open_output
from aligner.view.cards import word_cards
from aligner.view.content import Content
from aligner.view.records import header, line_records

_SCRIPTS = (
    "data",
    "links",
    "svg",
    "ribbon",
    "matrix",
    "filter",
    "list",
    "card",
    "captions",
    "export",
    "main",
)

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


def write_page(path: PathLike, content: Content) -> None:
    """Write a page to a file.

    Parameters
    ----------
    path
        The file. "-" is standard output.
    content
        The content of the page.

    Raises
    ------
    DataError
        If the file cannot be written.
    """
    with open_output(path) as file:
        for text in page_texts(content):
            file.write(text.encode("utf-8", "replace"))


def page_texts(content: Content) -> Iterator[str]:
    """Yield the text of a page in pieces."""
    template = _PLACEHOLDER.split(_part("page.html"))
    for text, name in zip(template[::2], [*template[1::2], None], strict=True):
        yield text
        if name == "style":
            yield _part("page.css")
        elif name == "script":
            yield from (_part(f"{script}.js") for script in _SCRIPTS)
        elif name == "header":
            yield _json(header(content))
        elif name == "words":
            yield _json(None if content.model is None else word_cards(content, content.model))
        elif name == "lines":
            yield from (_json(record) + "\n" for record in line_records(content))


def _part(name: str) -> str:
    """Return the text of a part of the page."""
    return (resources.files("aligner.view") / "page" / name).read_text("utf-8")


def _json(value: Any) -> str:
    """Return compact JSON on one line, for a script element: no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
