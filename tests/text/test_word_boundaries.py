"""Text whose tokens do not seem to be words, as `align train` and `align report` find it."""

import pytest

from aligner.text.word_boundaries import describe_tokens
from tests.program import FAST
from tests.support import bitext_of, write

THAI = "ลุงจิบน้ำชาที่ร้านริมถนนทุกเช้า"


@pytest.mark.parametrize(
    ("source", "words", "remedy"),
    [
        (THAI, "1.0 words a line, of 31 letters", "split Thai by a segmenter, such as pythainlp"),
        ("ลุง\u200bจิบ\u200bน้ำชา", "1.0 words a line, of 11 letters", "split Thai by a segmenter"),
        (f"{THAI} {THAI}", "2.0 words a line, of 31 letters", "split Thai by a segmenter"),
        ("我们今天去公园", "1.0 words a line, of 7 letters", "split Chinese by a segmenter, such as jieba"),
        ("私は毎日学校に行きます", "1.0 words a line, of 11", "split Japanese by a segmenter, such as fug"),
        ("ຂ້ອຍໄປໂຮງຮຽນທຸກມື້", "1.0 words a line, of 18", "split Lao by a segmenter, such as laonlp"),
        ("ខ្ញុំទៅសាលារៀនរាល់ថ្ងៃ", "1.0 words a line, of 22", "split Khmer by a segmenter, such as khmer-nltk"),
        ("ကျွန်တော်ကျောင်းသွားတယ်", "1.0 words a line, of 23", "split Burmese by a segmenter, such as pyidaungsu"),
        ("ང་ཉིན་ལྟར་སློབ་གྲྭར་འགྲོ", "1.0 words a line, of 24", "split Tibetan by a segmenter, such as botok"),
        ("wegotothepark" * 2, "1.0 words a line, of 26", "tokenise the text"),
    ],
)
def test_text_without_spaces_is_found(source, words, remedy):
    for target in ("we go to the park today", "wir gehen"):
        (message,) = describe_tokens(bitext_of([(source, target)] * 5))
        assert message.startswith(f"source: found {words}")
        assert f"; expected spaces between words; {remedy}" in message


def test_marks_of_spaces_alone_are_found():
    (message,) = describe_tokens(bitext_of([("a b", "c ▁ d ▁")] * 3))
    assert message.startswith("target: found 6 tokens of U+2581 alone")


WORDS = (
    ("我们 今天 去 公园", "we go to the park today"),
    ("ลุง จิบ น้ำชา ที่ ร้าน ริม ถนน", "we go to the park today"),
    ("カラオケ に 行きます", "let's go and sing"),
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
