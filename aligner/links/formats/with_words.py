"""The formats that hold the words of each sentence pair, too: GIZA++ A3, JSON lines and TSV.

The words of a pair are separated by single spaces, whatever separated them in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, chain, pairwise, product, repeat
from math import isfinite
from typing import Any

from aligner.files.json_text import parse_json
from aligner.files.lines import words_of
from aligner.links.formats.base import FORMATS, Format, by_lines, by_pairs
from aligner.links.formats.plain import format_pharaoh
from aligner.links.link_tokens import LINKS, LinkTokens
from aligner.links.linked_pairs import LinkedPair
from aligner.messages import counted, excerpt

_GIZA_ENTRY = re.compile(r"([^ \t]+) \(\{ ((?:[1-9][0-9]{0,6} )*)\}\) ?")


def _parse_giza(lines: Iterator[str], tokens: LinkTokens) -> Iterator[LinkedPair]:
    """Yield the pairs of a header, the target words, and the source words with their links, NULL first."""
    for number, header in enumerate(lines, 1):
        match = re.match(r"# Sentence pair \((\d+)\)", header, re.ASCII)
        if match is None or int(match[1]) != number:
            advice = "is it A3.final, the file of links, and not a3.final, a table of positions?"
            if match is not None:
                advice = "sort the pairs by number, since mgiza writes its parts in any order"
            raise ValueError(f"found {excerpt(header)}, expected '# Sentence pair ({number}) ...'; {advice}")
        target, entries = next(lines, ""), next(lines, None)
        if entries is None:
            raise ValueError(
                "found the end of the file inside a sentence pair; expected three lines for each pair; is"
                " the file complete?"
            )
        linked = _GIZA_ENTRY.findall(entries)
        source = [word for word, _ in linked]
        if source[:1] != ["NULL"] or _GIZA_ENTRY.sub("", entries):
            raise ValueError(f"found {excerpt(entries)}, expected NULL ({{ j ... }}) word ({{ j ... }}) ...")
        links = [(i, int(j) - 1) for i, (_, numbers) in enumerate(linked[1:]) for j in numbers.split()]
        yield LinkedPair(links, links).with_words(source[1:], words_of(target))


def _format_giza(pair: LinkedPair) -> str:
    """Return three lines. NULL has the target words without a link; the score, which is not known, is 1."""
    source, target = pair.words
    linked: list[list[int]] = [[] for _ in source]
    for i, j in pair.links:
        linked[i].append(j + 1)
    unlinked = sorted({*range(1, len(target) + 1)}.difference(*linked))
    entries = zip(["NULL", *source], [unlinked, *linked], strict=True)
    header = f"# Sentence pair ({pair.number}) source length {len(source)} target length {len(target)}"
    texts = [f"{word} ({{ {''.join([f'{j} ' for j in numbers])}}}) " for word, numbers in entries]
    return f"{header} alignment score : 1\n{' '.join(target)} \n{''.join(texts)}\n"


FORMATS.register("giza", "A3.final of GIZA++, three lines for each pair")(
    Format(by_lines(_parse_giza), by_pairs(_format_giza), needs=("words",), base=1, lines_per_pair=3)
)


def _parse_jsonl(lines: Iterator[str], tokens: LinkTokens) -> Iterator[LinkedPair]:
    for line in lines:
        try:
            record = parse_json(line)
            source, target, rows = (list(record[key]) for key in ("source", "target", "links"))
            texts = ("-".join(map(str, row[:2])) + "".join(f":{p}" for p in row[2:]) for row in rows)
            pair = LINKS.parse(" ".join(texts))
            for words in (source, target):
                text = " ".join(words)
                if words_of(text) != words or {"\n", "\0"} & {*text}:
                    raise ValueError("a word has spaces or control characters")
        except (ValueError, TypeError, KeyError):
            raise ValueError(
                f'found {excerpt(line)}, expected {{"source": [word, ...], "target": [word, ...],'
                f' "links": [[i, j], ...] or [[i, j, p], ...]}} with words without spaces'
            ) from None
        id = str(record.get("id", ""))
        if {"\t", "\n", "\r"} & {*id}:
            raise ValueError(f"found the id {excerpt(id)}; expected ids without TABs and line ends")
        yield pair.with_words(source, target)._replace(id=id)


def _format_jsonl(pair: LinkedPair) -> str:
    """Return an object with the lists `source`, `target` and `links`.

    Probabilities and scores have 4 decimals. The scores of a pair that was not aligned are null.
    """
    source, target = pair.words
    probabilities = [(round(10_000 * min(p, 1)) / 10_000,) for p in pair.probabilities] or repeat(())
    links = [(*link, *p) for link, p in zip(pair.links, probabilities, strict=False)]
    record: dict[str, Any] = {"id": pair.id} if pair.id else {}
    record |= {"source": source, "target": target, "links": links}
    if pair.scores:
        forward, reverse, gain = pair.scores
        scores = {"score": (forward + reverse) / 2, "forward": forward, "reverse": reverse, "gain": gain}
        record["scores"] = {name: round(s, 4) if isfinite(s) else None for name, s in scores.items()}
    return json.dumps(record, ensure_ascii=False) + "\n"


_JSONL = Format(by_lines(_parse_jsonl), by_pairs(_format_jsonl), ("words",), ("scores", "ids"), base=0)
FORMATS.register(
    "jsonl",
    "an object for each pair, with source and target words, links [i, j] or [i, j, p], and its id if known",
)(_JSONL)


def _format_offsets(pair: LinkedPair) -> str:
    """Return an object as of jsonl, and a list [start, end, first byte, end byte] for each word.

    Characters are code points, bytes are of UTF-8, both from 0, and ends are exclusive. If the text is not
    known, as after a conversion, its words are separated by single spaces.
    """
    record = json.loads(_format_jsonl(pair))
    for side, words, text in zip(("source", "target"), pair.words, pair.texts, strict=True):
        record[f"{side}_offsets"] = list(_offsets(text or " ".join(words)))
    return json.dumps(record, ensure_ascii=False) + "\n"


def _offsets(line: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield the start and the end of each word in characters, and both in bytes of UTF-8."""
    position = byte = 0
    for match in re.finditer(r"[^ \t]+", line):
        start, end = match.span()
        first_byte = byte + len(line[position:start].encode())
        position, byte = end, first_byte + len(match[0].encode())
        yield start, end, first_byte, byte


