"""Alignment of pairs of languages of parallel texts through all other languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from aligner.decoding.decoder import Decoder
from aligner.decoding.methods import LINK_METHODS, has_probabilities
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BLOCK_CELLS, Span
from aligner.links.alignments import Alignments
from aligner.pivots.mixture import choose, mix
from aligner.pivots.models import LanguagePair, PairModels
from aligner.pivots.posteriors import LinePosteriors
from aligner.registry import check_known
from aligner.system.threads import check_threads, run_in_order
from aligner.text.bitext import Bitext
from aligner.text.parallel import ParallelTexts

PairLinks: TypeAlias = dict[LanguagePair, Alignments]
"""The links of each pair of languages."""


def align_through_pivots(
    models: PairModels,
    texts: ParallelTexts,
    pairs: Sequence[LanguagePair],
    decoder: Decoder,
    *,
    threads: int = 1,
) -> PairLinks:
    """Align pairs of languages of parallel texts, each through all other languages.

    Parameters
    ----------
    models
        Models of pairs of languages. A pivot language is left out if one of its two models is missing.
    texts
        The texts.
    pairs
        The pairs (source, target) to align.
    decoder
        Settings for choosing links, such as ``recipe.decode``.
    threads
        Number of threads. The result does not depend on it.

    Returns
    -------
    dict
        The links of each pair: as many rows as lines. A line that a language lacks has none. The links of a
        line depend on that line and the models alone.

    Raises
    ------
    ConfigError
        If a language is unknown, if the method of the decoder has no posteriors, or if there are too few or
        too many threads.
    """
    spans = [links for _, links in align_spans(models, texts, pairs, decoder, threads=threads)]
    return {pair: Alignments.concatenate([links[pair] for links in spans]) for pair in pairs}


def align_spans(
    models: PairModels,
    texts: ParallelTexts,
    pairs: Sequence[LanguagePair],
    decoder: Decoder,
    *,
    threads: int = 1,
    cells: int = BLOCK_CELLS,
) -> Iterator[tuple[Span, PairLinks]]:
    """Align as ``align_through_pivots``, and yield consecutive spans of lines, with the links of each pair.

    cells: the most cells of a pair of languages in a span, which bounds the memory of posteriors.
    """
    check_threads(threads)
    check_pairs(texts, pairs)
    check_method(decoder)
    members = {pair: models.members(pair, texts.languages) for pair in pairs}

    ignored = {model.lookup.ignored for model in models.models.values()}
    for pair, model in models.models.items():
        if any(model.splits):
            raise ConfigError(
                f"found a model of {'-'.join(pair)} that splits words; expected one of whole words,"
                f" since pivots compare words between models; train it with --set split=none"
            )
        if len(ignored) > 1:
            raise ConfigError(
                "found models that ignore different tokens; set data.ignore alike, and train anew"
            )
        for vocabulary in model.vocabularies:
            _ = vocabulary.table  # built once, before several threads need it
    return run_in_order(
        texts.spans(cells), lambda span: (span, _align_span(models, texts, members, decoder, span)), threads
    )


def _align_span(
    models: PairModels,
    texts: ParallelTexts,
    members: Mapping[LanguagePair, Mapping[str, float]],
    decoder: Decoder,
    span: Span,
) -> PairLinks:
    """Return the links of each pair in a span of lines. members: by pair, from ``PairModels.members``."""

    @cache
    def posteriors(pair: LanguagePair) -> LinePosteriors:
        model, is_reversed = models.find(pair)
        if is_reversed:
            return posteriors(pair[::-1]).reversed()
        text = Bitext.from_chunk(texts.chunk(*pair, *span), *model.vocabularies, model.lookup)
        return LinePosteriors.of(model, text, decoder)

    links = {}
    for pair, weights in members.items():
        if not weights:
            links[pair] = Alignments.from_lists([[]] * (span[1] - span[0]))
            continue
        source, target = pair
        direct = posteriors(pair)
        paths = [(posteriors((source, name)), posteriors((name, target))) for name in weights if name]
        links[pair] = choose(decoder, direct, mix(direct, paths, list(weights.values())))
    return links


def check_pairs(texts: ParallelTexts, pairs: Sequence[LanguagePair]) -> None:
    """Raise ConfigError for a pair that is not of two languages of the texts."""
    for pair in pairs:
        for name in pair:
            check_known(name, list(texts.languages), "language")
        if pair[0] == pair[1]:
            raise ConfigError(f"found the pair {'-'.join(pair)}; expected two languages")


def check_method(decoder: Decoder) -> None:
    """Raise ConfigError for a decoder whose method has no posteriors."""
    if not has_probabilities(decoder.method):
        having = [name for name in LINK_METHODS if has_probabilities(name)]
        raise ConfigError(
            f"found method {decoder.method!r}, whose links have no posteriors to mix; expected another method"
            f" ({', '.join(having)}), such as --set decode.method=competitive"
        )
