"""Decoding of bitexts in memory: in chunks, by any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Unpack

import numpy as np

from aligner.arrays import Bools, Int64s, offsets_of
from aligner.decoding.decoder import LinkChoice
from aligner.decoding.learned_decoder import AnyDecoder, decoder_of
from aligner.decoding.other_mixture import with_lines_of
from aligner.decoding.scores import Scorer
from aligner.decoding.text_block import TextBlock, alignable, sorted_blocks, tokens_of_links
from aligner.errors import ConfigError
from aligner.links.alignments import Alignments
from aligner.links.groups import in_groups
from aligner.links.known_links import KnownLinks
from aligner.links.link_sets import select
from aligner.models.model_file import as_model
from aligner.models.trained import TrainedModel
from aligner.system.threads import check_threads, run_in_order
from aligner.text.bitext import Bitext, OtherLinks
from aligner.text.pairs_like import PairsLike
from aligner.text.rows import gather_rows

_LEAST_CHUNK, _LARGEST_CHUNK = 1 << 9, 1 << 14
"""The bounds on the number of pairs that a thread aligns at a time."""


def decode(
    model: TrainedModel | str | Path,
    bitext: Bitext | PairsLike,
    decoder: AnyDecoder | None = None,
    *,
    known: KnownLinks | None = None,
    others: OtherLinks | None = None,
    scores: bool = False,
    threads: int = 1,
    **settings: Unpack[LinkChoice],
) -> Alignments:
    """Align a bitext.

    The links of a pair depend on that pair alone: not on other pairs, nor on ``threads``.

    Parameters
    ----------
    model
        A trained model, or its file.
    bitext
        The text, or sentence pairs as for ``Bitext.from_text``: pairs of strings or of token lists, or a data
        frame with two columns. A text in other vocabularies is encoded first.
    decoder
        Settings for choosing links. By default, the settings of the model's recipe, or what the model has
        learned from corrected lines.
    known
        Known and forbidden links of the text, which are imposed: known links have the probability 1.
    others
        Links of other aligners of the text, which are evidence (see ``join_other_links``).
    scores
        True to compute sentence scores, ``Alignments.scores`` (see ``aligner.decoding.scores``).
    threads
        Number of threads.
    settings
        In place of ``decoder``, the settings of decoding to change, as for ``Aligner``: ``threshold=0.3``.

    Returns
    -------
    Alignments
        The links of each pair. A pair has none if a side is empty, or if it is too large: if it has over
        ``MAX_CELLS`` cells, or a side of over 10 million tokens.

    Raises
    ------
    ConfigError
        If the text was lowercased and the training text was not, or the other way round, if there are too few
        or too many threads, if a setting is unknown or out of range, or if there are settings and a decoder.
    DataError
        If these are no sentence pairs, if the text is in other vocabularies, and the spelling of its
        out-of-vocabulary words was not kept, or if known links do not fit the text.
    ModelError
        If the file is not a model.
    """
    if settings and decoder is not None:
        raise ConfigError(
            f"found the decoder {decoder!r} and settings ({', '.join(settings)}); give one of both"
        )
    model = as_model(model)
    bitext = model.encode(bitext)
    decoder = decoder or decoder_of(model, **settings)
    known = None if known is None else known.of_text(len(bitext))
    return decode_by_each(model, bitext, [decoder], known, others, scores=scores, threads=threads)[0]


def decode_by_each(
    model: TrainedModel,
    bitext: Bitext,
    decoders: Sequence[AnyDecoder],
    known: KnownLinks | None = None,
    others: OtherLinks | None = None,
    *,
    scores: bool = False,
    threads: int = 1,
) -> list[Alignments]:
    """Align a text by each of several decoders that infer the same, from one inference."""
    align = make_aligner(model, decoders, known, others, scores=scores, threads=threads)
    chunks = run_in_order(even_chunks(bitext, threads), align, threads)
    return [_concatenate(parts, decoder, scores) for decoder, *parts in zip(decoders, *chunks, strict=True)]


def even_chunks(bitext: Bitext, threads: int) -> Iterator[tuple[int, Bitext]]:
    """Yield chunks of about equal size, the same number for each thread, with the number of the first pair.

    Large chunks are faster, because more pairs of similar length are aligned together.
    """
    check_threads(threads)
    rounds = max(-(-len(bitext) // (_LARGEST_CHUNK * threads)), 1)
    pairs = max(-(-len(bitext) // (rounds * threads)), _LEAST_CHUNK)
    return zip(count(step=pairs), bitext.chunks(pairs), strict=False)


def decode_stream(
    model: TrainedModel,
    chunks: Iterable[Bitext | None],
    decoder: AnyDecoder | None = None,
    *,
    scores: bool = False,
    threads: int = 1,
) -> Iterator[Alignments]:
    """Align chunks of text as they arrive, several at the same time.

    Parameters
    ----------
    model
        A trained model.
    chunks
        The chunks. None in place of a chunk means that the next chunk may take long to arrive: the alignments
        of all chunks before it are yielded first.
    decoder, scores, threads
        As for ``decode``.

    Yields
    ------
    Alignments
        The links of each chunk, in order, the same as by ``decode``.

    Raises
    ------
    ConfigError, DataError
        As for ``decode``.
    """
    align = make_aligner(model, [decoder or decoder_of(model)], scores=scores, threads=threads)
    return run_in_order(chunks, lambda chunk: align((0, model.encode(chunk)))[0], threads)


def make_aligner(
    model: TrainedModel,
    decoders: Sequence[AnyDecoder],
    known: KnownLinks | None = None,
    others: OtherLinks | None = None,
    *,
    scores: bool,
    threads: int,
) -> Callable[[tuple[int, Bitext]], list[Alignments]]:
    """Return a function that aligns lines of a text by each decoder, and can run on several threads.

    The decoders share one inference. The function's argument is the number of the first line, from 0, and the
    lines in the model's vocabularies. known, others: links of the whole text.
    """
    check_threads(threads)
    scorer = Scorer.of(model) if scores else None
    attachments = [decoder.attachment(model) for decoder in decoders]

    def align(numbered: tuple[int, Bitext]) -> list[Alignments]:
        first, bitext = numbered
        if known is not None:
            known.check_positions(*bitext.lengths, first)
        if others is not None:
            bitext = with_lines_of(others, bitext, first)
        numbers, blocks = sorted_blocks(model, bitext, alignable(bitext))
        aligned = [_align_block(decoders, block, scorer) for block in blocks]
        found = []
        for decoder, attachment, *parts in zip(decoders, attachments, *aligned, strict=True):
            links = _concatenate(parts, decoder, scores)
            if len(links) != 1 or len(bitext) != 1:
                links = in_text_order(links, numbers, len(bitext))
            links = links_of_words(links, bitext)
            links = in_groups(links) if decoder.groups else links
            links = links if attachment is None else attachment.add_to(links, bitext)
            found.append(links if known is None else known.impose(links, first))
        return found

    return align


def links_of_words(links: Alignments, bitext: Bitext) -> Alignments:
    """Join links of parts, but those of marks, into links of words; the most probable of equal ones stays."""
    if not bitext.has_word_sizes:
        return links
    joined = Alignments.unchecked(links.offsets, *word_positions(links, bitext), links.probabilities)
    return replace(select(joined, may_link(links, bitext)), scores=links.scores)


def may_link(links: Alignments, bitext: Bitext) -> Bools:
    """Return True for each link, bool [L], unless an end of it is a mark that was split off a word."""
    source, target = tokens_of_links(links, bitext)
    return bitext.source.may_link[source] & bitext.target.may_link[target]


def word_positions(links: Alignments, bitext: Bitext) -> tuple[Int64s, Int64s]:
    """Return the positions of the words that the links of parts join, int64 [L] each."""
    source, target = tokens_of_links(links, bitext)
    return bitext.source.word_positions()[source], bitext.target.word_positions()[target]


def _align_block(decoders: Sequence[AnyDecoder], text: TextBlock, scorer: Scorer | None) -> list[Alignments]:
    """Return the links of a block by each decoder, with scores if there is a scorer: the plain model's."""
    inferred, log_likelihoods = decoders[0].infer(text)
    links = [decoder.links(text, inferred) for decoder in decoders]
    if scorer is None:
        return links
    if log_likelihoods is None:
        log_likelihoods = text.pair.infer(text.pair.potentials(text.block))
    scores = scorer.scores(text.block, *log_likelihoods)
    return [replace(own, scores=scores) for own in links]


