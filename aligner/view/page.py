"""The page: one HTML file that holds its style, its program and its data, and requests nothing.

``page/page.html`` names the parts of a page in double braces: the other files of its folder, and the data.
The scripts share one scope.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from typing import Any

from aligner.text.files import PathLike, open_output
from aligner.view.cards import word_cards
from aligner.view.content import Content
from aligner.view.records import header, line_records

_PLACEHOLDER = re.compile(r"\{\{([\w.]+)\}\}")


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
    for k, part in enumerate(_PLACEHOLDER.split(_file("page.html"))):
        if k % 2 == 0:
            yield part
        elif part in _DATA:
            yield from _DATA[part](content)
        else:
            yield _file(part)


def _file(name: str) -> str:
    """Return the text of a file of the folder ``page``."""
    return (resources.files("aligner.view") / "page" / name).read_text("utf-8")


def _json(value: Any) -> str:
    """Return compact JSON on one line, for a script element: no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


_DATA: dict[str, Callable[[Content], Iterable[str]]] = {
    "header": lambda content: [_json(header(content))],
    "words": lambda content: [_json(content.model and word_cards(content, content.model))],
    "lines": lambda content: (_json(record) + "\n" for record in line_records(content)),
}
"""Functions that return the text of each part that is data. The words are null without a model."""
