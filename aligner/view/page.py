"""The page: one HTML file that holds its style, its program and its data, and requests nothing.

``page/page.html`` names the parts of a page in double braces. The program is the scripts of its folder, which
share one scope. The page's Content-Security-Policy names the hashes of the style and of the program, so that
a browser runs nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from typing import Any

from aligner.text.files import PathLike, open_output
from aligner.view.cards import word_cards
from aligner.view.content import Content
from aligner.view.records import header, line_records

SCRIPTS = (
    "elements",
    "data",
    "fold",
    "storage",
    "edits",
    "links",
    "figures",
    "svg",
    "ribbon",
    "matrix",
    "vocabulary",
    "filter",
    "list",
    "card",
    "captions",
    "export",
    "print",
    "editor",
    "concordance",
    "words",
    "main",
)
"""The scripts of the program, in their order: a script uses constants of those before it."""

_PLACEHOLDER = re.compile(r"\{\{([\w-]+)\}\}")


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
    for k, part in enumerate(_PLACEHOLDER.split(page_file("page.html"))):
        if k % 2 == 0:
            yield part
        else:
            yield from _PARTS[part](content)


def page_file(name: str) -> str:
    """Return the text of a file of the folder ``page``."""
    return (resources.files("aligner.view") / "page" / name).read_text("utf-8")


def _style() -> str:
    """Return the style sheet."""
    return page_file("page.css")


def _program() -> str:
    """Return the program."""
    return '"use strict";\n' + "\n".join(page_file(f"{name}.js") for name in SCRIPTS)


def policy_hash(text: str) -> str:
    """Return the source expression of a Content-Security-Policy that allows an element with this text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _json(value: Any) -> str:
    """Return compact JSON on one line, for a script element: no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


_PARTS: dict[str, Callable[[Content], Iterable[str]]] = {
    "style": lambda content: [_style()],
    "style-hash": lambda content: [policy_hash(_style())],
    "program": lambda content: [_program()],
    "program-hash": lambda content: [policy_hash(_program())],
    "header": lambda content: [_json(header(content))],
    "words": lambda content: [_json(content.model and word_cards(content, content.model))],
    "lines": lambda content: (_json(record) + "\n" for record in line_records(content)),
}
"""Functions that return the text of each part. The words are null without a model."""
