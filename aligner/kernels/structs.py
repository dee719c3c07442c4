"""Named tuples of arrays that kernels take as arguments. This module does not import Numba."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Side(NamedTuple):
    """One side of a text: the words of sentence n are tokens[offsets[n] : offsets[n + 1]].

    tokens: int32 [N]; offsets: int64 [sentences + 1].
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]


class OccurrenceLists(NamedTuple):
    """The occurrences of each word type in a text, in the order of the text.

    starts: int64 [types + 2]; type s has the occurrences starts[s] to before starts[s + 1]. pair, position:
    [tokens], the sentence pair of each occurrence, int32, and its position in the sentence, int32 or uint16.
    """

    starts: NDArray[np.int64]
    pair: NDArray[np.int32]
    position: NDArray[np.integer]


class IndexRows(NamedTuple):
    """The co-occurrence index: source type s owns the pair_ids offsets[s] to before offsets[s + 1].

    offsets: int64 [source types + 2]; columns: int32 [pair_ids + 1], the target type of each pair_id;
    target_types: the number of target types.
    """

    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    target_types: int


class SpelledWords(NamedTuple):
    """The letters of words, one word after another, each with a 0 behind it.

    letters: uint16; ends: int64 [words], the index of each word's 0. Letters that both languages have are
    numbered from 1. Any other letter is the next number in a source word, and the one after in a target word.
    """

    letters: NDArray[np.uint16]
    ends: NDArray[np.int64]


class Outlines(NamedTuple):
    """A summary of words by which most pairs of words are known to differ.

    letter_sets: uint64 [words], a bit for each letter that a word has, where several letters share a bit;
    lengths: int32 [words], the number of letters.
    """

    letter_sets: NDArray[np.uint64]
    lengths: NDArray[np.int32]


class SpelledTokens(NamedTuple):
    """One side of a block with the spelling of the tokens that are compared.

    tokens: int32 [tokens]; lengths: int32 [pairs]; unknown: the id of out-of-vocabulary words; numbers: int32
    [tokens], the number of each token in ``words``.
    """

    tokens: NDArray[np.int32]
    lengths: NDArray[np.int32]
    unknown: int
    numbers: NDArray[np.int32]
    words: SpelledWords


class JumpSets(NamedTuple):
    """Sets of the HMM's jumps: for entering, inside and leaving a sentence, then a set for each word.

    jumps: float64 [sets, 11]; masses: float64 [sets, 7, 6], their normalisers; weights: float32 [sets, 11],
    and scales: float64 [sets, 7, 6], the same raised to the power of inference.
    """

    jumps: NDArray[np.float64]
    masses: NDArray[np.float64]
    weights: NDArray[np.float32]
    scales: NDArray[np.float64]


class DualProblem(NamedTuple):
    """The concave functions that ``projection`` maximises, one for each sentence pair.

    starts: int64 [pairs + 1], the first multiplier of each pair; least, greatest: bounds of a multiplier;
    bound: the right-hand side of every constraint; slack: the weight of the quadratic penalty.
    """

    starts: NDArray[np.int64]
    least: np.float32
    greatest: np.float32
    bound: np.float32
    slack: np.float32


class DualAscent(NamedTuple):
    """The state of the ascent on a ``DualProblem``.

    multipliers, gradient: float32, flat; dual, step, residual: float64 [pairs]; accepted: bool [pairs]. step:
    the size of the pair's next step; residual: the largest change that a step of size 1 would make to a
    multiplier, 0 at the maximum; accepted: True if the last trial was accepted.
    """

    multipliers: NDArray[np.float32]
    gradient: NDArray[np.float32]
    dual: NDArray[np.float64]
    step: NDArray[np.float64]
    residual: NDArray[np.float64]
    accepted: NDArray[np.bool_]


class WordClasses(NamedTuple):
    """The words of one side dealt into classes, with their counts.

    classes: int32 [types], the class of each type; members: int32 [types], the types, sorted by class;
    offsets: int64 [classes + 1], the first member of each class; shares: float64 [types], the
    share of each type in the occurrences of its class; totals: int64 fixed point [classes], expected counts.
    """

    classes: NDArray[np.int32]
    members: NDArray[np.int32]
    offsets: NDArray[np.int64]
    shares: NDArray[np.float64]
    totals: NDArray[np.int64]


class ClassPairs(NamedTuple):
    """The counts of pairs of classes, in compressed rows: source class a has the entries from offsets[a] on.

    offsets: int64 [source classes + 1]; columns: int32, target classes, ascending within a row; counts:
    float64; source_totals, target_totals: float64 [classes], the sums of each class.
    """

    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    counts: NDArray[np.float64]
    source_totals: NDArray[np.float64]
    target_totals: NDArray[np.float64]


class ClassedTokens(NamedTuple):
    """One side of a block by token.

    classes: int32 [tokens], or -1; shares: float64 [tokens], the share of the token's word in the occurrences
    of its class.
    """

    classes: NDArray[np.int32]
    shares: NDArray[np.float64]


class TokenRows(NamedTuple):
    """The cells of each source token, which are a row of its pair's cells.

    cells, targets: int64 [tokens], where the cells and the target words of the row begin; sizes: int32
    [tokens], the number of both.
    """

    cells: NDArray[np.int64]
    targets: NDArray[np.int64]
    sizes: NDArray[np.int32]


class WordsInPieces(NamedTuple):
    """One side of sentence pairs as pieces, by word.

    counts: int32 [words], the number of pieces; are_new: bool [words], True for out-of-vocabulary words;
    offsets: int64 [pairs + 1], where the words of each pair begin.
    """

    counts: NDArray[np.int32]
    are_new: NDArray[np.bool_]
    offsets: NDArray[np.int64]


class FeatureTokens(NamedTuple):
    """One side of a block with what features tell of its tokens; all but the first are by token.

    lengths: int32 [pairs]; tokens: int32, ids that differ for different words; repetitions: float32, the
    number of times that the word is in its sentence; counts: float32, the frequency of the word in the
    training text; links: float32, its expected links there; kinds: float32; numbers: int32, the number of
    each token's word in ``words``.
    """

    lengths: NDArray[np.int32]
    tokens: NDArray[np.int32]
    repetitions: NDArray[np.float32]
    counts: NDArray[np.float32]
    links: NDArray[np.float32]
    kinds: NDArray[np.float32]
    numbers: NDArray[np.int32]
    words: SpelledWords


class TrieNodes(NamedTuple):
    """The pieces of words as a trie (see ``pieces.trie``).

    children: int64 [nodes + 1]; node n has the children children[n] to before children[n + 1], in the order
    of their letters. letters: int32 [nodes], the last letter of each node; costs: int64 [nodes], the cost of
    the piece at each node, and at the root the cost of an unknown letter.
    """

    children: NDArray[np.int64]
    letters: NDArray[np.int32]
    costs: NDArray[np.int64]
