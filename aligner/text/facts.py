"""Facts about a training text: all that priors and initial models need of it besides its sentences."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from aligner.arrays import Int64s
from aligner.text.bitext import Bitext
from aligner.text.edges import Edges
from aligner.text.lookup import Lookup
from aligner.text.splits import Splits
from aligner.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class TextFacts:
    """Facts about a training text.

    Attributes
    ----------
    source_vocabulary, target_vocabulary
        The words of the text, and of a model to go on from.
    report
        The counts of lines and words (see ``ReadReport``).
    settings
        How the text was read: the keyword arguments of ``read_bitext``.
    source_tokens, target_tokens
        The number of tokens of the pairs that are trained on.
    length_pairs
        The different pairs of sentence lengths of these pairs, I * 2**32 + J, int64, ascending.
    known_tokens
        The tokens of the text that existing models know, by model and side.
    edges
        How often frequent words of both sides stand at edges, or None if that is not counted.
    """

    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    report: dict[str, int]
    settings: dict[str, Any]
    source_tokens: int = 0
    target_tokens: int = 0
    length_pairs: Int64s = field(default_factory=lambda: np.empty(0, np.int64))
    known_tokens: dict[str, int] = field(default_factory=dict)
    edges: tuple[Edges, Edges] | None = None

    @classmethod
    def of(cls, bitext: Bitext, settings: dict[str, Any]) -> TextFacts:
        """Return the facts about a text that no pairs have been selected from yet."""
        return cls(*bitext.vocabularies, bitext.report.to_dict(), settings)

    def with_usable(self, source_lengths: Int64s, target_lengths: Int64s) -> TextFacts:
        """Return the facts about the text and the pairs that are trained on, whose lengths are given."""
        return replace(
            self,
            source_tokens=int(source_lengths.sum()),
            target_tokens=int(target_lengths.sum()),
            length_pairs=length_pairs_of(source_lengths, target_lengths),
        )

    def split(self, source: Splits, target: Splits) -> TextFacts:
        """Return the facts about the text whose words are split."""
        return replace(
            self,
            source_vocabulary=self.source_vocabulary.split_at(source),
            target_vocabulary=self.target_vocabulary.split_at(target),
        )

    @property
    def lookup(self) -> Lookup:
        """The lookup by which words became ids."""
        return Lookup.of(self.settings)

    @property
    def pairs(self) -> int:
        """The number of pairs that are trained on."""
        return self.report["trainable"] + self.report.get("dictionary_pairs", 0)

    @property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Both vocabularies."""
        return self.source_vocabulary, self.target_vocabulary

    @property
    def lengths(self) -> tuple[Int64s, Int64s]:
        """The source and the target lengths of ``length_pairs``, int64 [n] each."""
        return self.length_pairs >> 32, self.length_pairs & 0xFFFFFFFF


def length_pairs_of(source_lengths: Int64s, target_lengths: Int64s) -> Int64s:
    """Return the different pairs of sentence lengths, I * 2**32 + J, int64, ascending."""
    return np.unique(source_lengths << 32 | target_lengths)
