"""Checks of a text by a model: sides that are swapped, lines that are shifted or shuffled.

Swapped lines are detected by their words, which are more frequent on the other side of the training text.
The gain cannot detect them, because it is high if most words are out of vocabulary. Shifted and shuffled
lines are detected by their gain with the targets of other lines, and by the lengths of sentences.

The thresholds were set on 11 bitexts and the generated sample: 1,000 to 10,000 pairs to train on, and 90 to
1,000 other pairs. Nothing is found in any of them. Damage is found in this many of the 12:

=========================  ===========  ===============================
damage                     other pairs  training pairs of the model
=========================  ===========  ===============================
a tenth of lines swapped   12           12
shifted by a line          12           7; the others are sorted by length
second half shifted        12           7; the others are sorted by length
shuffled                   12           12
second half shuffled       12           0
=========================  ===========  ===============================
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aligner.arrays import Bools, Float64s, Int64s
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext
from aligner.text.misalignment import find_shift, length_correlation

MOST_LINES = 2_000
"""The largest number of lines, spread evenly, that are aligned with the targets of other lines."""

_MOST_COMPARED = 100_000
"""The largest number of lines, spread evenly, whose words are looked up in both vocabularies."""

_LEAST_LINES = 20
"""Fewer lines are not checked for shifts and shuffling: their distant targets are too near."""

_LEAST_SURPLUS = 0.5
"""How much more probable, in nats per word, the words of a line that looks swapped are if it is exchanged.

If both sides are in one language, the difference of a line is small.
"""

_LEAST_SWAPPED = 0.01
"""The least share of lines that look swapped. In healthy text it is at most 0.0001."""

_LEAST_SHIFTED = 0.15
"""The least share of lines that fit a neighbour of their target better, minus the share that fits a distant
target better. In healthy text it is at most 0.06; if half of the text is shifted by a line, at least 0.18."""

_LEAST_SHUFFLED = 0.14
"""The least share of lines that fit a distant target better than their own. In healthy text it is at most
0.06; if half of the text is shuffled, at least 0.14."""

_LEAST_CORRELATION = 0.2
"""The least correlation of sentence lengths. In healthy text it is at least 0.4, in shuffled text about 0.

If a model was trained on shuffled text, its lines fit their own targets, and only the lengths tell.
"""


@dataclass(frozen=True)
class Check:
    """The result of a check.

    Attributes
    ----------
    name
        "swapped", "shifted" or "shuffled".
    found
        True if the text looks so, False if it does not, None if it was not checked.
    verdict
        The result in a few words.
    details
        One line with the figures, or empty.
    figures
        The figures by name, listed below.

    Notes
    -----
    ====================  =============================================================================
    swapped               share of the lines whose words are more frequent on the other side of the
                          training text, by ``_LEAST_SURPLUS``, in 0..1
    oov, oov_exchanged    share of the words that are out of vocabulary, as given and if the sides are
                          exchanged, in 0..1
    neighbour             share of the lines that have a higher gain with the target of the next or of
                          the preceding line than with their own, the larger of the two, in 0..1
    distant               the same with the target n / 2 lines later
    gain, distant_gain    median gain with the own target and with a distant one, in nats per word
    length_correlation    correlation of the ranks of sentence lengths, in -1..1; missing if there are
                          too few lines, or if most are equally long
    ====================  =============================================================================
    """

    name: str
    found: bool | None
    verdict: str
    details: str
    figures: dict[str, float]


def check_text(model: TrainedModel, text: Bitext, *, threads: int = 1) -> tuple[Check, ...]:
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
        Swapped, shifted, shuffled. The last two need 20 lines.
    """
    text = model.encode(text)
    swapped = _check_swapped(model, text)
    if swapped.figures["swapped"] > 0.5:
        text = model.encode(text.reversed())
    if len(text) < _LEAST_LINES:
        return swapped, _not_checked("shifted", "too few lines"), _not_checked("shuffled", "too few lines")
    fit = _fit(model, text, threads)
    shifted = _check_shifted(text, fit)
    return swapped, shifted, _check_shuffled(text, fit, shifted.found)


def evenly_spread(count: int, most: int) -> Int64s:
    """Return at most ``most`` numbers from 0 to count - 1, increasing, spread evenly, int64."""
    return np.arange(min(count, most)) * count // max(min(count, most), 1)


def _not_checked(name: str, reason: str, figures: dict[str, float] | None = None) -> Check:
    """Return the result of a check that was not made."""
    return Check(name, None, f"not checked whether lines are {name}: {reason}", "", figures or {})


def share(mask: Bools) -> float:
    """Return the share of true values, or 0 if the mask is empty."""
    return float(mask.mean()) if len(mask) else 0.0


