"""Text as people have it: tokenised corpora, with gold, whose marks and clitics stand at words again."""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from lab import Corpus

_AFTER = frozenset([",", ".", ";", ":", "?", "!", ")", "]", "»", "...", "%", "”", "’", "n't"])
"""Tokens that stand at the word before."""

_BEFORE = frozenset(["(", "[", "«", "“"])
"""Tokens that stand at the word after."""


def is_mark(token: str) -> bool:
    """Return True for a token without letters and digits."""
    return all(unicodedata.category(letter)[0] in "PS" for letter in token)


def word_numbers(tokens: list[str]) -> list[int]:
    """Return the number of the raw word that each token is a part of."""
    numbers, last, is_open, joins = list[int](), -1, False, True
    for token in map(str.lower, tokens):
        joins_before = token in _AFTER or (token[0] == "'" and token != "'")
        if token == '"':
            is_open = not is_open
            joins_before = not is_open
        last += not (joins or joins_before) or last < 0
        numbers.append(last)
        elided = token[-1] == "'" and token[-2:-1] not in ("", "s") and not is_mark(token)
        joins = token in _BEFORE or elided or (token == '"' and is_open)
    return numbers


def raw_line(line: str) -> str:
    """Return a line whose marks stand at words."""
    words: list[str] = []
    tokens = line.split()
    for token, number in zip(tokens, word_numbers(tokens), strict=True):
        words += [""] * (number == len(words))
        words[number] += token
    return " ".join(words)


def raw_links(links: str, source: list[str], target: list[str]) -> str:
    """Return the gold links of raw words: those of their parts, not of marks at words; sure ones first."""
    kinds: dict[tuple[int, int], str] = {}
    sides = [(tokens, word_numbers(tokens)) for tokens in (source, target)]
    for i, kind, j in re.findall(r"(\d+)([-?])(\d+)", links):
        ends = list(zip(map(int, (i, j)), sides, strict=True))
        if not any(is_mark(tokens[k]) and words.count(words[k]) > 1 for k, (tokens, words) in ends):
            link = ends[0][1][1][ends[0][0]], ends[1][1][1][ends[1][0]]
            kinds[link] = min(kind, kinds.get(link, kind))  # "-" is less than "?"
    return " ".join(f"{i}{kind}{j}" for (i, j), kind in sorted(kinds.items()))


def write_raw(corpus: Corpus, data: Path, out: Path, pairs: int) -> None:
    """Write a corpus of a folder as raw text into another; pairs: the training pairs, 0 for all."""
    home, made = data / corpus.name, out / corpus.name
    made.mkdir(parents=True, exist_ok=True)
    sides = []
    for side in (corpus.source, corpus.target):
        for path in [*sorted(home.glob(f"*.{side}")), home / f"train.{side}.gz"]:
            opened: Callable = gzip.open if path.suffix == ".gz" else open
            limit = pairs if pairs and path.suffix == ".gz" else None
            with opened(path, "rt", encoding="utf-8", newline="\n") as lines:
                _write(made / path.name, opened, map(raw_line, islice(lines, limit)))
        sides.append((home / f"dev.{side}").read_text(encoding="utf-8").split("\n")[:-1])
    gold = (home / "dev.gold").read_text(encoding="utf-8").split("\n")[:-1]
    rows = zip(gold, *([line.split() for line in lines] for lines in sides), strict=True)
    _write(made / "dev.gold", open, (raw_links(*row) for row in rows))


def _write(path: Path, opened: Callable, lines: Iterable[str]) -> None:
    """Write lines to a file."""
    with opened(path, "wt", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)
