"""Punctuation is linked with punctuation only."""

from dataclasses import replace

import pytest

from aligner import Alignments, Decoder, decode
from aligner.links.link_sets import occurs_in
from aligner.text.kinds import NEITHER, PUNCTUATION, WORD, kind_of
from tests.support import bitext_of

APART = Decoder(punctuation_apart=True)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("house 1990 don't 3.5 \u5e74 \u05d1\u05b0", WORD),
        (". , ... -- \u00ab \u201d ; `` \u3002 \u05be -LRB- -rrb-", PUNCTUATION),
        ("' \u2019 '' % $ \u20ac + & / \u30fb \u3001", NEITHER),
    ],
)
def test_kinds_by_hand(words, kind):
    assert {word: kind_of(word) for word in words.split()} == dict.fromkeys(words.split(), kind)


def test_links_of_punctuation_with_words_are_dropped():
    text = bitext_of([("a , %", "b . c"), ("", "")])
    everything = [(i, j) for i in range(3) for j in range(3)]
    links = Alignments.from_links(2, [0] * 9, *zip(*everything, strict=True), [0.5] * 9)
    found = APART.kept(links, text)
    assert found[0] == [(0, 0), (0, 2), (1, 1), (2, 0), (2, 1), (2, 2)]
    assert found.probabilities.tolist() == [0.5] * 6
    assert APART.kept(found, text)[0] == found[0]


@pytest.mark.parametrize("method", ["attaching", "posterior", "viterbi"])
def test_only_mixed_links_go_by_any_method(tiny_model, method):
    text = tiny_model.encode([("la maison , new .", "the house . , newer"), (", .", "the house")])
    apart = replace(Decoder(method), punctuation_apart=True)
    free, found = (decode(tiny_model, text, decoder) for decoder in (Decoder(method), apart))
    assert occurs_in(found, free).all()
    assert found[1] == []
    kept = APART.kept(free, text)
    assert [list(links) for links in kept] == [list(links) for links in found]
    assert "punctuation apart" in apart.describe()
