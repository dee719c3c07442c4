"""The viewer: links, gold and translations as one HTML page that works offline."""

from aligner.view.editor import edit
from aligner.view.notebook import html

__all__ = ["edit", "html"]
