"""Watching training on text with gold links: a consumer of the training loop, not a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from aligner.decoding import Decoder, decode
from aligner.errors import DataError
from aligner.evaluation import Score, score
from aligner.gold import Gold, read_gold
from aligner.model import Model
from aligner.textio import read_pairs


@dataclass(frozen=True)
class DevSet:
    """Sentence pairs and their gold links."""

    pairs: tuple[tuple[str, str], ...]
    gold: Gold

    @classmethod
    def read(cls, source: str, target: str | None, gold: str) -> DevSet:
        """Read text and gold; DataError if their numbers of sentences differ."""
        pairs = tuple(chain.from_iterable(chunk.pairs() for chunk in read_pairs(source, target)))
        links = read_gold(gold)
        if len(links) != len(pairs):
            raise DataError(
                f"{gold}: gold of {len(links)} sentences for the {len(pairs)} sentence pairs of {source};"
                f" expected equally many"
            )
        return cls(pairs, links)

    def score(self, model: Model, decoder: Decoder | None = None) -> Score:
        """How well the model aligns this text."""
        return score(decode(model, model.encode(self.pairs), decoder), self.gold)
