"""The lexicon of a model as text, in the formats that other tools read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import Bools, Float32s, Int32s
from aligner.errors import ConfigError
from aligner.files.opening import PathLike, open_output
from aligner.models.pair import DIRECTIONS
from aligner.models.trained import TrainedModel
from aligner.registry import Registry, check_known

_LINES_AT_ONCE = 1 << 16


class LexiconFormat(NamedTuple):
    """A text format of lexicons, with one line for each translation.

    Attributes
    ----------
    line
        Returns the line of a word, its translation and the probability.
    separator
        Characters inside a word at which readers of the format would split the word or the line, besides
        space and TAB, which no word holds; or None if there are none.
    null
        The word that stands for no word in counts of links, or None if the format has none.
    """

    line: Callable[[str, str, float], str]
    separator: re.Pattern[str] | None = None
    null: str | None = None


LEXICON_FORMATS: Registry[LexiconFormat] = Registry("lexicon format")
"""Every lexicon format, by name."""

LEXICON_FORMATS.register("tsv", "word TAB translation TAB probability")(
    LexiconFormat(lambda word, translation, p: f"{word}\t{translation}\t{p:.7f}\n")
)
# Python programs split these files at any white space.
LEXICON_FORMATS.register(
    "moses",
    "translation, word, probability, as in lex.f2e (forward) and lex.e2f (reverse) of Moses, in lex.s2t of"
    " Marian, and in dictionaries of bicleaner",
)(LexiconFormat(lambda word, translation, p: f"{translation} {word} {p:.7f}\n", re.compile(r"\s"), "NULL"))
# C++ programs split these files at the white space of C, and Python programs at line ends.
LEXICON_FORMATS.register(
    "sockeye", "word TAB translation TAB logarithm of the probability, as in fast_align"
)(
    LexiconFormat(
        lambda word, translation, p: f"{word}\t{translation}\t{math.log(p):.6f}\n", re.compile(r"[\v\f\r]")
    )
)


class Translations(NamedTuple):
    """Entries of a lexical table, by word, most frequent word first, then by falling probability.

    In the forward direction, words are source words and translations target words; in the reverse direction,
    the other way round.

    Attributes
    ----------
    word
        int32 [n], the id of each word in its vocabulary.
    translation
        int32 [n], the id of its translation.
    probability
        float [n], the probability of the translation given the word.
    """

    word: Int32s
    translation: Int32s
    probability: NDArray[np.floating]


def translations(
    model: TrainedModel, direction: str = "forward", *, least: float = 1e-4, best: int | None = None
) -> Translations:
    """Return the translations that a model has learned.

    Parameters
    ----------
    model
        A trained model.
    direction
        "forward" for target words given a source word, t(f|e), or "reverse" for source words given a target
        word, t(e|f).
    least
        The least probability of a translation, from 1e-7 to 1.
    best
        The largest number of translations of a word; by default there is no limit.

    Returns
    -------
    Translations
        The entries, sorted by word, then by falling probability, then by translation.

    Raises
    ------
    ConfigError
        If an argument is out of range.
    """
    check_known(direction, DIRECTIONS, "direction")
    if not 1e-7 <= least <= 1.0:
        raise ConfigError(f"least = {least}: expected a probability from 1e-7 to 1")
    if best is not None and best < 1:
        raise ConfigError(f"best = {best}: expected a number from 1")
    lexicon = model.pair.lexicon
    column = DIRECTIONS.index(direction)
    chosen = np.flatnonzero(lexicon.table[1:, column] >= np.float32(least))
    word, translation = (lexicon.rows(side)[chosen] for side in (column, 1 - column))
    probability = lexicon.table[1:, column][chosen]
    return in_order(word, translation, probability, best)


def in_order(word: Int32s, translation: Int32s, probability: Float32s, best: int | None) -> Translations:
    """Return the ``best`` translations of each word, sorted by word, then by falling probability."""
    order = np.lexsort((translation, -probability, word))
    if best is not None:
        rank = np.arange(len(order)) - np.searchsorted(word[order], word[order])
        order = order[rank < best]
    return Translations(word[order], translation[order], probability[order])


def write_lexicon(
    model: TrainedModel,
    output: PathLike,
    direction: str = "forward",
    *,
    format: str = "tsv",
    least: float = 1e-4,
    best: int | None = None,
) -> tuple[Translations, int]:
    """Write the translations that a model has learned, one on each line.

    Parameters
    ----------
    model
        A trained model.
    output
        The file. "-" is standard output. The name says how it is compressed: .gz, .bz2, .xz or .zst.
    direction, least, best
        See ``translations``.
    format
        The name of a lexicon format: "tsv", "moses" or "sockeye".

    Returns
    -------
    written : Translations
        The entries in the file.
    left_out : int
        The number of entries that were left out, because readers of the format would split a word.

    Raises
    ------
    ConfigError
        If the format is unknown, or if an argument is out of range.
    DataError
        If the file cannot be written.
    """
    LEXICON_FORMATS.find(format)
    found = translations(model, direction, least=least, best=best)
    vocabularies = [vocabulary.written(model.lookup) for vocabulary in model.vocabularies]
    words, translated = vocabularies if direction == "forward" else vocabularies[::-1]
    return write_translations(found, words, translated, output, format)


def write_translations(
    found: Translations, words: list[str], translated: list[str], output: PathLike, format: str
) -> tuple[Translations, int]:
    """Write translations whose ids are of two lists of words. See ``write_lexicon``."""
    line, separator, _ = LEXICON_FORMATS.find(format)
    is_whole = _are_whole(words, separator)[found.word] & _are_whole(translated, separator)[found.translation]
    written = Translations(found.word[is_whole], found.translation[is_whole], found.probability[is_whole])
    with open_output(output) as file:
        for start in range(0, len(written.word), _LINES_AT_ONCE):
            part = (column[start : start + _LINES_AT_ONCE].tolist() for column in written)
            text = "".join(line(words[w], translated[t], p) for w, t, p in zip(*part, strict=True))
            file.write(text.encode())
    return written, len(found.word) - len(written.word)


def _are_whole(words: list[str], separator: re.Pattern[str] | None) -> Bools:
    """Return True for each word without a separator, bool [words]."""
    return np.array([separator is None or separator.search(word) is None for word in words], np.bool_)
