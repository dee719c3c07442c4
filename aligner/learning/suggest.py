"""Suggestions of lines to correct next: those whose links are most uncertain, with reasons."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from aligner.arrays import Float64s, Int64s
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.decoding.learned_decoder import AnyDecoder, LearnedDecoder
from aligner.links.alignments import Alignments
from aligner.links.link_sets import occurs_in, probabilities_of
from aligner.messages import counted
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext
from aligner.text.side import TextSide

_LEAST_POSTERIOR = 1e-3
_MOST_NAMED = 3
_UNCERTAIN = (0.3, 0.7)


@dataclass(frozen=True)
class Suggestion:
    """A line to correct.

    Attributes
    ----------
    line
        The number of the line, from 1.
    uncertainty
        The sum of the entropies of its cells, in bits.
    reasons
        Why it is uncertain, in words.
    """

    line: int
    uncertainty: float
    reasons: tuple[str, ...]


def suggest(
    model: TrainedModel, text: Bitext, count: int = 20, *, skip: Collection[int] = (), threads: int = 1
) -> list[Suggestion]:
    """Suggest lines to correct, the most uncertain first.

    Parameters
    ----------
    model
        A trained model. If it has learned, the probabilities of its learned links count.
    text
        The text to choose lines of.
    count
        The number of lines to suggest.
    skip
        Lines that have been corrected, from 1.
    threads
        Number of threads.

    Notes
    -----
    The uncertainty of a line is the sum over its cells of the entropy of being a link. It prefers long lines,
    which teach more and take longer; by words read it is about as good as random choice, and other rules that
    were tried are worse.
    """
    text = model.encode(text)
    cells = _probable_cells(model, text, threads)
    uncertainty = entropies(cells)
    skipped = np.array(sorted(skip), np.int64) - 1
    uncertainty[skipped[(skipped >= 0) & (skipped < len(text))]] = 0
    order = np.argsort(-uncertainty, kind="stable")[:count]
    chosen = order[uncertainty[order] > 0]
    part = text.select(chosen)
    forward, reverse = (
        decode(model, part, Decoder("posterior", name, 0.5), threads=threads)
        for name in ("forward", "reverse")
    )
    unconfirmed = _count_others(forward, reverse) + _count_others(reverse, forward)
    rare = [_rare_words(side) for side in part.sides]
    return [
        Suggestion(
            n + 1,
            float(uncertainty[n]),
            tuple(_reasons(cells[n : n + 1], int(unconfirmed[k]), [*rare[0][k], *rare[1][k]])),
        )
        for k, n in enumerate(chosen.tolist())
    ]


def unsure_cells(model: TrainedModel, line: Bitext) -> list[tuple[int, int, float]]:
    """Return the cells of a line whose probability is from 30 % to 70 %, each with its probability."""
    cells = _probable_cells(model, model.encode(line))
    low, high = _UNCERTAIN
    of_line = zip(cells[0], probabilities_of(cells).tolist(), strict=True)
    return [(i, j, round(p, 4)) for (i, j), p in of_line if low <= p <= high]


def _probable_cells(model: TrainedModel, text: Bitext, threads: int = 1) -> Alignments:
    """Return the cells that are no certain non-links, with the probability of a link."""
    decoder: AnyDecoder = Decoder("posterior", "average", _LEAST_POSTERIOR)
    if model.learned is not None:
        decoder = LearnedDecoder(_LEAST_POSTERIOR, Decoder.of(model), "learned")
    return decode(model, text, decoder, threads=threads)


def entropies(cells: Alignments) -> Float64s:
    """Return the sum of the entropies of each line's cells, in bits, float64 [lines]."""
    p = probabilities_of(cells).astype(np.float64).clip(1e-9, 1 - 1e-9)
    of_cells = -p * np.log2(p) - (1 - p) * np.log2(1 - p)
    return np.bincount(cells.pair, of_cells, minlength=len(cells)).astype(np.float64)


def _count_others(links: Alignments, others: Alignments) -> Int64s:
    """Return the number of links of each line that ``others`` does not have, int64 [lines]."""
    return np.bincount(links.pair[~occurs_in(links, others)], minlength=len(links))


def _rare_words(side: TextSide) -> list[list[str]]:
    """Return the words of each sentence that the training text has at most once."""
    counts = np.append(side.vocabulary.counts, 0)[side.tokens]
    token_ids, offsets, written = side.token_ids_with_oov, side.offsets, side.vocabulary.spellings
    return [
        list(dict.fromkeys(written.get(word, word) for word in side.words(token_ids[a:b][counts[a:b] <= 1])))
        for a, b in zip(offsets.tolist(), offsets[1:].tolist(), strict=False)
    ]


def _reasons(cells: Alignments, unconfirmed: int, rare: list[str]) -> list[str]:
    """Return why a line is uncertain."""
    p, (low, high) = probabilities_of(cells), _UNCERTAIN
    uncertain = int(np.count_nonzero((p >= low) & (p <= high)))
    reasons = [f"{counted(uncertain, 'unsure word pair')}"] if uncertain else []
    if unconfirmed:
        reasons.append(f"{counted(unconfirmed, 'link')} found from one side only")
    if rare:
        more = ", ..." if len(rare) > _MOST_NAMED else ""
        reasons.append(f"{counted(len(rare), 'rare word')}: {', '.join(rare[:_MOST_NAMED])}{more}")
    return reasons
