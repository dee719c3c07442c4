"""Tests of the layout in a headless browser: narrow and wide screens, light and dark, scripts, and paper."""

from __future__ import annotations

import shutil
import subprocess
from itertools import product

import numpy as np
import pytest

from aligner.links.alignments import Alignments
from tests.view.browser import boxes, colours, contrast, faint_texts, screen, texts_of, wait_until

pytestmark = pytest.mark.browser

CONTROLS = {
    "lines": "#lines-mode, #words-mode, #help-button, #previous, #next, #ribbon, #matrix, #edit, #compare",
    "editing": "#previous, #next, #ribbon, #matrix, #edit, #confirm, #forbid, #undecided, #undo, #redo,"
    " #complete, #save",
    "words": "#search, #exact-words, #of-source, #of-target, #by",
}


def assert_reachable(page, selector, width, height, least):
    """Assert that each element is on the screen, nothing covers it, and it is large enough."""
    found = boxes(page, selector)
    assert len(found) == len(selector.split(","))
    for box in found:
        assert box["isHit"], box
        assert min(box["left"], box["top"], width - box["right"], height - box["bottom"]) >= -0.5, box
        assert min(box["right"] - box["left"], box["bottom"] - box["top"]) >= least, box


SCREENS = (390, 664, True), (390, 844, True), (820, 1180, True), (1440, 900, False)


@pytest.mark.parametrize(("width", "height", "touch"), SCREENS)
def test_controls_and_picture_are_reached(page, width, height, touch):
    screen(page, width, height, touch=touch)
    least = 40 if touch else 30
    assert_reachable(page, CONTROLS["lines"], width, height, least)
    assert_reachable(page, "#threshold", width, height, 40 if touch else 24)
    assert_reachable(page, "#picture [data-side='0'][data-index='1']", width, height, 40)
    page.click("#edit")
    assert_reachable(page, CONTROLS["editing"], width, height, least)
    box, editor = boxes(page, "#picture")[0], boxes(page, "#editor")[0]
    assert box["bottom"] - box["top"] >= 200, "the picture keeps room in edit mode"
    assert box["bottom"] <= editor["top"] + 1
    page.click("#edit")
    page.click("#words-mode")
    assert_reachable(page, CONTROLS["words"], width, height, least)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_a_phone_wastes_no_row(driver, show):
    """The tools take two rows, many chips are one row, and help has room for its sentences."""
    screen(driver, 390, 844, touch=True)
    page = show([["a"]], [["b"]], Alignments.from_links(1, [0], [0], [0], np.array([0.75])))
    back, threshold = boxes(page, "#lines-back, #threshold")
    assert threshold["top"] - back["top"] <= 60
    page.execute_script(
        "change({ pane: 'list' }); byId('chips').append(...'abcdef'.repeat(3).split('')"
        ".map((letter) => button({}, () => 0, letter.repeat(4))))"
    )
    assert page.one("#chips").rect["height"] < 50
    assert page.one("#lines-list").rect["width"] == 390
    page.execute_script("change({ filter: 'zzz' })")
    content = "return getComputedStyle(byId('rows'), '::before').content"
    assert page.execute_script(content) == '"Nothing matches."'
    page.press("?")
    assert page.one("#help ol").is_displayed()
    assert not page.one("#help dl").is_displayed(), "keys are folded"
    page.execute_script("for (const part of document.querySelectorAll('#help details')) part.open = true")
    assert min(box["right"] - box["left"] for box in boxes(page, "#help dd")) >= 140
    page.execute_script("byId('help').scrollTo(0, 400)")
    close = page.one("#help form button").rect
    behind = "return document.elementFromPoint(arguments[0], arguments[1]).closest('form') !== null"
    assert page.execute_script(behind, 195, close["y"] + 20), "no sentence runs below the button"


@pytest.mark.parametrize("width", [390, 820])
def test_narrow_screen_shows_the_list_or_its_detail(page, width):
    screen(page, width, 844, touch=True)
    assert not page.one("#list").is_displayed()
    page.click("#lines-back")
    assert page.one("#list").is_displayed()
    assert not page.one("#picture").is_displayed()
    page.all("#rows .row")[2].click()
    assert page.one("#picture svg").is_displayed()
    assert page.one("#number").text == "3"
    page.click("#words-mode")
    page.all("#head-rows .row")[0].click()
    assert page.one("#concordance").is_displayed()
    page.click("#words-back")
    assert page.one("#heads").is_displayed()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_apart(page, scheme):
    """Text has a contrast of at least 4.5 to its background, and signs have one of 3 (WCAG 2, AA)."""
    colours(page, scheme)
    names = "ink soft accent confirmed forbidden rare hit extra missing possible unsure surface"
    values = page.execute_script(
        "const probe = document.createElement('i'); document.body.append(probe);"
        "return arguments[0].split(' ').map((name) => { probe.style.color = `var(--${name})`;"
        "return getComputedStyle(probe).color.match(/\\d+/g).map(Number); })",
        names,
    )
    found = dict(zip(names.split(), values, strict=True))
    least = dict.fromkeys(("ink", "soft", "accent", "confirmed", "forbidden", "rare"), 4.5)
    least |= dict.fromkeys(("hit", "extra", "missing", "possible", "unsure"), 3)
    assert [name for name in least if contrast(found[name], found["surface"]) < least[name]] == []
    for change in (
        "filter: 'house'",
        "filter: 'zzz'",
        "mode: 'words', search: 'house', by: 'form', word: 'house'",
    ):
        page.execute_script(f"change({{ {change} }})")
        assert faint_texts(page) == []


