"""Candidates of a block, with their features (see ``kernels.cell_features``)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int64s
from aligner.decoding.decoder import Decoder
from aligner.decoding.methods import cells_of_links
from aligner.decoding.text_block import TextBlock
from aligner.kernels.structs import FeatureTokens, SpelledWords
from aligner.lexicon.spelling import Spelling
from aligner.models.learned_links import FEATURES
from aligner.text.kinds import class_of
from aligner.text.side import TextSide


class Candidates(NamedTuple):
    """The cells of a block that may become links.

    Attributes
    ----------
    cells
        int64 [candidates], their numbers among the source-major cells of the block, ascending.
    features
        float32 [candidates, features].
    log_likelihoods
        Both directions' log-likelihoods by the plain model, float64 [2, pairs].
    """

    cells: Int64s
    features: Float32s
    log_likelihoods: Float64s


def find_candidates(decoder: Decoder, text: TextBlock) -> Candidates:
    """Return the candidates of a block, whose features have posteriors by the decoder and the plain model."""
    block = text.block
    plain = text.pair.potentials(block)
    lexical = tuple(cells.links.copy() for cells in plain)
    log_likelihoods = text.pair.infer(plain)
    of_decoder, _ = decoder.posteriors(text)
    inferred = of_decoder if decoder.has_probabilities else decoder.best_alignments(text)
    posteriors = (*of_decoder, *(cells.links for cells in plain))
    is_candidate = np.zeros(block.cells, np.uint8)
    count = kernels.cell_features.mark(*posteriors, *block.lengths, is_candidate)
    cells = np.flatnonzero(is_candidate)
    features = np.empty((count, len(FEATURES)), np.float32)
    sides = text.bitext.sides
    different = [np.unique(side.token_ids_with_oov, return_inverse=True) for side in sides]
    words = [side.words(ids) for side, (ids, _) in zip(sides, different, strict=True)]
    spelling = Spelling.of(*words)
    links = text.model.expected_links
    tokens = (
        _tokens(side, own, numbers, spelled, expected)
        for side, own, (_, numbers), spelled, expected in zip(
            sides, words, different, (spelling.source, spelling.target), links, strict=True
        )
    )
    kernels.cell_features.compute(posteriors, lexical, *tokens, spelling.shared, is_candidate, features)
    features[:, -1] = np.isin(cells, cells_of_links(block, decoder.links(text, inferred)))
    return Candidates(cells, features, log_likelihoods)


def _tokens(
    side: TextSide, words: list[str], numbers: Int64s, spelled: SpelledWords, links: Float32s
) -> FeatureTokens:
    """Return one side of a block for the kernel.

    words: the different words; numbers: int64 [tokens], the number of each token among them; links: float32
    [types + 1], the expected links of each word.
    """
    tokens, token_ids = side.tokens, side.token_ids_with_oov
    lengths = side.lengths.astype(np.int32)
    by_sentence = np.repeat(np.arange(len(lengths)) << 32, lengths) | token_ids
    _, of_tokens, repetitions = np.unique(by_sentence, return_inverse=True, return_counts=True)
    return FeatureTokens(
        lengths,
        token_ids,
        repetitions[of_tokens].astype(np.float32),
        np.append(side.vocabulary.counts, 0).astype(np.float32)[tokens],
        links[tokens],
        np.array(list(map(class_of, words)), np.float32)[numbers],
        numbers.astype(np.int32),
        spelled,
    )
