"""Checks of a text by a model: sides that are swapped, lines that are shifted or shuffled.

Each check is made on at most ``MOST_LINES`` lines, spread evenly over the text. The share of unknown words
tells swapped sides, not the gain: an unknown word raises the gain, because the model expects little of it.

The thresholds separate 11 healthy bitexts of 90 to 10,000 pairs, and the generated sample, from the same
texts with swapped, shifted and shuffled lines, of which at least a tenth (swapped) or half are wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aligner.decoding.batch import decode
from aligner.models.trained import Model
from aligner.text.bitext import Bitext
from aligner.text.misalignment import find_shift, length_correlation

MOST_LINES = 2_000
"""The largest number of lines that a check aligns."""

_LEAST_SWAPPED = 0.01
"""The least share of lines that look swapped. In healthy text it is below 0.001."""

_LEAST_SHIFTED = 0.15
"""The least share of lines that fit a neighbour of their target better, less the share that fit a distant one
better. In healthy text it is at most 0.06; if half the text is shifted by a line, at least 0.16."""

_LEAST_SHUFFLED = 0.18
"""The least share of lines that fit a distant target better than their own. In healthy text it is at most
0.06; in text that the model was not trained on and of which half is shuffled, at least 0.2."""

_LEAST_CORRELATION = 0.2
"""The least correlation of sentence lengths. In healthy text it is at least 0.4, in shuffled text below 0.1.