SCRIPTS = {
    "Greek": "ἐν ἀρχῇ ἦν ὁ λόγος",
    "Hebrew": "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם",
    "Arabic": "فِي البَدْءِ خَلَقَ اللهُ السَّمَاوَاتِ",
    "Chinese": "起初 神 创造 天 地",
}


def test_scripts_are_drawn_apart(show):
    """No word covers another, and no curve a word of its row, in any script."""
    target = ["in", "the", "beginning", "was", "one", "word"]
    links = Alignments.from_lists([[(k, k) for k in range(5)]] * len(SCRIPTS))
    page = show([words.split() for words in SCRIPTS.values()], [target] * len(SCRIPTS), links)
    for (line, script), view, width in product(enumerate(SCRIPTS, 1), ("ribbon", "matrix"), (390, 1440)):
        screen(page, width, 844)
        page.execute_script("change({ line: arguments[0], view: arguments[1] })", line, view)
        words = texts_of(page, "#picture [data-side='0'] text")
        assert words == SCRIPTS[script].split() or view == "matrix"
        for side in (0, 1):
            found = boxes(page, f"#picture [data-side='{side}'] text")
            # Slanted labels of columns have boxes that overlap.
            is_slanted = view == "matrix" and side == 0
            assert is_slanted or not any(overlap(a, b) for k, a in enumerate(found) for b in found[:k])
        order = page.execute_script(
            "return [0, 1, 2].map((i) => currentDrawing.drawing.cursor(i, 0)[0].getBoundingClientRect().x)"
        )
        is_in_order = order == sorted(order, reverse=script in ("Hebrew", "Arabic"))
        assert is_in_order or (view, width) == ("ribbon", 390)


def test_hebrew_is_drawn_by_a_font_with_its_accents(show):
    fonts = shutil.which("fc-list") and subprocess.check_output(["fc-list", ":", "postscriptname"], text=True)
    if "NotoSerifHebrew-Regular" not in (fonts or ""):
        pytest.skip("the font Noto Serif Hebrew is missing")
    page = show([["אָ֔רֶץ"]], [["land"]], Alignments.from_lists([[(0, 0)]]))
    is_there = "return [...document.fonts].some(({ status }) => status === 'loaded')"
    wait_until(lambda: page.execute_script(is_there))


def overlap(a, b):
    across = a["left"] < b["right"] - 1 and b["left"] < a["right"] - 1
    return across and a["top"] < b["bottom"] - 6 and b["top"] < a["bottom"] - 6


CROSSINGS = """
  const svg = document.querySelector('#picture svg');
  const boxes = [...svg.querySelectorAll('text')].map((text) => text.getBBox());
  const points = [...svg.querySelectorAll('.curve')].flatMap((path) => {
    const step = path.getTotalLength() / 49;
    return Array.from({ length: 50 }, (_, k) => path.getPointAtLength(k * step));
  });
  const within = ({ x, y }, box) =>
    x > box.x && x < box.x + box.width && y > box.y + 3 && y < box.y + box.height - 6;
  return [
    points.filter((point) => boxes.some((box) => within(point, box))).length,
    svg.querySelectorAll('.away').length,
    points.filter(({ x }) => x < 0 || x > svg.width.baseVal.value).length,
  ];
"""
"""A program that returns the numbers of points of curves in words, of far curves, and of points outside."""


def test_links_between_rows_cross_no_word(show):
    """Far links run along the edge of the picture, inside it."""
    words = [f"word{k}" for k in range(60)]
    page = show([words], [words], Alignments.from_lists([[(k, (7 * k) % 60) for k in range(60)]]))
    for width in (390, 820, 1300):
        screen(page, width, 844)
        page.execute_script("draw()")
        crossed, away, outside = page.execute_script(CROSSINGS)
        assert away > 20
        assert (crossed, outside) == (0, 0)


def cells_in_sight(page):
    """Return the places of the cells of the matrix that nothing covers, as [i, j]."""
    return page.execute_script(
        "const { picture, cellAt } = currentDrawing.drawing, found = new Set();"
        "const frame = byId('picture').getBoundingClientRect(), box = picture.getBoundingClientRect();"
        "for (let x = frame.left; x < frame.right; x += 6)"
        "for (let y = frame.top; y < frame.bottom; y += 6) {"
        "  const hit = document.elementFromPoint(x, y), cell = cellAt(x - box.left, y - box.top);"
        "  if (cell && picture.contains(hit) && !hit.closest('.labels')) found.add(`${cell.i} ${cell.j}`);"
        "}"
        "return [...found].map((cell) => cell.split(' ').map(Number))"
    )


