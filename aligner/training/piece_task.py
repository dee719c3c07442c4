"""Training on pieces: the text, the models and the knowledge of words become a task of their pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

import numpy as np

from aligner.arrays import Bools
from aligner.lexicon.block_sources import BlockSource
from aligner.links.alignments import Alignments
from aligner.links.known_links import KnownLinks
from aligner.links.link_sets import select
from aligner.models.trained import PieceMember, TrainedModel, agreed_share
from aligner.pieces.encoder import PieceEncoder, in_pieces
from aligner.pieces.segmenter import Segmenter
from aligner.priors.evidence import Evidence
from aligner.priors.knowledge import Knowledge
from aligner.priors.source import priors_of
from aligner.recipe.config import Recipe
from aligner.recipe.settings import BY_TEXT
from aligner.system.threads import run_all
from aligner.text.bitext import Bitext
from aligner.text.facts import TextFacts
from aligner.text.sentences import EncodedPairs, Sentences
from aligner.text.side import TextSide
from aligner.text.vocabulary import Vocabulary
from aligner.training.step import Step
from aligner.training.task import Task

_MOST_WEIGHT = 0.5
"""The weight of pieces that are as good as words. No other is better on texts of all kinds."""

_STEEPNESS, _LEAST_AGREEMENT = 3.0, 0.5
"""How the weight grows with the agreement of the pieces, from 0 where they agree half as much as words."""


_Own = TypeVar("_Own")
_Made = TypeVar("_Made")

PieceEncoders: TypeAlias = tuple[PieceEncoder, PieceEncoder]
"""The encoders of source and target words as pieces."""


def piece_encoders(words: Task, recipe: Recipe, knowledge: Knowledge) -> PieceEncoders:
    """Return the encoders of the training pairs of a task of words; recipe, knowledge: of the words."""
    pairs, _ = _trained_pairs(words, recipe)
    own = segmenters(words.facts.vocabularies, knowledge, words.threads)
    source, target = _by_side(PieceEncoder.of, own, pairs, words.threads)
    return source, target


def text_of_pieces(
    words: Task, encoders: PieceEncoders, recipe: Recipe, knowledge: Knowledge
) -> tuple[Bitext, Knowledge]:
    """Return the training pairs as pieces, and the knowledge about these.

    words: the task of words; recipe, knowledge: of the words.
    """
    pairs, chosen = _trained_pairs(words, recipe)
    pieces = in_pieces(pairs, *encoders)
    links = knowledge.evidence.links
    if links is not None:
        links = links_of_pieces(links.of_text(len(chosen)), chosen, pairs, pieces)
    return pieces.without_word_sizes(), knowledge_of_pieces(knowledge, links)


def links_of_pieces(links: KnownLinks, chosen: Bools, words: Bitext, pieces: Bitext) -> KnownLinks:
    """Return known links of words as known links of all of their pieces.

    links: of every line of a text of words; chosen: bool [lines], the lines of a text of pieces, in this
    order; words, pieces: these lines as words, and as pieces.
    """
    numbers = np.cumsum(chosen) - 1

    def expanded(own: Alignments) -> Alignments:
        own = select(own, chosen[own.pair])
        pair = numbers[own.pair]
        number, i, j = words.cells_of_words(pair, own.source, own.target)
        pair = pair[number]
        number, i, j = pieces.cells_of_words(pair, i, j)
        return Alignments.from_links(int(chosen.sum()), pair[number], i, j)

    return KnownLinks(expanded(links.known), expanded(links.forbidden), links.name, links.complete[chosen])


def _trained_pairs(words: Task, recipe: Recipe) -> tuple[Bitext, Bools]:
    """Return the training pairs in the order of the text, and which pairs of the text they are."""
    bitext = words.blocks.bitext
    assert isinstance(bitext, Bitext)
    chosen = bitext.trainable(recipe.data.max_length)
    return bitext.select(chosen), chosen


def _by_side(
    function: Callable[[_Own, TextSide], _Made], own: Sequence[_Own], pairs: Bitext, threads: int
) -> list[_Made]:
    """Return what a function makes of what each side has of its own, and the side."""
    return run_all(list(zip(own, pairs.sides, strict=True)), lambda both: function(*both), threads)


def outline_of_pieces(
    words: Task, encoders: PieceEncoders, recipe: Recipe, knowledge: Knowledge
) -> tuple[Task, Callable[[int], list[Sentences]]]:
    """Return all that the memory of the text of ``text_of_pieces`` depends on, without making the text.

    Returns the task of the pieces, whose sentences have lengths alone, and a function that returns the
    sentences of both sides with every n-th piece alone.
    """
    (pairs, _), (source, target) = _trained_pairs(words, recipe), encoders
    knowledge, reading = knowledge_of_pieces(knowledge), vars(recipe.of_pieces.data)
    facts = knowledge.about(TextFacts(source.pieces, target.pieces, words.facts.report, reading))
    of_source, of_target = _by_side(PieceEncoder.outline, encoders, pairs, words.threads)
    blocks = BlockSource.of(EncodedPairs(of_source, of_target, *map(len, facts.vocabularies)))
    task = Task(facts, priors_of(facts, knowledge, words.threads), words.threads, blocks, words.cells)
    return task, lambda nth: [source.sample(pairs.source, nth), target.sample(pairs.target, nth)]


def segmenters(
    vocabularies: tuple[Vocabulary, Vocabulary], knowledge: Knowledge, threads: int = 1
) -> list[Segmenter]:
    """Return the segmenters of both sides, of an existing model, or else learned from the words."""
    members = [model.pieces for model in knowledge.models.values() if model.pieces is not None]
    if members:
        return [members[-1].source.segmenter, members[-1].target.segmenter]
    return run_all(vocabularies, lambda words: Segmenter.learn(words, threads), threads)


def knowledge_of_pieces(knowledge: Knowledge, links: KnownLinks | None = None) -> Knowledge:
    """Return the knowledge about pieces: the pieces of existing models, and known links."""
    prior, init = knowledge.prior, knowledge.init
    return Knowledge(
        Evidence(links=links),
        replace(prior, model=prior.model.pieces.model) if prior and prior.model.pieces else None,
        init.pieces.model if init and init.pieces else None,
    )


def joined_step(words: TrainedModel, encoders: PieceEncoders, recipe: Recipe, step: Step) -> Step:
    """Return a step of training on pieces whose model is joined with the model of words."""
    return replace(step, model=joined(words, [encoder.segmenter for encoder in encoders], step.model, recipe))


def joined(
    words: TrainedModel, segmenters: list[Segmenter], pieces: TrainedModel, recipe: Recipe
) -> TrainedModel:
    """Return a model of words together with a model of their pieces.

    segmenters: of the words of both sides; recipe: a recipe with settings for pieces.
    """
    assert recipe.pieces is not None
    source, target = map(PieceEncoder, segmenters, words.vocabularies, pieces.vocabularies)
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
