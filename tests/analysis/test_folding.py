"""Tests of folding and of searches for words."""

from __future__ import annotations

import signal

import pytest

from aligner.analysis import folding
from aligner.analysis.folding import SEARCHES, fold, word_test
from tests.refusals import refused


@pytest.mark.parametrize(
    "words",
    [
        "Λόγος λογος ΛΟΓΟΣ λόγος",
        "ᾧ ω",
        "Élève ELEVE",
        "Straße STRASSE",
        "Ёлка елка",
        "בְּרֵאשִׁית בראשית",
        "كِتَابٌ كتاب",
        "e\u0301 \u00e9",
        "don't don’t donʼt DON`T",
        "ἀπ’ ἀπ᾽",
        "הָ\u2060אָ֔רֶץ הארץ",
        "\ufb2a \u05e9\u05c1 \u05e9",
        "co\u00adop coop co\u200bop",
        "על־פני על-פני על–פני",
        '„ab“ «ab» "ab"',
    ],
)
def test_case_and_accents_do_not_matter(words):
    assert len(set(map(fold, words.split()))) == 1


@pytest.mark.parametrize("words", ["か が", "हि हु", "한 할", "o ø", "ไม่ ใม่"])
def test_letters_stay_apart(words):
    assert len(set(map(fold, words.split()))) == 2


@pytest.mark.parametrize(
    ("query", "by", "exact", "expected"),
    [
        ("λογος", "form", False, ["Λόγος", "λόγος"]),
        ("λόγος", "form", True, ["λόγος"]),
        ("λογ", "form", False, []),
        ("ΛΟΓ", "prefix", False, ["Λόγος", "λόγος", "λόγων"]),
        ("γων", "part", False, ["λόγων"]),
        ("λογ(ος|ων)", "regex", False, ["Λόγος", "λόγος", "λόγων"]),
        ("λόγο[ςν]", "regex", True, ["Λόγος", "λόγος"]),
        (r"\S+", "regex", False, ["Λόγος", "λόγος", "λόγων", "a.b"]),
        ("a.b", "part", False, ["a.b"]),
    ],
)
def test_searches(query, by, exact, expected):
    test = word_test(query, by, exact=exact)
    assert [word for word in ("Λόγος", "λόγος", "λόγων", "a.b") if test(word)] == expected


def test_unknown_searches_raise():
    refused("found '('; expected a regular expression", word_test, "(", "regex")
    refused("did you mean 'prefix'", word_test, "a", "prefx")
    assert all(SEARCHES.summary(name) for name in SEARCHES)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX")
def test_regular_expression_that_does_not_end_is_refused(monkeypatch):
    monkeypatch.setattr(folding, "_PATIENCE", 0.05)
    handler = signal.getsignal(signal.SIGALRM)
    refused("over 0.05 s for 'aaaa .. repetitions in repetitions", word_test("(a+)+b", "regex"), "a" * 60)
    assert word_test("(a+)+b", "regex")("aab")
    assert signal.getsignal(signal.SIGALRM) == handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
