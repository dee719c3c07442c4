"""Tests of dictionaries as pages and as tables."""

from __future__ import annotations

import csv
import io
import re
from types import SimpleNamespace

import pytest

from aligner.analysis.concordance import Occurrence, Rendering
from aligner.analysis.dictionary import Entry, dictionary
from aligner.links.linked_pairs import LinkedPair
from aligner.view.dictionary import DICTIONARY_FORMATS, write_dictionary
from aligner.view.page import page_file
from tests.analysis.test_concordance import PAIRS
from tests.view.browser import screen, texts_of, wait_until
from tests.view.pages import assert_policy, data_of

HOSTILE = [
    "</script><script>document.title='run'</script>",
    '"><img src=x onerror=document.title=1>',
    "{{entries}}",
    'a&amp;b"c,',
    "\u202eabc",
    "a\x00\x1b\x85\u2028b",
    "__proto__",
    "\ud800x",
]


def greek():
    """Return pairs in which λόγος has rare renderings, with ids."""
    return [
        LinkedPair(links, links, words=(source.split(), target.split()), id=f"JHN {number}:1")
        for number, (source, target, links) in enumerate(PAIRS, 1)
    ]


def hostile():
    """Return entries whose word, form, translation, line and id are hostile."""
    entries = []
    for number, word in enumerate(HOSTILE):
        occurrence = Occurrence(f"{word}{number}", 0, [1], ([word, "x"], ["y", word]))
        rendering = Rendering(word, [word], [occurrence] * 2, 0.5, True)
        main = SimpleNamespace(example=occurrence)
        entries.append(Entry(word, [word, "x"], 4, 2, [rendering], [rendering], main))
    return entries


def test_page_and_table_have_the_same_renderings(tmp_path):
    counts = write_dictionary(greek(), tmp_path / "d.csv", format="csv")
    header, *rows = csv.reader(io.StringIO((tmp_path / "d.csv").read_text("utf-8")))
    write_dictionary(greek(), tmp_path / "d.html")
    data = data_of((tmp_path / "d.html").read_text("utf-8"))
    entries, lines = data["entries"], data["lines"]
    assert header == [
        *("word", "forms", "count", "translation", "translation count", "share", "rare", "lines"),
        *("example", "its translation"),
    ]
    assert counts == (sum(entry[4] for entry in entries), len(entries))
    expected = []
    for word, count, _, forms, _, renderings, example in entries:
        for text, times, is_rare, *occurrences in renderings or [["", "", 0, example]]:
            shown = [lines[line] for line, *_ in occurrences]
            share = text and f"{times / count:.4f}"
            names = "; ".join(name for name, *_ in shown)
            flag = "rare" if is_rare else ""
            expected.append(
                [word, ", ".join([word, *forms]), str(count), text, str(times), share, flag, names]
            )
            expected[-1] += shown[0][1:]
    assert rows == expected
    assert ["λόγος", "wrod", "1", "rare", "JHN 32:1"] in [[row[k] for k in (0, 3, 4, 6, 7)] for row in rows]
    assert [entry.word for entry in dictionary(greek())] == [entry[0] for entry in entries]


def test_text_is_never_markup():
    text = "".join(DICTIONARY_FORMATS["html"](hostile()))
    assert re.findall(r"<(?:script|img|/script)", text) == ["<script", "</script"] * 3
    data = data_of(text)
    assert [entry[0] for entry in data["entries"]] == HOSTILE
    assert [line[0] for line in data["lines"]] == [f"{word}{number}" for number, word in enumerate(HOSTILE)]


def test_page_requests_nothing_and_runs_its_program_alone():
    assert_policy("".join(DICTIONARY_FORMATS["html"](dictionary(greek()))))


def test_tables_quote_words():
    text = "".join(DICTIONARY_FORMATS["csv"](hostile()))
    _, *rows = csv.reader(io.StringIO(text, newline=""))
    assert [row[0] for row in rows] == HOSTILE
    assert [row[3] for row in rows] == HOSTILE


@pytest.fixture
def show(driver, tmp_path):
    """Return a function that shows a page of entries, and returns the driver."""

    def show(entries):
        text = "".join(DICTIONARY_FORMATS["html"](entries))
        (tmp_path / "d.html").write_bytes(text.encode("utf-8", "replace"))
        driver.get((tmp_path / "d.html").as_uri())
        wait_until(lambda: driver.all("#letters button"))
        return driver

    return show


