"""Tests of edit mode in a headless browser: by mouse, keys and touch, undo, reload, and the saved file."""

from __future__ import annotations

import re

import pytest

from aligner.links.alignments import Alignments
from aligner.links.known_links import read_known_links
from tests.view.browser import screen, texts_of, touch_at, touch_stroke, wait_until

ActionChains = pytest.importorskip("selenium.webdriver").ActionChains

pytestmark = pytest.mark.browser

SHIFT, CONTROL = "\ue008", "\ue009"
LEFT, RIGHT, UP, DOWN, ENTER, BACKSPACE, ESCAPE = (
    *("\ue012", "\ue014", "\ue013", "\ue015", "\ue007", "\ue003", "\ue00c"),
)
PAGE_UP, PAGE_DOWN, END, HOME = "\ue00e\ue00f\ue010\ue011"


def known_links(page):
    """Return the text that Save writes."""
    return page.execute_script("return edits.knownLinks()")


def known_links_after(page, keys):
    """Press keys, and return the text that Save writes."""
    page.press(keys)
    return known_links(page)


def cell_at(page, i, j):
    """Return the place of a cell of the matrix, and the place of a word of the ribbon, in the window."""
    return page.execute_script(
        "const box = currentDrawing.drawing.picture.getBoundingClientRect();"
        "const cell = currentDrawing.drawing.cursor(...arguments)[0];"
        "const at = (name) => Number(cell.getAttribute(name));"
        "return [box.left + at('x') + at('width') / 2, box.top + at('y') + at('height') / 2].map(Math.round)",
        i,
        j,
    )


def drag(page, *places, key=""):
    """Draw the pointer from the first place over the others, and return the text that Save writes.

    One place is clicked. key: held meanwhile.
    """
    if key:
        ActionChains(page).key_down(key).perform()
    actions = ActionChains(page, duration=20 if places[1:] else 0)
    pointer = actions.w3c_actions.pointer_action
    pointer.move_to_location(*places[0])
    pointer.pointer_down()
    for place in places[1:]:
        pointer.move_to_location(*place)
    pointer.pointer_up()
    actions.perform()
    if key:
        ActionChains(page).key_up(key).perform()
    return known_links(page)


def click_word(page, side, index):
    """Click a word of the picture, and return the text that Save writes."""
    page.one(f"#picture [data-side='{side}'][data-index='{index}'] text").click()
    return known_links(page)


def state(page):
    """Return the words and the state of the cell below the cursor."""
    return page.one("#cell").text


def test_cells_of_the_matrix_are_clicked(page):
    page.at("#view=matrix")
    page.click("#edit")
    for expected in ("1\t0-1\n", "1\t0!1\n", ""):
        assert drag(page, cell_at(page, 0, 1)) == expected
        assert len(page.all("#picture .sign")) == bool(expected)
    assert state(page) == "la – bluenot linked"
    for expected, verdict in (("1\t1!2\n", "forbidden"), ("1\t1-2\n", "confirmed")):
        assert drag(page, cell_at(page, 1, 2)) == expected
        assert verdict in page.one("#picture .hit .sign").get_attribute("class")
        signs = {"forbidden": "not linked, checked", "confirmed": "linked, checked"}
        assert any(text.startswith(signs[verdict]) for text in texts_of(page, "#legend li"))
    page.press("r")
    for expected in ("0-0 2-1", "0-0 1-2 2-1"):
        assert drag(page, cell_at(page, 1, 2)) == f"1\t= {expected}\n"
    assert page.all("#picture .cursor ~ .labels"), "the labels, which stay, lie above the cursor"


def test_right_without_edit_mode_turns_it_on(page):
    assert known_links_after(page, "wr") == ""
    page.press("wr")
    assert page.one("#editor").is_displayed()
    assert known_links(page).startswith("1\t= ")
    page.press("er")
    assert known_links(page).startswith("1\t= "), "a line that is right stays so"
    page.click("#lines-back")
    page.one(".row:not(.current)").click()
    assert page.one("#number").text == "2"
    assert page.one("#lines-list").is_displayed(), "it has room beside the line"


