"""Training on pieces: the text, the models and the knowledge of words become a task of their pieces."""

from __future__ import annotations

from dataclasses import replace

from aligner.links.known_links import KnownLinks
from aligner.models.trained import PieceMember, TrainedModel, agreed_share
from aligner.priors.evidence import Evidence
from aligner.priors.knowledge import Knowledge
from aligner.priors.known_links import links_of_pieces
from aligner.recipe.config import Recipe
from aligner.recipe.pieces import BY_TEXT
from aligner.text.bitext import Bitext
from aligner.text.piece_text import PieceEncoder, PieceText
from aligner.text.pieces import PieceModel
from aligner.text.vocabulary import Vocabulary
from aligner.training.task import Task

_MOST_WEIGHT = 0.5
"""The weight of pieces that are as good as words. No other is better on texts of all kinds."""

_STEEPNESS, _LEAST_AGREEMENT = 3.0, 0.5
"""How the weight grows with the agreement of the pieces, from 0 where they agree half as much as words."""


def text_of_pieces(
    words: Task, models: list[PieceModel], recipe: Recipe, knowledge: Knowledge
) -> tuple[Bitext, Knowledge]:
    """Return the training pairs as pieces, and the knowledge about these.

    words: the task of words; models: the models that segment the words of both sides; recipe, knowledge: of
    the words.
    """
    bitext = words.blocks.bitext
    assert isinstance(bitext, Bitext)
    chosen = bitext.trainable(recipe.data.max_length)
    pairs = bitext.select(chosen)
    pieces = PieceText.of(pairs, *map(PieceEncoder.of, models, pairs.sides))
    links = knowledge.evidence.links
    if links is not None:
        links = links_of_pieces(links.of_text(len(bitext)), chosen, pairs, pieces)
    return pieces.text, knowledge_of_pieces(knowledge, links)


def piece_models(vocabularies: tuple[Vocabulary, Vocabulary], knowledge: Knowledge) -> list[PieceModel]:
    """Return the models that segment both sides, of an existing model, or else learned from the words."""
    known = [model.pieces for model in knowledge.models.values() if model.pieces is not None]
    if known:
        return [known[-1].source.model, known[-1].target.model]
    return list(map(PieceModel.learn, vocabularies))


def knowledge_of_pieces(knowledge: Knowledge, links: KnownLinks | None = None) -> Knowledge:
    """Return the knowledge about pieces: the pieces of existing models, and known links."""
    prior, init = knowledge.prior, knowledge.init
    return Knowledge(
        Evidence(links=links),
        replace(prior, model=prior.model.pieces.model) if prior and prior.model.pieces else None,
        init.pieces.model if init and init.pieces else None,
    )


def joined(
    words: TrainedModel, models: list[PieceModel], pieces: TrainedModel, recipe: Recipe
) -> TrainedModel:
    """Return a model of words together with a model of their pieces.

    models: the models that segment the words of both sides; recipe: a recipe with settings for pieces.
    """
    assert recipe.pieces is not None
    vocabularies = (
        (words.source_vocabulary, words.target_vocabulary),
        (pieces.source_vocabulary, pieces.target_vocabulary),
    )
    source, target = map(PieceEncoder, models, *vocabularies)
    weight = recipe.pieces.weight
    if weight == BY_TEXT:
        weight = weight_by_text(words, pieces)
    member = PieceMember(source, target, replace(pieces, edges=None), weight)
    return replace(words, config=recipe.to_dict(), pieces=member)


def weight_by_text(words: TrainedModel, pieces: TrainedModel) -> float:
    """Return the weight of a model of pieces, from the agreement of directions in the last iteration.

    In a small text, pieces occur with too many others to be learned, and then their directions agree less.
    Without agreement among the measures of the last criterion, the weight is the greatest.
    """
    of_words, of_pieces = agreed_share(words.history[-1]), agreed_share(pieces.history[-1])
    if of_pieces is None or not of_words:
        return _MOST_WEIGHT
    weight = _STEEPNESS * (of_pieces / of_words - _LEAST_AGREEMENT)
    return min(max(weight, 0.0), _MOST_WEIGHT)
