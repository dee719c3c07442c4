"""Drawings of a few pairs in notebooks: words, links, kinds, directions of writing."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from aligner import Alignments, Gold, view
from tests.view.browser import colours as prefer

PAIR = "la  maison <b>", 'the "house" & garden'
LINKS = Alignments.from_lists([[(0, 0), (1, 1), (1, 3)]])


def drawn(links=LINKS, pairs=(PAIR,), **compared):
    """Return a drawing, and its paths by the words that they link."""
    text = view.html(links, pairs, **compared)._repr_html_()
    paths = re.findall(r'<path class="(\w+)" d="[^"]*"( [^>]*)?><title>([^<]*)</title>', text)
    return text, {title: (kind, rest) for kind, rest, title in paths}


def places(text, word):
    """Return the horizontal place of each occurrence of a word."""
    return [int(x) for x in re.findall(rf'<text x="(\d+)"[^>]*>{word}</text>', text)]


def test_a_pair_is_a_small_drawing_without_a_script():
    text, paths = drawn()
    assert [*paths] == ["la – the", "maison – &quot;house&quot;", "maison – garden"]
    assert {kind for kind, _ in paths.values()} == {"hit"}
    assert len(text) < 3000
    assert "<script" not in text
    assert "<b>" not in text
    assert re.findall(r'class="unlinked">([^<]*)<', text) == ["&lt;b&gt;", "&amp;"]
    (la,), (maison,) = places(text, "la"), places(text, "maison")
    assert la < maison


def test_more_pairs_and_two_systems_are_a_page():
    many = Alignments.from_lists([[(0, 0)]] * 6)
    assert drawn(many[:5], [PAIR] * 5)[0].count("<svg") == 5
    assert "<small>5</small>" in drawn(many[:5], [PAIR] * 5)[0]
    assert drawn(many, [PAIR] * 6)[0].startswith("<iframe")
    assert drawn(second=LINKS)[0].startswith("<iframe")


def test_kinds_and_probabilities_of_links():
    links = replace(LINKS, probabilities=np.array([1.0, 0.5, 0.2], np.float32))
    gold = Gold.from_lists([[(0, 0), (2, 2)]], [[(0, 0), (1, 1), (2, 2)]])
    _, paths = drawn(links, gold=gold)
    assert paths == {
        "la – the 1.00": ("hit", ' stroke-opacity="1.00"'),
        "maison – &quot;house&quot; 0.50": ("hit", ' stroke-opacity="0.62"'),
        "maison – garden 0.20": ("extra", ' stroke-opacity="0.40"'),
        "&lt;b&gt; – &amp;": ("missing", ""),
    }
    assert len(drawn(links, threshold=0.5)[1]) == 2


def test_text_from_right_to_left_begins_at_the_right():
    text, _ = drawn(Alignments.from_lists([[(0, 0)]]), [("ברא אלהים את", "God created the earth")])
    assert 'dir="rtl"' in text
    assert text.count(' direction="rtl"') == 3
    first, second, last = (places(text, word) for word in ("ברא", "אלהים", "את"))
    assert first > second > last
    assert places(text, "God") < places(text, "earth")


@pytest.mark.parametrize("pair", [("", ""), ("a", ""), ("\ud800", "\u202e")])
def test_empty_sides_and_odd_letters_are_drawn(pair):
    text, _ = drawn(Alignments.from_lists([[]]), [pair])
    assert text.encode().count(b"<text") == sum(bool(side) for side in pair)


@pytest.mark.browser
def test_words_do_not_overlap_and_colours_follow_the_theme(driver, tmp_path):
    sentence = "In the beginning God created WWWW and Mmmmm , illi ( Ärger )", "בראשית ברא אלהים את השמים"
    text, _ = drawn(Alignments.from_lists([[(0, 0)]]), [sentence])
    (tmp_path / "page.html").write_text(f'<meta charset="utf-8">{text}', "utf-8")
    driver.get((tmp_path / "page.html").as_uri())
    boxes = driver.execute_script(
        "return [...document.querySelectorAll('text')].map(text => {"
        " const {x, y, width} = text.getBBox(); return [Math.round(y), x, x + width]; })"
    )
    assert all(first[2] < second[1] for first, second in pairwise(sorted(boxes)) if first[0] == second[0])
    colours = []
    for scheme in "light", "dark":
        prefer(driver, scheme)
        for theme in "none", "true", "false":
            colours.append(
                driver.execute_script(
                    "document.body.dataset.jpThemeLight = arguments[0];"
                    " return getComputedStyle(document.querySelector('path')).stroke",
                    theme,
                )
            )
    light, dark = "rgb(0, 114, 178)", "rgb(86, 180, 233)"
    assert colours == [light, light, dark, dark, light, dark]
