"""A model's lexicon as text: which words translate a word, in the formats that other tools read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.errors import ConfigError
from aligner.models.trained import Model
from aligner.text.files import PathLike, open_output

DIRECTIONS = ("forward", "reverse")
"""forward: target words given a source word, t(f|e); reverse: source words given a target word, t(e|f)."""

FORMATS: dict[str, Callable[[str, str, float], str]] = {
    "tsv": lambda given, word, p: f"{given}\t{word}\t{p:.7f}\n",
    "moses": lambda given, word, p: f"{word} {given} {p:.7f}\n",
    "sockeye": lambda given, word, p: f"{given}\t{word}\t{math.log(p):.6f}\n",
}
"""A line of each format: tsv and sockeye, a word, a translation of it and its probability, or the logarithm.

moses: the translation first; Moses' lex.f2e (forward) and lex.e2f (reverse), Marian's lex.s2t, bicleaner's
dictionaries. sockeye: also fast_align's.
"""

_SPLITTING = {"moses": re.compile(r"\s"), "sockeye": re.compile(r"[\v\f\r]")}
"""What readers split words or lines at, besides space and TAB, which no word holds.

moses: in Python, any white space. sockeye: in C++, what C has of it; in Python, the ends of lines.
"""

_LINES = 1 << 16


class Translations(NamedTuple):
    """Entries of one lexical table, by their conditioning word, most frequent first, then by probability.

    given, word: int32 [n], ids of conditioning and generated word; probability: float32 [n].
    """

    given: NDArray[np.int32]
    word: NDArray[np.int32]
    probability: NDArray[np.float32]


def translations(
    model: Model, direction: str = "forward", *, least: float = 1e-4, best: int | None = None
) -> Translations:
    """The entries of at least a probability, and of these at most so many of each conditioning word."""
    if direction not in DIRECTIONS:
        raise ConfigError(f"unknown direction {direction!r} (known: {', '.join(DIRECTIONS)})")
    if not 1e-7 <= least <= 1.0:
        raise ConfigError(f"least = {least}: expected a probability from 1e-7 to 1")
    if best is not None and best < 1:
        raise ConfigError(f"best = {best}: expected a number from 1")
    lexicon = model.parameters.lexicon
    column = DIRECTIONS.index(direction)
    chosen = np.flatnonzero(lexicon.table[1:, column] >= np.float32(least))
    given, word = (lexicon.rows(side)[chosen] for side in (column, 1 - column))
    probability = lexicon.table[1:, column][chosen]
    order = np.lexsort((word, -probability, given))
    if best is not None:
        rank = np.arange(len(order)) - np.searchsorted(given[order], given[order])
        order = order[rank < best]
    return Translations(given[order], word[order], probability[order])


def write_lexicon(
    model: Model,
    output: PathLike,
    direction: str = "forward",
    *,
    format: str = "tsv",
    least: float = 1e-4,
    best: int | None = None,
) -> tuple[Translations, int]:
    """Write a model's ``translations`` in one of ``FORMATS``, a line each.

    Returns what is written, and how many are left out because readers of the format would split a word.
    """
    if format not in FORMATS:
        raise ConfigError(f"unknown lexicon format {format!r} (known: {', '.join(FORMATS)})")
    line = FORMATS[format]
    found = translations(model, direction, least=least, best=best)
    vocabularies = model.source_vocabulary.words, model.target_vocabulary.words
    words_given, words = vocabularies if direction == "forward" else vocabularies[::-1]
    whole = _whole(words_given, format)[found.given] & _whole(words, format)[found.word]
    entries = Translations(found.given[whole], found.word[whole], found.probability[whole])
    with open_output(output) as file:
        for start in range(0, len(entries.given), _LINES):
            part = (column[start : start + _LINES].tolist() for column in entries)
            text = "".join(line(words_given[e], words[f], p) for e, f, p in zip(*part, strict=True))
            file.write(text.encode())
    return entries, len(found.given) - len(entries.given)


def _whole(words: list[str], format: str) -> NDArray[np.bool_]:
    """Which words the readers of a format take for one word, bool [words]."""
    splitting = _SPLITTING.get(format)
    return np.array([splitting is None or splitting.search(word) is None for word in words], np.bool_)
