"""Concordances as text: keyword in context for people, a table, or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from aligner.analysis.concordance import Concordance, Occurrence
from aligner.links.show import display_width
from aligner.messages import counted
from aligner.registry import Registry

_CONTEXT = 32  # columns before and after a keyword
_NUMBER = 8  # columns of a line number


ConcordanceStyle = Callable[[Concordance, int | None, bool], Iterator[str]]
"""A function of (concordance, most, colour) that yields a concordance as text.

most: the largest number of lines of each rendering, or None for all; colour: True to mark words by colours of
the terminal, False to mark them by brackets.
"""

CONCORDANCE_STYLES: Registry[ConcordanceStyle] = Registry("style")
"""Every style of ``align find``, by the name that the command line uses."""


def _text(concordance: Concordance, most: int | None, colour: bool) -> Iterator[str]:
    """Yield the number of occurrences, then each rendering with its lines."""
    linked = [rendering for rendering in concordance.renderings if rendering.text]
    forms = ", ".join(concordance.forms[:10]) + (", ..." if len(concordance.forms) > 10 else "")
    total = counted(concordance.occurrences, "occurrence")
    yield f"{forms}: {total}, {counted(len(linked), 'rendering')}\n"
    for rendering in concordance.renderings:
        count = len(rendering.occurrences)
        flag = "  RARE" if rendering.is_rare else ""
        title = rendering.text or "(no link)"
        shown_title = _marked(title, 1, colour) if colour else title
        yield f"\n{shown_title}  {count:,}  {100 * rendering.share:.1f} %{flag}\n"
        shown = rendering.occurrences[:most]
        for occurrence in shown:
            yield from _keyword_in_context(occurrence, colour)
        if count > len(shown):
            yield f"{'...':>{_NUMBER}}  {counted(count - len(shown), 'more line')}\n"


def _keyword_in_context(occurrence: Occurrence, colour: bool) -> Iterator[str]:
    """Yield the line of the word and the line of its translation, with both words at one column."""
    own, other = occurrence.words
    position, others = occurrence.position, occurrence.others
    middle = others[0] if others else round(position / len(own) * len(other))
    head = f"{occurrence.line:>{_NUMBER}}"
    yield f"{head}  {_context(own, [position], position, 0, colour)}\n"
    yield f"{'':>{_NUMBER}}  {_context(other, others, middle, 1, colour)}\n"


def _context(words: list[str], marked: list[int], middle: int, side: int, colour: bool) -> str:
    """Return words around a place, which starts at a fixed column."""
    widths = [display_width(word) + 1 for word in words]
    before = after = middle
    while before > 0 and sum(widths[before - 1 : middle]) <= _CONTEXT - 2:
        before -= 1
    while after < len(words) and (after == middle or sum(widths[middle : after + 1]) <= _CONTEXT):
        after += 1
    shown = [_marked(words[k], side, colour) if k in marked else words[k] for k in range(before, after)]
    left = "… " if before else ""
    right = " …" if after < len(words) else ""
    indent = " " * (_CONTEXT - sum(widths[before:middle]) - len(left))
    return f"{indent}{left}{' '.join(shown)}{right}".rstrip()


def _marked(word: str, side: int, colour: bool) -> str:
    """Return a word with a colour of its side, or in brackets."""
    if not colour:
        return f"[{word}]"
    return f"\x1b[1;{(36, 32)[side]}m{word}\x1b[0m"


def _table(concordance: Concordance, most: int | None, colour: bool) -> Iterator[str]:
    """Yield a row for each occurrence."""
    for rendering in concordance.renderings:
        flag = "rare" if rendering.is_rare else ""
        for line, position, others, (own, other) in rendering.occurrences[:most]:
            places = ",".join(map(str, others))
            values = line, position, own[position], rendering.text, places, len(rendering.occurrences), flag
            yield "\t".join([*map(str, values), " ".join(own), " ".join(other)]) + "\n"


def _json(concordance: Concordance, most: int | None, colour: bool) -> Iterator[str]:
    """Yield one JSON object."""
    renderings: list[dict[str, Any]] = [
        {
            "text": rendering.text,
            "words": rendering.words,
            "count": len(rendering.occurrences),
            "share": rendering.share,
            "rare": rendering.is_rare,
            "lines": [_record(occurrence) for occurrence in rendering.occurrences[:most]],
        }
        for rendering in concordance.renderings
    ]
    result = {"forms": concordance.forms, "occurrences": concordance.occurrences, "renderings": renderings}
    yield json.dumps(result, ensure_ascii=False) + "\n"


def _record(occurrence: Occurrence) -> dict[str, Any]:
    """Return an occurrence as plain data."""
    own, other = (" ".join(words) for words in occurrence.words)
    places = {"line": occurrence.line, "position": occurrence.position, "linked": occurrence.others}
    return places | {"text": own, "translation": other}


CONCORDANCE_STYLES.register("text", "to read: the word in context, by translation")(_text)
CONCORDANCE_STYLES.register(
    "tsv",
    "a table: line, position, word, rendering, linked positions, count of the rendering, rare or nothing,"
    " both texts",
)(_table)
CONCORDANCE_STYLES.register("json", "an object with all renderings and their lines")(_json)