def test_legend_counts_the_links_of_the_heading(page):
    page.at("#compare=links")
    confirm = "moveCursor(0, {}); judge('confirmed'); "
    page.execute_script(f"toggleEditor(); judge('forbidden'); {confirm.format(1)}{confirm.format(2)}")
    legend = {" ".join(text.split()) for text in texts_of(page, "#legend li")}
    signs = "linked", "unsure", "may be missing", "linked, checked", "not linked, checked"
    assert [text.strip() for text in texts_of(page, "#signs li")] == [*signs]
    (links,) = re.findall(r"(\d+) links?", page.one("#measures").get_attribute("textContent"))
    assert {f"linked {links}", "linked, checked 2"} <= legend


def test_without_edit_mode_nothing_changes(page):
    page.at("#view=matrix")
    drag(page, cell_at(page, 0, 1))
    assert known_links_after(page, " cx") == ""
    assert not page.one("#editor").is_displayed()


def test_two_words_of_the_ribbon_are_clicked(page):
    page.press("e")
    click_word(page, 1, 0)
    assert state(page) == "the – pick words of source; Not linked: it has none"
    assert click_word(page, 0, 2) == "1\t2-0\n"
    assert page.all("#picture .link.added.confirmed")
    assert click_word(page, 0, 1) == "1\t1-0 2-0\n", "the first word stays picked"
    assert click_word(page, 0, 2) == "1\t1-0 2!0\n"
    click_word(page, 1, 2)
    assert state(page).startswith("house – pick")
    page.press(ESCAPE)
    assert "pick" not in state(page)
    assert page.one("#editor").is_displayed()
    page.press(ESCAPE)
    assert not page.one("#editor").is_displayed()


def test_a_curve_is_clicked(page):
    page.press("e")
    x, y = page.execute_script(
        "const path = document.querySelector('#picture .hit .curve');"
        "const point = path.getPointAtLength(path.getTotalLength() / 4).matrixTransform(path.getScreenCTM());"
        "return [Math.round(point.x), Math.round(point.y)]"
    )
    assert drag(page, (x, y)) == "1\t0!0\n"


def test_a_word_without_translation_takes_one_key(page):
    page.press("e")
    click_word(page, 1, 0)
    page.click("#forbid")
    assert known_links(page) == "1\t0!0\n"
    assert known_links_after(page, ESCAPE + DOWN + "t") == "1\t0!0 2!1\n"
    assert known_links_after(page, RIGHT + "T") == "1\t0!0 1!2 2!1\n"
    assert known_links_after(page, "zzz") == ""


def stroke(page, *cells, key=""):
    """Draw over cells of the matrix, and return the text that Save writes."""
    return drag(page, *(cell_at(page, *cell) for cell in cells), key=key)


def test_a_stroke_links_its_cells_only(page):
    """A stroke is one act: its cells are linked, and other links of its words go if nobody confirmed them."""
    page.at("#view=matrix")
    page.press("e")
    page.execute_script(
        "const { showGoing: show } = window; window.most = 0;"
        "showGoing = () => { show(); most = Math.max(most, document.querySelectorAll('.going').length); }"
    )
    assert stroke(page, (1, 0), (2, 1)) == "1\t0!0 1-0 1!2 2-1\n", "no corner of a cell counts"
    assert page.execute_script("return most") == 2, "they are shown as going while one draws"
    assert page.one("#told").text == "2 links taken away"
    page.one("#undo-taken").click()
    assert (known_links(page), page.one("#told").text) == ("", "Taken back in line 1")
    assert not page.one("#undo-taken").is_displayed()
    page.press("Z")
    for _ in range(2):
        assert stroke(page, (1, 1), (1, 2)) == "1\t0!0 1-0 1-1 1-2 2-1\n", "drawn again, they stay"
    removed = stroke(page, (0, 2), (1, 2), key=CONTROL)
    assert removed == "1\t0!0 1-0 1-1 1!2 2-1\n", "with the control key, links are taken away"
    assert known_links_after(page, "zzz") == ""
    stroke(page, (0, 0), key=CONTROL)
    assert stroke(page, (0, 1), key=CONTROL) == "1\t0!0\n"
    rectangle = stroke(page, (0, 0), (1, 1), key=SHIFT)
    assert rectangle == "1\t0-0 0-1 1-0 1-1 1!2 2!1\n", "with the shift key, a rectangle"


def test_a_stroke_between_cells_chooses_none(page):
    page.at("#view=matrix")
    page.press("e")
    (x, y), (next_x, next_y) = cell_at(page, 0, 1), cell_at(page, 2, 2)
    half = (next_y - y) // 2
    ActionChains(page).move_by_offset(0, 0).move_to_element(page.one("#picture .cells")).perform()
    assert page.all("#picture .ghost"), "the pointer shows a stroke, until one is drawn"
    drawn = drag(page, (x, y), (x + half, y + half), (next_x - half, y + half), (next_x, next_y))
    assert drawn == "1\t0!0 0-1 1!2 2!1 2-2\n", "the word between has no translation"
    ActionChains(page).move_to_element(page.one("#picture .cells")).perform()
    assert not page.all("#picture .ghost")


