"""Drawings and pages in notebooks: to look at links, and to correct them. Edits come back as known links."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Any

import numpy as np

from aligner.errors import ConfigError
from aligner.files.lines import words_of
from aligner.files.opening import PathLike
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.known_links import KnownLinks, read_known_links
from aligner.messages import missing_extra
from aligner.models.trained import TrainedModel
from aligner.text.pairs_like import PairsLike, string_pairs
from aligner.view.content import Content
from aligner.view.drawing import MOST_PAIRS, draw
from aligner.view.page import Layer, page_file, page_texts, write_page

HEIGHT = 560  # pixels


class NotebookPage:
    """A page that notebooks show in a frame, as the value of a cell; of up to 5 pairs, a drawing without it.

    Parameters
    ----------
    content
        The content of the page.
    """

    def __init__(self, content: Content) -> None:
        self.content = content

    def __repr__(self) -> str:
        return f"NotebookPage({self.content.links!r})"

    def _repr_html_(self) -> str:
        """Return a drawing, or a frame that holds the page: of many pairs, or to compare two systems."""
        if len(self.content) <= MOST_PAIRS and self.content.second is None:
            return draw(self.content)
        page = escape("".join(page_texts(self.content)))
        style = f"width:100%;height:{HEIGHT}px;border:0"
        return f'<iframe srcdoc="{page}" style="{style}" title="Word alignments"></iframe>'

    def write(self, path: PathLike) -> None:
        """Write the page to a file (see ``aligner.view.page.write_page``)."""
        write_page(path, self.content)


def html(
    alignments: Alignments,
    pairs: PairsLike,
    *,
    gold: Gold | None = None,
    second: Alignments | None = None,
    model: TrainedModel | None = None,
    threshold: float | None = None,
) -> NotebookPage:
    """Show alignments with their words in a notebook: up to 5 pairs as a drawing, others as a page.

    Parameters
    ----------
    alignments
        The links.
    pairs
        The sentence pairs, as for ``Bitext.from_text``; of open files, ``zip(source, target)``.
    gold
        Links made by hand, to compare with.
    second
        The links of a second system, to compare with.
    model
        A model, for the translations and the frequencies of words.
    threshold
        The threshold at which the page opens. By default, the threshold of the model; 0 without a model. A
        drawing has the links that reach it, by default all; less probable links are paler.

    Returns
    -------
    NotebookPage
        The page. Notebooks show it if it is the value of a cell. Its method ``write`` makes a file of it.

    Raises
    ------
    DataError
        If these are no sentence pairs, if their number is not that of the alignments, or if a link has a
        position outside its sentence pair.
    ConfigError
        If there are more than 200,000 lines.
    """
    return NotebookPage(Content(*_words(pairs), alignments, gold, second, model, opening=threshold))


def edit(
    alignments: Alignments,
    pairs: PairsLike,
    *,
    gold: Gold | None = None,
    second: Alignments | None = None,
    model: TrainedModel | None = None,
    threshold: float | None = None,
) -> Any:
    """Correct alignments in a notebook.

    Parameters
    ----------
    alignments, pairs, gold, second, model, threshold
        As for ``html``.

    Returns
    -------
    anywidget.AnyWidget
        The page in edit mode, which notebooks show if it is the value of a cell. Its method ``known_links``
        returns what has been confirmed and forbidden, for ``decode`` and ``Evidence``. Its attribute
        ``edits`` has the same as text, by line.

    Raises
    ------
    DataError
        If these are no sentence pairs, if their number is not that of the alignments, or if a link has a
        position outside its sentence pair.
    ConfigError
        If there are more than 200,000 lines, or if anywidget is not installed.
    """
    content = Content(*_words(pairs), alignments, gold, second, model, opening=threshold)
    layer = Layer([page_file("notebook.js")], ["editor.isOn = true;\n"])
    return _editor_class()(page="".join(page_texts(content, layer)), height=HEIGHT)


@cache
def _editor_class() -> type:
    """Return the class of editors; raise ConfigError if anywidget is not installed."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ConfigError(missing_extra("editing in a notebook", "notebook")) from error

    class NotebookEditor(anywidget.AnyWidget):
        """A page in edit mode, and the edits that are made on it."""

        _esm = page_file("widget.js")
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        edits = traitlets.Dict().tag(sync=True)

        def known_links(self) -> KnownLinks:
            """Return the edits as known links of the lines that have been edited."""
            if not self.edits:
                none = Alignments.from_lists([])
                return KnownLinks(none, none, "edits", lines=np.zeros(0, np.int64))
            lines = [f"{line}\t{text}" for line, text in self.edits.items()]
            return read_known_links("edits", lines=lines)

    return NotebookEditor


def _words(pairs: PairsLike) -> tuple[list[list[str]], list[list[str]]]:
    """Return the words of each line of both sides, which may end in a newline."""
    lines = [[words_of(side.removesuffix("\n")) for side in pair] for pair in string_pairs(pairs)]
    return [source for source, _ in lines], [target for _, target in lines]
