"""Files of links of several pairs of languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack

from aligner.decoding.decoder import Decoder
from aligner.decoding.pivots.align import AlignedSpan, align_spans
from aligner.decoding.pivots.models import LanguagePair, PairModels
from aligner.errors import ConfigError
from aligner.links.formats import LINK_FORMATS
from aligner.text.files import PathLike, open_output
from aligner.text.parallel import ParallelTexts


def write_aligned(
    models: PairModels,
    texts: ParallelTexts,
    outputs: Mapping[LanguagePair, PathLike],
    decoder: Decoder,
    *,
    links_format: str = "pharaoh",
    threads: int = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> dict[LanguagePair, int]:
    """Align pairs of languages through all others, and write a file of links for each pair.

    Parameters
    ----------
    models, texts, decoder, threads
        As for ``align_through_pivots``.
    outputs
        The file of each pair. Files appear when all are complete. If the lines of the texts have ids, a line
        is ``ID TAB links``.
    links_format
        The name of a link format (see ``aligner.links.formats.LINK_FORMATS``).
    progress
        Receives the number of lines done since its last call.

    Returns
    -------
    dict
        The number of links of each pair.

    Raises
    ------
    ConfigError
        As for ``align_through_pivots``, and for a format without one line for each line if lines have ids.
    DataError
        If a file cannot be written.
    """
    check_format(texts, links_format)
    link_format = LINK_FORMATS.find(links_format)

    def format(span: AlignedSpan, pair: LanguagePair) -> bytes:
        words, lines = link_format.texts_of(texts.chunk(*pair, span.first, span.stop).pairs())
        text = link_format.write(span.alignments[pair], span.first + 1, words, lines=lines)
        if texts.ids is not None:
            named = zip(texts.ids[span.first : span.stop], text.split("\n")[:-1], strict=True)
            text = "".join([f"{name}\t{line}\n" for name, line in named])
        return text.encode()

    links = dict.fromkeys(outputs, 0)
    with ExitStack() as stack:
        files = {pair: stack.enter_context(open_output(path)) for pair, path in outputs.items()}
        for span in align_spans(models, texts, list(outputs), decoder, threads=threads):
            for pair, file in files.items():
                file.write(format(span, pair))
                links[pair] += len(span.alignments[pair].source)
            progress(span.stop - span.first)
    return links


def check_format(texts: ParallelTexts, links_format: str) -> None:
    """Raise ConfigError for a format that cannot have the ids of the lines."""
    if texts.ids is not None and LINK_FORMATS.find(links_format).lines_per_pair != 1:
        raise ConfigError(
            f"found link format {links_format!r} and lines with ids (--ids); expected a format with one line"
            f" for each line of the text; choose another format"
        )