def test_a_word_is_dragged_over_words(page):
    page.press("e")
    words = {
        (side, k): page.one(f"#picture [data-side='{side}'][data-index='{k}'] text").rect
        for side in (0, 1)
        for k in range(3)
    }
    places = {k: (round(r["x"] + r["width"] / 2), round(r["y"] + r["height"] / 2)) for k, r in words.items()}
    assert drag(page, places[0, 0], places[1, 1], places[1, 2]) == "1\t0!0 0-1 0-2 1!2 2!1\n"
    drag(page, places[1, 0], places[0, 2])
    assert known_links_after(page, "z") == "1\t0!0 0-1 0-2 1!2 2!1\n"
    removed = drag(page, places[0, 0], places[1, 1], places[1, 2], key=CONTROL)
    assert removed == "1\t0!0 0!1 0!2 1!2 2!1\n"


def test_keys_choose_a_range_of_cells(page):
    page.at("#view=matrix")
    page.press("e" + RIGHT)
    ActionChains(page).key_down(SHIFT).send_keys(RIGHT + DOWN).key_up(SHIFT).perform()
    assert state(page) == "maison bleue – the blue (4 word pairs)"
    assert known_links_after(page, " ") == "1\t0!0 1-0 1-1 1!2 2-0 2-1\n"
    assert known_links_after(page, BACKSPACE) == "1\t0!0 1!2\n"
    assert known_links_after(page, "x") == "1\t0!0 1!0 1!1 1!2 2!0 2!1\n"
    assert known_links_after(page, LEFT * 3 + "z" * 3) == ""
    ActionChains(page).key_down(CONTROL).send_keys(RIGHT + DOWN).key_up(CONTROL).perform()
    assert state(page).startswith("bleue – house")
    assert known_links_after(page, LEFT + UP + "oo") == "1\t1-1 1!2 2!1 2-2\n", "o goes on to the next word"
    assert state(page).startswith("la – the"), "which is not confirmed, and to its link"


def test_keys_lead_to_words_without_links(page):
    page.at("#view=matrix&threshold=0.8&compare=links")
    page.press("e")
    wait_until(lambda: len(page.all("#picture .candidate")) == 2)
    for key, words in zip("fffF", ("bleue – blue", "maison – house") * 2, strict=True):
        page.press(key)
        assert state(page) == f"{words}not linked, unsure"
    for expected, words in (("1\t1-2\n", "bleue – blue"), ("1\t1-2 2-1\n", "la – the")):
        assert known_links_after(page, "o") == expected
        assert state(page).startswith(words)
    page.press("f")
    assert state(page).startswith("la – the"), "no word is free"
    for key, words in zip((END, HOME, PAGE_DOWN, PAGE_UP), ("bleue – house", "la – the") * 2, strict=True):
        page.press(key)
        assert state(page).startswith(words)


@pytest.mark.parametrize("view", ["ribbon", "matrix"])
def test_unsure_links_are_shown_in_edit_mode(page, view):
    page.at(f"#view={view}&threshold=0.8&compare=links")
    assert not page.all("#picture .unsure")
    page.press("e")
    wait_until(lambda: len(page.all("#picture .unsure")) == 2)
    assert len(page.all("#picture .candidate")) == 2
    assert not page.all("#picture .candidate.near"), "they are shown for the words below the cursor"
    page.press("u")
    assert state(page) == "maison – housenot linked, unsure"
    page.press("c" + "U")
    assert (state(page), known_links(page)) == ("bleue – bluenot linked, unsure", "1\t1-2\n")
    assert len(page.all("#picture .candidate.near")) == 1
    page.press("r")
    assert not page.all("#picture .unsure")
    assert known_links(page) == "1\t= 0-0 1-2\n"


