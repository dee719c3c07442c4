"""The viewer: links, gold and translations as one HTML page that works offline."""

from aligner.view.notebook import edit, html

__all__ = ["edit", "html"]
