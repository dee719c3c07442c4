"""Drawings of a few sentence pairs, for notebooks: two rows of words, and a curve for each link, as SVG.

A drawing needs no script. Its words have the colour of the text around it, its links those of the page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape

from aligner.view.content import Content

MOST_PAIRS = 5
"""The largest number of sentence pairs that are drawn. For more, notebooks show the page."""

_GAP, _WIDEST_GAP, _MARGIN = 16.0, 48.0, 8.0  # pixels
_TOP, _FROM, _TO, _BOTTOM, _HEIGHT = 18, 26, 86, 104, 112  # of words, of the ends of curves, of all
_NARROW, _WIDE = frozenset("!'(),.:;I[]fijlrt|·’"), frozenset("MW@mw")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

# Jupyter's theme is an attribute, which goes before the one of the system.
_STYLE = """<style>
.align-links { --hit: #0072b2; --extra: #d55e00; --missing: #b0407f; overflow-x: auto }
@media (prefers-color-scheme: dark) {
.align-links:not([data-jp-theme-light=true] *) { --hit: #56b4e9; --extra: #f08a3c; --missing: #e58dc3 }
}
[data-jp-theme-light=false] .align-links { --hit: #56b4e9; --extra: #f08a3c; --missing: #e58dc3 }
.align-links svg { display: block; font: 15px system-ui, sans-serif; fill: currentColor; text-anchor: middle }
.align-links path { fill: none; stroke: var(--hit); stroke-width: 2; stroke-linecap: round }
.align-links path.extra { stroke: var(--extra); stroke-dasharray: 7 4 }
.align-links path.missing { stroke: var(--missing); stroke-dasharray: 1 5 }
.align-links path:hover { stroke-width: 4 }
.align-links .unlinked { opacity: .55 }
</style>"""


def draw(content: Content) -> str:
    """Return sentence pairs as elements of HTML, each in a row that scrolls if it is wide."""
    drawings = []
    for n in range(len(content)):
        way = "rtl" if _is_right_to_left(content.source[n]) else "ltr"  # the row opens at its first words
        name = content.ids[n] if content.ids else f"{content.first + n}"
        title = f"<small>{escape(name)}</small>" if len(content) > 1 else ""
        drawings.append(f'<div class="align-links" dir="{way}">{title}{"".join(_svg(content, n))}</div>')
    return "\n".join([_STYLE, *drawings]).encode("utf-8", "replace").decode()


def _svg(content: Content, n: int) -> Iterator[str]:
    """Yield the elements of the drawing of pair n."""
    sides = content.source[n], content.target[n]
    widths = [[_width(word) for word in words] for words in sides]
    widest = max(sum(row) + _GAP * max(len(row) - 1, 0) for row in widths)
    from_right = [_is_right_to_left(words) for words in sides]
    places = [_places(row, widest, is_rtl) for row, is_rtl in zip(widths, from_right, strict=True)]
    yield f'<svg width="{widest + 2 * _MARGIN:.0f}" height="{_HEIGHT}">'
    links = [*_links(content, n)]
    linked = [{link[side] for link in links if link[2] != "missing"} for side in (0, 1)]
    for i, j, kind, probability in links:
        x, y, middle = places[0][i], places[1][j], (_FROM + _TO) // 2
        title = f"{sides[0][i]} – {sides[1][j]}" + ("" if probability is None else f" {probability:.2f}")
        shown = "" if probability is None else f' stroke-opacity="{0.25 + 0.75 * probability:.2f}"'
        path = f"M{x:.0f} {_FROM}C{x:.0f} {middle} {y:.0f} {middle} {y:.0f} {_TO}"
        yield f'<path class="{kind}" d="{path}"{shown}><title>{escape(title)}</title></path>'
    for side, height in enumerate((_TOP, _BOTTOM)):
        way = ' direction="rtl"' if from_right[side] else ""
        for k, (word, place) in enumerate(zip(sides[side], places[side], strict=True)):
            unlinked = "" if k in linked[side] else ' class="unlinked"'
            yield f'<text x="{place:.0f}" y="{height}"{way}{unlinked}>{escape(word)}</text>'
    yield "</svg>"


def _links(content: Content, n: int) -> Iterator[tuple[int, int, str, float | None]]:
    """Yield the links of pair n and the links that it misses, with their kind and their probability."""
    part, least = content.links[n : n + 1], content.opening or 0.0
    values = [None] * part.source.size if part.probabilities is None else part.probabilities.tolist()
    found = {link: p for link, p in zip(part[0], values, strict=True) if p is None or p >= least - 1e-6}
    gold = content.gold
    possible = found.keys() if gold is None else set(gold.possible[n])
    for link, p in found.items():
        yield *link, "hit" if link in possible else "extra", p
    for link in [] if gold is None else gold.sure[n]:
        if link not in found:
            yield *link, "missing", None


def _places(widths: Sequence[float], widest: float, is_right_to_left: bool) -> list[float]:
    """Return the middle of each word of a row, which is spread towards the width of the widest row."""
    free = (widest - sum(widths)) / max(len(widths) - 1, 1)
    gap = min(free, _WIDEST_GAP)
    end = (widest - sum(widths) - gap * max(len(widths) - 1, 0)) / 2
    middles = []
    for width in widths:
        middles.append(end + width / 2)
        end += width + gap
    return [_MARGIN + (widest - middle if is_right_to_left else middle) for middle in middles]


def _width(word: str) -> float:
    """Return about the width of a word in pixels. The browser's font is not known here."""
    return max(sum(map(_letter_width, word)), 8.0)


def _letter_width(letter: str) -> float:
    if unicodedata.category(letter) in ("Cf", "Mn"):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 15.5
    return 5.0 if letter in _NARROW else 13.0 if letter in _WIDE else 10.5 if letter.isupper() else 8.5


def _is_right_to_left(words: Sequence[str]) -> bool:
    """Return True if most words with letters are written from right to left, as the page decides."""
    with_letters = [word for word in words if any(map(str.isalpha, word))]
    return sum(bool(_RIGHT_TO_LEFT.search(word)) for word in with_letters) * 2 > len(with_letters)
