"""Link formats that hold the words of each sentence pair, too: GIZA++ A3, JSON lines and TSV.

The words of a pair are separated by single spaces, whatever separated them in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.link_lines import (
    LinkedPair,
    LinkLine,
    Words,
    located,
    numbered_lines,
    parse_links,
)
from aligner.links.pharaoh import format_links
from aligner.text.files import PathLike, display_name
from aligner.text.lines import excerpt, words_of


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
    source: list[str] = []
    links: LinkLine = []
    tokens = iter(words_of(line))
    for word in tokens:
        opening = next(tokens, "")
        positions = list(iter(lambda: next(tokens, ""), "})"))
        if opening != "({" or not all(re.fullmatch(r"[1-9]\d{0,6}", j, re.ASCII) for j in positions):
            raise ValueError(f"found {excerpt(line)}, expected NULL ({{ j ... }}) word ({{ j ... }}) ...")
        links += [(len(source) - 1, int(j) - 1, None) for j in positions]
        source.append(word)
    if source[:1] != ["NULL"]:
        raise ValueError(f"found {excerpt(line)}, expected NULL ({{ j ... }}) at its beginning")
    return _checked([link for link in links if link[0] >= 0], source[1:], target)


def write_jsonl(alignments: Alignments, first_line: int, words: Sequence[Words]) -> str:
    """Return a JSON object for each pair. Links have a probability, with 4 decimals, if there are any."""
    probabilities = iter([] if alignments.probabilities is None else alignments.probabilities.tolist())
    lines = []
    for links, (source, target) in zip(alignments, words, strict=True):
        listed = [[*link, *(round(min(p, 1.0), 4) for p in islice(probabilities, 1))] for link in links]
        record = {"source": source, "target": target, "links": listed}
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)


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
        links = parse_links(
            " ".join("-".join(map(str, row[:2])) + "".join(f":{p}" for p in row[2:]) for row in rows)
        )
        if words_of(" ".join(source)) != source or words_of(" ".join(target)) != target:
            raise ValueError("a word has spaces")
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
                    f"found {len(columns)} columns in {excerpt(line)}, expected source TAB target TAB links"
                )
            source, target, links = columns
            pair = _checked(parse_links(links), words_of(source), words_of(target))
        yield pair


def _checked(links: LinkLine, source: list[str], target: list[str]) -> LinkedPair:
    """Return a linked pair; raise ValueError if a link has a position outside the words."""
    for i, j, _ in links:
        if i >= len(source) or j >= len(target):
            raise ValueError(
                f"found a link of source word {i} and target word {j}, counted from 0, in a pair of"
                f" {len(source)} and {len(target)} words"
            )
    return LinkedPair(links, (source, target))