FORMATS.register(
    "jsonl-offsets", "as jsonl, with the character and byte offsets of each word in the line of its side"
)(replace(_JSONL, write=by_pairs(_format_offsets), may_hold=(*_JSONL.may_hold, "texts")))


def _parse_tsv(lines: Iterator[str], tokens: LinkTokens) -> Iterator[LinkedPair]:
    for line in lines:
        columns = line.split("\t")
        if len(columns) != 3:
            found = f"found {counted(len(columns), 'column')} in {excerpt(line)}"
            raise ValueError(f"{found}, expected source TAB target TAB links")
        source, target, links = columns
        yield tokens.parse(links).with_words(source.split(), target.split())


def _format_tsv(pair: LinkedPair) -> str:
    """Return `source TAB target TAB i-j i-j ...`.

    OpusTrainer splits words at any Unicode white space, also at a no-break space, and skips lines with an
    empty side. So words are split there, and each part has the links of its word.
    """
    sides = [" ".join(words).split() for words in pair.words]
    if sides != [*map(list, pair.words)]:
        ends = [[0, *accumulate(len(word.split()) for word in words)] for words in pair.words]
        parts = [[range(*bounds) for bounds in pairwise(side)] for side in ends]
        cells = (product(parts[0][i], parts[1][j]) for i, j in pair.links)
        pair = pair._replace(links=sorted(chain.from_iterable(cells)))
    return "\t".join([*map(" ".join, sides), format_pharaoh(pair)])


FORMATS.register("tsv", "source TAB target TAB `i-j ...`, as OpusTrainer reads it")(
    Format(by_lines(_parse_tsv), by_pairs(_format_tsv), needs=("words",))
)
