"""Tests of learning in a headless browser: suggested lines, what changes, and what is kept or refused."""

from __future__ import annotations

import pytest

from aligner.messages import counted
from tests.serve.browser import correct, numbers
from tests.serve.client import act, choosy_edits, saved, suggested, wait_for
from tests.view.browser import faint_texts, screen, texts_of, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("nothing_goes_wrong")]

ESCAPE = "\ue00c"
PROGRESS = "{} right. 5 are enough to let it learn; each further one helps, up to about 50."


def test_suggested_lines_are_a_key_away(page, workbench):
    queue = suggested(workbench)
    other = next(line for line in range(1, 61) if line not in [found["line"] for found in queue])
    page.execute_script("change({ line: arguments[0] })", other)
    wait_until(lambda: page.one("#next-suggested").is_enabled())
    page.press("s")
    assert page.one("#number").text == str(queue[0]["line"])
    assert page.one("#step").get_attribute("title") == "; ".join(queue[0]["reasons"])
    assert page.one("#editor").is_displayed()
    assert page.one("#step").text == "Mark all links shown as right (Enter), or correct them"
    page.press("r")
    wait_until(lambda: page.one("#step").text == "This line is right: next suggested")
    assert page.one("#right-count").text == "1 of 60 right"
    page.click("#next-suggested")
    assert page.one("#number").text == str(queue[1]["line"])
    page.click("#complete")  # as Enter does
    assert page.one("#number").text == str(queue[2]["line"])
    assert "next suggested line" in page.one("#complete").get_attribute("title")
    page.press("z")
    wait_until(lambda: page.one("#told").text == f"Taken back in line {queue[1]['line']}")
    assert "next line in the list" in page.one("#complete").get_attribute("title"), "no suggestion led here"
    page.click("#lines-back")
    next(chip for chip in page.all("#chips button") if chip.text == "suggested").click()
    page.one("#sort option[value=suggested]").click()
    listed = numbers(page, "#rows")
    assert listed[:5] == [found["line"] for found in queue[:5]]
    assert texts_of(page, "#rows .figure b")[:5] == ["1", "2", "3", "4", "5"], "places, not bits"
    page.press(ESCAPE + "l")
    shown = numbers(page, "#queue")
    assert shown == [found["line"] for found in queue[1:7]]
    page.one("#passage-first").send_keys("10")
    page.one("#passage-last").send_keys("20")
    page.click("#passage button")
    wait_until(lambda: set(numbers(page, "#queue")) <= set(range(10, 21)))
    assert page.one("#progress-text").text == PROGRESS.format("1 line")
    page.click("#whole-text")
    wait_until(lambda: numbers(page, "#queue") == shown)