def words(driver):
    return texts_of(driver, "h2 bdi")


def search(driver, query, expected):
    """Search for words, and wait for the expected ones."""
    driver.one("#search").clear()
    driver.one("#search").send_keys(query)
    assert wait_until(lambda: words(driver) == expected), words(driver)


@pytest.mark.browser
def test_words_are_found_by_form_and_by_translation(show):
    page = show(dictionary(greek()))
    assert words(page)[:3] == ["λόγος", "ὁ", "ἡ"]
    assert page.one("#found").text == "6 of 6 words"
    search(page, "ΛΌΓΩΝ", ["λόγος"])
    search(page, "speech", ["ῥῆσις"])
    assert texts_of(page, "li") == ["speech 3 · 100 %"]
    assert page.one("#figures").text.endswith("in what share of the word's occurrences.")
    assert texts_of(page, "mark") == ["ῥῆσις", "speech"]
    page.one("#search").clear()
    page.one("#search").send_keys("x")
    wait_until(lambda: page.one("#found").text == "0 of 6 words")


@pytest.mark.browser
def test_words_are_listed_by_letter_and_by_alphabet(show):
    page = show(dictionary(greek()))
    assert texts_of(page, "#letters button") == ["All", "B", "Γ", "Η", "Λ", "Ο", "Ρ"]
    page.all("#letters button")[4].click()
    assert words(page) == ["λόγος"]
    assert [each.get_attribute("aria-pressed") for each in page.all("#letters button")].index("true") == 4
    page.all("#letters button")[0].click()
    page.one("#order [value=alphabet]").click()
    assert words(page)[0] == "b"


@pytest.mark.browser
def test_rare_renderings_are_listed_with_their_lines(show):
    page = show(dictionary(greek()))
    assert page.one("#rare").text == "Rare renderings (1 word)"
    page.click("#rare")
    assert words(page) == ["λόγος"]
    assert [text.split()[0] for text in texts_of(page, "li")] == ["wrod", "of"]
    assert texts_of(page, ".example .count") == ["JHN 32:1", "JHN 37:1"]
    page.click("#rare")
    assert len(words(page)) == 6
    page.click("li .rare, li button.rare")
    assert "JHN 32:1" in texts_of(page, ".example .count")


@pytest.mark.browser
def test_hostile_words_do_not_run(show):
    page = show(hostile())
    assert page.title == "Dictionary"
    assert page.all("img") == []
    found = page.execute_script(
        "return [...document.querySelectorAll('h2 bdi')].map((each) => each.textContent)"
    )
    assert found == [word.replace("\ud800", "?") for word in HOSTILE]
    search(page, "__proto__", ["__proto__"])


def many(count):
    """Return one pair for each of ``count`` words."""
    words = [f"w{number:05}q{number}" for number in range(count)]
    link = [(0, 0)]
    return [LinkedPair(link, link, words=([word], [f"{number}"])) for number, word in enumerate(words)]


@pytest.mark.browser
def test_a_long_list_grows_as_it_is_read_and_is_printed(show, monkeypatch):
    fewer = "MOST_PRINTED = 3000", "MOST_PRINTED = 400"
    monkeypatch.setattr("aligner.view.dictionary.page_file", lambda name: page_file(name).replace(*fewer))
    page = show(dictionary(many(500)))
    first = len(page.all("section"))
    assert 60 <= first < 400
    page.execute_script("window.scrollTo(0, document.body.scrollHeight)")
    wait_until(lambda: len(page.all("section")) > first)
    screen(page, 1440, 5000)
    page.execute_script("change({ query: 'w0' })")
    wait_until(lambda: len(page.all("section")) >= 180)  # 60 do not fill the screen
    page.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert len(page.all("section")) == 400
    assert "100 more" in page.one("#end").text
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert [page.one(name).is_displayed() for name in (".controls", "nav", "#found")] == [False, False, True]


@pytest.mark.browser
def test_page_fits_the_screen(show):
    page = show(dictionary(greek()) + hostile())
    for width in (390, 820, 1440):
        screen(page, width, 800)
        assert page.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_without_scripts_the_page_says_so(driver, tmp_path):
    write_dictionary(greek(), tmp_path / "d.html")
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver.get((tmp_path / "d.html").as_uri())
        assert "needs JavaScript" in driver.one("noscript").text
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
