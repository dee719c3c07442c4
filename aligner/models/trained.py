"""A trained model: everything that aligning text needs, and how it came about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from aligner.errors import ConfigError
from aligner.models import ModelPair
from aligner.text.bitext import Bitext
from aligner.text.vocabulary import Vocabulary


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

    def encode(self, text: Bitext | Iterable[tuple[str, str]]) -> Bitext:
        """A bitext, or pairs of texts, in this model's vocabularies; the bitext itself if it is in them.

        ConfigError if it was lowercased and this model's text was not, or the other way round.
        """
        vocabularies = self.source_vocabulary, self.target_vocabulary
        if not isinstance(text, Bitext):
            return Bitext.from_text(text, vocabularies=vocabularies, lowercase=self.lowercase)
        if text.lowercase != self.lowercase:
            raise ConfigError(
                f"the text was read with lowercase={text.lowercase}, the model's text with {self.lowercase};"
                " read it as the model's: read_bitext(..., lowercase=model.lowercase)"
            )
        return text.encoded_in(*vocabularies)

    def compact(self) -> Model:
        """The same model without the word pairs that are no more likely than unseen ones: lossless."""
        lexicon = self.parameters.lexicon.compact()
        return replace(self, parameters=replace(self.parameters, lexicon=lexicon))
