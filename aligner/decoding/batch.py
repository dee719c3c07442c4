"""From text to links, by a trained model: chunk after chunk, on any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aligner.decoding.decoder import Decoder
from aligner.decoding.oov import Guessing
from aligner.decoding.scores import Scorer
from aligner.lexicon.block_sources import SEARCH_CELLS, BlockSource, most_block_cells
from aligner.links.alignments import MAX_POSITION, Alignments
from aligner.models.grouping import order_by_size
from aligner.models.trained import Model
from aligner.system.threads import check_threads, in_order
from aligner.text.bitext import Bitext
from aligner.text.sentences import gathered, offsets_of

MAX_CELLS = 1 << 25
"""A pair with more cells (5,800 x 5,800 tokens) gets an empty alignment: inference needs 40 bytes a cell.

Under constraints, it needs 60.
"""

_FEWEST_PAIRS, _MOST_PAIRS = 1 << 9, 1 << 14
"""How many pairs of a text in memory a thread aligns at a time."""


def decode(
    model: Model, bitext: Bitext, decoder: Decoder | None = None, *, scores: bool = False, threads: int = 1
) -> Alignments:
    """Align a bitext, by ``model.encode``; one entry per pair, empty where a side is empty.

    The result of a pair depends on that pair alone: not on the rest of the text, nor on threads. With
    ``scores``, the alignments have these too (see ``aligner.decoding.scores``).
    """
    chunks = shared_out(model.encode(bitext), threads)
    nothing = replace(Alignments.from_lists([]), scores=np.empty((0, 3)) if scores else None)
    parts = decode_stream(model, chunks, decoder, scores=scores, threads=threads)
    return Alignments.concatenate([nothing, *parts])


def shared_out(bitext: Bitext, threads: int) -> Iterator[Bitext]:
    """A text in memory in chunks, as many for each thread: in large ones, more pairs are of like size."""
    check_threads(threads)
    rounds = max(-(-len(bitext) // (_MOST_PAIRS * threads)), 1)
    return bitext.chunks(max(-(-len(bitext) // (rounds * threads)), _FEWEST_PAIRS))


def decode_stream(
    model: Model,
    chunks: Iterable[Bitext | None],
    decoder: Decoder | None = None,
    *,
    scores: bool = False,
    threads: int = 1,
) -> Iterator[Alignments]:
    """Align chunk after chunk as ``decode`` does, in order, one on each thread.

    None instead of a chunk says that the next one may take long to come: all so far are answered first.
    """
    check_threads(threads)
    align = aligner_of(model, decoder or Decoder.of(model), scores, threads)
    return in_order(chunks, lambda chunk: align(model.encode(chunk)), threads)


def aligner_of(
    model: Model, decoder: Decoder, scores: bool = False, threads: int = 1
) -> Callable[[Bitext], Alignments]:
    """What aligns texts in the model's vocabularies, one on each of some threads."""
    scorer = Scorer.of(model) if scores else None
    pair = model.parameters

    def align(bitext: Bitext) -> Alignments:
        numbers = np.flatnonzero((bitext.sizes > 0) & ~oversized(bitext))
        lengths = bitext.source.lengths[numbers], bitext.target.lengths[numbers]
        numbers = numbers[order_by_size(*lengths)]
        text = BlockSource.of(bitext.select(numbers)).searched(pair.lexicon.index, SEARCH_CELLS)
        spans = list(text.spans(most_block_cells(threads)))
        blocks = []
        for span, block in zip(spans, text.blocks(spans), strict=True):
            part = text.bitext.slice(*span)
            given = Guessing.about(pair, part)
            blocks.append(decoder.align(given, block, scorer, part.token_ids_with_oov))
        return _spread(Alignments.concatenate(blocks), numbers, len(bitext), scores)

    return align


def oversized(bitext: Bitext) -> NDArray[np.bool_]:
    """Which pairs are too large to align, by their cells or by a position beyond any link's, bool [pairs]."""
    sizes = bitext.sizes
    longest = np.maximum(bitext.source.lengths, bitext.target.lengths)
    return (sizes > MAX_CELLS) | ((sizes > 0) & (longest > MAX_POSITION + 1))


def _spread(alignments: Alignments, numbers: NDArray[np.int64], pairs: int, scores: bool) -> Alignments:
    """The links, and the scores, of pairs with these numbers of a text of ``pairs`` pairs, none elsewhere."""
    starts, lengths = np.zeros((2, pairs), np.int64)
    starts[numbers] = alignments.offsets[:-1]
    lengths[numbers] = np.diff(alignments.offsets)
    offsets = offsets_of(lengths)

    values = alignments.probabilities
    of_pairs = np.full((pairs, 3), -np.inf)
    if alignments.scores is not None:
        of_pairs[numbers] = alignments.scores
    return Alignments.unchecked(
        offsets,
        gathered(alignments.source, starts, offsets),
        gathered(alignments.target, starts, offsets),
        None if values is None else gathered(values.view(np.int32), starts, offsets).view(np.float32),
        of_pairs if scores else None,
    )
