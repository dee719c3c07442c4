r"""USFM 3 with the target text of verses, which are named such as `MAT 1:1`, and with their links.

Words `\w`, inside a milestone `\zaln-s` ... `\zaln-e` for each source word that they are linked to.

Neighbouring words with the same source words share milestones. Tokens without letters and digits are
plain text and have no links. Words are separated by spaces, as in the text. A file does not hold the source
text: a source word is the n-th occurrence of its form in the verse. Pairs that are read have as many
occurrences of each linked form as the file tells of, and ``in_lines`` finds them in a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, groupby

from aligner.errors import DataError
from aligner.files.opening import PathLike
from aligner.links.formats.burrito import verse_of
from aligner.links.linked_pairs import LinkedPair
from aligner.messages import display_name, excerpt
from aligner.scripture.books import Scripture, describe
from aligner.scripture.frame import Frame
from aligner.scripture.token_table import Token
from aligner.scripture.verse_tokens import occurrences, tokens_of
from aligner.scripture.verses import Verse

_ATTRIBUTES = "strong", "lemma", "morph"
"""Attributes of source words that are in tables of tokens, in the order of translationCore."""


def read(path: PathLike, lines: Iterable[str], report: Callable[[str], object]) -> Iterator[LinkedPair]:
    """Yield the verses of a file; DataError for verses that cannot be read, with file and line."""
    text = Scripture.read(path, lines)
    if wrong := text.bad + text.damaged:
        raise DataError(f"found {describe(wrong, 'error')}; repair them")
    if text.mended:
        report(f"{display_name(path)}: {describe(text.mended, 'mended marker')}")
    for name, tokens in tokens_of(text.verses).items():
        counts: dict[str, int] = {}
        for form, occurrence, total in chain.from_iterable(token.sources for token in tokens):
            counts[form] = max(occurrence, total, counts.get(form, 0))
        source = [form for form, count in counts.items() for _ in range(count)]
        links = [
            (source.index(form) + occurrence - 1, j)
            for j, token in enumerate(tokens)
            for form, occurrence, _ in token.sources
        ]
        yield LinkedPair(links, links, id=name, words=(source, [token.row.text for token in tokens]))


def write(pairs: Iterable[LinkedPair], frame: str = "") -> Iterator[str]:
    """Yield the text of a document in parts; DataError for a pair that it cannot hold.

    frame: the frame of the translation (see ``aligner.scripture.frame``).
    """
    around, last = Frame(frame), None
    for pair in pairs:
        verse = verse_of(pair)
        yield around.before(verse, last)
        yield f"\\v {verse.label} {_aligned(pair)}".rstrip() + "\n"
        last = verse


def books_of(text: str) -> dict[str, str]:
    """Return the books of a document by the names of their files, such as 41-MAT.usfm; none of another text.

    Matthew has the number 41, as in Paratext, where no book has 40.
    """
    books: dict[str, str] = {}
    for book in re.split(r"^(?=\\id )", text, flags=re.MULTILINE)[1:]:
        code = book[4:7]
        number = int(Verse(code, 1, 1).number[:2])
        name = f"{number + (number >= 40):02}-{code}.usfm"
        books[name] = books.get(name, "") + book
    return books


@cache
def is_word(token: str) -> bool:
    """Return True for a token with letters or digits. Only such tokens have links."""
    return any(map(str.isalnum, token))


def _aligned(pair: LinkedPair) -> str:
    """Return the target words of a verse with milestones."""
    source, target = map(_counts, pair.words)
    lemmas = [*map(_lemma, pair.tokens[0])] or [""] * len(source)
    links: list[list[int]] = [[] for _ in target]
    for i, j in pair.links:
        if source[i] and target[j]:
            links[j].append(i)
    words = [
        f"\\w {word}|{own}\\w*" if own else word for word, own in zip(pair.words[1], target, strict=True)
    ]
    spaces = [*map(_space, pair.tokens[1])] or [" "] * len(target)
    text = ""
    for linked, run in groupby(range(len(target)), links.__getitem__):
        places = [*run]
        starts = [f'\\zaln-s |{lemmas[i]}{source[i]} x-content="{pair.words[0][i]}"\\*' for i in linked]
        own = "".join(words[j] + spaces[j] for j in places[:-1]) + words[places[-1]]
        text += "".join(starts) + own + "\\zaln-e\\*" * len(linked) + spaces[places[-1]]
    return text


def _space(tokens: Sequence[Token]) -> str:
    """Return the space that follows a target word of these tokens."""
    return "" if tokens and tokens[-1].skip_space_after else " "


def _lemma(tokens: Sequence[Token]) -> str:
    """Return the attributes of a source word that its table has.

    A word of several tokens has a colon between their values, as unfoldingWord's Hebrew has.
    """
    parts = ((name, [value for token in tokens if (value := getattr(token, name))]) for name in _ATTRIBUTES)
    values = ((name, ":".join(own)) for name, own in parts)
    return "".join(f'x-{name}="{value}" ' for name, value in values if re.fullmatch(r'[^\\|"]+', value))


def _counts(words: Sequence[str]) -> list[str]:
    """Return the attributes of each word, which count its form in the verse; "" for tokens that are no words.

    DataError for a word with a character that has another meaning in USFM.
    """
    attributes = []
    for word, (_, count, total) in zip(words, occurrences(words), strict=True):
        attributes.append(f'x-occurrence="{count}" x-occurrences="{total}"' if is_word(word) else "")
        if {"\\", "|"} & {*word} or (is_word(word) and '"' in word):
            raise DataError(
                f"found the word {excerpt(word)}; expected words of USFM, without a backslash, a bar or a"
                f" straight quotation mark; replace the character in the text"
            )
    return attributes
