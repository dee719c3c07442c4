"""The page: one HTML file that holds its style, its program and its data, and requests nothing.

``page/page.html`` names the parts of a page in double braces. The program is the scripts of its folder, which
share one scope. The page's Content-Security-Policy names the hashes of the style and of the program, so that
a browser runs nothing else. A server adds a layer to the page, by which the page talks to this server.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from aligner.files.opening import PathLike, write_texts
from aligner.view.cards import word_cards
from aligner.view.content import Content
from aligner.view.records import header, line_records

_FIRST = ("elements", "texts", "data", "storage", "history")
_OTHERS = (
    *("fold", "lemmas", "edits", "links", "figures", "svg", "ribbon", "matrix", "vocabulary", "filter"),
    *("state", "list", "lines", "card", "captions", "picture", "export", "editor", "stroke"),
    *("concordance", "rendering", "words", "keys", "main", "controls"),
)
SCRIPTS = _FIRST, _OTHERS, ("start",)
"""The scripts of the program, in their order: a script uses constants of those before it. A layer has scripts
after the first ones, to register what the others read, and before the last one."""


@dataclass(frozen=True)
class Layer:
    """Parts that a server adds to the page; none by default.

    Attributes
    ----------
    early
        Scripts that register a storage or a history of edits, modes, or columns of figures.
    scripts
        Scripts that run after those of the page, before it starts.
    style
        The end of the style sheet.
    markup
        Elements at the end of the main element.
    sources
        Further directives of the Content-Security-Policy, each with a semicolon before it.
    """

    early: Sequence[str] = ()
    scripts: Sequence[str] = ()
    style: str = ""
    markup: str = ""
    sources: str = ""


OFFLINE = Layer()
"""The layer of a page without a server."""

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
    write_texts(path, page_texts(content), errors="replace")


def page_texts(content: Content, layer: Layer = OFFLINE) -> Iterator[str]:
    """Yield the text of a page in pieces. Its words are null without a model."""
    first, others, last = ([page_file(f"{name}.js") for name in names] for names in SCRIPTS)
    scripts = [*first, *layer.early, *others, *layer.scripts, *last]
    parts: dict[str, Iterable[str]] = {
        "sources": [layer.sources],
        "markup": [layer.markup],
        "header": [script_json(header(content))],
        "words": [script_json(content.model and word_cards(content, content.model))],
        "lines": (script_json(record) + "\n" for record in line_records(content)),
    }
    yield from filled("page.html", page_file("page.css") + layer.style, scripts, parts)


def filled(
    template: str,
    style: str,
    scripts: Iterable[str],
    parts: Mapping[str, Iterable[str]],
    room: str = "aligner.view",
) -> Iterator[str]:
    """Yield the text of a template of a room's folder ``page``, with its parts in place of their names."""
    program = "\n".join(['"use strict";', *scripts])
    for name, text in (("style", page_file("fonts.css") + style), ("program", program)):
        parts = {**parts, name: [text], f"{name}-hash": [_policy_hash(text)]}
    for k, part in enumerate(_PLACEHOLDER.split(page_file(template, room))):
        yield from parts[part] if k % 2 else [part]


def page_file(name: str, room: str = "aligner.view") -> str:
    """Return the text of a file of the folder ``page`` of a room."""
    return (resources.files(room) / "page" / name).read_text("utf-8")


def _policy_hash(text: str) -> str:
    """Return the source expression of a Content-Security-Policy that allows an element with this text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def script_json(value: Any) -> str:
    """Return compact JSON on one line, for a script element: no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