def _concatenate(parts: Iterable[Alignments], decoder: AnyDecoder, scores: bool) -> Alignments:
    """Return the sentence pairs of all parts. Without parts, they have what a decoder's links have."""
    if aligned := [*parts]:
        return Alignments.concatenate(aligned)
    return replace(
        Alignments.from_lists([]),
        probabilities=np.empty(0, np.float32) if decoder.has_probabilities else None,
        scores=np.empty((0, 3)) if scores else None,
    )


def in_text_order(alignments: Alignments, numbers: Int64s, pairs: int) -> Alignments:
    """Return the alignments of a text of ``pairs`` pairs, given alignments in the order of ``numbers``.

    numbers: int64, the numbers of the aligned pairs in the text. Other pairs get no links.
    """
    starts, lengths = np.zeros((2, pairs), np.int64)
    starts[numbers] = alignments.offsets[:-1]
    lengths[numbers] = np.diff(alignments.offsets)
    offsets = offsets_of(lengths)
    source, target = (gather_rows(side, starts, offsets) for side in (alignments.source, alignments.target))
    probabilities = alignments.probabilities
    if probabilities is not None:
        probabilities = gather_rows(probabilities, starts, offsets)
    scores = None
    if alignments.scores is not None:
        scores = np.full((pairs, 3), -np.inf)
        scores[numbers] = alignments.scores
    return Alignments.unchecked(offsets, source, target, probabilities, scores)
