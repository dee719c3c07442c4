"""The gate for links of other aligners: how well they fit a model, without gold.

By their posteriors, the model's links have an expected F1 against the right links. Other links that are as
good should have about this F1 against the model's links, which is their Dice. The *agreement* of other links
is Dice(model, others) / expected F1. Aligners that make the same mistakes, such as another statistical
aligner of the same text, have a lower or a higher agreement. Words that are spelled alike in Latin letters
are a second sign: most should be linked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aligner import kernels
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.decoding.other_mixture import WEIGHT, join_other_links
from aligner.decoding.text_block import alignable
from aligner.lexicon.spelling import Spelling, outlines_of
from aligner.links.alignments import Alignments
from aligner.links.link_sets import check_lengths, check_positions, occurs_in, probabilities_of
from aligner.messages import counted
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext, OtherLinks
from aligner.text.pairs_like import PairsLike

LEAST_AGREEMENT, MOST_AGREEMENT = 0.96, 1.08
"""The least and the greatest agreement of links that are let in. Links above it make the same mistakes.

Of links of neural aligners of 6 texts, fine-tuned on parallel text, it is 0.97 to 1.05; without, 0.89; of
statistical aligners 0.76 to 1.07 (10 texts), and of another recipe of this program 1.11.
"""

_MOST_LOSS = 0.03
"""By how much the share of similar words that are linked may be smaller than by the model.

Links of a fine-tuned neural aligner lose nothing, on 2 texts; links of statistical ones 0.02 to 0.44, on 9.
"""

LEAST_LINES = 100
"""The least number of lines with links on which the agreement decides.

The standard deviation of the agreement, for links of 4,637 pairs of the Hansards, is 0.105 with one of these
lines, 0.030 with 10, 0.016 with 30, and 0.009 with 100.
"""

_LONG, _END = 100, 20
"""Links of a line of at least so many words end early if none is among its last words, of so many.

