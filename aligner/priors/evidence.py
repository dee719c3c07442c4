"""Evidence about a text besides its words: a bilingual dictionary, known and forbidden links.

Evidence is not learned. A dictionary adds observed counts to the expected counts before each M-step
(Merialdo 1994; Smith, lecture 19: "augment E step counts with observed counts before each M step"). Known
links restrict inference to the alignments that agree with them (Pereira & Schabes 1992).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aligner.arguments import check_types
from aligner.errors import ConfigError
from aligner.files.opening import PathLike
from aligner.links.known_links import KnownLinks, read_known_links
from aligner.links.linked_pairs import PairWords
from aligner.links.named_links import NamedText
from aligner.priors.dictionary import Dictionary, read_dictionary
from aligner.priors.dictionary_formats import GREATEST_WEIGHT
from aligner.text.line_ids import LineIds


@dataclass(frozen=True)
class Evidence:
    """Evidence for training besides the text; none by default.

    Parameters
    ----------
    dictionary
        Observed translations. Criterion "mre" refuses a dictionary.
    weight
        Factor of the dictionary's weights, from 0 to 1,000.
    links
        Known and forbidden links by line of the text.

    Raises
    ------
    ConfigError
        If the weight is out of range, or set without a dictionary.
    """

    dictionary: Dictionary | None = None
    weight: float = 1.0
    links: KnownLinks | None = None

    def __post_init__(self) -> None:
        check_types(type(self), vars(self))
        if not 0.0 <= self.weight <= GREATEST_WEIGHT:
            raise ConfigError(
                f"dictionary weight {self.weight}: expected a number from 0 to {GREATEST_WEIGHT:g}"
            )
        if self.dictionary is None and self.weight != 1.0:
            raise ConfigError(
                f"dictionary weight {self.weight} without a dictionary: expected a dictionary, too; give one,"
                f" or leave the weight out"
            )

    @classmethod
    def read(
        cls,
        dictionary: PathLike | None = None,
        weight: float = 1.0,
        links: PathLike | None = None,
        ids: PathLike | None = None,
        words: Callable[[], Iterable[PairWords]] | None = None,
    ) -> Evidence:
        """Read evidence from files.

        Parameters
        ----------
        dictionary
            A file with a line ``source TAB target`` or ``source TAB target TAB weight`` for each entry, or of
            another format of ``aligner.priors.dictionary_formats``.
        weight
            Factor of the dictionary's weights.
        links
            A file of known links ``i-j`` and forbidden links ``i!j``, from 0 (see
            ``aligner.links.known_links``).
        ids
            A file with an id for each line of the text, by which the file of links names lines.
        words
            A function that reads the words of the text, which links in aligned USFM need, or None.

        Raises
        ------
        DataError
            If a file cannot be read, or if a line has another form.
        ConfigError
            If the weight is out of range, or set without a dictionary.
        """
        text = None if ids is None else NamedText(LineIds.read(ids), words)
        return cls(
            None if dictionary is None else read_dictionary(dictionary),
            weight,
            None if links is None else read_known_links(links, text),
        )

    @property
    def kinds(self) -> list[str]:
        """The kinds of evidence at hand, by the names that criteria may refuse."""
        kinds = {"dictionary": self.dictionary, "known links": self.links}
        return [kind for kind, value in kinds.items() if value is not None]
