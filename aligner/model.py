"""A trained model: everything that aligning text needs, and how it came about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from aligner.corpus import Bitext, Vocabulary
from aligner.models import ModelPair


@dataclass(frozen=True, eq=False)
class Model:
    """An immutable model pair with its vocabularies, configuration and history.

    config: the configuration's tables as plain data; history: one record per training iteration; corpus: what
    was read and skipped.
    """

    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    parameters: ModelPair
    config: dict[str, Any]
    corpus: dict[str, int] = field(default_factory=dict)
    history: tuple[dict[str, Any], ...] = ()

    @property
    def lowercase(self) -> bool:
        """Whether text is lowercased before it is looked up."""
        return bool(self.config["data"]["lowercase"])

    def encode(self, pairs: Iterable[tuple[str, str]]) -> Bitext:
        """Text pairs in this model's vocabulary."""
        return Bitext.from_text(
            pairs,
            vocabularies=(self.source_vocabulary, self.target_vocabulary),
            lowercase=self.lowercase,
        )

    def compact(self) -> Model:
        """The same model without the word pairs that are no more likely than unseen ones: lossless."""
        lexicon = self.parameters.lexicon.compact()
        return replace(self, parameters=replace(self.parameters, lexicon=lexicon))
