"""Alignment of pairs of languages of parallel texts through all other languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aligner.decoding.decoder import Decoder
from aligner.decoding.methods import LINK_METHODS, has_probabilities
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BLOCK_CELLS
from aligner.links.alignments import Alignments
from aligner.pivots.mixture import choose, mix
from aligner.pivots.models import LanguagePair, PairModels
from aligner.pivots.posteriors import LinePosteriors
from aligner.registry import check_known
from aligner.system.threads import check_threads, run_in_order
from aligner.text.bitext import Bitext
from aligner.text.parallel import ParallelTexts


class AlignedSpan(NamedTuple):
    """Lines first to stop - 1 of a text, with the links of each pair of languages."""

    first: int
    stop: int
    alignments: Mapping[LanguagePair, Alignments]


def align_through_pivots(
    models: PairModels,
    texts: ParallelTexts,
    pairs: Sequence[LanguagePair],
    decoder: Decoder,
    *,
    threads: int = 1,
) -> dict[LanguagePair, Alignments]:
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
    spans = list(align_spans(models, texts, pairs, decoder, threads=threads))
    return {pair: Alignments.concatenate([span.alignments[pair] for span in spans]) for pair in pairs}


def align_spans(
    models: PairModels,
    texts: ParallelTexts,
    pairs: Sequence[LanguagePair],
    decoder: Decoder,
    *,
    threads: int = 1,
    cells: int = BLOCK_CELLS,
) -> Iterator[AlignedSpan]:
    """Align as ``align_through_pivots``, and yield the links of consecutive spans of lines.

    cells: the most cells of a pair of languages in a span, which bounds the memory of posteriors.
    """
    check_threads(threads)
    check_pairs(texts, pairs)
    check_method(decoder)
    members = {pair: models.members(pair, texts.languages) for pair in pairs}

    def align(span: tuple[int, int]) -> AlignedSpan:
        posteriors = _SpanPosteriors(models, texts, span, decoder)
        links = {pair: _align_pair(posteriors, pair, members[pair]) for pair in pairs}
        return AlignedSpan(*span, links)

    for model in models.models.values():
        for vocabulary in (model.source_vocabulary, model.target_vocabulary):
            _ = vocabulary.table  # built once, before several threads need it
    return run_in_order(texts.spans(cells), align, threads)


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


class _SpanPosteriors:
    """The posteriors of a span of lines, by pair of languages, computed when they are first asked for."""

    def __init__(
        self, models: PairModels, texts: ParallelTexts, span: tuple[int, int], decoder: Decoder
    ) -> None:
        self._models, self._texts, self._span = models, texts, span
        self.decoder = decoder
        self._found: dict[LanguagePair, LinePosteriors] = {}

    @property
    def lines(self) -> int:
        """The number of lines."""
        return self._span[1] - self._span[0]

    def of(self, pair: LanguagePair) -> LinePosteriors:
        """Return the posteriors of a pair."""
        model, is_reversed = self._models.find(pair)
        own = pair[::-1] if is_reversed else pair
        if own not in self._found:
            vocabularies = model.source_vocabulary, model.target_vocabulary
            chunk = self._texts.chunk(*own, *self._span)
            text = Bitext.from_chunk(chunk, *vocabularies, lowercase=model.lowercase)
            self._found[own] = LinePosteriors.of(model, text, self.decoder.inference)
        return self._found[own].reversed() if is_reversed else self._found[own]


def _align_pair(posteriors: _SpanPosteriors, pair: LanguagePair, members: Mapping[str, float]) -> Alignments:
    """Return the links of a pair in a span. members: the weights of ``PairModels.members``."""
    if not members:
        return Alignments.from_lists([[]] * posteriors.lines)
    source, target = pair
    direct = posteriors.of(pair)
    paths = [(posteriors.of((source, name)), posteriors.of((name, target))) for name in members if name]
    return choose(posteriors.decoder, direct, mix(direct, paths, list(members.values())))
