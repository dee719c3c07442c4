"""The picture of a text: its links, and the page that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import Any

from aligner.decoding.learned_decoder import decoder_of
from aligner.links.alignments import Alignments
from aligner.models.trained import TrainedModel
from aligner.serve.served_text import ServedText
from aligner.storage.codec import checksum
from aligner.view.content import Content
from aligner.view.page import Layer, page_file, page_texts

_ROOM = "aligner.serve"
EARLY = ("storage", "history")
LATE = ("server", "conflicts", "remarks", "passages", "queue", "changes", "learn", "saving", "layer")
"""The scripts of the layer: those that register what the scripts of the page read, and those after them."""


@dataclass(frozen=True, eq=False)
class Picture:
    """The picture of a text.

    Attributes
    ----------
    text
        The text.
    model
        The model whose translations the page shows.
    links
        The links that the page shows.
    """

    text: ServedText
    model: TrainedModel
    links: Alignments

    @cached_property
    def edition(self) -> int:
        """A number that is the same for the same links."""
        return checksum(self.links)

    @property
    def content(self) -> Content:
        """The content of the page."""
        text, model = self.text, self.model
        opening = floor(100 * decoder_of(model).threshold) / 100
        ids = text.ids.ids if text.ids else None
        parts: dict[str, Any] = {"names": text.names, "ids": ids, "lemmas": text.lemmas}
        return Content(*text.words, self.links, model=model, opening=opening, **parts)

    @cached_property
    def page(self) -> bytes:
        """The page, with the layer that the server adds to it."""
        early, late = ([page_file(f"{name}.js", _ROOM) for name in names] for names in (EARLY, LATE))
        layer = Layer(
            early,
            late,
            page_file("server.css", _ROOM) + page_file("layer.css", _ROOM),
            page_file("layer.html", _ROOM).replace("{edition}", str(self.edition)),
            "; connect-src 'self'",
        )
        return b"".join(text.encode("utf-8", "replace") for text in page_texts(self.content, layer))
