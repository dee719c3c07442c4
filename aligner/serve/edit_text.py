"""The text of an edit: tokens of known links for one line, checked and in order."""

from __future__ import annotations

from collections.abc import Iterable

from aligner.links.alignments import Link
from aligner.links.link_tokens import KNOWN_LINKS


def checked_edit(text: str, source_length: int, target_length: int) -> str:
    """Return the text of an edit in its usual order; ValueError if it is none of a line of these lengths."""
    pair = KNOWN_LINKS.parse(text)
    pair.check_positions(source_length, target_length)
    both = set(pair.links) & set(pair.forbidden)
    if both:
        i, j = min(both)
        raise ValueError(f"found {i}-{j} and {i}!{j}; expected at most one of them")
    return edit_of(set(pair.links), set(pair.forbidden), pair.complete)


def edit_of(links: Iterable[Link], forbidden: Iterable[Link], complete: bool) -> str:
    """Return the text of the edit with these confirmed and forbidden cells."""
    cells = sorted([(cell, "-") for cell in links] + [(cell, "!") for cell in forbidden])
    return " ".join(["="] * complete + [f"{i}{mark}{j}" for (i, j), mark in cells])
