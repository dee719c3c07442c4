"""Splits: the marks and prefixes that are split off the words of one side of a text, in this order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aligner.text.marks import Marks
from aligner.text.prefixes import JOINER, find_prefixes, split_word

if TYPE_CHECKING:
    from aligner.text.vocabulary import Vocabulary

SPLITS = ("none", "marks", "prefixes", "marks+prefixes")
"""What may be split off words."""


@dataclass(frozen=True)
class Splits:
    """The marks and prefixes that are split off the words of one side; none by default.

    Attributes
    ----------
    prefixes
        The prefixes that are words of their own (see ``text.prefixes``).
    marks
        The marks and clitics that are words of their own (see ``text.marks``), or None if none is.
    """

    prefixes: tuple[str, ...] = ()
    marks: Marks | None = None

    def __bool__(self) -> bool:
        return bool(self.prefixes) or self.marks is not None

    @classmethod
    def find(cls, vocabulary: Vocabulary, split: str) -> Splits:
        """Return what is split off the words of a text; split: one of ``SPLITS``.

        A text that marks the parts of its words by U+2060 is split there alone.
        """
        prefixes = find_prefixes(vocabulary) if "prefixes" in split else ()
        if "marks" not in split or prefixes == (JOINER,):
            return cls(prefixes)
        marks = Marks.find(vocabulary.words, vocabulary.counts)
        if marks is not None and "prefixes" in split:
            prefixes = find_prefixes(vocabulary.split_at(cls(marks=marks)))
        return cls(prefixes, marks)

    def describe(self) -> Iterator[str]:
        """Yield messages about marks and prefixes that are split off words."""
        if self.marks is not None:
            parts = ((word, " + ".join(self.marks.split(word))) for word in self.marks.examples)
            examples = "; ".join(f'"{word}" = {own}' for word, own in parts)
            yield f"marks at words are split off inside ({examples}); links stay those of your words"
        if self.prefixes == (JOINER,):
            yield "words are split at their marks U+2060"
        elif self.prefixes:
            yield f"the prefixes {' '.join(self.prefixes)} are split off words"

    def split(self, word: str) -> list[str]:
        """Return the parts of a word."""
        if self.marks is None:
            return split_word(word, self.prefixes)
        return [part for own in self.marks.split(word) for part in split_word(own, self.prefixes)]

    def head(self, word: str) -> str:
        """Return the longest part of a word; of equally long parts, the last."""
        return max(reversed(self.split(word)), key=len)
