"""Link formats that hold the words of each sentence pair, too: GIZA++ A3, JSON lines and TSV.

The words of a pair are separated by single spaces, whatever separated them in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.link_lines import (
    LinkedPair,
    LinkLine,
    Words,
    check_positions,
    located,
    numbered_lines,
    parse_links,
)
from aligner.links.pharaoh import format_links
from aligner.messages import counted, display_name, excerpt
from aligner.text.files import PathLike
from aligner.text.lines import words_of

_GIZA_ENTRY = re.compile(r"([^ \t]+) \(\{ ((?:[1-9][0-9]{0,6} )*)\}\) ?")


def write_giza(alignments: Alignments, first_line: int, words: Sequence[Words]) -> str:
    """Return three lines for each pair, as GIZA++ writes them to A3.final: header, target and source.

    NULL gets the target words without a link. The alignment score, which is not known, is 1.
    """
    lines = []
    for number, (links, (source, target)) in enumerate(zip(alignments, words, strict=True), first_line):
        positions: list[list[int]] = [[] for _ in source]
        for i, j in links:
            positions[i].append(j + 1)
        unlinked = sorted({*range(1, len(target) + 1)}.difference(*positions))
        entries = zip(["NULL", *source], [unlinked, *positions], strict=True)
        lines += [
            f"# Sentence pair ({number}) source length {len(source)} target length {len(target)}"
            f" alignment score : 1\n",
            f"{' '.join(target)} \n",
            "".join([f"{word} ({{ {''.join([f'{j} ' for j in linked])}}}) " for word, linked in entries]),
            "\n",
        ]
    return "".join(lines)


def read_giza(path: PathLike) -> Iterator[LinkedPair]:
    """Yield the pairs of an A3.final file, whose numbers must count from 1."""
    lines = numbered_lines(path)
    for expected, (number, header) in enumerate(lines, 1):
        with located(path, number):
            _check_giza_header(header, expected)
        try:
            (_, target), (number, source) = next(lines), next(lines)
        except StopIteration:
            raise DataError(
                f"{display_name(path)}:{number}: found the end of the file inside a sentence pair; expected"
                f" three lines for each pair; is the file complete?"
            ) from None
        with located(path, number):
            pair = _parse_giza(source, words_of(target))
        yield pair


def _check_giza_header(header: str, expected: int) -> None:
    """Raise ValueError unless a line is the header of the expected sentence pair."""
    match = re.match(r"# Sentence pair \((\d+)\)", header, re.ASCII)
    if match is None or int(match[1]) != expected:
        raise ValueError(
            f"found {excerpt(header)}, expected '# Sentence pair ({expected}) ...'; sort the pairs by number,"
            f" since mgiza writes its parts in any order"
        )


def _parse_giza(line: str, target: list[str]) -> LinkedPair:
    """Parse the source line of an A3.final file, `word ({ j j }) ...`, whose first word is NULL."""
    entries = _GIZA_ENTRY.findall(line)
    source = [word for word, _ in entries]
    if source[:1] != ["NULL"] or _GIZA_ENTRY.sub("", line):
        raise ValueError(f"found {excerpt(line)}, expected NULL ({{ j ... }}) word ({{ j ... }}) ...")
    links: LinkLine = [
        (i, int(j) - 1, None) for i, (_, positions) in enumerate(entries[1:]) for j in positions.split()
    ]
    return _checked(links, source[1:], target)


def write_jsonl(alignments: Alignments, first_line: int, words: Sequence[Words]) -> str:
    """Return a JSON object for each pair, with probabilities and scores, of 4 decimals, if there are any.

    The scores of a pair that was not aligned are null.
    """
    columns = [alignments.source.tolist(), alignments.target.tolist()]
    if alignments.probabilities is not None:
        columns.append(np.minimum(alignments.probabilities.astype(np.float64), 1).round(4).tolist())
    links = list(zip(*columns, strict=True))
    lines = []
    bounds = pairwise(alignments.offsets.tolist())
    for k, ((start, stop), (source, target)) in enumerate(zip(bounds, words, strict=True)):
        record = {"source": source, "target": target, "links": links[start:stop]}
        if alignments.scores is not None:
            record["scores"] = _named_scores(alignments.scores[k])
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)


def _named_scores(scores: NDArray[np.float64]) -> dict[str, float | None]:
    """Return the score, its two directions and the gain by name. scores: forward, reverse and gain."""
    values = zip(("score", "forward", "reverse", "gain"), [scores[:2].mean(), *scores], strict=True)
    return {name: round(float(value), 4) if np.isfinite(value) else None for name, value in values}


def read_jsonl(path: PathLike) -> Iterator[LinkedPair]:
    """Yield the pairs of a file with a JSON object for each pair."""
    for number, line in numbered_lines(path):
        with located(path, number):
            pair = _parse_json(line)
        yield pair


def _parse_json(line: str) -> LinkedPair:
    """Parse an object with the lists `source`, `target` and `links`."""
    try:
        record = json.loads(line)
        source, target, rows = (list(record[key]) for key in ("source", "target", "links"))
        texts = ("-".join(map(str, row[:2])) + "".join(f":{p}" for p in row[2:]) for row in rows)
        links = parse_links(" ".join(texts))
        for words in (source, target):
            text = " ".join(words)
            text.encode()  # raises a ValueError for a lone surrogate
            if words_of(text) != words or {"\n", "\0"} & {*text}:
                raise ValueError("a word has spaces or control characters")
    except (ValueError, TypeError, KeyError):
        raise ValueError(
            f'found {excerpt(line)}, expected {{"source": [word, ...], "target": [word, ...], "links":'
            f" [[i, j], ...] or [[i, j, p], ...]}} with words without spaces"
        ) from None
    return _checked(links, source, target)


def write_tsv(alignments: Alignments, first_line: int, words: Sequence[Words]) -> str:
    """Return one line `source TAB target TAB i-j i-j ...` for each pair."""
    links = format_links(alignments).splitlines()
    rows = zip(words, links, strict=True)
    return "".join([f"{' '.join(source)}\t{' '.join(target)}\t{line}\n" for (source, target), line in rows])


def read_tsv(path: PathLike) -> Iterator[LinkedPair]:
    """Yield the pairs of a file with a line `source TAB target TAB links` for each pair."""
    for number, line in numbered_lines(path):
        with located(path, number):
            columns = line.split("\t")
            if len(columns) != 3:
                raise ValueError(
                    f"found {counted(len(columns), 'column')} in {excerpt(line)}, expected source TAB target"
                    f" TAB links"
                )
            source, target, links = columns
            pair = _checked(parse_links(links), words_of(source), words_of(target))
        yield pair


def _checked(links: LinkLine, source: list[str], target: list[str]) -> LinkedPair:
    """Return a linked pair; raise ValueError if a link has a position outside the words."""
    check_positions(links, len(source), len(target))
    return LinkedPair(links, (source, target))
