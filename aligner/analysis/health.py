"""The health of a model on a text, without gold: links, posteriors, gain, and checks of the text.

Figures are of at most ``MOST_PAIRS`` sentence pairs, spread evenly over the text. The share of an empty set
is 0. Ranges on 11 bitexts and the generated sample, with 1,000 to 10,000 training pairs and the default
recipe:

=================  =============  ============  ==========================  =====================
figure             training text  other text    trained on shuffled text    other text, shuffled
=================  =============  ============  ==========================  =====================
unlinked, %        3 to 37        15 to 65      24 to 69                    64 to 86
confirmed, %       63 to 99       58 to 93      37 to 83                    25 to 63
entropy, bits      0.04 to 0.7    0.3 to 1.5    0.3 to 1.1                  0.7 to 1.8
median gain, nats  2.4 to 5.0     -0.9 to 2.7   0.6 to 2.7                  -6.3 to -3.0
=================  =============  ============  ==========================  =====================
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from aligner.analysis.text_checks import check_text, evenly_spread, share
from aligner.analysis.tokens import FREQUENCY_CLASSES, Tokens
from aligner.arrays import Bools, Float64s, Int64s
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.link_sets import occurs_in, probabilities_of, reaching
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext

MOST_PAIRS = 100_000
"""The largest number of sentence pairs examined. It bounds memory and time."""

LEAST_POSTERIOR = 1e-3
"""Posteriors of links below this count as posterior of NULL."""

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75)

_MOST_LOWEST = 10
"""The number of lines with the lowest gain to list."""


def examine(model: TrainedModel, text: Bitext, *, threads: int = 1) -> dict[str, Any]:
    """Examine a text and the links that a model gives it.

    Parameters
    ----------
    model
        A trained model.
    text
        The training text of the model, or any other text of the same languages.
    threads
        Number of threads.

    Returns
    -------
    dict
        Figures and verdicts as plain data, listed below.

    Raises
    ------
    DataError
        If no pair can be aligned.
    ConfigError
        If the text was lowercased and the training text was not, or the other way round.

    Notes
    -----
    =================  =============================================================================
    pairs, examined    number of sentence pairs of the text, and of those examined
    aligned, links     number of examined pairs that could be aligned, and of their links by the settings of
                       the model's recipe
    source, target     figures of each side; see below
    gain               quantiles of the gain (see ``aligner.decoding.scores``), in nats per word, by their
                       level, such as "0.5"
    lowest             the lines of the lowest gain, lowest first: "line" from 1, "gain" in nats per word, and
                       the words of each side, "source" and "target"
    checks             verdicts on swapped, shifted and shuffled text: the fields of ``Check``
    =================  =============================================================================

    Figures of a side are of the aligned pairs. Shares are in 0..1:

    =================  =============================================================================
    tokens, oov        number of tokens, and the share of them that are out of vocabulary
    unlinked           share of the tokens that have no link
    by_frequency       for each class of training frequency: "name", "tokens", and the "unlinked" share
    several_links      share of the linked tokens that have more than one link
    confirmed          share of a direction's links, of posterior at least 0.5, that the other direction has
                       too. Source figures use the reverse direction, target figures the forward direction
    entropy            mean entropy, in bits per token, of the posterior of the token's links and NULL in the
                       same direction as for ``confirmed``. 0 is certainty
    =================  =============================================================================
    """
    text = model.encode(text)
    numbers = evenly_spread(len(text), MOST_PAIRS)
    part = text.select(numbers)
    links = decode(model, part, scores=True, threads=threads)
    assert links.scores is not None
    gain = links.scores[:, 2]
    is_aligned = np.isfinite(gain)
    if not is_aligned.any():
        raise DataError(
            f"found no pair to align among the {len(part):,} pairs examined; expected one with words on both"
            " sides; check that the files are not empty"
        )
    lowest = np.argsort(gain, kind="stable")
    lowest = lowest[is_aligned[lowest]][:_MOST_LOWEST]
    source, target = Tokens.of(part)
    forward, reverse = (
        decode(model, part, Decoder("posterior", direction, LEAST_POSTERIOR), threads=threads)
        for direction in ("forward", "reverse")
    )
    quantiles = np.quantile(gain[is_aligned], QUANTILES).tolist()
    return {
        "pairs": len(text),
        "examined": len(part),
        "aligned": int(is_aligned.sum()),
        "links": len(links.source),
        "source": _side(source, is_aligned, links, reverse, forward),
        "target": _side(target, is_aligned, links, forward, reverse),
        "gain": dict(zip(map(str, QUANTILES), quantiles, strict=True)),
        "lowest": [
            {"line": int(numbers[n]) + 1, "gain": float(gain[n])}
            | {"source": source.sentence(n), "target": target.sentence(n)}
            for n in lowest.tolist()
        ],
        "checks": [asdict(check) for check in check_text(model, text, threads=threads)],
    }


def _side(
    tokens: Tokens, is_aligned: Bools, links: Alignments, own: Alignments, other: Alignments
) -> dict[str, Any]:
    """Return the figures of a side.

    is_aligned: bool [n]; own, other: the links of the direction that generates this side, and of the other
    direction, with posteriors from ``LEAST_POSTERIOR`` on.
    """
    considered = np.repeat(is_aligned, tokens.lengths) & (tokens.counts[tokens.ids] >= 0)
    link_counts = np.bincount(tokens.of_links(links), minlength=len(tokens.ids))[considered]
    classes = tokens.frequency_classes[considered]
    is_unlinked = link_counts == 0
    by_frequency = [(name, is_unlinked[classes == k]) for k, name in enumerate(FREQUENCY_CLASSES)]
    return {
        "tokens": len(classes),
        "oov": share(classes == FREQUENCY_CLASSES.index("oov")),
        "unlinked": share(is_unlinked),
        "by_frequency": [
            {"name": name, "tokens": len(mask), "unlinked": share(mask)} for name, mask in by_frequency
        ],
        "several_links": share(link_counts[~is_unlinked] > 1),
        "confirmed": share(occurs_in(reaching(own, 0.5), reaching(other, 0.5))),
        "entropy": float(_entropies(tokens.of_links(own), own, len(tokens.ids))[considered].mean()),
    }


def _entropies(token: Int64s, links: Alignments, tokens: int) -> Float64s:
    """Return the entropy of each token's posterior in bits, float64 [tokens].

    token: int64 [L], the token that each link belongs to. The probability that its links leave is of NULL.
    """
    posteriors = probabilities_of(links).astype(np.float64)
    null = (1 - np.bincount(token, posteriors, minlength=tokens)).clip(LEAST_POSTERIOR**2, 1)
    of_links = np.bincount(token, -posteriors * np.log2(posteriors), minlength=tokens)
    return of_links - null * np.log2(null)
