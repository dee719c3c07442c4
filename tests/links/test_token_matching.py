"""Tests of the matching of two tokenisations of one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.links.token_matching import match_tokens


@pytest.mark.parametrize(
    ("tokens", "others", "expected"),
    [
        ("", "", []),
        ("a b", "a b", [[0], [1]]),
        ("abc d", "a bc d", [[0, 1], [2]]),
        ("a bc d", "abc d", [[0], [0], [1]]),
        ("ab cd", "a bc d", [[0, 1], [1, 2]]),
        ("Häuser .", "▁hä us er ▁.", [[0, 1, 2], [3]]),
        ("unheil bar", "un@@ heil@@ bar", [[0, 1], [2]]),
        ("a b", "▁ a ▁ b ▁", [[1], [3]]),
        ("ab", "a ▁ b", [[0, 2]]),
        ("▁ a ▁ b", "ab", [[], [0], [], [0]]),
        ("… ﬁn", "▁... ▁ fin", [[0], [2]]),
        ("a\u00a0b", "▁a ▁b", [[0, 1]]),
        ("\u0645\u06cc\u200c\u062e\u0648", "▁\u0645 \u06cc ▁\u062e\u0648", [[0, 1, 2]]),
        ("caf\u00e9 \uac01", "▁caf e \u0301 ▁\u1100 \u1161\u11a8", [[0, 1, 2], [3, 4]]),
        ("İ ß", "▁i̇ ▁ss", [[0], [1]]),
        ("a 😀b", "▁a ▁ <0xF0> <0x9F> <0x98> <0x80> b", [[0], [2, 3, 4, 5, 6]]),
        ("▁ <0xF0> <0x9F> <0x98> <0x80> <0x41>", "😀 a", [[], [0], [0], [0], [0], [1]]),
        ("<0xE2> <0xFF>", "<0x E2> <0xFF>", [[0, 1], [2]]),  # not UTF-8
        ("x@@ y", "x @ @ y", [[0, 1, 2], [3]]),  # @@ is text, not a mark
        ("x@ @ y", "x@@ y", [[0], [0], [1]]),
        ("xy @@", "x@@ y @ @", [[0, 1], [2, 3]]),
        ("l&apos;a &amp;", "l ' a &", [[0, 1, 2], [3]]),
        ("a &#91;b&#93; &quot;", "▁a ▁[ b ] ▁&quot;", [[0], [1, 2, 3], [4]]),
        ("d&apos; o", "d@@ &@@ apos@@ ; o", [[0, 1, 2, 3], [4]]),  # an escape that was cut is text
        ("&amp;lt;", "&lt;", [[0]]),
        ("unable ##", "una ##ble ##", [[0, 1], [2]]),
        ("Café #", "[CLS] caf ##e # [SEP] [PAD]", [[1, 2], [3]]),  # accents are dropped by the tokeniser
        ("[CLS] ##", "[CLS] # #", [[0], [1, 2]]),  # text on both sides
        ("été ici", "Ã© t Ã© Ġici", [[0, 1, 2], [3]]),
        ("aé 😀", "aÃ © ĠðŁ ĺĢ Ċ", [[0, 1], [2, 3]]),  # tokens that hold a part of a character
        ("Ã©", "Ã© Ġ", [[0]]),  # text
        ("<|endoftext|> ĠÃ©", "é", [[], [0]]),
        ("das haus", "<s> das</w> ha us</w> </s>", [[1], [2, 3]]),
        ("l'eau!", "l￭ ' ￭eau ￭ !", [[0, 1, 2, 4]]),
        ("das haus", "_das _ha us", [[0], [1, 2]]),
        ("a_ b", "a_ b", [[0], [1]]),
        ("a 漢 b", "[CLS] a [UNK] b [SEP]", [[1], [2], [3]]),
        ("a 漢字 、 b c", "<s> a <unk> <unk> b c", [[1], [2, 3], [2, 3], [4], [5]]),
        ("<unk> a <unk> b", "x y a z b", [[0, 1], [2], [3], [4]]),
        ("x <unk> y", "x <unk> y", [[0], [1], [2]]),
        ("well-known and/or 3.5", "well @-@ known and @/@ or 3 @.@ 5", [[0, 1, 2], [3, 4, 5], [6, 7, 8]]),
        ("„a“ l’b – «c»", '" a " l\' b - " c "', [[0, 1, 2], [3, 4], [5], [6, 7, 8]]),
    ],
)
def test_tokens_match_if_they_share_characters(tokens, others, expected):
    assert match_tokens(tokens.split(" ") if tokens else [], others.split(" ") if others else []) == expected


@given(st.text("ab c", max_size=9), st.text("ab c", max_size=9), st.text("de f", max_size=9))
def test_tokens_match_in_part_where_their_texts_are_equal(before, after, cut):
    words, others = (f"{before} {middle} {after}".split() for middle in ("x", f"y {cut}"))
    found = match_tokens(words, others, partly=True)
    count = len(before.split())
    assert found[:count] == [[k] for k in range(count)]
    assert found[count] == []
    assert found[count + 1 :] == [[len(others) - k] for k in range(len(words) - count - 1, 0, -1)]


def test_only_the_named_marks_are_tried():
    assert match_tokens(["ab"], ["a", "##b"], "wordpiece") == [[0, 1]]
