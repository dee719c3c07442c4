"""Statistics of a training text: how often words are together, and how often its model links them."""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.decoding.batch import even_chunks
from aligner.decoding.decoder import Decoder
from aligner.decoding.text_block import is_oversized, sorted_blocks
from aligner.lexicon.block_sources import most_block_cells
from aligner.models.learned import TextStatistics
from aligner.models.trained import TrainedModel
from aligner.system.threads import run_in_order
from aligner.text.bitext import Bitext
from aligner.text.vocabulary import Vocabulary


def collect_statistics(model: TrainedModel, text: Bitext, *, threads: int = 1) -> TextStatistics:
    """Return the statistics of a text as a model aligns it, under the constraint of its recipe.

    They are the same for any number of threads: links are added in fixed point.

    Parameters
    ----------
    model
        A model without superfluous word pairs (``TrainedModel.compact``).
    text
        The text that the model was trained on. Pairs that are not trainable are left out.
    threads
        Number of threads.
    """
    decoder = Decoder.of(model)
    pairs = np.zeros((len(model.pair.lexicon.index) + 1, 2), np.int64)
    vocabularies = model.source_vocabulary, model.target_vocabulary
    links = [np.zeros(len(vocabulary) + 1, np.int64) for vocabulary in vocabularies]
    adding = Lock()

    def add(chunk: Bitext) -> None:
        numbers = np.flatnonzero(chunk.trainable(chunk.max_length) & ~is_oversized(chunk))
        for text in sorted_blocks(model, chunk, numbers, most_block_cells(threads))[1]:
            (forward, reverse), _ = decoder.posteriors(text)
            block = text.block
            sides = block.source, block.source_lengths, block.target, block.target_lengths
            with adding:
                kernels.cell_features.collect(forward, reverse, *sides, block.pair_ids, pairs, *links)

    for _ in run_in_order(even_chunks(model.encode(text), threads), add, threads):
        pass
    scale = float(kernels.cell_features.SCALE)
    pairs[0] = 0  # word pairs outside the index have nothing in common
    counts = np.stack([pairs[:, 0], pairs[:, 1] / scale], axis=1).astype(np.float32)
    fertilities = (
        _fertilities(own / scale, vocabulary) for own, vocabulary in zip(links, vocabularies, strict=True)
    )
    return TextStatistics(counts, *fertilities).rounded()


def _fertilities(links: NDArray[np.float64], vocabulary: Vocabulary) -> NDArray[np.float32]:
    """Return the expected links of an occurrence of each word, float32 [types + 1]."""
    return np.append(links[:-1] / np.maximum(vocabulary.counts, 1), 0).astype(np.float32)