Of 653 such lines of the Hansards, the links of a model end early in none.
"""

_LEAST_WORDS, _LEAST_LETTERS, _LEAST_PERCENT = 30, 4, 80
_MOST_LINES = 1000
_LEAST_POSTERIOR = 1e-3


@dataclass(frozen=True)
class Fit:
    """How well links of another aligner fit a model.

    Attributes
    ----------
    lines
        The number of lines that were compared.
    agreement
        Dice of both links / the F1 that the model expects of its own. 1 for links as good as the model's.
    words
        The number of pairs of words that are spelled alike.
    linked, linked_by_model
        The shares of these that are linked.
    """

    lines: int
    agreement: float
    words: int
    linked: float
    linked_by_model: float

    @property
    def is_good(self) -> bool:
        """True if the links are let in."""
        loses = self.words >= _LEAST_WORDS and self.linked < self.linked_by_model - _MOST_LOSS
        is_alike = LEAST_AGREEMENT <= self.agreement <= MOST_AGREEMENT
        return self.lines >= LEAST_LINES and is_alike and not loses

    def describe(self) -> str:
        """Return the figures, for messages."""
        said = (
            f"agreement {self.agreement:.2f} (good: {LEAST_AGREEMENT} to {MOST_AGREEMENT}) in"
            f" {counted(self.lines, 'line')}"
        )
        if self.lines < LEAST_LINES:
            said += f"; at least {LEAST_LINES} lines with links are needed to tell"
        if self.words >= _LEAST_WORDS:
            said += (
                f"; {self.linked:.0%} of {self.words} similar words linked, {self.linked_by_model:.0%} by"
                " the model"
            )
        return said


def measure_agreement(
    model: TrainedModel, text: Bitext | PairsLike, links: Alignments, threads: int = 1
) -> Fit:
    """Compare the links of another aligner of a text with the model, on the first lines that have links.

    Raises DataError if the links do not fit the text.
    """
    text = replace(model.encode(text), others=None)
    numbers = alignable(text)
    numbers = numbers[np.diff(links.offsets)[numbers] > 0][:_MOST_LINES]
    if not len(numbers):
        return Fit(0, 0.0, 0, 0.0, 0.0)
    part, others = text.select(numbers), Alignments.from_lists(links[n] for n in numbers.tolist())
    by_model = decode(model, part, Decoder.of(model), threads=threads)
    every = Decoder.of(model, method="posterior", combine="average", threshold=_LEAST_POSTERIOR)
    cells = decode(model, part, every, threads=threads)
    p = probabilities_of(cells)
    right = p[occurs_in(cells, by_model)].sum(dtype=np.float64)
    expected = 2 * right / (len(by_model.source) + p.sum(dtype=np.float64) or 1)
    common = np.count_nonzero(occurs_in(others, by_model))
    dice = 2 * common / ((len(by_model.source) + len(others.source)) or 1)
    similar = _similar_words(part)
    found = (
        float(np.mean(occurs_in(similar, found) if len(similar.source) else 0.0))
        for found in (others, by_model)
    )
    return Fit(len(part), dice / (expected or 1), len(similar.source), *found)


def _similar_words(text: Bitext) -> Alignments:
    """Return the cells of words that are spelled alike in Latin letters, each with no other word of its line.

    There are none if words are split.
    """
    if text.has_word_sizes:
        return Alignments.from_lists([[]] * len(text))
    sides = [(side.words(side.token_ids_with_oov), side.offsets) for side in text.sides]
    found = []
    for n in range(len(text)):
        spelling = Spelling.of(*(words[offsets[n] : offsets[n + 1]] for words, offsets in sides))
        lengths = [np.diff(words.ends, prepend=-1) - 1 for words in (spelling.source, spelling.target)]
        width, height = map(len, lengths)
        alike = np.zeros(width * height + 1, np.bool_)
        outlines = outlines_of(spelling.source), outlines_of(spelling.target)
        rows, columns = np.arange(width + 1) * height, np.tile(np.arange(height, dtype=np.int32), width)
        kernels.spelling.find_cognates(0, width, rows, columns, *spelling, *outlines, _LEAST_PERCENT, alike)
        cells = alike[:-1].reshape(width, height)
        long = [own >= _LEAST_LETTERS for own in lengths]
        alone = cells & (cells.sum(0) == 1) & (cells.sum(1, keepdims=True) == 1) & np.outer(*long)
        found.append([(i, j) for i, j in np.argwhere(alone).tolist()])
    return Alignments.from_lists(found)


def check_others(text: Bitext, files: Sequence[tuple[str, Alignments]]) -> None:
    """Raise DataError, with the name of a file, for links that do not fit the lines of a text."""
    for name, links in files:
        check_lengths(links, text, f"{name} and the text", "; are they of this text?")
        check_positions(links, text.lengths, f"{name}:")


def _cut_lines(text: Bitext, links: Alignments) -> list[int]:
    """Return the numbers, from 1, of long lines with links, but none for the last words of a side."""
    cut = np.zeros(len(links), np.bool_)
    for length, positions in zip(text.lengths, (links.source, links.target), strict=True):
        stop = np.zeros(len(links), np.int64)
        np.maximum.at(stop, links.pair, positions + 1)
        cut |= (stop > 0) & (length >= _LONG) & (stop <= length - _END)
    return (np.flatnonzero(cut) + 1).tolist()


def choose_others(
    model: TrainedModel,
    text: Bitext,
    files: Sequence[tuple[str, Alignments]],
    weight: float | None = None,
    threads: int = 1,
) -> tuple[OtherLinks | None, list[str]]:
    """Return the links of other aligners that are let in, for ``Bitext.others``, and messages.

    Parameters
    ----------
    model
        A trained model.
    text
        The text.
    files
        The names of files, and their links, which fit the text.
    weight
        The weight of each file, which lets its links in. By default ``WEIGHT``, if they agree with the model.
    threads
        Number of threads.
    """
    said, parts = [], []
    for name, links in files:
        if cut := _cut_lines(text, links):
            said.append(
                f"{name}: links end {_END} words or more before the end of {counted(len(cut), 'long line')},"
                f" such as {', '.join(map(str, cut[:3]))}; neural aligners cut text after 512 subwords"
            )
        if weight is None:
            found = measure_agreement(model, text, links, threads)
            said.append(f"{name}: {found.describe()}: {'used' if found.is_good else 'not used'}")
            if not found.is_good:
                said[-1] += "; links as good as the model's are needed; --with-weight uses others, too"
                continue
        parts.append(links)
        empty = int(np.count_nonzero(np.diff(links.offsets) == 0))
        if empty:
            said.append(f"{name}: {counted(empty, 'line')} without links, aligned by the model alone")
    return (join_other_links(parts, WEIGHT if weight is None else weight) if parts else None), said