@pytest.mark.parametrize("view", ["ribbon", "matrix"])
def test_keys_do_everything(page, view):
    page.at(f"#view={view}")
    page.press("e")
    assert state(page) == "la – thelinked, not checked"
    page.press(RIGHT + DOWN + " ")
    assert (state(page), known_links(page)) == ("maison – bluelinked, checked", "1\t1-1\n")
    assert known_links_after(page, " ") == "1\t1!1\n"
    assert known_links_after(page, BACKSPACE + RIGHT * 5 + UP + "c" + LEFT + "x") == "1\t1!0 2-0\n"
    assert state(page) == "bleue – thelinked, checked", "x goes on to the next source word"
    assert known_links_after(page, "p" + "x") == "1\t1!0 1!2 2-0\n"
    page.press(HOME + "n")
    assert state(page).startswith("maison – the")
    page.press("p")
    assert state(page).startswith("la – the")
    assert known_links_after(page, "j" + "c") == "1\t1!0 1!2 2-0\n2\t0-0\n"


def test_line_is_right_as_a_whole(page):
    page.at("#threshold=0.5")
    page.press("e" + "x")
    page.click("#complete")  # as Enter does
    assert known_links(page) == "1\t= 1-2\n"
    assert page.one("#number").text == "2"
    assert page.one("#complete").text == "Right, next line ⏎"
    page.press("k")
    assert page.one("#complete").text == "✓ Line is right"
    page.click("#complete")
    assert known_links(page) == "1\t0!0 1-2\n"
    page.press("r")
    assert page.one("#complete").get_attribute("aria-pressed") == "true"
    assert page.all(".row.current .badge.complete")
    assert known_links_after(page, HOME + "c") == "1\t= 0-0 1-2\n"
    assert known_links_after(page, "r") == "1\t0-0 1-2\n"
    page.execute_script("edits.change(1, parseEdit('='))")
    assert known_links_after(page, ENTER) == "1\t= 0-0 1-2\n2\t=\n"
    assert page.one("#number").text == "3", "the next line that is not right yet"
    page.execute_script("edits.change(1, parseEdit(''))")
    page.open_at("#threshold=0")
    assert len(page.all("#picture .hit")) == 2, "a complete line shows no other link, at any threshold"
    assert known_links_after(page, "e" + BACKSPACE) == "1\t= 0-0 1-2\n"
    assert not page.one("#undecided").is_enabled(), "each cell of a complete line is decided"
    assert known_links_after(page, "r") == "1\t0-0 1-2 2!1\n", "links that were not there are no part of it"
    assert known_links_after(page, "r") == "1\t= 0-0 1-2\n"
    assert known_links_after(page, "zz") == "1\t= 0-0 1-2\n"


def test_equal_lines_get_the_same_links_on_request(show):
    source, target = [["a", '"b\\']] * 3, [["c", "d"]] * 3
    links = Alignments.from_lists([[(0, 0)], [(1, 1)], []])
    page = show([*source, ["a", "z"]], [*target, ["c", "d"]], Alignments.concatenate([links, links[:1]]))
    page.press("e" + "x")
    assert not page.one("#repeat").is_displayed()
    page.press("r")
    wait_until(lambda: page.one("#repeat").text == "Same for 2 equal lines")
    assert known_links_after(page, "i") == "1\t=\n2\t=\n3\t=\n"
    assert known_links_after(page, "z") == "1\t=\n2\t=\n", "one act for each line"


def test_empty_side_can_be_right(page):
    page.at("#line=4")
    assert known_links_after(page, "e" + " cx" + RIGHT + "r") == "4\t=\n"


def test_undo_and_redo_lead_to_the_line(page):
    page.press("e" + "c" + "jj" + "x" + "r")
    texts = [known_links(page), *(known_links_after(page, "z") for _ in range(3))]
    assert texts == ["1\t0-0\n3\t= 1-1 2-2\n", "1\t0-0\n3\t0!0\n", "1\t0-0\n", ""]
    assert page.one("#number").text == "1"
    assert not page.one("#undo").is_enabled()
    for expected in texts[2::-1]:
        page.click("#redo")
        assert known_links(page) == expected
    assert (page.one("#number").text, page.one("#told").text) == ("3", "Done again in line 3")
    assert not page.one("#redo").is_enabled()
    page.click("#undo")
    page.press("c")
    assert not page.one("#redo").is_enabled(), "a new act forgets what was undone"
    ActionChains(page).key_down("\ue009").send_keys("z").key_up("\ue009").perform()
    assert known_links(page) == texts[1]


def test_edits_survive_a_reload(page):
    page.press("e" + "c" + "j" + "x")
    kept = known_links(page)
    page.open_at("#line=2")
    assert known_links(page) == kept
    assert page.all("#picture .forbidden")
    assert len(page.all(".badge.edited")) == 2
    page.execute_script("change({filter: 'edited'})")
    assert texts_of(page, "#rows .number") == ["1", "2"]


