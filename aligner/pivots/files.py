"""Files of links of several pairs of languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack

from aligner.decoding.decoder import Decoder
from aligner.files.opening import PathLike, open_output
from aligner.links.formats import LINK_FORMATS, check_holds_ids
from aligner.pivots.align import align_spans
from aligner.pivots.models import LanguagePair, PairModels
from aligner.text.parallel import ParallelTexts


def write_aligned(
    models: PairModels,
    texts: ParallelTexts,
    outputs: Mapping[LanguagePair, PathLike],
    decoder: Decoder,
    *,
    links_format: str | None = None,
    threads: int = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> dict[LanguagePair, int]:
    """Align pairs of languages through all others, and write a file of links for each pair.

    Parameters
    ----------
    models, texts, decoder, threads
        As for ``align_through_pivots``.
    outputs
        The file of each pair. Files appear when all are complete.
    links_format
        The name of a link format (see ``aligner.links.formats.LINK_FORMATS``). By default, "pharaoh", or
        "named" if lines have ids.
    progress
        Receives the number of lines done since its last call.

    Returns
    -------
    dict
        The number of links of each pair.

    Raises
    ------
    ConfigError
        As for ``align_through_pivots``, and for a format that cannot hold the ids of the lines.
    DataError
        If a file cannot be written.
    """
    link_format = LINK_FORMATS.find(format_of(texts, links_format))
    ids = texts.ids or ()

    links = dict.fromkeys(outputs, 0)
    with ExitStack() as stack:
        files = {pair: stack.enter_context(open_output(path)) for pair, path in outputs.items()}
        for (first, stop), aligned in align_spans(models, texts, list(outputs), decoder, threads=threads):
            for pair, file in files.items():
                both = texts.chunk(*pair, first, stop).pairs()
                lines = link_format.lines(aligned[pair], first + 1, both, ids[first:stop])
                file.writelines(map(str.encode, link_format.write([lines])))
                links[pair] += len(aligned[pair].source)
            progress(stop - first)
    return links


def format_of(texts: ParallelTexts, links_format: str | None) -> str:
    """Return a link format, or the default for these texts; ConfigError if it cannot hold their ids."""
    if texts.ids is None:
        return links_format or "pharaoh"
    links_format = links_format or "named"
    check_holds_ids(links_format)
    return links_format