MOVE = """
  const [i, j, done] = arguments, frame = byId('picture');
  const box = (part) => part.getBoundingClientRect(), outer = box(frame);
  const boxes = (selector) => [...frame.querySelectorAll(selector)].map(box);
  const isInSight = (scrolled) => {
    frame.scrollTo(...scrolled);
    moveCursor(i, j);
    const [own, labels] = [boxes('.cursor rect')[0], boxes('.labels .ground').pop()];
    return outer.x + labels.width <= own.x && own.right <= outer.right &&
      outer.y + labels.height <= own.y && own.bottom <= outer.bottom;
  };
  const found = [[0, 0], [9999, 9999], [0, 9999]].map(isInSight);
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const words = [i, j].map((k, side) => boxes(`[data-side="${side}"][data-index="${k}"] text`)[0]);
    done([...found, ...words.map(({ x, y }) => outer.x <= x + 1 && outer.y <= y + 1)]);
  }));
"""
"""A program that moves the cursor to a cell, from three places of the scrolled picture. It returns whether
the whole cursor is in the picture, beside and below the labels, and whether each word of the cell is."""


@pytest.mark.parametrize("source", ["longword", "מילה"])
def test_cursor_is_never_below_the_labels(driver, show, source):
    """At all four edges, also after the picture was scrolled elsewhere."""
    sides = [[f"{word}{k}" for k in range(60)] for word in (source, "word")]
    screen(driver, 820, 700)
    links = Alignments.from_lists([[(k, k) for k in range(60)]] * 2)
    page = show([sides[0]] * 2, [sides[1]] * 2, links, hash="#view=matrix")
    page.press("e")
    assert [0, 0] in cells_in_sight(page), "a line opens at its start"
    for cell in ((0, 0), (59, 59), (30, 30), (0, 30), (30, 0), (59, 0), (30, 59), (0, 59), (59, 30)):
        assert page.execute_async_script(MOVE, *cell) == [True] * 5, cell
    page.execute_script("byId('picture').scrollTo(400, 900)")
    page.press("j")
    assert [0, 0] in cells_in_sight(page), "another line opens at its start"


def test_a_stroke_does_not_move_the_picture(driver, show):
    words = [f"longword{k}" for k in range(40)]
    screen(driver, 1300, 800)
    page = show([words], [words], Alignments.from_lists([[(0, 0)]]), hash="#view=matrix")
    page.press("e")
    height = page.one("#picture").rect["height"]
    for j in (0, 39):
        page.execute_script("moveCursor(0, 0); moveCursor(39, arguments[0], true)", j)
        assert page.one("#picture").rect["height"] == height


@pytest.mark.parametrize("view", ["ribbon", "matrix"])
def test_zoom_leaves_room_for_cells(driver, show, view):
    """At 200 % zoom of 1,400 x 900 pixels, cells are in sight in edit mode, and controls are reached."""
    words = ["a", "word", "uncharacteristically", *(f"word{k}" for k in range(30))]
    screen(driver, 700, 450)
    page = show([words], [words], Alignments.from_lists([[(k, k) for k in range(30)]]), hash=f"#view={view}")
    page.press("e")
    assert_reachable(page, CONTROLS["editing"], 700, 450, 30)
    if view == "matrix":
        columns, rows = (len({cell[side] for cell in cells_in_sight(page)}) for side in (0, 1))
        assert columns >= 15
        assert rows >= 5
        assert texts_of(page, "#picture [data-side='0'] text")[2].endswith("…")
    else:
        assert page.one("#picture").rect["height"] >= 250
    page.press("w")
    assert page.one("#lines-mode").is_displayed(), "the other modes have their header"
    screen(page, 900, 560)
    page.press("w")
    assert page.one("#help-button").is_displayed(), "the frame of a notebook has the header"


@pytest.mark.parametrize(("touch", "least"), [(False, 24), (True, 40)])
def test_cells_that_are_edited_are_large(driver, show, touch, least):
    words = [f"word{k}" for k in range(80)]
    screen(driver, 1440, 900, touch=touch)
    page = show([words], [words], Alignments.from_lists([[(0, 0)]]), hash="#view=matrix")
    page.press("e")
    box = page.one("#picture .cursor rect").rect
    assert min(box["width"], box["height"]) >= least
    between = "return MATRIX.smallestCell * Math.sin((MATRIX.slant * Math.PI) / 180) - FONT_SIZE"
    assert page.execute_script(between) >= 0, "slanted labels of small cells do not overlap"


def test_paper_gets_what_is_shown(page):
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert page.execute_script("return document.querySelector('#picture svg').checkVisibility()")
    parts = "[...document.querySelectorAll('.bar, .list, button')]"
    assert not page.execute_script(f"return {parts}.some((part) => part.checkVisibility())")
