"""Pages in notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.models.trained import TrainedModel
from aligner.text.files import PathLike
from aligner.text.lines import words_of
from aligner.view.content import Content
from aligner.view.page import page_texts, write_page

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
    source: Iterable[str],
    target: Iterable[str],
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
        The lines of each side, such as open files. Words are separated by spaces.
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
    words = words_of_lines(source), words_of_lines(target)
    return NotebookPage(Content(*words, alignments, gold, second, model, opening=threshold))


def words_of_lines(lines: Iterable[str]) -> list[list[str]]:
    """Return the words of each line of a side, such as an open file."""
    return [words_of(line.removesuffix("\n")) for line in lines]