def test_strange_edits_in_the_storage_are_left_out(page):
    page.execute_script(
        "localStorage.setItem(`word-alignments/${HEADER.key}/0`, '0-0 <b> 1-x 9999999999-1 1!1 99-99')"
    )
    page.open_at()
    legend = [" ".join(text.split()) for text in texts_of(page, "#legend li")]
    assert {"linked, checked 1", "not linked, checked 1"} <= set(legend)
    assert known_links_after(page, "m" + "e" + "c") == "1\t0-0 1!1\n"


def test_two_windows_agree(page):
    first = page.current_window_handle
    page.switch_to.new_window("tab")
    second = page.current_window_handle
    page.open_at()
    page.press("e" + "c")
    page.switch_to.window(first)
    wait_until(lambda: known_links(page) == "1\t0-0\n")
    assert page.all("#picture .confirmed")
    page.press("e" + RIGHT + "x")
    page.switch_to.window(second)
    wait_until(lambda: known_links(page) == "1\t0-0 1!0\n")
    page.close()
    page.switch_to.window(first)


def test_save_writes_known_links(page):
    page.press("e")
    assert not page.one("#save").is_enabled()
    page.press("cx" + "j" + "c" + "jr")
    assert page.one("#save").text == "Save 3 lines"
    page.one("#save").click()
    path = page.downloads / "word-alignments.known-links.tsv"
    wait_until(path.exists)
    found = read_known_links(path).of_text(5)
    assert list(found.known) == [[(0, 0)], [(0, 0)], [(0, 0), (1, 1), (2, 2)], [], []]
    assert list(found.forbidden) == [[(1, 0)], [], [], [], []]
    assert found.complete.tolist() == [False, False, True, False, False]


def test_browser_without_storage_warns(page):
    assert not page.one("#unkept").is_displayed()
    page.execute_script("Storage.prototype.setItem = () => { throw new Error('full') }")
    assert known_links_after(page, "e" + "c") == "1\t0-0\n"
    assert page.one("#unkept").is_displayed()
    page.execute_script("edits.undo()")


WORDS = (0, 0), (1, 1), (1, 2)
"""The words of a stroke, by side and place."""


@pytest.mark.parametrize(("width", "view"), [(390, "matrix"), (820, "ribbon")])
def test_fingers_edit(page, width, view):
    screen(page, width, 844, touch=True)
    page.at(f"#view={view}")

    def touch(selector):
        box = page.one(selector).rect
        touch_at(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    touch("#edit")
    wait_until(lambda: page.one("#editor").is_displayed())
    if view == "matrix":
        touch_at(page, *cell_at(page, 0, 1))
    else:
        touch("#picture [data-side='0'][data-index='0'] text")
        wait_until(lambda: "pick" in state(page))
        touch("#picture [data-side='1'][data-index='1'] text")
    wait_until(lambda: known_links(page) == "1\t0-1\n")
    touch("#forbid")
    wait_until(lambda: known_links(page) == "1\t0!1\n")
    touch("#undo")
    touch("#undo")
    wait_until(lambda: known_links(page) == "")
    assert page.one("#hint").is_displayed()
    matrix = [cell_at(page, *cell) for cell in ((0, 1), (0, 2))]
    ribbon = [page.one(f"#picture [data-side='{side}'][data-index='{k}'] text").rect for side, k in WORDS]
    words = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in ribbon]
    touch_stroke(page, *(matrix if view == "matrix" else words))
    wait_until(lambda: known_links(page) == "1\t0!0 0-1 0-2 1!2 2!1\n")
    assert not page.one("#hint").is_displayed()
    page.press("m")
    assert page.one("#hint").is_displayed(), "each view has its own"
    touch("#complete")
    wait_until(lambda: known_links(page) == "1\t= 0-1 0-2\n")


@pytest.mark.parametrize("line", [3, 5])
def test_arrows_move_as_the_eye_sees(page, line):
    """In a line from right to left, the key to the left leads to the next source word."""
    page.at(f"#line={line}&view=matrix")
    page.press("e")
    if line == 5:
        page.execute_script("currentDrawing.line.words[0] = ['הספרייה', 'הישנה']")
    page.press(LEFT if line == 5 else RIGHT)
    assert page.execute_script("return editor.i") == 1
