"""Tests of dictionaries as pages and as tables."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
from html import escape, unescape

import pytest

from aligner.models.export import translations
from aligner.view.dictionary import DICTIONARY_FORMATS, Entry, Translation, dictionary, write_dictionary


def lines(sample):
    return [(list(pair.source), list(pair.target)) for pair in sample.train]


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_entries_agree_with_the_model(tiny_model, direction):
    entries = dictionary(tiny_model, direction, least=0.1, best=3)
    found = translations(tiny_model, direction, least=0.1, best=3)
    vocabularies = [tiny_model.source_vocabulary, tiny_model.target_vocabulary]
    own, other = vocabularies if direction == "forward" else vocabularies[::-1]
    rows = zip(found.word.tolist(), found.translation.tolist(), found.probability.tolist(), strict=True)
    listed = [(entry.word, each.word, each.probability) for entry in entries for each in entry.translations]
    assert listed == [(own.words[w], other.words[t], p) for w, t, p in rows]
    for entry in entries:
        assert entry.count == own.counts[own.index[entry.word]]
        assert all(each.count == other.counts[other.index[each.word]] for each in entry.translations)


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_examples_are_the_shortest_lines_with_both_words(sample, tiny_model, direction):
    text = lines(sample)
    entries = dictionary(tiny_model, direction, least=0.2, text=text)
    sides = text if direction == "forward" else [pair[::-1] for pair in text]
    for entry in entries:
        for each in entry.translations:
            both = [
                len(own) + len(other)
                for own, other in sides
                if entry.word in map(str.lower, own) and each.word in map(str.lower, other)
            ]
            found = each.example
            assert (found is None) == (not both)
            if found:
                assert sum(map(len, found)) == min(both)
                assert entry.word in map(str.lower, found[0])
                assert each.word in map(str.lower, found[1])


def test_table_has_a_row_for_each_translation(sample, tiny_model, tmp_path):
    counts = write_dictionary(tiny_model, tmp_path / "d.csv", format="csv", least=0.1, text=lines(sample))
    header, *rows = csv.reader(io.StringIO((tmp_path / "d.csv").read_text("utf-8")))
    assert header[:4] == ["word", "count", "translation", "probability"]
    assert counts == (len(rows), len({row[0] for row in rows}))
    assert all(len(row) == len(header) and float(row[3]) >= 0.0999 for row in rows)


HOSTILE = ["</style><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{entries}}", 'a&amp;b"c,']


def hostile_entries():
    return [
        Entry(word, 3, [Translation(word, 0.5, 2, ([word, "x"], [word])), Translation("x", 0.25, 1, None)])
        for word in HOSTILE
    ]


def test_text_is_never_markup():
    text = "".join(DICTIONARY_FORMATS["html"](hostile_entries()))
    assert re.findall(r"<(script|img)", text) == []
    assert [unescape(word) for word in re.findall(r"<h2><bdi>(.*?)</bdi>", text)] == HOSTILE
    assert all(f"<mark>{escape(word)}</mark>" in text for word in HOSTILE)
    assert not re.search(r"@import|url\(|src=\"|href=", text)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in text
    assert "default-src 'none'; base-uri 'none'; form-action 'none'" in text


def test_tables_quote_words():
    text = "".join(DICTIONARY_FORMATS["csv"](hostile_entries()))
    rows = list(csv.reader(io.StringIO(text)))
    assert [row[0] for row in rows[1::2]] == HOSTILE
    assert [row[5] for row in rows[2::2]] == [""] * len(HOSTILE)


@pytest.mark.browser
def test_page_is_shown(driver, sample, tiny_model, tmp_path):
    path = tmp_path / "d.html"
    _, words = write_dictionary(tiny_model, path, least=0.2, text=lines(sample))
    driver.get(path.as_uri())
    assert len(driver.all("section")) == words
    assert driver.one(".count").value_of_css_property("font-size") == "12px"
    assert [entry for entry in driver.get_log("browser") if "Content Security" in entry["message"]] == []
