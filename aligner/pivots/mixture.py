"""The mixture of the posteriors of a pair's own model and of paths through pivot languages; its links."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aligner import kernels
from aligner.arrays import Float32s, offsets_of
from aligner.decoding.batch import in_text_order, links_of_words
from aligner.decoding.decoder import Decoder
from aligner.decoding.methods import COMBINATIONS, LinkSettings, choose_links
from aligner.lexicon.block_sources import BlockSource
from aligner.links.alignments import Alignments
from aligner.pivots.posteriors import LinePosteriors

Path = tuple[LinePosteriors, LinePosteriors]
"""The posteriors of the source and a pivot language, and of the pivot language and the target."""


def mix(direct: LinePosteriors, paths: Sequence[Path], weights: Sequence[float]) -> LinePosteriors:
    """Mix the posteriors of a pair's own model with the posteriors of paths.

    Parameters
    ----------
    direct
        The posteriors of the pair by its own model.
    paths
        The paths, through one pivot language each.
    weights
        The weight of the pair's own model, then of each path. In a line without a path, the others share its
        weight.
    """
    shares = _shares(direct, paths, weights)
    sizes = np.diff(direct.offsets)
    forward, reverse = (own * np.repeat(shares[0], sizes) for own in (direct.forward, direct.reverse))
    source, target = direct.text.source.lengths, direct.text.target.lengths
    for share, (first, second) in zip(shares[1:], paths, strict=True):
        pivot = first.text.target.lengths
        for left, right, rows, columns, out in (
            ((second.forward, second.offsets), (first.forward, first.offsets), target, source, forward),
            ((first.reverse, first.offsets), (second.reverse, second.offsets), source, target, reverse),
        ):
            kernels.pivots.add_products(*left, *right, rows, pivot, columns, share, direct.offsets, out)
    return LinePosteriors(direct.text, direct.numbers, forward, reverse)


def _shares(direct: LinePosteriors, paths: Sequence[Path], weights: Sequence[float]) -> Float32s:
    """Return the weight of each member in each line, float32 [members, lines], with sum 1 or 0."""
    present = np.zeros((1 + len(paths), len(direct.text)))
    present[0, direct.numbers] = 1.0
    for row, (first, second) in zip(present[1:], paths, strict=True):
        row[np.intersect1d(first.numbers, second.numbers)] = 1.0
    shares = np.array(weights)[:, None] * present * present[0]
    return (shares / np.maximum(shares.sum(axis=0), np.finfo(float).tiny)).astype(np.float32)


def choose(decoder: Decoder, direct: LinePosteriors, mixture: LinePosteriors) -> Alignments:
    """Return the links of a mixture, in each line about as many as the pair's own model has."""
    text = direct.text.select(direct.numbers)
    (block,) = BlockSource.of(text).blocks([(0, len(text))])
    combine, threshold = COMBINATIONS[decoder.combine], np.float32(decoder.threshold)
    combined = combine(block, mixture.forward, mixture.reverse)
    scales = np.empty(len(block), np.float32)
    own = combine(block, direct.forward, direct.reverse)
    kernels.pivots.match(own, combined, offsets_of(block.sizes), threshold, scales)
    scale = np.repeat(scales, block.sizes)
    forward, reverse, combined = (
        np.minimum(cells * scale, np.float32(1.0)) for cells in (mixture.forward, mixture.reverse, combined)
    )

    def combine_mixture(*_: object) -> Float32s:
        """Return the combination of the mixture, scaled: not that of its directions, each cut at 1."""
        return combined

    settings = LinkSettings(combine_mixture, float(threshold), text.token_ids_with_oov)
    links = choose_links(decoder.method, block, forward, reverse, settings)
    links = in_text_order(decoder.kept(links, text), direct.numbers, len(direct.text))
    return links_of_words(links, direct.text)
