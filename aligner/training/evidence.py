"""Evidence about a text besides its words: a bilingual dictionary, known and forbidden links.

Evidence is not learned. A dictionary adds observed counts to the expected counts before each M-step
(Merialdo 1994; Smith, lecture 19: "augment E step counts with observed counts before each M step"). Known
links restrict inference to the alignments that agree with them (Pereira & Schabes 1992).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.criteria.counts import PseudoCounts
from aligner.errors import ConfigError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import AddUp, whole
from aligner.models import ModelPair
from aligner.models.variants import CellSet, Restricted
from aligner.text.bitext import Bitext
from aligner.text.files import PathLike
from aligner.training.dictionary import GREATEST_WEIGHT, Dictionary, DictionaryCounts, read_dictionary
from aligner.training.known_links import KnownLinks, read_known_links


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
        Known and forbidden links, for every line of the text.

    Raises
    ------
    ConfigError
        If the weight is out of range, or set without a dictionary.
    """

    dictionary: Dictionary | None = None
    weight: float = 1.0
    links: KnownLinks | None = None

    def __post_init__(self) -> None:
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
        cls, dictionary: PathLike | None = None, weight: float = 1.0, links: PathLike | None = None
    ) -> Evidence:
        """Read evidence from files.

        Parameters
        ----------
        dictionary
            A file with a line ``source TAB target`` or ``source TAB target TAB weight`` for each entry.
        weight
            Factor of the dictionary's weights.
        links
            A file of known links ``i-j`` and forbidden links ``i!j``, from 0, one line for each line of the
            text.

        Raises
        ------
        DataError
            If a file cannot be read, or if a line has another form.
        ConfigError
            If the weight is out of range, or set without a dictionary.
        """
        return cls(
            None if dictionary is None else read_dictionary(dictionary),
            weight,
            None if links is None else read_known_links(links),
        )

    @property
    def kinds(self) -> list[str]:
        """The kinds of evidence at hand, by the names that criteria may refuse."""
        kinds = {"dictionary": self.dictionary, "known links": self.links}
        return [kind for kind, value in kinds.items() if value is not None]

    def about(self, bitext: Bitext, numbers: NDArray[np.integer]) -> KnownFacts:
        """Return the evidence about the pairs of a text with these numbers, in this order.

        Raises
        ------
        DataError
            If known links do not fit the text, or if the entries of a word weigh too much.
        """
        words = None if self.dictionary is None else self.dictionary.encode(bitext, self.weight)
        cells = None if self.links is None else self.links.cell_set(bitext, numbers)
        if cells is not None and not len(cells.known):
            cells = None
        return KnownFacts(words, cells, self.links is not None)


class KnownFacts(NamedTuple):
    """Evidence about one training text, in its word ids and positions.

    Attributes
    ----------
    words
        Counts of a dictionary, or None.
    cells
        Known and forbidden cells, or None if there are none.
    reports_links
        True if a file of known links was given, even one without any link.
    """

    words: DictionaryCounts | None = None
    cells: CellSet | None = None
    reports_links: bool = False

    def restrict(self, model: ModelPair) -> ModelPair:
        """Return a model that infers only alignments that agree with the known links."""
        return model if self.cells is None else Restricted.of(model, self.cells)

    def pseudo_counts(self, index: CooccurrenceIndex) -> PseudoCounts:
        """Return the dictionary's counts of the word pairs in the index."""
        return PseudoCounts.none() if self.words is None else self.words.pseudo_counts(index)

    def report(self, index: CooccurrenceIndex, add_up: AddUp = whole) -> dict[str, int]:
        """Return the numbers of dictionary entries, of unused entries, and of known and forbidden links.

        add_up: adds up over the parts of an index that is divided (see ``Lexicon``).
        """
        report = {} if self.words is None else self.words.report(index, add_up)
        if self.reports_links:
            known = np.empty(0, np.bool_) if self.cells is None else self.cells.known
            report["known_links"] = int(np.count_nonzero(known))
            report["forbidden_links"] = len(known) - report["known_links"]
        return report