@pytest.mark.learn
@pytest.mark.slow
def test_learning_shows_what_changes_and_is_accepted(page, workbench):
    pytest.importorskip("lightgbm")
    for line, text in enumerate(choosy_edits(workbench)[:12], 1):
        correct(page, line, text)
    wait_until(lambda: len(workbench.journal.edits.texts) == 12)
    page.press(ESCAPE * 2 + "l")
    assert page.one("#step").text == "12 lines right: let it learn, or go on"
    page.click("#learn")
    wait_until(lambda: page.one("#step").text.startswith("It learns. Correct "))
    work = wait_for(workbench, "done")
    wait_until(lambda: page.one("#changes").is_displayed())
    assert page.one("#changes-title").text == work["changed"]
    assert page.one("#step").text == "See what changes, then accept it or discard it"
    before, after, fewer = (work["record"][name] for name in ("before", "after", "fewer"))
    errors = f"On your 12 lines: {100 * before[0]:.0f} errors in 100 links before, {100 * after[0]:.0f} after"
    share, low, high = (f"{100 * value:.0f}" for value in fewer)
    assert page.one("#errors").text == (
        f"{errors}: {share} % fewer. In other lines of this kind, probably {low} to {high} % fewer."
    )
    for before, after, fewer, advice in (
        (0.2, 0.21, [-0.05, -0.1, 0], "No better yet"),
        (0.2, 0.19, [0.05, -0.1, 0.2], "may be chance"),
        (0, 0, [0, 0, 0], "nothing to learn from"),
    ):
        record = {"lines": 9, "before": [before], "after": [after], "fewer": fewer}
        assert advice in page.execute_script("return errorsText(arguments[0]).pop().textContent", record)
    page.click("#trials summary")
    wait_until(lambda: texts_of(page, "#trial-rows td:first-child") == ["6", "12"])
    assert f"{share} % ({low} to {high})" in texts_of(page, "#trial-rows tr")[1]
    expected = min(work["lines"], 10)
    wait_until(lambda: len(page.all("#changed-lines svg")) == expected)
    assert page.all("#changed-lines .link.extra, #changed-lines .link.missing")
    page.click("#more-changes")
    wait_until(lambda: len(page.all("#changed-lines svg")) == min(work["lines"], 20))
    page.click("#changed-lines button")
    assert page.one("#number").text == str(workbench.changes(0, 1)[0]["line"])
    page.press(ESCAPE + "l")
    assert len(page.all("#changed-lines svg")) == min(work["lines"], 20)
    row = workbench.rows(0, 1)["rows"][0]
    word = workbench.rows(0, 1, kind=row["kind"])["rows"][0]
    found = len(workbench.changes(0, 10, kind=row["kind"], word=word["word"]))
    assert not page.all("#changed-lines .thick")
    page.one("#changed-rows .level-1 .branch").click()
    wait_until(lambda: len(page.all("#changed-lines svg")) == found and page.all("#changed-rows .level-2"))
    assert len(page.all("#changed-lines svg:has(.thick)")) == found
    page.click("#changed-rows [aria-pressed=true]")
    wait_until(
        lambda: len(page.all("#changed-lines svg")) == expected and not page.all("#changed-rows .level-2")
    )
    screen(page, 390, 844, touch=True)
    assert page.one("#changed-rows .keep").is_displayed()
    spare = "const rows = document.getElementById('rows'); return rows.clientWidth - rows.scrollWidth"
    assert page.execute_script(spare) == 0
    page.click("#discard")
    wait_until(lambda: not page.one("#changes").is_displayed())
    assert not page.one("#accepted").is_displayed()
    page.click("#learn")
    wait_for(workbench, "done")
    wait_until(lambda: page.one("#accept").is_displayed())
    page.click("#accept")

    def models():
        return [text.replace("\n", " ") for text in texts_of(page, "#models li")]

    wait_until(lambda: len(models()) == 2 and models()[0].endswith("in use"))
    assert page.one("#step").text.endswith(" line, or save the links")
    assert models()[0].startswith("model-1 learned from 12 lines, ")
    taken = workbench.models.records["model-1"]["changed"]
    assert taken["lines"] == work["lines"]
    counts = f"{counted(taken['new'], 'link')} new, {taken['gone']:,} gone"
    assert page.one("#accepted b").text == f"Accepted: {counts}, in {counted(taken['lines'], 'line')}."
    assert page.one("#progress-text").text == PROGRESS.format("12 lines")
    page.click("#models button")
    wait_until(lambda: models()[1:] == ["original model without your corrections in use"])
    wait_until(lambda: not page.one("#accepted").is_displayed())
    assert workbench.models.current == ""


@pytest.mark.learn
@pytest.mark.slow
def test_changes_are_refused_by_kind_word_and_pair(page, workbench, gold):
    """Refused links are as before in the accepted model, in saved links, and until they are released."""
    pytest.importorskip("lightgbm")
    for line, text in enumerate(gold[:20], 1):
        act(workbench, f"g-{line}", line, "", text)
    before = [*workbench.picture.links]
    page.press("l")
    page.click("#learn")
    wait_for(workbench, "done")
    wait_until(lambda: page.all("#changed-rows .level-1"))

    def rows(level):
        program = "return [...document.querySelectorAll(arguments[0])].map((row) => row.dataset.row)"
        return page.execute_script(program, f"#changed-rows .level-{level}")

    def keep(row, pressed="true"):
        page.one(f'[data-row="{row}"] .keep').click()
        wait_until(lambda: page.all(f'[data-row="{row}"] .keep[aria-pressed={pressed}]'))

    page.click(f'[data-row="{rows(1)[0]}"] .branch')
    wait_until(lambda: rows(2))
    for row in (rows(2)[0], rows(1)[1]):
        keep(row)
    for pressed in ("true", "false", "true"):
        keep(rows(0)[-1], pressed)
        assert page.execute_script("return document.activeElement.className") == "keep"
    assert page.all(f'[data-row="{rows(0)[0]}"] .keep[aria-pressed=mixed]')
    refused = workbench.state()["work"]["refused"]
    assert refused >= 3
    assert page.one("#accept").text == f"Accept, but keep {counted(refused, 'link')} as before"
    page.click("#accept")
    wait_until(lambda: page.all("#kept li"))
    kept = {**workbench.kept.cells}
    assert len(kept) == refused
    lines = saved(workbench, "links", "pharaoh").splitlines()
    written = [[tuple(map(int, link.split("-"))) for link in line.split()] for line in lines]
    for links in (before, [*workbench.picture.links], written):
        assert {cell: cell[1:] in links[cell[0]] for cell in kept} == kept
    page.all("#kept button")[-1].click()  # of all words; the page is loaded anew
    wait_until(lambda: texts_of(page, "#kept li") == [])
    assert workbench.kept.cells == {}
    assert not {cell: cell[1:] in workbench.picture.links[cell[0]] for cell in kept}.items() & kept.items()


def test_what_cannot_be_learned_is_said(page):
    page.press("l")
    page.click("#learn")
    wait_until(lambda: "Mark at least 5 lines as right first" in page.one("#failed").text)
    assert faint_texts(page) == []
    page.execute_script("command('accept')")
    wait_until(lambda: "no new model to accept" in page.one("#notice").text)
