"""Text whose tokens do not seem to be words, as `align train` and `align report` find it."""

import pytest

from aligner.text.word_boundaries import describe_tokens
from tests.program import FAST
from tests.support import bitext_of, write

THAI = "ลุงจิบน้ำชาที่ร้านริมถนนทุกเช้า"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (THAI, "1.0 words a line, of 31 letters"),
        ("ลุง\u200bจิบ\u200bน้ำชา", "1.0 words a line, of 11 letters"),
        ("我们今天去公园", "1.0 words a line, of 7 letters"),
        (f"{THAI} {THAI}", "2.0 words a line, of 31 letters"),
    ],
)
def test_text_without_spaces_is_found(source, words):
    (message,) = describe_tokens(bitext_of([(source, "we go to the park today")] * 5))
    assert message.startswith(f"source: found {words}; expected spaces between words; tokenise")


def test_marks_of_spaces_alone_are_found():
    (message,) = describe_tokens(bitext_of([("a b", "c ▁ d ▁")] * 3))
    assert message.startswith("target: found 6 tokens of U+2581 alone")


WORDS = (
    ("我们 今天 去 公园", "we go to the park today"),
    ("talossanikinko", "in my house"),
    ("a", "b"),
    ("", ""),
)


@pytest.mark.parametrize("pair", WORDS)
def test_words_are_words(pair):
    assert list(describe_tokens(bitext_of([pair]))) == []


def test_programs_say_that_tokens_are_no_words(align, trained, tmp_path):
    text = write(tmp_path / "text", f"{THAI}\twe go to the park today\n" * 5)
    train, report = ("train", text, "-m", tmp_path / "model", *FAST), ("report", trained / "model", text)
    for command in (train, report):
        assert "source: found 1.0 words a line, of 31 letters" in align(*command)[1]
