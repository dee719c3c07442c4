"""Subword marks: what tokenisers add to the tokens of a text, and special tokens.

Every kind of marks has a name in ``SUBWORD_MARKS``, and turns tokens into stretches of text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from aligner.registry import Registry

UNKNOWN_TEXT = "\0"
"""The text of unknown tokens. No line has this character."""

UNKNOWN_TOKENS = "[UNK]", "<unk>"

SPECIAL_TOKENS = dict.fromkeys(["[CLS]", "[SEP]", "[PAD]", "<s>", "</s>", "<pad>", "<|endoftext|>"], "")
SPECIAL_TOKENS |= dict.fromkeys(UNKNOWN_TOKENS, UNKNOWN_TEXT)
"""The text that special tokens stand for."""

BYTE_TOKEN_BEGIN = "<0x"
_BYTE_TOKEN = re.compile(r"<0x([0-9A-F]{2})>")


Stretch: TypeAlias = tuple[str, int, int]
"""(text, first, stop): text that the tokens ``first`` to ``stop`` - 1 share. A token may have empty text."""


@dataclass(frozen=True, eq=False)
class SubwordMarks:
    """Marks that a pattern finds in a token. `▁` is no mark here: it is never compared.

    Attributes
    ----------
    sign
        The characters of a mark.
    pattern
        The marks of a token, or of tokens on a line each. None for tokens without further marks.
    """

    sign: str = ""
    pattern: re.Pattern[str] | None = None

    @classmethod
    def of(cls, sign: str, pattern: str) -> SubwordMarks:
        """Construct from the pattern of a token, in which {} stands for the sign."""
        return cls(sign, re.compile(pattern.format(sign), re.MULTILINE))

    def occur_in(self, text: str) -> bool:
        """Return True if a token has a mark; text: the tokens, on a line each."""
        return self.pattern is not None and self.sign in text and bool(self.pattern.search(text))

    def share_characters(self, tokens: Sequence[str]) -> bool:
        """Return True if a character of text may be spread over several tokens."""
        return BYTE_TOKEN_BEGIN in " ".join(tokens)

    def stretches(self, tokens: Sequence[str]) -> Iterator[Stretch]:
        """Yield the text of the tokens with its marks, in order; ValueError if they are not of this kind."""
        k = 0
        while k < len(tokens):
            text, count = _decoded_byte_tokens(tokens, k) or (tokens[k], 1)
            yield text, k, k + count
            k += count


def _decoded_byte_tokens(tokens: Sequence[str], first: int) -> tuple[str, int] | None:
    """Return the character that the byte tokens from ``first`` on encode, and their number, or None."""
    lead = tokens[first].startswith("<") and _BYTE_TOKEN.fullmatch(tokens[first])
    if not lead:
        return None
    count = 1 + sum(int(lead[1], 16) >= lowest_lead for lowest_lead in (0xC0, 0xE0, 0xF0))
    matches = [_BYTE_TOKEN.fullmatch(token) for token in tokens[first : first + count]]
    data = bytes(int(match[1], 16) for match in matches if match)
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8"), len(data)
    return None


def _bytes_by_character() -> dict[str, int]:
    """Return the byte that each character of byte-level tokens stands for.

    Printable bytes of Latin-1 stand for themselves, and the others follow from U+0100 on.
    """
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = sorted({*range(256)} - {*own})
    return {chr(byte): byte for byte in own} | {chr(256 + k): byte for k, byte in enumerate(others)}


_ASCII = re.compile("[\0-\x7f]+")
_BYTES = _bytes_by_character() | {UNKNOWN_TEXT: ord(UNKNOWN_TEXT)}


class ByteLevelMarks(SubwordMarks):
    """Tokens of bytes, each of which is written as a character. Neighbours may share a character of text."""

    def occur_in(self, text: str) -> bool:
        if text.isascii() or not _BYTES.keys() >= {*text} - {"\n"}:
            return False
        with suppress(UnicodeDecodeError):
            # Text of Latin-1 is seldom UTF-8. Characters of one byte do not matter, nor special tokens.
            return bool(bytes(map(_BYTES.__getitem__, _ASCII.sub("", text))).decode("utf-8"))
        return False

    def share_characters(self, tokens: Sequence[str]) -> bool:
        return True

    def stretches(self, tokens: Sequence[str]) -> Iterator[Stretch]:
        decoder = codecs.getincrementaldecoder("utf-8")()
        begin, is_open = 0, False  # of the character that tokens before have begun
        for k, token in enumerate(tokens):
            text = decoder.decode(bytes(_BYTES[letter] for letter in token), k + 1 == len(tokens))
            if text and is_open:
                yield text[0], begin, k + 1
            if text[is_open:] or not token:
                yield text[is_open:], k, k + 1
            if text or not is_open:
                begin = k
            is_open = bool(decoder.getstate()[0])


SUBWORD_MARKS: Registry[SubwordMarks] = Registry("kind of subword marks")
"""Every kind of subword marks, by the name that the command line uses."""


def _register(name: str, summary: str, marks: SubwordMarks) -> SubwordMarks:
    return SUBWORD_MARKS.register(name, summary)(marks)


SENTENCEPIECE = _register("sentencepiece", "U+2581 anywhere, and byte tokens such as <0xE2>", SubwordMarks())
BPE = _register("bpe", "@@ at the end of a token", SubwordMarks.of("@@", "{}$"))
_register("wordpiece", "## at the start", SubwordMarks.of("##", "^{}(?=.)"))
_register("bytelevel", "bytes as characters, as in GPT-2, where U+0120 is a space", ByteLevelMarks())
_register("end-of-word", "</w> at the end", SubwordMarks.of("</w>", "{}$"))
_register("joiner", "U+FFED at the start or the end", SubwordMarks.of("\uffed", "^{0}|{0}$"))
_register("underscore", "_ at the start or the end", SubwordMarks.of("_", "^{0}|{0}$"))
