"""The layer that the server adds to the page."""

from __future__ import annotations

from importlib import resources

from aligner.view.page import Layer

_SCRIPTS = ("storage", "history", "events", "queue", "curve", "learn", "layer")


def server_layer(edition: int) -> Layer:
    """Return the layer of a page; ``edition``: how many other models the workbench has used before."""
    return Layer(
        {name: _file(f"{name}.js") for name in _SCRIPTS},
        _file("layer.css"),
        _file("layer.html").replace("{edition}", str(edition)),
        "; connect-src 'self'",
    )


def _file(name: str) -> str:
    """Return the text of a file of the folder ``page``."""
    return (resources.files("aligner.serve") / "page" / name).read_text("utf-8")
