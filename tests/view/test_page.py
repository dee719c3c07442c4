"""Tests of the data and of the text of a page, and of pages in notebooks."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import view
from aligner.links.alignments import Alignments
from aligner.links.evaluation import score
from aligner.links.gold import Gold
from aligner.links.link_sets import reaching
from aligner.models.export import translations
from aligner.text.prefixes import JOINER
from aligner.text.splits import Splits
from aligner.view import cards
from aligner.view.cards import word_cards
from aligner.view.content import Content
from aligner.view.page import page_texts
from aligner.view.records import header, line_records
from tests.view.pages import SCRIPT, assert_policy, data_of


def page_of(content):
    return "".join(page_texts(content))


GOLD = Gold(Alignments.from_lists([[(0, 0)], []]), Alignments.from_lists([[(1, 1)], [(0, 1)]]))
SECOND = Alignments.from_lists([[(0, 1)], []])


def small(**parts):
    links = Alignments.from_links(2, [0, 0, 1], [0, 1, 0], [0, 1, 0], np.array([0.5, 1, 0.25]))
    return Content([["a", "b"], ["a"]], [["x", "y"], ["x", "z"]], links, **parts)


def test_records_hold_words_and_links():
    assert list(line_records(small())) == [
        ["a b", "x y", "0-0:0.5000 1-1:1.0000", None, None],
        ["a", "x z", "0-0:0.2500", None, None],
    ]
    assert [record[3:] for record in line_records(small(gold=GOLD, second=SECOND))] == [
        ["0-0 1?1", "0-1"],
        ["0?1", ""],
    ]


def test_header_has_figures_of_each_line():
    content = small(gold=GOLD, second=SECOND, names={"source": "/home/me/a.fr"}, first=7)
    values = header(content)
    assert values["columns"] == {"aer": [0.0, 1.0], "differences": [3, 1], "confidence": [0.75, 0.25]}
    assert (values["words"], values["sure"]) == ([3, 4], 1)
    assert values["names"] == {"source": "a.fr"}
    assert values["first"] == 7


@pytest.mark.parametrize("threshold", [0, 0.25, 0.26, 0.5, 0.51, 1])
def test_header_has_figures_of_each_threshold(threshold):
    content = small(gold=GOLD, second=SECOND, opening=threshold)
    values, links = header(content), reaching(content.links, threshold)
    level = round(100 * threshold)
    for found, expected in ((values["own"], links), (values["second"], SECOND)):
        figures = [counts[min(level, len(counts) - 1)] for name, counts in found.items() if name != "linked"]
        reference = score(expected, GOLD)
        hits, sure_hits = figures[1:]
        assert figures[0] == reference.links
        assert 1 - (hits + sure_hits) / (figures[0] + values["sure"]) == pytest.approx(reference.aer)
    words = [{*zip(links.pair.tolist(), side.tolist(), strict=True)} for side in (links.source, links.target)]
    assert [counts[level] for counts in values["own"]["linked"]] == [len(side) for side in words]
    assert values["threshold"] == threshold
    aers = [score(links[k : k + 1], Gold(GOLD.sure[k : k + 1], GOLD.possible[k : k + 1])) for k in (0, 1)]
    expected_aers = [round(s.aer, 4) if s.links + s.sure else None for s in aers]
    assert values["columns"]["aer"] == expected_aers


def test_page_opens_at_the_threshold_of_the_model(tiny_model):
    assert small().threshold == 0
    assert small(model=tiny_model).threshold == tiny_model.config["decode"]["threshold"] == 0.5
    assert small(model=tiny_model, opening=0.3).threshold == 0.3
    plain = Content([["a"]], [["b"]], Alignments.from_lists([[(0, 0)]]), model=tiny_model)
    assert plain.threshold == 0


def test_key_names_the_words():
    keys = [header(small(first=first))["key"] for first in (1, 1, 2)]
    other = Content([["a", "b"], ["a"]], [["x", "y"], ["x", "w"]], small().links)
    assert keys[0] == keys[1]
    assert len({*keys, header(other)["key"]}) == 3


def test_figures_that_a_line_lacks_are_null():
    links = Alignments.from_links(2, [0], [0], [0], np.array([0.5]))
    links = replace(links, scores=np.full((2, 3), -np.inf))
    gold = Gold(Alignments.from_lists([[(0, 0)], []]), Alignments.from_lists([[], []]))
    columns = header(Content([["a"], []], [["b"], []], links, gold))["columns"]
    assert columns == {"aer": [0.0, None], "gain": [None, None], "confidence": [0.5, None]}


HOSTILE = st.text(st.characters(exclude_characters=" \t\n\0", exclude_categories=["Cs"]), min_size=1)
TAGS = st.sampled_from(
    ["</script>", "<!--", "<script>", "]]>", "{{lines}}", "&lt;", '"', "\\u003c", "\u2028"]
)
WORDS = st.lists(HOSTILE | TAGS, max_size=4)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=4))
def test_no_text_leaves_its_block(pairs):
    source, target = ([list(pair[k]) for pair in pairs] for k in (0, 1))
    links = Alignments.from_lists([[(0, 0)] if s and t else [] for s, t in pairs])
    page = page_of(Content(source, target, links, names={"source": "</script><b>"}))
    data = data_of(page)
    assert data["words"] is None
    assert [[text.split(" ") if text else [] for text in line[:2]] for line in data["lines"]] == [
        [s, t] for s, t in zip(source, target, strict=True)
    ]
    assert SCRIPT.sub("", page) == SCRIPT.sub("", page_of(small()))


def test_page_requests_nothing_and_runs_its_program_alone(tiny_model):
    assert_policy(page_of(small(model=tiny_model)), **{"img-src": "data: blob:"})


@pytest.fixture
def content(sample, tiny_model):
    """Return the sample with its sure links, and two words that the model does not know."""
    source = [list(pair.source) for pair in sample.train] + [["unseen", sample.train[0].source[0].upper()]]
    target = [list(pair.target) for pair in sample.train] + [["neverseen"]]
    links = Alignments.from_lists([sorted(pair.sure) for pair in sample.train] + [[(0, 0)]])
    return Content(source, target, links, model=tiny_model)


def test_words_are_looked_up_by_their_longest_part_as_decoding_does(tiny_model):
    vocabulary = replace(tiny_model.source_vocabulary, splits=Splits((JOINER,)))
    model = replace(tiny_model, source_vocabulary=vocabulary)
    stem = max(vocabulary.words, key=len)
    words = [stem, f"w{JOINER}{stem.upper()}{JOINER}o", f"{stem[0]}{JOINER}notseenbefore"]
    found = word_cards(Content([words], [["x"]], Alignments.from_lists([[]]), model=model), model)
    assert found["unknown"][0] == words[2:]
    assert found["forms"][0] == dict.fromkeys(words[:2], 0)
    assert model.translations(words[1]) == model.translations(stem) != []


def test_cards_agree_with_the_model(sample, tiny_model, content):
    found = word_cards(content, tiny_model)
    assert found["unknown"] == [["unseen"], ["neverseen"]]
    own, other = tiny_model.source_vocabulary, tiny_model.target_vocabulary
    forward = translations(tiny_model, least=0.01, best=5)
    for word in sample.train[0].source:
        frequency, *rest = found["cards"][0][found["forms"][0][word]]
        id = own.index[word.lower()]
        chosen = forward.word == id
        assert frequency == own.counts[id]
        assert rest[::2] == [other.words[k] for k in forward.translation[chosen]]
        np.testing.assert_allclose(rest[1::2], forward.probability[chosen], atol=1e-4)
    capital = sample.train[0].source[0].upper()
    assert found["forms"][0][capital] == found["forms"][0][sample.train[0].source[0]]


def test_linked_words_have_probabilities_both_ways(sample, tiny_model, content):
    found = word_cards(content, tiny_model)
    tables = [translations(tiny_model, direction, least=1e-7) for direction in ("forward", "reverse")]
    expected = [
        {(word, translation): p for word, translation, p in zip(*map(np.ndarray.tolist, table), strict=True)}
        for table in tables
    ]
    pair = sample.train[0]
    for i, j in sorted(pair.sure):
        word, translation = pair.source[i], pair.target[j]
        s, t = found["forms"][0][word], found["forms"][1][translation]
        ids = tiny_model.id_of(word, 0), tiny_model.id_of(translation, 1)
        both = expected[0].get(ids, 0), expected[1].get(ids[::-1], 0)
        assert found["pairs"][f"{s},{t}"] == pytest.approx(both, rel=0.01, abs=1e-6)


def test_cards_are_limited(tiny_model, content, monkeypatch):
    everything = word_cards(content, tiny_model)
    monkeypatch.setattr(cards, "MOST_CARDS", 10)
    monkeypatch.setattr(cards, "MOST_PAIRS", 3)
    found = word_cards(content, tiny_model)
    assert [len(side) for side in found["cards"]] == [10, 10]
    assert found["cards"][0] == everything["cards"][0][:10]
    assert len(found["pairs"]) == 3
    assert found["unknown"] == everything["unknown"]


def test_notebooks_show_a_page_in_a_frame(tmp_path):
    links = Alignments.from_lists([[(0, 0)]])
    page = view.html(links, zip(["la  maison\n"], ['the "house" <b>'], strict=True), second=links)
    frame = page._repr_html_()
    (srcdoc,) = re.findall(r'srcdoc="([^"]*)"', frame)
    page.write(tmp_path / "page.html")
    assert unescape(srcdoc) == (tmp_path / "page.html").read_text("utf-8")
    assert repr(page) == "NotebookPage(Alignments(1 pair, 1 link))"
    tokens = view.html(links, [(["la", "maison"], 'the "house" <b>')], second=links)
    for each in (page, tokens):
        lines = data_of(page_of(each.content))["lines"]
        assert lines == [["la maison", 'the "house" <b>', "0-0", None, "0-0"]]
    with pytest.raises(TypeError, match=r"found links of type list; expected Alignments; pass decode\("):
        view.html([[(0, 0)]], [("la", "the")])
