"""Watching training on text with gold links: a consumer of the training loop, not a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.evaluation import Score, score
from aligner.links.gold import Gold, read_gold
from aligner.links.gold_check import suspect
from aligner.models.trained import Model
from aligner.text.bitext import Bitext
from aligner.text.pairs import read_pairs


@dataclass(frozen=True)
class DevSet:
    """Sentence pairs and their gold links."""

    pairs: tuple[tuple[str, str], ...]
    gold: Gold

    @classmethod
    def read(cls, source: str, target: str | None, gold: str) -> DevSet:
        """Read text and gold; DataError if their sentences differ in number, or links are of no words."""
        pairs = tuple(chain.from_iterable(chunk.pairs() for chunk in read_pairs(source, target)))
        links = read_gold(gold)
        if len(links) != len(pairs):
            raise DataError(
                f"{gold}: gold of {len(links)} sentences for the {len(pairs)} sentence pairs of {source};"
                f" expected equally many"
            )
        _check_positions(links.possible, Bitext.from_text(pairs), gold)
        return cls(pairs, links)

    def score(self, model: Model, decoder: Decoder | None = None) -> Score:
        """How well the model aligns this text."""
        return score(self._align(model, decoder), self.gold)

    def describe(self, model: Model) -> str:
        """How well, for people; and if the gold seems to have been read in a wrong way, what AER would be."""
        links = self._align(model)
        found = suspect(links, self.gold)
        doubt = f" as the gold was read, but {found.aer:.2%} if {found.claim}" if found else ""
        return f"dev AER {score(links, self.gold).aer:.2%}{doubt}"

    def _align(self, model: Model, decoder: Decoder | None = None) -> Alignments:
        return decode(model, model.encode(self.pairs), decoder)


def _check_positions(links: Alignments, text: Bitext, name: str) -> None:
    """Raise DataError if a link is of a word that its sentence does not have."""
    sizes = text.source.lengths[links.pair], text.target.lengths[links.pair]
    outside = np.flatnonzero((links.source >= sizes[0]) | (links.target >= sizes[1]))
    if len(outside):
        k = outside[0]
        n, i, j = links.pair[k] + 1, links.source[k] + 1, links.target[k] + 1
        raise DataError(
            f"{name}: sentence {n}: found a link of source word {i} and target word {j} in a pair of"
            f" {sizes[0][k]} and {sizes[1][k]} words; expected gold that counts from 0 (wa: from 1), source"
            f" before target"
        )
