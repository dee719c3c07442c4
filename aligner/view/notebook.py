"""Pages in notebooks: to look at links, and to correct them, whose edits come back as known links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from typing import Any

import numpy as np

from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.known_links import KnownLinks, read_known_links
from aligner.messages import excerpt, missing_extra
from aligner.models.trained import TrainedModel
from aligner.text.files import PathLike
from aligner.text.lines import words_of
from aligner.text.pairs_like import line_of
from aligner.view.content import Content
from aligner.view.page import Layer, page_file, page_texts, write_page

HEIGHT = 560  # pixels


class NotebookPage:
    """A page that notebooks show in a frame, as the value of a cell.

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
        """Return a frame that holds the page."""
        page = escape("".join(page_texts(self.content)))
        style = f"width:100%;height:{HEIGHT}px;border:0"
        return f'<iframe srcdoc="{page}" style="{style}" title="Word alignments"></iframe>'

    def write(self, path: PathLike) -> None:
        """Write the page to a file (see ``aligner.view.page.write_page``)."""
        write_page(path, self.content)


def html(
    alignments: Alignments,
    source: Iterable[str | Sequence[str]],
    target: Iterable[str | Sequence[str]],
    *,
    gold: Gold | None = None,
    second: Alignments | None = None,
    model: TrainedModel | None = None,
    threshold: float | None = None,
) -> NotebookPage:
    """Show alignments with their words in a notebook.

    Parameters
    ----------
    alignments
        The links.
    source, target
        The lines of each side, such as open files or columns of a data frame. A line is a string with words
        separated by spaces, or a list of tokens.
    gold
        Links made by hand, to compare with.
    second
        The links of a second system, to compare with.
    model
        A model, for the translations and the frequencies of words.
    threshold
        The threshold at which the page opens. By default, the threshold of the model; 0 without a model.

    Returns
    -------
    NotebookPage
        The page. Notebooks show it if it is the value of a cell. Its method ``write`` makes a file of it.

    Raises
    ------
    DataError
        If there are different numbers of lines, or if a link has a position outside its sentence pair.
    ConfigError
        If there are more than 200,000 lines.
    """
    return NotebookPage(
        Content(_words(source), _words(target), alignments, gold, second, model, opening=threshold)
    )


def edit(
    alignments: Alignments,
    source: Iterable[str | Sequence[str]],
    target: Iterable[str | Sequence[str]],
    *,
    gold: Gold | None = None,
    second: Alignments | None = None,
    model: TrainedModel | None = None,
    threshold: float | None = None,
) -> Any:
    """Correct alignments in a notebook.

    Parameters
    ----------
    alignments, source, target, gold, second, model, threshold
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
        If there are different numbers of lines, or if a link has a position outside its sentence pair.
    ConfigError
        If there are more than 200,000 lines, or if anywidget is not installed.
    """
    words = _words(source), _words(target)
    content = Content(*words, alignments, gold, second, model, opening=threshold)
    layer = Layer({"storage": page_file("notebook.js"), "editing": "editor.isOn = true;\n"})
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


def _words(lines: Iterable[str | Sequence[str]]) -> list[list[str]]:
    """Return the words of each line of a side, such as an open file; DataError for a string."""
    if isinstance(lines, str):
        raise DataError(f"found {excerpt(lines)} as a side; expected its lines; pass [line]")
    return [words_of(line_of(line).removesuffix("\n")) for line in lines]