If the model was trained on this very text, each line fits its own target, and only the lengths reveal it.
"""


@dataclass(frozen=True)
class Check:
    """The result of a check.

    Attributes
    ----------
    name
        "swapped", "shifted" or "shuffled".
    found
        True if the text looks so.
    verdict
        One line with the figures.
    figures
        The figures by name: shares in 0..1, gains in nats a word.
    """

    name: str
    found: bool
    verdict: str
    figures: dict[str, float]


def check_text(model: Model, text: Bitext, *, threads: int = 1) -> tuple[Check, ...]:
    """Check whether the sides of a text are swapped, and its lines shifted or shuffled.

    Parameters
    ----------
    model
        A trained model.
    text
        The text. If most of its lines look swapped, the other checks are made with its sides exchanged.
    threads
        Number of threads.

    Returns
    -------
    tuple of Check
        Swapped, shifted, shuffled.
    """
    text = model.encode(text)
    swapped = _check_swapped(model, text, threads)
    if swapped.figures["lines"] > 0.5:
        text = model.encode(text.reversed())
    fit = _Fit.of(model, text, threads)
    shifted = _check_shifted(fit)
    return swapped, shifted, _check_shuffled(fit, shifted)


def evenly_spread(count: int, most: int) -> NDArray[np.int64]:
    """Return at most ``most`` numbers from 0 to count - 1, increasing, spread evenly, int64."""
    return np.arange(min(count, most)) * count // max(min(count, most), 1)


def _check_swapped(model: Model, text: Bitext, threads: int) -> Check:
    """Check for lines with fewer unknown words if exchanged.

    A model of which some training lines were swapped may know all words either way: then the gain decides.
    """
    lines = evenly_spread(len(text), MOST_LINES)
    given = text.select(lines[text.sizes[lines] > 0])
    exchanged = model.encode(given.reversed())
    unknown, exchanged_unknown = _unknown_words(given), _unknown_words(exchanged)
    gain, exchanged_gain = (_gain(model, part, threads) for part in (given, exchanged))
    is_known = unknown + exchanged_unknown == 0
    is_swapped = (exchanged_unknown < unknown) | (is_known & (exchanged_gain > gain))
    words = len(given.source.tokens) + len(given.target.tokens)
    figures = {
        "lines": _mean(is_swapped),
        "unknown": float(unknown.sum() / max(words, 1)),
        "unknown_exchanged": float(exchanged_unknown.sum() / max(words, 1)),
    }
    found = figures["lines"] >= _LEAST_SWAPPED
    claim = f"sides look swapped in {figures['lines']:.1%} of the lines" if found else "sides look right"
    verdict = (
        f"{claim}: {figures['unknown']:.1%} of the words are unknown as given,"
        f" {figures['unknown_exchanged']:.1%} exchanged"
    )
    return Check("swapped", found, verdict, figures)


@dataclass(frozen=True, eq=False)
class _Fit:
    """How well lines fit their own target, its neighbours, and a distant target.

    text: the text; gain: median gain with the own and with a distant target; distant, neighbour: shares of
    lines with a higher gain there than with the own target; of both neighbours, the higher share.
    """

    text: Bitext
    gain: float
    distant_gain: float
    distant: float
    neighbour: float

    @classmethod
    def of(cls, model: Model, text: Bitext, threads: int) -> _Fit:
        """Align lines with the targets of other lines."""
        lines = evenly_spread(len(text), MOST_LINES)
        own, distant, following, preceding = (
            _gain(model, _with_targets(text, lines, shift), threads) for shift in (0, len(text) // 2, 1, -1)
        )
        better = [
            _mean((other > own)[np.isfinite(own) & np.isfinite(other)])
            for other in (distant, following, preceding)
        ]
        return cls(text, _median(own), _median(distant), better[0], max(better[1:]))


def _check_shifted(fit: _Fit) -> Check:
    """Check for a shift, by the lengths of sentences, or by the fit of neighbouring targets."""
    figures = {"neighbour": fit.neighbour, "distant": fit.distant}
    shift = find_shift(fit.text.source.lengths, fit.text.target.lengths)
    if shift is not None:
        return Check("shifted", True, f"lines look shifted: {shift.describe()}", figures)
    found = fit.neighbour - fit.distant >= _LEAST_SHIFTED
    verdict = (
        f"lines {'look' if found else 'do not look'} shifted: {fit.neighbour:.1%} of them fit the target of"
        f" the line before or after better than their own, {fit.distant:.1%} fit a distant one better"
    )
    return Check("shifted", found, verdict, figures)


def _check_shuffled(fit: _Fit, shifted: Check) -> Check:
    """Check for lines that fit distant targets, and for lengths that do not correlate."""
    figures = {"distant": fit.distant, "gain": fit.gain, "distant_gain": fit.distant_gain}
    is_whole = fit.text.sizes > 0
    correlation = length_correlation(fit.text.source.lengths[is_whole], fit.text.target.lengths[is_whole])
    lengths = ""
    if correlation is not None:
        figures["length_correlation"] = correlation
        lengths = f"; sentence lengths correlate by {correlation:.2f}"
    if shifted.found:
        return Check("shuffled", False, "not checked whether lines are shuffled: they look shifted", figures)
    found = fit.distant >= _LEAST_SHUFFLED or (correlation is not None and correlation < _LEAST_CORRELATION)
    verdict = (
        f"lines {'look' if found else 'do not look'} shuffled: {fit.distant:.1%} of them fit a distant target"
        f" better than their own; median gain {fit.gain:.2f}, and {fit.distant_gain:.2f} with distant"
        f" targets{lengths}"
    )
    return Check("shuffled", found, verdict, figures)


def _with_targets(text: Bitext, lines: NDArray[np.int64], shift: int) -> Bitext:
    """Return the source of some lines, each with the target of the line that follows by ``shift`` lines."""
    others = text.select((lines + shift) % max(len(text), 1))
    return replace(text.select(lines), target=others.target, target_oov=others.target_oov)


def _gain(model: Model, text: Bitext, threads: int) -> NDArray[np.float64]:
    """Return the gain of each pair in nats a word, float64 [n]; -inf if it cannot be aligned."""
    scores = decode(model, text, scores=True, threads=threads).scores
    assert scores is not None
    return scores[:, 2]


def _unknown_words(text: Bitext) -> NDArray[np.int64]:
    """Return the number of out-of-vocabulary words of each pair, int64 [n]."""
    counts = np.zeros(len(text), np.int64)
    sides = (text.source, text.source_vocabulary), (text.target, text.target_vocabulary)
    for sentences, vocabulary in sides:
        pair = np.repeat(np.arange(len(text)), sentences.lengths)
        counts += np.bincount(pair[sentences.tokens == len(vocabulary)], minlength=len(text))
    return counts


def _mean(mask: NDArray[np.bool_]) -> float:
    """Return the share of true values, 0 of none."""
    return float(mask.mean()) if len(mask) else 0.0


def _median(gain: NDArray[np.float64]) -> float:
    """Return the median of the finite values, 0 of none."""
    finite = gain[np.isfinite(gain)]
    return float(np.median(finite)) if len(finite) else 0.0