def _check_swapped(model: TrainedModel, text: Bitext) -> Check:
    """Check for lines whose words are more probable, by relative frequency, if the sides are exchanged."""
    lines = evenly_spread(len(text), _MOST_COMPARED)
    lines = lines[text.sizes[lines] > 0]
    given = text.select(lines)
    exchanged = model.encode(given.reversed())
    surplus = _log_frequencies(exchanged) - _log_frequencies(given)
    is_swapped = surplus > _LEAST_SURPLUS * (given.source.lengths + given.target.lengths)
    figures = {"swapped": share(is_swapped), "oov": _oov(given), "oov_exchanged": _oov(exchanged)}
    found = figures["swapped"] >= _LEAST_SWAPPED
    verdict = "sides do not look swapped"
    if found:
        first = lines[is_swapped.argmax()] + 1
        verdict = f"sides look swapped in {figures['swapped']:.1%} of the lines, the first in line {first:,}"
    details = (
        f"out of vocabulary: {figures['oov']:.1%} of the words, or {figures['oov_exchanged']:.1%} with the"
        f" sides exchanged"
    )
    return Check("swapped", found, verdict, details, figures)


def _fit(model: TrainedModel, text: Bitext, threads: int) -> dict[str, float]:
    """Return the figures of lines aligned with their own targets and with others (see ``Check``)."""
    lines = evenly_spread(len(text), MOST_LINES)
    own, distant, following, preceding = (
        _gain(model, text, lines, shift, threads) for shift in (0, len(text) // 2, 1, -1)
    )
    better = [
        share((other > own)[np.isfinite(own) & np.isfinite(other)])
        for other in (distant, following, preceding)
    ]
    figures = {"neighbour": max(better[1:]), "distant": better[0]}
    return figures | {"gain": _median(own), "distant_gain": _median(distant)}


def _check_shifted(text: Bitext, fit: dict[str, float]) -> Check:
    """Check for a shift, by the lengths of sentences, or by the fit of neighbouring targets."""
    neighbour, distant = fit["neighbour"], fit["distant"]
    figures = {"neighbour": neighbour, "distant": distant}
    shift = find_shift(text.source.lengths, text.target.lengths)
    if shift is not None:
        return Check("shifted", True, "lines look shifted", shift.describe(), figures)
    found = neighbour - distant >= _LEAST_SHIFTED
    details = (
        f"for {neighbour:.1%} of the lines, the target before or after fits better than their own; for"
        f" {distant:.1%}, a distant one does"
    )
    return Check("shifted", found, f"lines {'look' if found else 'do not look'} shifted", details, figures)


def _check_shuffled(text: Bitext, fit: dict[str, float], is_shifted: bool | None) -> Check:
    """Check for lines that fit distant targets, and for lengths that do not correlate."""
    figures = {name: fit[name] for name in ("distant", "gain", "distant_gain")}
    both = text.sizes > 0
    correlation = length_correlation(text.source.lengths[both], text.target.lengths[both])
    lengths = ""
    if correlation is not None:
        figures["length_correlation"] = correlation
        lengths = f"; correlation of sentence lengths {correlation:.2f}"
    if is_shifted:
        return _not_checked("shuffled", "they look shifted", figures)
    several = fit["distant"] * np.count_nonzero(both) > 1.5  # one line may be an exception
    is_uncorrelated = correlation is not None and correlation < _LEAST_CORRELATION
    found = (several and fit["distant"] >= _LEAST_SHUFFLED) or is_uncorrelated
    details = (
        f"for {fit['distant']:.1%} of the lines, a distant target fits better than their own; median gain"
        f" {fit['gain']:.2f}, with distant targets {fit['distant_gain']:.2f}{lengths}"
    )
    return Check("shuffled", found, f"lines {'look' if found else 'do not look'} shuffled", details, figures)


def _gain(model: TrainedModel, text: Bitext, lines: Int64s, shift: int, threads: int) -> Float64s:
    """Return the gain of each line with the target of the line that follows by ``shift`` lines.

    In nats per word, float64 [n]; -inf if the pair cannot be aligned.
    """
    own, others = text.select(lines), text.select((lines + shift) % len(text))
    pairs = replace(own, target=others.target, others=None)
    scores = decode(model, pairs, Decoder(), scores=True, threads=threads).scores
    assert scores is not None
    return scores[:, 2]


def _log_frequencies(text: Bitext) -> Float64s:
    """Return the sum of the log relative frequencies of each pair's words, both sides, float64 [n].

    Half an occurrence is added to each word, out-of-vocabulary words included.
    """
    sums = np.zeros(len(text))
    for side in text.sides:
        counts = np.append(side.vocabulary.counts, 0) + 0.5
        logs = np.log(counts / counts.sum())[side.tokens]
        sums += np.bincount(np.repeat(np.arange(len(text)), side.lengths), logs, minlength=len(text))
    return sums


def _oov(text: Bitext) -> float:
    """Return the share of the tokens of both sides that are out of vocabulary."""
    return share(np.concatenate([side.is_oov for side in text.sides]))


def _median(gain: Float64s) -> float:
    """Return the median of the finite values, or 0 if there are none."""
    finite = gain[np.isfinite(gain)]
    return float(np.median(finite)) if len(finite) else 0.0
