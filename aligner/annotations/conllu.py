"""Words and dependencies of CoNLL-U. The rules of projection are in the docstring of the package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from aligner.annotations.word_links import WordLinks
from aligner.messages import counted, excerpt

EMPTY = "_"
"""The value of a column without one."""

_COLUMNS = 10
_ID = re.compile(r"([1-9][0-9]{0,6})(-[0-9]{1,7})?|[0-9]{1,7}\.[0-9]{1,7}", re.ASCII)
_NOT_PROJECTED = re.compile(r"(SpaceAfter|SpacesAfter|SpacesBefore|Entity|Bridge|SplitAnte)=")
"""Attributes of MISC about spaces, and about spans of words, whose brackets would not match."""


class Word(NamedTuple):
    """The columns of a word that are projected.

    Attributes
    ----------
    upos, xpos, feats, misc
        The columns as text. ``misc`` has nothing about spaces and entities.
    head
        The position of the head, from 0; -1 for the root.
    deprel
        The relation to the head.
    """

    upos: str = EMPTY
    xpos: str = EMPTY
    feats: str = EMPTY
    misc: str = EMPTY
    head: int = -1
    deprel: str = EMPTY


@dataclass(frozen=True)
class Sentence:
    """The words of a sentence, and its comments without `# text`.

    is_tree: True if heads are known, which then are a tree.
    """

    comments: list[str]
    words: list[Word]
    is_tree: bool


def split_sentences(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line and the lines of each sentence, which blank lines separate."""
    for is_blank, rows in groupby(enumerate(lines, 1), lambda row: not row[1].strip()):
        if not is_blank:
            numbers, sentence = zip(*rows, strict=True)
            yield numbers[0], "\n".join(sentence)


def read_sentence(text: str) -> tuple[int, Sentence]:
    """Parse the lines of a sentence into the number of words and the sentence; ValueError if it is no tree.

    Multiword tokens and empty nodes are left out.
    """
    lines = text.split("\n")
    comments = [line for line in lines if line.startswith("#")]
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    words: list[Word] = []
    unparsed = False
    for row in rows:
        match = _ID.fullmatch(row[0])
        if match is None or len(row) != _COLUMNS:
            found = f"found {counted(len(row), 'column')} in {excerpt(chr(9).join(row))}"
            raise ValueError(f"{found}; expected {_COLUMNS} columns with an ID; separate them by a TAB")
        if not match[1] or match[2]:
            continue
        if int(match[1]) != len(words) + 1:
            raise ValueError(f"found the ID {row[0]}; expected {len(words) + 1}, the number of the word")
        unparsed |= row[6] == EMPTY
        if row[6] != EMPTY and not re.fullmatch(r"[0-9]{1,7}", row[6], re.ASCII):
            raise ValueError(f"found the head {excerpt(row[6])}; expected the ID of a word, 0 or _")
        misc = "|".join(part for part in row[9].split("|") if not _NOT_PROJECTED.match(part)) or EMPTY
        head = -1 if row[6] == EMPTY else int(row[6]) - 1
        words.append(Word(row[3], row[4], row[5], misc, head, row[7]))
    sentence = Sentence([c for c in comments if not re.match(r"#\s*text\b", c)], words, not unparsed)
    if sentence.is_tree and words:
        _depths(words)
    return len(words), sentence


def _depths(words: Sequence[Word]) -> list[int]:
    """Return the number of words above each word in the tree; ValueError if heads are no tree."""
    depths = [0] * len(words)
    for k in range(len(words)):
        at = k
        while words[at].head >= 0:
            at = words[at].head
            depths[k] += 1
            if at >= len(words) or depths[k] >= len(words):
                raise ValueError(
                    f"found heads from word {k + 1} that do not end at the root; expected a tree; repair the"
                    f" heads, or replace all of them by _"
                )
    roots = [k + 1 for k, word in enumerate(words) if word.head < 0]
    if len(roots) != 1:
        raise ValueError(f"found {counted(len(roots), 'root')}; expected 1, the word with the head 0")
    return depths


def project_sentence(sentence: Sentence, links: WordLinks) -> tuple[Sentence, int]:
    """Return the sentence of the target words, and how many of them have no link."""
    depths = _depths(sentence.words) if sentence.is_tree and sentence.words else [0] * len(sentence.words)
    candidates: list[list[tuple[float, int, int]]] = [[] for _ in range(links.target_length)]
    for i, depth in enumerate(depths):
        for j, weight in links.of_word(i):
            candidates[j].append((-weight, depth, i))
    origins = [min(found, default=None) for found in candidates]
    words = [
        Word() if origin is None else sentence.words[origin[2]]._replace(head=-1, deprel=EMPTY)
        for origin in origins
    ]
    if sentence.is_tree and words:
        words = _with_heads(words, origins, sentence.words)
    return Sentence(sentence.comments, words, sentence.is_tree), origins.count(None)


def _with_heads(
    words: list[Word], origins: Sequence[tuple[float, int, int] | None], source: Sequence[Word]
) -> list[Word]:
    """Return target words with heads, which are a tree.

    origins: minus the weight of the link, the depth and the position of the source word of each target word.
    """
    firsts: dict[int, int] = {}  # the target word that stands for a source word in the tree
    for _, i, j in sorted((origin[0], origin[2], j) for j, origin in enumerate(origins) if origin):
        firsts.setdefault(i, j)
    linked = [j for j, origin in enumerate(origins) if origin]
    by_depth = [(origin[1], j) for j, origin in enumerate(origins) if origin and firsts[origin[2]] == j]
    root = min(by_depth)[1] if by_depth else 0
    parsed = []
    for j, (word, origin) in enumerate(zip(words, origins, strict=True)):
        deprel = "dep"
        if j == root:
            head, deprel = -1, "root"
        elif origin is None:
            head = min(linked, key=lambda k: (abs(k - j), -k)) if linked else root
        elif firsts[origin[2]] != j:
            head = firsts[origin[2]]
        else:
            above = source[origin[2]].head
            while above >= 0 and above not in firsts:
                above = source[above].head
            head = firsts[above] if above >= 0 else root
            deprel = source[origin[2]].deprel
        parsed.append(word._replace(head=head, deprel=deprel))
    return parsed


def write_sentence(sentence: Sentence, words: Sequence[str]) -> str:
    """Return the lines of a sentence, the last of which is empty. Without words, it has comments alone."""
    lines = [*sentence.comments, f"# text = {' '.join(words)}"]
    for k, (form, word) in enumerate(zip(words, sentence.words, strict=True)):
        head = str(word.head + 1) if sentence.is_tree else EMPTY
        columns = k + 1, form, EMPTY, word.upos, word.xpos, word.feats, head, word.deprel, EMPTY, word.misc
        lines.append("\t".join(map(str, columns)))
    return "\n".join([*lines, ""])
