"""Training on pieces: what a text of words, and what is known besides it, say about their pieces."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aligner.models.trained import PieceMember, TrainedModel
from aligner.priors.evidence import Evidence
from aligner.priors.knowledge import Knowledge
from aligner.priors.known_links import links_of_pieces
from aligner.recipe.config import Recipe
from aligner.recipe.pieces import BY_TEXT
from aligner.text.bitext import Bitext
from aligner.text.piece_text import PieceEncoder, PieceText
from aligner.text.pieces import PieceModel
from aligner.training.step import agreed_share

_MOST_WEIGHT = 0.5
"""The weight of pieces that are as good as words. No other is better on texts of all kinds."""

_STEEPNESS, _LEAST_AGREEMENT = 3.0, 0.5
"""How the weight grows with the agreement of the pieces, from 0 where they agree half as much as words."""


@dataclass(frozen=True, eq=False)
class PieceTask:
    """The task of training on the pieces of words.

    Attributes
    ----------
    words
        The trained model of words.
    encoders
        The encoders of the source and the target side.
    text
        The sentence pairs that the words were trained on, as pieces.
    knowledge
        What is known besides the text.
    weight
        The weight of the pieces, or ``BY_TEXT``.
    """

    words: TrainedModel
    encoders: tuple[PieceEncoder, PieceEncoder]
    text: Bitext
    knowledge: Knowledge
    weight: float

    @classmethod
    def of(cls, words: TrainedModel, bitext: Bitext, recipe: Recipe, knowledge: Knowledge) -> PieceTask:
        """Return the task of a text whose model of words is trained. The recipe has settings for pieces."""
        assert recipe.pieces is not None
        bitext = words.encode(bitext)
        encoders = _encoders(words, knowledge)
        chosen = bitext.trainable(recipe.data.max_length)
        pieces = PieceText.of(bitext.select(chosen), *encoders)
        links = knowledge.evidence.links
        if links is not None:
            links = links_of_pieces(links.of_text(len(bitext)), chosen, pieces)
        prior, init = knowledge.prior, knowledge.init
        own = Knowledge(
            Evidence(links=links),
            replace(prior, model=prior.model.pieces.model) if prior and prior.model.pieces else None,
            init.pieces.model if init and init.pieces else None,
        )
        return cls(words, encoders, pieces.text, own, recipe.pieces.weight)

    def held_bytes(self, bitext: Bitext) -> int:
        """Return the bytes of the model of words and of their text, which this training does not use."""
        lexicon, text = self.words.pair.lexicon, (bitext.source, bitext.target)
        arrays = [lexicon.table, lexicon.index.columns, *(a for s in text for a in (s.tokens, s.offsets))]
        return sum(array.nbytes for array in arrays)

    def joined(self, model: TrainedModel) -> TrainedModel:
        """Return the model of words together with a model of their pieces."""
        source, target = (
            replace(encoder, pieces=pieces)
            for encoder, pieces in zip(
                self.encoders, (model.source_vocabulary, model.target_vocabulary), strict=True
            )
        )
        weight = weight_by_text(self.words, model) if self.weight == BY_TEXT else self.weight
        return replace(self.words, pieces=PieceMember(source, target, model, weight))


def weight_by_text(words: TrainedModel, pieces: TrainedModel) -> float:
    """Return the weight of a model of pieces, from the agreement of directions in the last iteration.

    In a small text, pieces occur with too many others to be learned, and then their directions agree less.
    Without agreement among the measures of the last criterion, the weight is the greatest.
    """
    of_words, of_pieces = agreed_share(words.history[-1]), agreed_share(pieces.history[-1])
    if not of_words or not of_pieces:
        return _MOST_WEIGHT
    weight = _STEEPNESS * (of_pieces / of_words - _LEAST_AGREEMENT)
    return min(max(weight, 0.0), _MOST_WEIGHT)


def _encoders(words: TrainedModel, knowledge: Knowledge) -> tuple[PieceEncoder, PieceEncoder]:
    """Return the encoders of both sides: by the pieces of an existing model, or by pieces of this text."""
    known = [model.pieces for model in knowledge.models.values() if model.pieces is not None]
    vocabularies = words.source_vocabulary, words.target_vocabulary
    if known:
        models = [known[-1].source.model, known[-1].target.model]
    else:
        models = [PieceModel.learn(vocabulary) for vocabulary in vocabularies]
    source_encoder, target_encoder = map(PieceEncoder.of, models, vocabularies)
    return source_encoder, target_encoder
