"""``fast_align``: links of one direction, from one file of both texts.

``-p`` writes the lexical table of the direction as text, as fast_align does, and the model beside it. ``-f``
aligns by this model, or by a table without a model, such as fast_align's own, as fast_align does (see
``tables``). The model has both directions. A score is the natural logarithm of the probability of a side with
its length, given the other side: log p(target | source) + log Poisson(J; 0.05 + m I). This is fast_align's
definition, under our model.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from math import isfinite, lgamma, log

import numpy as np

from aligner.compat.directions import Say, align_direction, format_direction, known_of, train_model
from aligner.compat.tables import MODEL, align_by_table, is_table, read_table, write_table
from aligner.files.lines import read_lines, words_of
from aligner.files.opening import STANDARD_STREAM, check_output, open_output, write_texts
from aligner.links.alignments import Alignments
from aligner.messages import display_name, excerpt
from aligner.models.model_file import load, save
from aligner.priors.evidence import Evidence
from aligner.recipe.load import load_recipe
from aligner.text.bitext import Bitext
from aligner.text.pairs import read_bitext
from aligner.training.usable import check_usable

_BARS, _TAB = re.compile(r"(?<![^ \t])\|\|\|(?![^ \t])"), re.compile(r"\t")


def train_and_align(
    path: str,
    *,
    reverse: bool = False,
    table_path: str | None = None,
    beam: float = -4.0,
    scores: bool = False,
    tension: float = 4.0,
    known_links: str | None = None,
    say: Say,
    report: Say,
    threads: int = 1,
) -> None:
    """Train on a text, and write a line of links for each of its lines to stdout.

    Parameters
    ----------
    path
        A file with lines `source ||| target` or `source TAB target`. Other lines, and lines that are not
        UTF-8 or contain NUL, are reported, and get an empty line. "-" is standard input.
    reverse
        True for the links of the reverse model, which generates the source.
    table_path
        Where to write the lexical table, or None. The model is written beside it, with the suffix ``.model``.
    beam
        The table keeps pairs whose log probability is at least ``-beam`` times that of the best of the word.
    scores
        True to add ` ||| score` to each line.
    tension
        The number of the line "final tension", which scripts hand back as the option -T. It has no effect.
    known_links
        A file of known and forbidden links of the text (see ``aligner.links.known_links``), or None.
    say
        Receives the lines for stderr.
    report
        Receives a message for every line of another form.
    threads
        Number of threads.

    Raises
    ------
    DataError
        If the text cannot be read or is empty, if known links do not fit it, or if a model is to be written
        and no pair is usable.
    """
    if table_path is not None:
        check_output(table_path, in_place=True)
        check_output(f"{table_path}{MODEL}", compress=False)
    recipe = load_recipe("fast")
    bitext = read_bitext(path, **vars(recipe.data), skip_bad=True, report=report, threads=threads)
    ratio = _length_ratio(bitext, reverse)
    say(f"expected target length = source length * {ratio:g}")
    known = known_of(known_links, bitext)
    model = train_model(bitext, recipe, say, threads, Evidence(links=known))
    say(f"     final tension: {tension:g}")
    if table_path is not None and model is None:
        check_usable(0, len(bitext), recipe)
    elif table_path is not None and model is not None:
        write_table(model, table_path, reverse, beam)
        save(model, f"{table_path}{MODEL}")
        say(f"conditional probabilities: {table_path}; model: {table_path}{MODEL}")
    links = align_direction(model, bitext, reverse, threads, scores, known)
    lines = format_direction(links, reverse)
    if scores:
        log_probabilities = _log_probabilities(bitext, links, reverse, ratio)
        lines = (f"{line} ||| {p:g}" for line, p in zip(lines, log_probabilities, strict=True))
    write_texts(STANDARD_STREAM, (f"{line}\n" for line in lines))


def force_align(
    model_path: str,
    path: str,
    *,
    reverse: bool = False,
    ratio: float = 1.0,
    tension: float = 4.0,
    say: Say,
    report: Say,
    threads: int = 1,
) -> None:
    """Align a text with a model, and write `source ||| target ||| links ||| score` for each of its lines.

    Each line is written before the next one is waited for. A line is split at the first separator, as
    fast_align does. A line without one is reported, and is all source.

    Parameters
    ----------
    model_path
        A table that ``train_and_align`` or fast_align has written, or a model of ``align train``.
    path, reverse, say, report, threads
        As for ``train_and_align``.
    ratio
        The expected target length, as a factor of the source length.
    tension
        How much a table without a model prefers the diagonal.

    Raises
    ------
    DataError
        If the text or the table cannot be read.
    ModelError
        If the model cannot be read.
    """
    beside = f"{model_path}{MODEL}"
    if os.path.exists(beside):
        say(f"aligning by the model {beside}; delete it to align by the table {model_path}")
        model_path = beside
    table = read_table(model_path) if is_table(model_path) else None
    model = load(model_path) if table is None else None
    with open_output(STANDARD_STREAM) as output:
        for pairs in _read_sides(path, report):
            if model is None:
                bitext = Bitext.from_text(pairs)
                sides = [(words_of(source), words_of(target)) for source, target in pairs]
                alignments = align_by_table(table or {}, sides, reverse, tension)
            else:
                bitext = model.encode(pairs)
                alignments = align_direction(model, bitext, reverse, threads, scores=True)
            lines = format_direction(alignments, reverse)
            log_probabilities = _log_probabilities(bitext, alignments, reverse, ratio)
            for (source, target), links, p in zip(pairs, lines, log_probabilities, strict=True):
                fields = [words_of(source), words_of(target), words_of(links), [f"{p:g}"]]
                output.write(" ||| ".join(map(" ".join, fields)).encode() + b"\n")
            output.flush()


def _read_sides(path: str, report: Say) -> Iterator[list[tuple[str, str]]]:
    """Yield the two sides of the lines that can be read without waiting.

    The first separator in the text is the separator of all lines: ||| or TAB.
    """
    separator, lines_before = None, 0
    for lines in read_lines(path, skip_bad=True, report=report):
        pairs = []
        for number, line in enumerate(lines, lines_before + 1):
            separator = separator or next((mark for mark in (_BARS, _TAB) if mark.search(line)), None)
            source, *rest = separator.split(line, maxsplit=1) if separator else [line]
            if not rest and words_of(line):
                where = f"{display_name(path)}:{number}"
                report(f"{where}: found no separator in {excerpt(line)}; expected source ||| target")
            # A "\r" before the separator is of a file that was pasted from files of lines with "\r\n".
            pairs.append((source.rstrip(" \t").removesuffix("\r"), "".join(rest)))
        lines_before += len(lines)
        yield pairs


def _length_ratio(bitext: Bitext, reverse: bool) -> float:
    """Return the mean length of the generated side, as a factor of the length of the other side."""
    given, generated = _lengths(bitext, reverse)
    full = (given > 0) & (generated > 0)
    return float(np.mean(generated[full] / given[full])) if full.any() else 1.0


def _log_probabilities(bitext: Bitext, links: Alignments, reverse: bool, ratio: float) -> list[float]:
    """Return the natural log probability of each pair, with its length; -inf if it was not aligned."""
    assert links.scores is not None
    per_word = links.scores[:, int(reverse)].tolist()
    lengths = (side.tolist() for side in _lengths(bitext, reverse))
    return [
        generated * p + _log_poisson(generated, 0.05 + ratio * given) if isfinite(p) else p
        for p, given, generated in zip(per_word, *lengths, strict=True)
    ]


def _log_poisson(count: int, mean: float) -> float:
    """Return the log probability of a count under a Poisson distribution."""
    return count * log(mean) - lgamma(count + 1) - mean


def _lengths(bitext: Bitext, reverse: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the lengths of the given and of the generated side of each pair, int64 [pairs] each."""
    lengths = bitext.lengths
    return lengths[::-1] if reverse else lengths
