"""Inline markup: words and XML elements. The rules of projection are in the docstring of the package."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from aligner.annotations.spans import place_apart
from aligner.annotations.word_links import Range, WordLinks
from aligner.messages import excerpt

# A tag: the slash of an end tag, the name, attributes with any quoted values, the slash of an empty element.
# Any other < is text.
_TAG = re.compile(r"""<(/?)([^\W\d][\w.:-]*)(?=[\s/>])(?:[^<>"'/]|/(?!>)|"[^"]*"|'[^']*')*(/?)>""")
_WORD = re.compile(r"[^ \t]+")

_DEEPEST = 100
"""Elements inside each other must be fewer, since projection is recursive."""


@dataclass(frozen=True)
class Element:
    """An element and its words.

    Attributes
    ----------
    open, close
        The tags. ``close`` is empty if ``open`` is the whole element, such as `<br/>`.
    start, end
        Its words are start to end - 1. An element without words has start == end, and stands before this
        word.
    children
        The elements in it, in the order of the text.
    """

    open: str
    close: str
    start: int
    end: int
    children: list[Element] = field(default_factory=list)


class _OpenElement(NamedTuple):
    """An element whose end tag has not come yet. position: of its tag, in the text without tags."""

    name: str
    tag: str
    position: int
    children: list[Element]


def read_markup(line: str) -> tuple[int, Element]:
    """Return the number of words and a root element around all; ValueError if tags do not match."""
    plain = _TAG.sub("", line)
    words = [match.span() for match in _WORD.finditer(plain)]
    starts, ends = [start for start, _ in words], [end for _, end in words]

    def element(tag: str, close: str, first: int, last: int, children: list[Element]) -> Element:
        """Return the element between two positions of the text without tags."""
        start = bisect_right(ends, first)
        end = bisect_left(starts, last) if plain[first:last].strip(" \t") else start
        return Element(tag, close, start, end, children)

    root = _OpenElement("", "", 0, [])
    around = [root]
    removed = 0
    for tag in _TAG.finditer(line):
        position = tag.start() - removed
        removed += len(tag[0])
        current = around[-1]
        if tag[1]:
            if current.name != tag[2]:
                expected = f"</{current.name}>" if current.name else "no end tag"
                raise ValueError(f"found {excerpt(tag[0])}; expected {expected} here; repair the elements")
            around.pop()
            child = element(current.tag, tag[0], current.position, position, current.children)
            around[-1].children.append(child)
        elif tag[3]:
            current.children.append(element(tag[0], "", position, position, []))
        else:
            around.append(_OpenElement(tag[2], tag[0], position, []))
            if len(around) > _DEEPEST:
                raise ValueError(f"found {_DEEPEST} elements inside each other; expected fewer")
    if around[-1] is not root:
        name, tag_text = around[-1][:2]
        raise ValueError(
            f"found {excerpt(tag_text)} without its end tag; expected well-formed elements; write an empty"
            f" element as <{name}/>"
        )
    return len(words), Element("", "", 0, len(words), root.children)


def write_markup(root: Element, words: Sequence[str]) -> str:
    """Return the words with the tags, which stand at the first and the last word of their element."""
    parts: list[str] = []
    done = root.start
    for child in root.children:
        parts += [*words[done : child.start], write_markup(child, words)]
        done = child.end
    return f"{root.open}{' '.join([*parts, *words[done : root.end]])}{root.close}"


def project_markup(root: Element, links: WordLinks) -> tuple[Element, int]:
    """Return the elements on the target side, and how many have lost their words because none has a link."""
    projected = _project(root, (0, links.target_length), links)
    return projected, _count_with_words(root.children) - _count_with_words(projected.children)


def _project(element: Element, run: Range, links: WordLinks) -> Element:
    """Return an element with a run of target words, and its children inside of the run."""
    children = element.children
    whole = [child for child in children if (child.start, child.end) == (element.start, element.end)]
    if len(whole) == 1 and element.start < element.end:
        runs: list[Range | None] = [run if child is whole[0] else None for child in children]
    else:
        runs = place_apart([(child.start, child.end) for child in children], links, run)
    placed = [
        _project(child, taken or _boundary(k, element, runs, run, links), links)
        for k, (child, taken) in enumerate(zip(children, runs, strict=True))
    ]
    placed.sort(key=lambda child: (child.start, child.end))
    return replace(element, start=run[0], end=run[1], children=placed)


def _boundary(
    k: int, parent: Element, runs: Sequence[Range | None], limits: Range, links: WordLinks
) -> Range:
    """Return the empty range of target words for child k of an element, which gets no run."""
    child = parent.children[k]
    boundary = limits[0]
    before, after = child.start - 1, child.end
    while parent.start <= before or after < parent.end:
        if parent.start <= before and (run := links.best_run((before, before + 1), [limits])):
            boundary = run.end
            break
        if after < parent.end and (run := links.best_run((after, after + 1), [limits])):
            boundary = run.start
            break
        before, after = before - 1, after + 1
    for n, other in enumerate(runs):
        if other and other[0] < boundary < other[1]:
            boundary = other[0] if k < n else other[1]
    return boundary, boundary


def _count_with_words(elements: Sequence[Element]) -> int:
    """Return the number of elements that have words, among these and the elements in them."""
    return sum((child.start < child.end) + _count_with_words(child.children) for child in elements)
