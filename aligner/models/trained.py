"""Trained models: a model pair with the vocabularies and settings that aligning text needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np

from aligner.arguments import check_types
from aligner.arrays import Float32s
from aligner.errors import ConfigError
from aligner.lexicon.prefix_classes import ClassCounts
from aligner.messages import counted
from aligner.models import ModelPair
from aligner.models.learned_links import Joining, LearnedLinks
from aligner.models.pair import DIRECTIONS
from aligner.pieces.encoder import PieceEncoder
from aligner.pieces.segmenter import Segmenter
from aligner.registry import check_known
from aligner.storage.checks import require, take, take_array
from aligner.storage.codec import Arrays
from aligner.system.threads import unlocked_property
from aligner.text.bitext import Bitext
from aligner.text.edges import Edges
from aligner.text.lookup import FOLDS, Lookup
from aligner.text.pairs_like import PairsLike
from aligner.text.splits import Splits
from aligner.text.vocabulary import MOST_COUNT, Vocabulary

WordLinks: TypeAlias = tuple[Float32s, Float32s]
"""The links of each source word and of each target word, float32 [types] each."""


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A trained model. It is immutable.

    Training yields models (``Step.model``), and ``load`` reads them. Users need no constructor.

    Attributes
    ----------
    source_vocabulary, target_vocabulary
        The words of the training text with their frequencies, most frequent first.
    pair
        The model pair: the lexical tables and the distortions of both directions.
    config
        The recipe as plain data (``Recipe.to_dict``).
    corpus
        Figures on the training text and the evidence: lines read, pairs used, pairs skipped.
    history
        One record for each iteration, with the stage, the iteration and the measures of its E-step.
    learned
        What the model has learned from corrected lines, or None.
    pieces
        The model of pieces of words, which chooses links together with the model of words; or None.
    links
        The links of each word in the last M-step, expected counts and pseudo-counts of priors together; None
        if the criterion has counts of another kind, and in models of earlier versions.
    edges
        How often frequent words of both sides stand at edges; None in models of earlier versions.
    """

    inlined: ClassVar[tuple[str, ...]] = ("pair",)

    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    pair: ModelPair
    config: dict[str, Any]
    corpus: dict[str, int] = field(default_factory=dict)
    history: tuple[dict[str, Any], ...] = ()
    learned: LearnedLinks | None = None
    pieces: PieceMember | None = None
    links: WordLinks | None = None
    edges: tuple[Edges, Edges] | None = None

    def __repr__(self) -> str:
        """Return the kind and the sizes in one line."""
        pair = self.pair
        kinds = " / ".join(dict.fromkeys(model.name for model in pair.directions))
        words = f"{len(self.source_vocabulary):,} + {counted(len(self.target_vocabulary), 'word')}"
        word_pairs = counted(len(pair.lexicon.index), "word pair")
        pieces = f", {self.pieces.describe()}" if self.pieces else ""
        learned = f", {self.learned.describe()}" if self.learned else ""
        iterations = counted(len(self.history), "iteration")
        return f"TrainedModel({kinds}, {words}, {word_pairs}, {iterations}{pieces}{learned})"

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of the model in a file. ``from_fields`` lists their types."""
        source, target = self.source_vocabulary.to_fields(), self.target_vocabulary.to_fields()
        if self.links is not None:
            source, target = source | {"links": self.links[0]}, target | {"links": self.links[1]}
        if self.edges is not None:
            source, target = (
                own | {"edge_words": edges.words, "edges": edges.counts}
                for own, edges in zip((source, target), self.edges, strict=True)
            )
        return {
            "source": Arrays(source),
            "target": Arrays(target),
            "pair": self.pair,
            "config": self.config,
            "corpus": self.corpus,
            "history": list(self.history),
            "learned": self.learned,
            "pieces": self.pieces and self.pieces.stored(),
        }

    @classmethod
    def from_fields(
        cls,
        source: Arrays,
        target: Arrays,
        pair: ModelPair,
        config: dict[str, Any],
        corpus: dict[str, Any],
        history: list[dict[str, Any]],
        learned: LearnedLinks | None = None,
        pieces: StoredPieces | None = None,
    ) -> TrainedModel:
        """Return the model of ``to_fields``; raise DamagedError if they do not fit to each other."""
        words = take_vocabulary(source), take_vocabulary(target)
        pair.require_types(*map(len, words))
        for name, kind in ("lowercase", bool), ("max_length", int):
            take(take(config, "data", dict), name, kind)
        require(config["data"].get("fold", "none") in FOLDS, "its fold is unknown")
        require(type(config["data"].get("ignore", "")) is str, "its ignored tokens are no string")
        take(config, "decode", dict)
        for stage in take(config, "stage", list):
            require(type(stage) is dict, "'stage' is no list of tables")
            take({"word_forms": False} | stage, "word_forms", bool)
        member = None if pieces is None else pieces.member(*words)
        links = take_links(source, target, *map(len, words))
        left, right = take_edges(source, len(words[0])), take_edges(target, len(words[1]))
        edges = None if left is None or right is None else (left, right)
        return cls(*words, pair, config, corpus, tuple(history), learned, member, links, edges)

    @property
    def lookup(self) -> Lookup:
        """The lookup of the words of the training text, and of any text that the model aligns."""
        return Lookup.of(self.config["data"])

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments of ``read_bitext`` by which a text has the lookup of this model."""
        return self.lookup._asdict()

    @property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Both vocabularies."""
        return self.source_vocabulary, self.target_vocabulary

    @property
    def joining(self) -> Joining:
        """The words that join others."""
        return ({}, {}) if self.learned is None else self.learned.joining

    def apart(self, words: Collection[tuple[int, str]]) -> TrainedModel:
        """Return the model by which these words, each with its side, do not join others."""
        return self if self.learned is None else replace(self, learned=self.learned.without(words))

    @property
    def splits(self) -> tuple[Splits, Splits]:
        """The prefixes and marks that are split off the words of each side."""
        return self.source_vocabulary.splits, self.target_vocabulary.splits

    @property
    def knows_word_forms(self) -> bool:
        """True if the word-form prior was used in training."""
        return any(stage.get("word_forms", False) for stage in self.config["stage"])

    @cached_property
    def expected_links(self) -> WordLinks:
        """The expected links of each word in training, at most its frequency, float32 [types + 1] each.

        Out-of-vocabulary words have 0. ``links`` has the pseudo-counts of priors, too.
        """
        counts = [own.counts.astype(np.float32) for own in self.vocabularies]
        links = [np.minimum(own, count) for own, count in zip(self.links or counts, counts, strict=True)]
        return np.append(links[0], np.float32(0)), np.append(links[1], np.float32(0))

    @unlocked_property
    def class_counts(self) -> list[ClassCounts]:
        """The counts of classes of first letters, from few letters to more. They are summed on first use."""
        return ClassCounts.levels(self.pair.lexicon, *self.vocabularies)

    def id_of(self, word: str, side: int) -> int | None:
        """Return the id of a word, looked up as decoding does; None for an out-of-vocabulary word.

        A word of several parts, such as a prefix and a stem, has the id of its longest part.

        Parameters
        ----------
        word
            The word in the spelling of a text.
        side
            0 for a source word, 1 for a target word.
        """
        vocabulary = self.vocabularies[side]
        return vocabulary.index.get(vocabulary.splits.head(self.lookup.key(word)))

    def translations(
        self, word: str, direction: str = "forward", *, least: float = 1e-4, best: int | None = 10
    ) -> list[tuple[str, float]]:
        """Return the translations of a word.

        Parameters
        ----------
        word
            The word. It is looked up as the training text was; of a word of several parts, the longest.
        direction
            "forward" for a source word and its target words, t(f|e); "reverse" for a target word and its
            source words, t(e|f).
        least
            The least probability of a translation.
        best
            The largest number of translations; None for all.

        Returns
        -------
        list of tuple
            Each translation with its probability, by falling probability. There is none for an
            out-of-vocabulary word. ``aligner.translations`` returns all words' translations as arrays.

        Raises
        ------
        ConfigError
            If the direction is unknown.
        """
        check_types(TrainedModel.translations, {"word": word})
        check_known(direction, DIRECTIONS, "direction")
        column = DIRECTIONS.index(direction)
        number, other = self.id_of(word, column), self.vocabularies[1 - column]
        if number is None:
            return []
        pairs, others = self.pair.lexicon.row(column, number)
        probabilities = self.pair.lexicon.table[pairs, column]
        order = np.lexsort((others, -probabilities))
        order = order[probabilities[order] >= np.float32(least)][:best]
        return [(other.words[others[k]], float(probabilities[k])) for k in order.tolist()]

    def encode(self, text: Bitext | PairsLike) -> Bitext:
        """Encode text in the vocabularies of this model.

        Parameters
        ----------
        text
            A bitext, or sentence pairs as for ``Bitext.from_text``.

        Returns
        -------
        Bitext
            The text with the word ids of this model. A bitext that has these vocabularies is returned itself.

        Raises
        ------
        ConfigError
            If the lookup of the bitext is not the lookup of this model.
        DataError
            As for ``Bitext.from_text``.
        """
        if not isinstance(text, Bitext):
            return Bitext.from_text(text, vocabularies=self.vocabularies, **self.reading)
        if text.lookup != self.lookup:
            raise ConfigError(
                f"the text was read with {text.lookup}, the model's text with {self.lookup}; read it as the"
                " model's: read_bitext(..., **model.reading)"
            )
        return text.encoded_in(*self.vocabularies)

    def compact(self) -> TrainedModel:
        """Return the model without the word pairs that have the least probability in both directions.

        Nothing is lost, because a word pair outside the lexicon has this probability.
        """
        lexicon = self.pair.lexicon.compact()
        pieces = self.pieces and replace(self.pieces, model=self.pieces.model.compact())
        return replace(self, pair=replace(self.pair, lexicon=lexicon), pieces=pieces)


@dataclass(frozen=True, eq=False)
class PieceMember:
    """A model of the pieces of words, whose posteriors are mixed with the posteriors of words.

    Attributes
    ----------
    source, target
        The encoders of both sides.
    model
        The model, whose words are pieces.
    weight
        The weight of its posteriors, from 0 to 1; the words have the rest.
    """

    source: PieceEncoder
    target: PieceEncoder
    model: TrainedModel
    weight: float

    def stored(self) -> StoredPieces:
        """Return the form of the member in a file."""
        fields = (encoder.segmenter.pieces.to_fields() for encoder in (self.source, self.target))
        source, target = (Arrays(learned_words=own["words"], learned_counts=own["counts"]) for own in fields)
        return StoredPieces(source, target, self.model, self.weight)

    def describe(self) -> str:
        """Return the number of pieces and their weight, in a few words."""
        pieces = f"{len(self.source.pieces):,} + {counted(len(self.target.pieces), 'piece')}"
        return f"{pieces} of weight {self.weight:g}"


@dataclass(frozen=True, eq=False)
class StoredPieces:
    """The form of a ``PieceMember`` in a file: without the vocabularies of the words, which the model has.

    Attributes
    ----------
    source, target
        The segmenters of the words of both sides.
    model, weight
        See ``PieceMember``.
    """

    inlined: ClassVar[tuple[str, ...]] = ("model",)

    source: Arrays
    target: Arrays
    model: TrainedModel
    weight: float

    def member(self, *words: Vocabulary) -> PieceMember:
        """Return the member of a model with these vocabularies of words; raise DamagedError if it is none."""
        require(self.model.pieces is None, "its pieces have pieces")
        require(0.0 <= self.weight <= 1.0, f"'weight' is {self.weight}")
        encoders, sides = [], (self.source, self.target)
        for arrays, own, pieces in zip(sides, words, self.model.vocabularies, strict=True):
            segmenter = Segmenter(take_vocabulary(arrays, "learned_"))
            segmenter.check_structure()
            encoders.append(PieceEncoder(segmenter, own, pieces))
        return PieceMember(encoders[0], encoders[1], self.model, self.weight)


def take_vocabulary(arrays: Arrays, prefix: str = "") -> Vocabulary:
    """Return the vocabulary whose arrays have a prefix; raise DamagedError if there is none."""
    more = {
        name: take_array(arrays, name, np.uint8, None)
        for name in ("prefixes", "marks", "forms")
        if name in arrays and not prefix
    }
    return Vocabulary.from_fields(
        take_array(arrays, f"{prefix}words", np.uint8, None),
        take_array(arrays, f"{prefix}counts", np.int64, None),
        **more,
    )


def take_links(source: Arrays, target: Arrays, *types: int) -> WordLinks | None:
    """Return the links of the words of both sides, or None; types: the sizes of the vocabularies."""
    if "links" not in source and "links" not in target:
        return None
    links = []
    for side, arrays, own_types in zip(("source", "target"), (source, target), types, strict=True):
        own = take_array(arrays, "links", np.float32, own_types)
        within = (own >= 0) & (own <= MOST_COUNT)
        require(within.all(), f"'{side}.links' has values outside 0 to {MOST_COUNT:,}")
        links.append(own)
    return links[0], links[1]


def take_edges(arrays: Arrays, types: int) -> Edges | None:
    """Return the edges of the frequent words of one side, or None; types: the size of its vocabulary."""
    if "edges" not in arrays:
        return None
    words = take_array(arrays, "edge_words", np.int32, None)
    counts = take_array(arrays, "edges", np.int64, len(words), 2)
    require((np.diff(words, prepend=-1, append=types) > 0).all(), "'edge_words' are no words, or not sorted")
    require(((counts >= 0) & (counts <= MOST_COUNT)).all(), f"'edges' are outside 0 to {MOST_COUNT:,}")
    return Edges(words, counts)


def agreed_share(measures: Mapping[str, Any]) -> float | None:
    """Return the share of the expected links that both directions have; None if it was not measured."""
    links = measures.get("links")
    return float(measures["agreed_links"] / links) if links else None
