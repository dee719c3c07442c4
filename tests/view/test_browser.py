"""Tests of the page in a headless browser: list, filter, threshold, comparisons, keys, address."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from tests.view.browser import colours, texts_of, wait_until, words_in_picture
from tests.view.conftest import LINES

pytestmark = pytest.mark.browser


def kinds(page):
    """Return the number of links of each kind in the picture."""
    script = "return [...document.querySelectorAll('#picture .link')].map((link) => link.classList[1])"
    return Counter(page.execute_script(script))


def set_range(page, value):
    page.execute_script(
        "const slider = document.getElementById('threshold'); slider.value = arguments[0];"
        "slider.dispatchEvent(new Event('input'));",
        value,
    )


def type_filter(page, text):
    page.one("#filter").send_keys(text)
    wait_until(lambda: page.execute_script("return state.filter") == text)


def listed(page):
    """Return the line numbers in the list."""
    return [int(text) for text in texts_of(page, "#rows .number")]


def test_page_shows_lines_words_and_links(page):
    assert listed(page) == [1, 2, 3, 4, 5]
    assert [words_in_picture(page, side) for side in (0, 1)] == [line.split() for line in LINES[0]]
    assert kinds(page) == {"hit": 3, "possible": 1}
    opacities = [float(link.get_attribute("opacity")) for link in page.all("#picture .link.hit")]
    assert opacities == sorted(set(opacities), reverse=True)


def test_text_of_the_user_is_never_markup(page):
    page.at("#line=2")
    assert words_in_picture(page, 0) == ["le", "<script>chat</script>", "dort"]
    assert words_in_picture(page, 1) == ["the", "</script><b>cat", "sleeps"]
    assert page.all("main b:not(#legend b):not(.figure b)") == []


def test_threshold_hides_links(page):
    set_range(page, 0.5)
    assert kinds(page) == {"hit": 2, "possible": 2}
    set_range(page, 0.7)
    assert kinds(page) == {"hit": 1, "missing": 1, "possible": 2}
    second_word = page.one("#picture [data-side='0'][data-index='1']")
    assert second_word.get_attribute("class") == "word unlinked"
    page.press("[" * 3)
    assert page.one("#threshold-value").text == "55 % sure"
    assert "threshold=0.55" in page.current_url


def test_page_opens_at_the_threshold_of_the_model(show, tiny_model):
    """AER in the heading and in the list is that of the links that reach the slider."""
    links = Alignments.from_links(2, [0, 0, 1], [0, 1, 0], [0, 1, 0], np.array([0.9, 0.4, 0.7]))
    gold = Gold(Alignments.from_lists([[(0, 0)], [(0, 0)]]), Alignments.from_lists([[], []]))
    page = show([["a", "b"], ["a"]], [["x", "y"], ["z"]], links, gold=gold, model=tiny_model)
    assert page.one("#threshold-value").text == "50 % sure"

    for threshold, *expected in ((0.5, 0.0, 0.0, 0.0), (0.3, 20.0, 33.3, 0.0), (0.8, 33.3, 0.0, 100.0)):
        set_range(page, threshold)
        shown = [f"errors\n{expected[0]} %", *(f"{aer}\n% errors" for aer in expected[1:])]
        wait_until(lambda shown=shown: texts_of(page, "#figures div:last-child, .row .figure") == shown)


def test_order_follows_the_threshold(page):
    page.one("#sort option[value=aer]").click()
    set_range(page, 0.95)
    wait_until(lambda: listed(page)[:1] == [1])
    set_range(page, 0)
    wait_until(lambda: listed(page)[:1] == [5])


def test_comparisons_show_other_links(page):
    page.at("#line=2&compare=second-gold")
    assert kinds(page) == {"hit": 2, "missing": 1}
    page.one("#compare option[value=systems]").click()
    assert kinds(page) == {"extra": 1, "hit": 2}
    assert "errors" not in page.one("#measures").text
    page.one("#compare option[value=gold]").click()
    assert "0.0 % errors" in page.one("#measures").text


def test_list_and_picture_are_read_aloud(page):
    """The rows are options of the list, and each source word has its links, also after an edit."""
    page.one("#list").send_keys("jj")
    row = page.one("#" + page.one("#list").get_attribute("aria-activedescendant"))
    names = "role", "aria-selected", "aria-posinset", "aria-setsize"
    assert [row.get_attribute(name) for name in names] == ["option", "true", "3", "5"]
    assert len(page.all("[role=listbox] [aria-selected=true]")) == 1
    page.execute_script("change({ line: 1 })")

    def spoken():
        return page.execute_script("return [...byId('spoken').children].map((item) => item.textContent)")

    words = [words_in_picture(page, side) for side in (0, 1)]
    assert spoken()[0] == f"{words[0][0]}: {words[1][0]}"
    page.press("ex")
    assert spoken()[0] == f"{words[0][0]}: no link"


FILTERS = {
    "house": [1], "HOUS": [1], '"hous"': [], '"the" la': [1], "喝": [3], "ישנה": [5], "differences>0": [2],
    "aer>10": [5], "confidence<70 confidence>50": [1], "confidence<=100": [1, 2, 3, 5], "unlinked": [4],
    "lines:2-3": [2, 3], "lines:4-": [4, 5], "lines:5": [5], "<script>": [2],
    "constructor>1": [], "toString<=1": [], "הספריה": [], "הַסִּפְרִיָּיה": [5], "MÁISON": [1],
}  # fmt: skip


def test_filter_lists_matching_lines(page):
    type_filter(page, "house")
    assert "filter=house" in page.current_url
    script = (
        "return arguments[0].map((filter) => { change({ filter });"
        "return [[...document.querySelectorAll('#rows .number')].map((own) => Number(own.textContent)),"
        "byId('nothing').checkVisibility(), byId('number').textContent]; })"
    )
    found = dict(zip(FILTERS, page.execute_script(script, [*FILTERS]), strict=True))
    number = {text: str(lines[0] if lines else "–") for text, lines in FILTERS.items()}
    assert found == {text: [lines, not lines, number[text]] for text, lines in FILTERS.items()}


VERSES = ["MAT 1:2-3", "MAT 1:4a", "MAT 1:4b", "MAT 1:12", "MAT 12:1", "3JN 1:4", "doc-1", "doc-10"]
VERSE_FILTERS = {
    "MAT 1": [1, 2, 3, 4], "mat 1:3": [1], "MAT 1:4-12": [2, 3, 4], "MAT 2-12": [5], "MAT": [1, 2, 3, 4, 5],
    "MAT 1:4b": [3], "doc-1": [7], "house 3JN 1:4": [6], "3JN": [6], "lines:2-3 MAT 1:4": [2, 3],
    "mat": [8], "MAT 7": [], "3": [5], '"the mat': [], "MAT 1 unlinked": [],
}  # fmt: skip


def test_filter_takes_ids(show):
    target = [[word] for word in ["house"] * 7 + ["mat"]]
    target[4] = ["3"]
    page = show([["a"]] * 8, target, Alignments.from_lists([[(0, 0)]] * 8), ids=VERSES)
    listed = "return listedLines(arguments[0], false, 'line').map((index) => index + 1)"
    found = {text: page.execute_script(listed, text) for text in VERSE_FILTERS}
    assert found == VERSE_FILTERS
    type_filter(page, "MAT 1:4-12")
    assert texts_of(page, "#rows .number") == VERSES[1:4]


def test_filter_tells_case_and_accents_apart_if_asked(page):
    type_filter(page, "Máison")
    assert listed(page) == [1]
    page.click("#exact")
    assert listed(page) == []
    assert page.one("#exact").get_attribute("aria-pressed") == "true"
    page.execute_script("change({filter: 'maison'})")
    assert listed(page) == [1]


def test_matches_of_the_filter_are_marked(page):
    type_filter(page, "HOUS bleu")
    assert [mark.text for mark in page.all(".row mark")] == ["bleue", "house"]
    assert len(page.all("#picture .match")) == 2
    page.press("m")
    assert len(page.all("#picture .match")) == 2
    page.execute_script("change({filter: ''})")
    assert page.all("mark, .match") == []


def test_chips_and_sorting(page):
    chip = next(chip for chip in page.all("#chips button") if chip.text == "different")
    chip.click()
    assert listed(page) == [2]
    title = page.one("#chips [aria-pressed=true]").get_attribute("title")
    assert title == "List lines: different. As a filter: differences>0"
    page.click("#chips [aria-pressed=true]")
    page.one("#sort option[value=aer]").click()
    assert (listed(page)[0], listed(page)[-1], page.one("#number").text) == (5, 4, "2"), "the line stays"
    page.one("#sort option[value=confidence]").click()
    assert listed(page) == [1, 5, 2, 3, 4]


def test_keys(page):
    page.press("jj")
    assert page.one("#number").text == "3"
    page.press("k")
    assert page.one(".row.current .number").text == "2"
    page.press("m")
    assert page.all("#picture .grid")
    page.press("m")
    assert not page.all("#picture .grid")
    page.press("/")
    assert page.switch_to.active_element.get_attribute("id") == "filter"
    page.switch_to.active_element.send_keys("jm")
    wait_until(lambda: "filter=jm" in page.current_url)
    page.switch_to.active_element.send_keys("\ue00c")
    page.press("?")
    assert page.one("#help").is_displayed()
    page.press("\ue00c")
    assert not page.one("#help").is_displayed()


def test_links_lead_to_a_line(page):
    page.open_at("#line=3&view=matrix&threshold=0.25")
    assert page.one("#number").text == "3"
    assert page.all("#picture .grid")
    assert page.one("#threshold-value").text == "25 % sure"
    page.execute_script("location.hash = 'line=5'")
    wait_until(lambda: page.one("#number").text == "5")
    page.at("#line=99&view=nonsense")
    assert page.one("#number").text == "1"


def test_dark_mode(page):
    def background():
        return page.execute_script("return getComputedStyle(document.body).backgroundColor")

    light = background()
    colours(page, "dark")
    assert background() != light


COUNT_PARSED = """
  window.parsed = 0;
  window.requestIdleCallback = () => {};
  const parse = JSON.parse;
  JSON.parse = (text) => { window.parsed += 1; return parse(text); };
"""
"""A program that counts what a page parses: its header, its words, and lines. It leaves no idle time."""


@pytest.fixture
def counted(driver):
    """Let pages count what they parse."""
    own = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": COUNT_PARSED})
    yield
    driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", own)


@pytest.mark.usefixtures("counted")
def test_large_page_reads_the_lines_that_it_shows(show):
    n = 10_000
    words = [f"word{k % 997} in line {k} of a large text that goes on".split() for k in range(n)]
    positions = np.tile(np.arange(11), n)
    page = show(
        words,
        words,
        Alignments.from_links(n, np.repeat(np.arange(n), 11), positions, positions),
        hash="#line=7777",
    )
    assert page.one(".row.current .number").text == "7777"
    assert len(page.all(".row")) < 60
    assert 0 < page.execute_script("return parsed") < 150
    page.execute_script("toggleEditor(); vocabulary()")
    assert page.execute_script("return parsed") > n
    for act in (
        *("judgeNext()", "acceptLine()", "travel('undo')", "setThreshold(0.5)"),
        *("change({filter: 'word500'})", "openWord(0, 0)"),
    ):
        assert page.execute_script(f"parsed = 0; {act}; return parsed") < 150, act
