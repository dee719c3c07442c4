"""Development sets: text with gold links, on which models are scored during training."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.errors import DataError
from aligner.files.opening import PathLike
from aligner.links.alignments import Alignments
from aligner.links.evaluation import Score, score
from aligner.links.gold import Gold, read_gold
from aligner.links.gold_check import check_gold, check_positions, find_misreading
from aligner.messages import counted, display_name
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext
from aligner.text.pairs import read_pairs


@dataclass(frozen=True)
class DevSet:
    """Sentence pairs with gold links, to score models by alignment error rate (AER).

    Parameters
    ----------
    pairs
        Source and target of each sentence pair.
    gold
        Gold links of each sentence pair.
    """

    pairs: tuple[tuple[str, str], ...]
    gold: Gold

    @classmethod
    def read(cls, source: PathLike, target: PathLike | None, gold: PathLike, **skipping: Any) -> DevSet:
        """Read text and gold links.

        Parameters
        ----------
        source, target
            Files with one sentence a line. If target is None, source has both sides in a line.
        gold
            A file of gold links in any format of ``read_gold``.
        skipping
            Keywords ``skip_bad`` and ``report`` of ``read_pairs``.

        Raises
        ------
        DataError
            If a file cannot be read, if the gold has no link or another number of sentences than the text, or
            if a link is outside its sentence pair.
        """
        chunks = read_pairs(source, target, **skipping)
        pairs = tuple(chain.from_iterable(chunk.pairs() for chunk in chunks))
        links = read_gold(gold)
        check_gold(links, display_name(gold))
        if len(links) != len(pairs):
            raise DataError(
                f"{display_name(gold)}: found the gold links of {counted(len(links), 'sentence pair')};"
                f" expected {len(pairs):,}, as many as {display_name(source)} has; are these the files of one"
                f" text?"
            )
        check_positions(links.possible, Bitext.from_text(pairs), gold)
        return cls(pairs, links)

    def score(self, model: TrainedModel, decoder: Decoder | None = None) -> Score:
        """Align the text by a model and score its links against the gold.

        Parameters
        ----------
        model
            A trained model.
        decoder
            Settings for choosing links, by default as in the model's recipe.

        Returns
        -------
        Score
            AER, precision and recall.

        Raises
        ------
        DataError
            If the gold is of another number of sentence pairs.
        """
        return score(self._align(model, decoder), self.gold)

    def scored(self, model: TrainedModel) -> tuple[Score, str]:
        """Return the score of a model's links, and a line with its AER for people.

        The line says so if the gold seems to have been read in a wrong way.
        """
        links = self._align(model)
        found = score(links, self.gold)
        misreading = find_misreading(links, self.gold)
        doubt = f" as the gold was read, but {misreading.aer:.2%} if {misreading.claim}" if misreading else ""
        return found, f"dev AER {found.aer:.2%}{doubt}"

    def _align(self, model: TrainedModel, decoder: Decoder | None = None) -> Alignments:
        return decode(model, model.encode(self.pairs), decoder)
