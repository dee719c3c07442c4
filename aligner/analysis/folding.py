"""Folding and searches: words that are equal but for case, accents and marks, and what a query matches."""

from __future__ import annotations

import re
import signal
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from aligner.errors import ConfigError
from aligner.messages import excerpt
from aligner.registry import Registry
from aligner.text.lookup import FORMAT_CHARACTERS, HEBREW_POINTS

Test = Callable[[str], bool]
"""A function that returns True for the words that a query matches."""

# Accents of Latin, Greek and Cyrillic letters, and the points of Hebrew, Arabic and Syriac. The vowel signs
# of other scripts are letters. Format characters, such as those that say where a line may break or that mark
# parts of words, are dropped, too. The same ranges stand in aligner/view/page/fold.js.
_ACCENTS = re.compile(
    rf"[\u0300-\u036f\u0483-\u0487{HEBREW_POINTS}{FORMAT_CHARACTERS}\u0610-\u061a\u0640"
    r"\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    r"\u070f\u1ab0-\u1aff\u1dc0-\u1dff\u2060\u20d0-\u20ff\ufe20-\ufe2f]"
)

# The accents of Hebrew but not its vowels, and the mark between the parts of a word.
_CANTILLATION = re.compile("[\u0591-\u05af\u05bd\u2060]")

# Quotes and dashes that look alike: an apostrophe, a quotation mark and a hyphen stand for them.
_ALIKE = ("'`´ʹʻʼʽˈ‘’‚‛′׳᾽＇", '"“”„‟«»″״＂', "-‐‑‒–—―−־－")
_MARKS = {ord(mark): marks[0] for marks in _ALIKE for mark in marks}

_PATIENCE = 1.0
"""Seconds in which a regular expression must have matched a word or not."""


def fold(text: str) -> str:
    """Return a text without case, accents and kinds of marks: `Λόγος` and `λογος`, ’ and ' become one."""
    return _without_accents(text).upper().lower().replace("ς", "σ")


def spelling(word: str) -> str:
    """Return a word in lower case, without cantillation, as words are listed."""
    return _CANTILLATION.sub("", word.lower())


def _without_accents(text: str) -> str:
    """Return a text without accents, points and format characters, and with the plainest marks."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", text)).translate(_MARKS)
    return unicodedata.normalize("NFC", plain)


def _pattern_test(query: str) -> Test:
    """Return the test of a regular expression; ConfigError if it is none. The test raises it, too."""
    try:
        pattern = re.compile(query, re.IGNORECASE)
    except re.error as error:
        raise ConfigError(f"found {query!r}; expected a regular expression ({error})") from None

    def matches(word: str) -> bool:
        try:
            with _time_limit(_PATIENCE):
                return pattern.fullmatch(word) is not None
        except TimeoutError:
            raise ConfigError(
                f"found {query!r}, which takes over {_PATIENCE:g} s for {excerpt(word)}; expected a regular"
                f" expression without repetitions in repetitions, such as (a+)+"
            ) from None

    return matches


SEARCHES: Registry[Callable[[str], Test]] = Registry("search")
"""Every way to search for words, by the name that the command line uses."""

SEARCHES.register("form", "the whole word")(lambda query: lambda word: word == query)
SEARCHES.register("prefix", "the beginning of a word")(lambda query: lambda word: word.startswith(query))
SEARCHES.register("part", "any part of a word")(lambda query: lambda word: query in word)
SEARCHES.register("regex", "a regular expression that matches the whole word")(_pattern_test)


def word_test(query: str, by: str = "form", *, exact: bool = False) -> Test:
    """Return the test of a query.

    Parameters
    ----------
    query
        A word, a part of a word, or a regular expression.
    by
        A name in ``SEARCHES``.
    exact
        True to tell case and accents apart. A regular expression ignores case anyway.

    Returns
    -------
    Callable
        A function that returns True for the words that match.

    Raises
    ------
    ConfigError
        If the search is unknown, if the regular expression is none, or if its test of a word does not end.
    """
    search = SEARCHES.find(by)
    if exact:
        return search(unicodedata.normalize("NFC", query))
    # The case of a pattern stays: \S is not \s.
    test = search(_without_accents(query).replace("ς", "σ") if by == "regex" else fold(query))
    return lambda word: test(fold(word))


def lemma_test(test: Test, lemmas: Mapping[str, Sequence[str]]) -> Test:
    """Return the test of the forms that have a lemma which passes a test."""
    return lambda form: any(map(test, filter(None, lemmas.get(form, ()))))


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the context after some seconds, in the main thread of POSIX systems."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
