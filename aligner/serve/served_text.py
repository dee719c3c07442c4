"""The text that a workbench serves: its words as the page shows them, and as a bitext."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from sys import intern
from typing import Any

from aligner.errors import ConfigError, DataError
from aligner.files.lines import lines_of
from aligner.files.opening import PathLike
from aligner.links.formats import FORMATS, LINK_FORMATS, Format
from aligner.links.known_links import KnownLinks, read_known_links
from aligner.links.line_tokens import lemmas_of
from aligner.messages import display_name
from aligner.models.trained import TrainedModel
from aligner.registry import Registry
from aligner.text.bitext import Bitext
from aligner.text.line_ids import LineIds
from aligner.text.pairs import read_bitext, read_words
from aligner.view.content import MOST_LINES


@dataclass(frozen=True, eq=False)
class ServedText:
    """A text, read twice: as words to show, and as the training text of a model.

    Attributes
    ----------
    words
        The source sides and the target sides, each a list of words.
    bitext
        The text, read as a model's training text.
    names
        The names of the files, by "source", "target" and "links", which have the name of the source.
    ids
        The ids of the lines, beside which tables of tokens may be, or None.
    """

    words: tuple[list[list[str]], list[list[str]]]
    bitext: Bitext
    names: dict[str, str]
    ids: LineIds | None = None

    def __len__(self) -> int:
        return len(self.bitext)

    @classmethod
    def read(
        cls,
        source: PathLike,
        target: PathLike | None,
        model: TrainedModel,
        threads: int = 1,
        *,
        ids: LineIds | None = None,
        **reading: Any,
    ) -> ServedText:
        """Read a text as the training text of a model was read.

        Raises
        ------
        DataError
            If a file cannot be read, if there are no lines, or if they have other ids.
        ConfigError
            If there are more lines than a page can have.
        """
        words: tuple[list[list[str]], list[list[str]]] = [], []
        for pair in read_words(source, target, **reading):
            for side, own in zip(words, pair, strict=True):
                side.append(list(map(intern, own)))  # each word once: a quarter of the memory
        lines = len(words[0])
        if not lines:
            raise DataError(f"{display_name(source)}: found no line; expected some")
        if lines > MOST_LINES:
            raise ConfigError(f"found {lines:,} lines; expected at most {MOST_LINES:,}; serve a part of them")
        if ids is not None:
            ids.check(lines)
        data = model.reading | {"max_length": model.config["data"]["max_length"]}
        reading.pop("report", None)  # it has heard of every bad line
        bitext = read_bitext(source, target, **data, **reading, threads=threads)
        paths = {"source": source, "target": target, "links": source}
        names = {side: display_name(path) for side, path in paths.items() if path is not None}
        return cls(words, bitext, names, ids)

    def known_links(self, path: PathLike, content: str | None = None) -> KnownLinks:
        """Return the known links of a file, or of its content; DataError for a cell that no line has."""
        lines = [*lines_of(path)] if content is None else content.splitlines()
        known = read_known_links(path, lines=lines or ["1\t"]).of_text(len(self))
        known.check_positions(*self.bitext.lengths)
        return known

    @cached_property
    def lemmas(self) -> list[dict[str, list[str]]]:
        """The names of the forms of each side, by the tables of tokens beside the ids."""
        return lemmas_of(zip(*self.words, strict=True), self.ids) if self.ids else []

    @property
    def formats(self) -> Registry[Format]:
        """The formats that can have links of the text: documents need ids."""
        return FORMATS if self.ids else LINK_FORMATS
