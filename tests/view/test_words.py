"""Tests of the concordance and of the dictionary of the page in a headless browser."""

from __future__ import annotations

import pytest

from aligner.analysis.concordance import find
from aligner.analysis.folding import fold, spelling, word_test
from aligner.links.alignments import Alignments
from tests.analysis.test_concordance import PAIRS, lines
from tests.view.browser import texts_of, wait_until

pytestmark = pytest.mark.browser


@pytest.fixture
def greek_page(show):
    """Return the driver of a page in which the renderings of a word are known."""
    source, target, links = zip(*PAIRS, strict=True)
    sides = ([line.split() for line in side] for side in (source, target))
    return show(*sides, Alignments.from_lists(links))


def groups(driver):
    """Return the rows of the renderings of a word."""
    return [text.split("\n") for text in texts_of(driver, ".rendering")]


def marks(driver, rendering):
    """Return the marked words of the lines of a rendering, and the line numbers."""
    driver.execute_script("change({rendering: arguments[0]})", rendering)
    return tuple(texts_of(driver, f".occurrence {name}") for name in ("mark", ".number"))


def test_a_click_on_a_word_shows_its_lines_by_rendering(greek_page):
    greek_page.one("#picture [data-side='0'][data-index='1'] text").click()
    assert texts_of(greek_page, "#concordance h2") == ["λόγος"]
    assert groups(greek_page) == [
        ["word", "30 · 90.9 %"],
        ["speech", "1 · 3.0 %"],
        ["wrod rare", "1 · 3.0 %"],
        ["no link", "1 · 3.0 %"],
    ]
    assert "33 occurrences · 3 renderings · 2 spellings" in texts_of(greek_page, "#concordance p")
    found, numbers = marks(greek_page, "word")
    assert numbers == [str(n) for n in range(1, 31)]
    assert found[-2:] == ["Λόγος", "Word"]
    assert marks(greek_page, "speech") == (["λόγος", "speech"], ["31"])
    assert marks(greek_page, "") == (["λόγος"], ["33"])


def test_the_browser_goes_back_from_a_verse_to_its_rendering_to_the_word(greek_page):
    greek_page.one("#picture [data-side='0'][data-index='1'] text").click()
    greek_page.one("#concordance .chips button[aria-pressed='false']:last-child").click()
    assert groups(greek_page) == [["wrod rare", "1 · 3.0 %"]]
    greek_page.click(".rendering")
    greek_page.click(".occurrence")
    assert len(greek_page.all("#picture .picked")) == 1, "the word"
    wait_until(lambda: texts_of(greek_page, "#number") == ["32"])
    assert greek_page.one("#picture svg").is_displayed()
    for part, text in (
        ("#concordance h2", "λόγος – wrod rare"),
        ("#concordance h2", "λόγος"),
        ("#number", "1"),
    ):
        greek_page.back()
        wait_until(lambda part=part, text=text: texts_of(greek_page, part) == [text])


def test_dictionary_lists_head_words_with_renderings_and_an_example(greek_page):
    greek_page.click("#words-mode")
    rows = texts_of(greek_page, "#head-rows .row")
    heads = "λόγος 33×", "ὁ 32×", "ἡ 3×", "ῥῆσις 3×", "<b> 1×", "λόγων 1×", "γε 1×"
    assert [" ".join(row.split("\n")[:2]) for row in rows] == [*heads]
    assert rows[0].split("\n")[2] == "word 30×speech 1×wrod 1×"
    assert [row.split("\n")[2] for row in rows[5:]] == ["of 1×words 1×", "no link"]
    assert rows[0].split("\n")[3] == "Λόγος <b>"
    greek_page.click("#of-target")
    rows = texts_of(greek_page, "#head-rows .row")
    assert rows[0].split("\n")[:2] == ["the", "36×"]
    assert rows[0].split("\n")[2].startswith("ὁ 32×")
    greek_page.all("#head-rows .row")[1].click()
    assert texts_of(greek_page, "#concordance h2") == ["word"]
    greek_page.one("body").send_keys("j")
    assert texts_of(greek_page, "#concordance h2") == ["speech"]
    assert [group[0] for group in groups(greek_page)] == ["ῥῆσις", "λόγος"]


def test_words_are_found(greek_page):
    for by, query, exact, expected in (
        ("part", "ογ", True, []),
        ("regex", r"\S", False, ["ὁ", "ἡ"]),
        ("regex", "(", False, []),
        ("part", "<b>", False, ["<b>"]),
    ):
        change = "change({ mode: 'words', search: arguments[0], by: arguments[1], exact: arguments[2] })"
        greek_page.execute_script(change, query, by, exact)
        assert texts_of(greek_page, "#head-rows .head bdi") == expected
        assert greek_page.one("#all-forms").is_displayed() == bool(expected)


def test_all_matches_have_one_concordance(greek_page):
    greek_page.execute_script("change({mode: 'words', search: 'λογ', by: 'prefix'})")
    greek_page.click("#all-forms")
    assert texts_of(greek_page, "#concordance h2") == ["λογ (beginning)"]
    assert ["of … words rare", "1 · 2.9 %"] in groups(greek_page)


