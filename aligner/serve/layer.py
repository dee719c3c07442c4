"""The layer that the server adds to the page."""

from __future__ import annotations

from aligner.view.page import Layer, page_file

_ROOM = "aligner.serve"
_SCRIPTS = ("storage", "history", "events", "remarks", "passages", "queue", "learn", "layer")


def server_layer(edition: int) -> Layer:
    """Return the layer of a page; ``edition``: a number that is the same for the same links."""
    return Layer(
        {name: page_file(f"{name}.js", _ROOM) for name in _SCRIPTS},
        page_file("layer.css", _ROOM),
        page_file("layer.html", _ROOM).replace("{edition}", str(edition)),
        "; connect-src 'self'",
    )
