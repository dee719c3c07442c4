"""Priors of eflomal: counts of a text's links, and files of them.

A line is ``LEX source target count``, ``FERF source fertility count``, ``FERR target fertility count``,
``HMMF jump count`` or ``HMMR jump count``, separated by TABs. The last F stands for forward links, R for
reverse links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress, groupby, islice, zip_longest
from operator import itemgetter
from typing import Any, TextIO

import numpy as np

from aligner.errors import DataError
from aligner.files.opening import PathLike, write_texts
from aligner.links.alignments import Link
from aligner.links.link_tokens import LINKS
from aligner.priors.dictionary import Dictionary
from aligner.priors.dictionary_formats import GREATEST_WEIGHT
from aligner.priors.evidence import Evidence
from aligner.text.bitext import Bitext

Lexical = Mapping[tuple[str, str], float]
Fertilities = Mapping[tuple[str, int], float]
Jumps = Mapping[int, float]
Priors = tuple[Lexical, Jumps, Jumps, Fertilities, Fertilities]
"""Counts of LEX, HMMF, HMMR, FERF and FERR, in this order, which is eflomal's."""

_FIELDS = {"LEX": 3, "FERF": 3, "FERR": 3, "HMMF": 2, "HMMR": 2}
"""The number of fields after the kind of a line, in the order of a file."""

_SIDES = {"LEX": (0, 1), "FERF": (0,), "FERR": (1,), "HMMF": (), "HMMR": ()}
"""The sides of the words that begin a line, after its kind."""

_LINES_AT_ONCE = 1 << 14


def calculate_priors(
    src_sentences: Iterable[str],
    trg_sentences: Iterable[str],
    fwd_alignments: Iterable[str],
    rev_alignments: Iterable[str],
    reverse: bool = False,
) -> Priors:
    """Count the word pairs, jumps and fertilities of the links of a text.

    Parameters
    ----------
    src_sentences, trg_sentences
        The lines of the text, tokens separated by white space.
    fwd_alignments, rev_alignments
        Lines of links `i-j`, or twice the same symmetrised links.
    reverse
        True to count the priors of the opposite direction: the words of reverse links, and R for F.

    Returns
    -------
    tuple of dict
        LEX, HMMF, HMMR, FERF and FERR.

    Raises
    ------
    DataError
        If the numbers of lines differ, or if a line of links does not belong to its sentences.
    """
    lexical: Counter[tuple[str, str]] = Counter()
    jumps: tuple[Counter[int], Counter[int]] = Counter(), Counter()
    fertilities: tuple[Counter[tuple[str, int]], Counter[tuple[str, int]]] = Counter(), Counter()
    rows = zip_longest(src_sentences, trg_sentences, fwd_alignments, rev_alignments)
    for number, row in enumerate(rows, 1):
        if None in row:
            raise DataError(
                f"line {number}: found fewer lines in one input; expected as many lines in all four"
            )
        source, target = row[0].split(), row[1].split()
        forward, backward = (_parse(number, line, source, target) for line in row[2:])
        lexical.update((source[i], target[j]) for i, j in (backward if reverse else forward))
        reversed_links = [(j, i) for i, j in backward]
        for k, (links, words) in enumerate(((forward, source), (reversed_links, target))):
            jumps[k].update(_jumps(links, len(words)))
            fertilities[k].update((words[i], n) for i, n in Counter(i for i, _ in links).items())
    if reverse:
        return lexical, jumps[1], jumps[0], fertilities[1], fertilities[0]
    return lexical, *jumps, *fertilities


def write_priors(
    priorsf: TextIO,
    priors_list: Lexical,
    hmmf_priors: Jumps,
    hmmr_priors: Jumps,
    ferf_priors: Fertilities,
    ferr_priors: Fertilities,
) -> None:
    """Write priors, as ``calculate_priors`` returns them, to a text file that is open for writing."""
    priors = priors_list, hmmf_priors, hmmr_priors, ferf_priors, ferr_priors
    priorsf.writelines(_format_priors(priors))


def make_priors(
    source: Iterable[str],
    target: Iterable[str],
    forward: Iterable[str],
    backward: Iterable[str],
    output: PathLike,
    *,
    reverse: bool,
) -> None:
    """Write the priors of ``calculate_priors`` to a file; "-" is standard output."""
    priors = calculate_priors(source, target, forward, backward, reverse)
    write_texts(output, _format_priors(priors), in_place=True)


