"""The reader of bitexts: files become sentences of word ids."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

from aligner.errors import ConfigError
from aligner.text.bitext import Bitext
from aligner.text.files import PathLike
from aligner.text.pairs import BadLines, read_pairs


def read_bitext(
    source: PathLike | Sequence[PathLike],
    target: PathLike | Sequence[PathLike] | None = None,
    *,
    lowercase: bool = True,
    max_length: int = 100,
    format: str = "auto",
    skip_bad: bool = False,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
    report: Callable[[str], object] | None = None,
) -> Bitext:
    r"""Read sentence pairs, and encode them in the vocabularies of their trainable pairs.

    Lines end with ``\n`` or ``\r\n``. Words are separated by ASCII spaces and TABs. Files may be plain text,
    .gz, .bz2 or .xz (.zst with the ``zstd`` extra).

    Parameters
    ----------
    source
        A file, or several files that are read one after another as one text; ``-`` is standard input.
    target
        As many files as for the source, with the same numbers of lines. If it is None, each source file holds
        both sides on every line.
    lowercase
        Lowercase words.
    max_length
        Greatest number of words of each side of a trainable pair; 0 stands for the greatest possible, 65,535.
        A word that occurs only in longer pairs is encoded as out-of-vocabulary.
    format
        Separator of the sides in a file that holds both: "tsv" for a TAB, "bars" for the word ``|||``, or
        "auto" for the separator of the first line that is not blank.
    skip_bad
        Treat a line without exactly one separator as an empty pair, instead of raising an error.
    threads
        Number of threads. The result does not depend on it.
    progress
        Receives the number of lines of each chunk that was encoded.
    report
        Receives a message for every line that is skipped.

    Returns
    -------
    Bitext
        Pair k is line k of the text, whether the pair is trainable or not.

    Raises
    ------
    DataError
        If text cannot be read, is not UTF-8, or if the sides have different numbers of lines.
    ConfigError
        If arguments do not go together.
    """
    sources = _paths(source)
    targets = [None] * len(sources) if target is None else _paths(target)
    if len(sources) != len(targets):
        raise ConfigError(
            f"found {len(sources)} source and {len(targets)} target files; expected as many of each, since "
            f"file k of the source goes with file k of the target; name the missing files"
        )
    bad_lines = BadLines(report)
    chunks = [
        read_pairs(s, t, format=format, skip_bad=skip_bad, report=bad_lines)
        for s, t in zip(sources, targets, strict=True)
    ]
    bitext = Bitext.from_chunks(
        chain.from_iterable(chunks),
        lowercase=lowercase,
        max_length=max_length,
        threads=threads,
        progress=progress,
    )
    return replace(bitext, bad_lines=bad_lines.count)


def _paths(paths: PathLike | Sequence[PathLike]) -> list[PathLike]:
    """Return one path or several as a list."""
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