def test_what_the_model_expects_is_of_one_word(show, tiny_model, sample):
    word, other = sample.train[0].source[0].lower(), sample.train[0].target[0]
    links = Alignments.from_lists([[(0, 0)]])
    page = show([[word, f"{word}x"]], [[other, "x"]], links, model=tiny_model, opening=0.0)
    page.execute_script("change({mode: 'words', word: arguments[0]})", word)
    assert "The program expects: " in page.one("#concordance").text
    page.execute_script("change({wordBy: 'part'})")
    assert "2 spellings" in page.one("#concordance").text
    assert "The program" not in page.one("#concordance").text


def test_edits_count_in_the_concordance(greek_page):
    greek_page.execute_script("change({line: 33}); toggleEditor(); moveCursor(1, 0); judge('confirmed')")
    greek_page.execute_script("change({mode: 'words', word: 'λόγος'})")
    assert [group[0] for group in groups(greek_page)] == ["word", "speech", "wrod rare", "the ✓ 1"]


def test_text_in_words_is_never_markup(greek_page):
    greek_page.execute_script("change({mode: 'words', word: '<b>'})")
    assert [group[0] for group in groups(greek_page)] == ["<i>"]
    assert greek_page.all("#concordance b, main i") == []


def test_page_and_program_agree(greek_page):
    """The concordance of the page is that of ``align find``."""
    for query, by in ("ΛΟΓΟΣ", "form"), ("Λογ", "prefix"), ("ο", "part"), ("η|ο|λ.*(ος|ων)", "regex"):
        expected = find(lines(), word_test(query, by)).renderings
        found = greek_page.execute_script(
            "return concordance(0, wordTest(arguments[0], arguments[1], false)).groups"
            ".map(({text, occurrences, isRare}) => [text, occurrences.map(({index, position}) =>"
            " [index + 1, position]), isRare])",
            query,
            by,
        )
        assert found == [
            [each.text, [[o.line, o.position] for o in each.occurrences], each.is_rare] for each in expected
        ]


def test_a_rendering_is_judged_as_one_and_taken_back_as_one(greek_page):
    greek_page.execute_script("change({mode: 'words', word: 'λόγος', rendering: 'word'})")
    greek_page.all("#concordance .verdicts button")[0].click()
    wait_until(lambda: "30 marked right" in texts_of(greek_page, "#concordance p")[0])
    greek_page.execute_script("change({rendering: null})")
    assert groups(greek_page)[0] == ["word ✓ 30", "30 · 90.9 %"]
    greek_page.execute_script("change({rendering: 'word'})")
    greek_page.all("#concordance .verdicts button")[1].click()
    wait_until(lambda: texts_of(greek_page, "#concordance p")[0] == "0 of 33 occurrences · 0.0 %")
    greek_page.press("z")
    wait_until(lambda: "30 marked right" in texts_of(greek_page, "#concordance p")[0])
    greek_page.execute_script("travel('undo')")
    assert greek_page.execute_script("return edits.lines()") == 0


def test_words_are_listed_and_found_by_their_lemma(show):
    lemmas = {"λόγοι": ["λόγος", "G3056"], "Λόγον": ["λόγος", "G3056"], "ἦν": ["εἰμί", "G1510"]}
    links = Alignments.from_lists([[(0, 0), (1, 1), (2, 2)]])
    page = show([["λόγοι", "ἦν", "Λόγον"]], [["Words", "was", "Words"]], links, lemmas=[lemmas, {}])
    page.execute_script("change({mode: 'words', search: 'λόγος'})")
    assert texts_of(page, "#head-rows .head") == ["λόγος\n2×"]
    page.one("#head-rows .row").click()
    assert groups(page) == [["Words", "2 · 100.0 %"]], "as the text writes it"
    assert texts_of(page, "#concordance .chips bdi") == ["λόγοι", "Λόγον"]
    page.execute_script("change({side: 'target', word: 'words'})")
    assert [group[0] for group in groups(page)] == ["λόγος"]
    page.execute_script("change({side: 'source'})")
    for word in ("λογος", "g3056"):
        page.execute_script("change({mode: 'words', word: arguments[0], wordBy: 'lemma'})", word)
        assert [group[0] for group in groups(page)] == ["Words"]
    assert texts_of(page, "#concordance h2") == ["g3056 (lemma or Strong’s number)"]
    assert texts_of(page, "#concordance h2 bdi") == ["g3056"]
    assert page.execute_script("return headWords(0, 'ειμι', 'lemma', false)[0].title") == "εἰμί"


def test_page_and_program_fold_alike(greek_page):
    words = [
        "Λόγος", "ᾧ", "ΟΣ", "ὈΔΥΣΣΕΎΣ", "Straße", "Ёлка", "בְּרֵאשִׁית", "كِتَابٌ",
        "e\u0301", "が", "हिन्दी", "한글", "İ", "ﬁ", "don’t", "don`t", "«ab»", "על־פני", "ἀπ᾽",
        "\ufb2a", "ܡܶܠܬ݂ܳܐ", "הָ\u2060אָ֔רֶץ", "a\u200db", "co\u00adop", "a–b",
    ]  # fmt: skip
    for name, program in (("fold", fold), ("spelling", spelling)):
        assert greek_page.execute_script(f"return arguments[0].map({name})", words) == [*map(program, words)]