def read_priors(
    lines: Iterable[str], stems: Sequence[Callable[[str], str]], bitext: Bitext
) -> dict[str, Counter[tuple[int, ...]]]:
    """Return the priors of each kind of line in the word ids of a text.

    Lines with other words, such as <NULL>, are dropped while reading. stems: functions that shorten the
    words of the source and of the target. Raises DataError if a line has another form.
    """
    priors: dict[str, Counter[tuple[int, ...]]] = {kind: Counter() for kind in _FIELDS}
    indices = bitext.source.vocabulary.index, bitext.target.vocabulary.index

    def add(rows: list[list[str]]) -> None:
        for kind, run in groupby(rows, itemgetter(0)):
            _, *columns = zip(*run, strict=True)
            counts = np.array(columns[-1:], np.float64).ravel()
            if len(columns) != _FIELDS.get(kind) or not (np.isfinite(counts) & (counts >= 0)).all():
                raise ValueError
            keys: list[Any] = columns[:-1]
            if kind != "LEX":
                keys[-1] = [*map(int, keys[-1])]
            for column, side in enumerate(_SIDES[kind]):
                words = bitext.lookup.key("\n".join(map(stems[side], keys[column]))).split("\n")
                keys[column] = ids = [*map(indices[side].get, words)]
                known = [number is not None for number in ids]
                keys, counts = [[*compress(key, known)] for key in keys], counts[known]
                if not len(counts):
                    break
            for *key, count in zip(*keys, counts.tolist(), strict=True):
                priors[kind][tuple(key)] += count

    numbered = enumerate(lines, 1)
    while batch := list(islice(numbered, _LINES_AT_ONCE)):
        rows = [line.rstrip("\n").split("\t") for _, line in batch]
        try:
            add(rows)
        except ValueError:
            for row, (number, line) in zip(rows, batch, strict=True):
                try:
                    add([row])
                except ValueError:
                    raise DataError(
                        f"priors:{number}: found {line[:80]!r}; expected LEX TAB source TAB target TAB count,"
                        f" or a line of FERF, FERR, HMMF or HMMR"
                    ) from None
    return priors


def evidence_of(lexical: Mapping[tuple[int, ...], float], bitext: Bitext) -> Evidence:
    """Return the counts of word pairs, in the ids of a text, as a dictionary."""
    # Divide counts by ``factor`` so that none exceeds GREATEST_WEIGHT, and return ``factor`` as the weight of
    # the dictionary. The weight is limited to GREATEST_WEIGHT, too, so if a count exceeds GREATEST_WEIGHT
    # squared (a million), all counts are scaled down together.
    factor = max(1.0, max(lexical.values(), default=0.0) / GREATEST_WEIGHT)
    source, target = bitext.source.vocabulary.words, bitext.target.vocabulary.words
    entries = tuple((source[s], target[t], count / factor) for (s, t), count in lexical.items())
    return Evidence(Dictionary(entries), min(factor, GREATEST_WEIGHT))


def _format_priors(priors: Priors) -> Iterator[str]:
    """Yield the lines of priors, sorted, the word pairs first."""
    lexical, hmmf, hmmr, ferf, ferr = priors
    tables: tuple[Mapping[Any, float], ...] = lexical, ferf, ferr, hmmf, hmmr
    for kind, table in zip(_FIELDS, tables, strict=True):
        for key, count in sorted(table.items()):
            fields = key if isinstance(key, tuple) else (key,)
            yield "\t".join([kind, *map(str, fields), f"{count:g}\n"])


def _parse(number: int, line: str, source: list[str], target: list[str]) -> list[Link]:
    """Parse a line of links; DataError unless they join words of the pair."""
    try:
        return LINKS.parse(line).with_words(source, target).links
    except ValueError as error:
        raise DataError(f"line {number} of the links: {error}") from None


def _jumps(links: list[Link], length: int) -> Iterator[int]:
    """Yield the distances between the words linked to consecutive generated words, from -1 to the length.

    links: (position, generated position); length: number of words that positions count.
    """
    last_position, last_generated = -1, -1
    for position, generated in sorted(links, key=itemgetter(1)):
        if generated != last_generated:
            yield position - last_position
        last_position, last_generated = position, generated
    yield length - last_position
