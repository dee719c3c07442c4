"""Tests of the workbench in a headless browser: edits, windows, conflicts, layout, hostile text."""

from __future__ import annotations

import json
import re
from itertools import product

import pytest

from aligner.links.groups import in_groups
from aligner.messages import counted
from aligner.text.line_ids import LineIds
from tests.serve.browser import connected, correct, numbers
from tests.serve.client import act, request, running, serving, suggested
from tests.support import new_file
from tests.view.browser import boxes, colours, faint_texts, screen, texts_of, wait_until, words_in_picture
from tests.view.test_editing import cell_at, drag

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("nothing_goes_wrong")]

ESCAPE = "\ue00c"
HOSTILE = [
    ("<script>alert(1)</script> &lt;b&gt; {{lines}}", "</script><script>document.title='hacked'</script>"),
    ("<img src=http://evil.example/x onerror=alert(1)>", "javascript:alert(1) __proto__ constructor \u202e"),
    ('"onclick="alert(1) {edition}', "]]> --> <!-- %s \\u003c"),
]


def journal(workbench):
    return workbench.journal.edits.known_links()


def test_clicks_and_keys_are_in_the_journal(page, workbench):
    page.execute_script("change({ view: 'matrix' })")
    page.click("#edit")
    drag(page, cell_at(page, 0, 1))
    wait_until(lambda: journal(workbench) == "1\t0-1\n")
    page.press(" ")
    wait_until(lambda: journal(workbench) == "1\t0!1\n")
    page.press("jr")
    wait_until(lambda: re.search(r"^2\t= \d", journal(workbench), re.MULTILINE))
    progress = "return byId('progress-text').textContent.slice(0, 13)"
    wait_until(lambda: page.execute_script(progress) == "1 line right.")
    assert not page.one("#save").is_displayed(), "edits need no button to be saved"
    page.press("z")
    wait_until(lambda: journal(workbench) == "1\t0!1\n")
    page.press("zz")
    wait_until(lambda: journal(workbench) == "")
    wait_until(lambda: page.one("#number").text == "1" and not page.one("#undo").is_enabled())
    page.press("ZZ")
    wait_until(lambda: journal(workbench) == "1\t0!1\n")


def test_edits_are_there_after_a_reload_with_their_history(page, workbench):
    correct(page, 2, "= 0-0")
    wait_until(lambda: journal(workbench))
    page.refresh()
    wait_until(lambda: page.all(".badge.complete"))
    page.press("e")
    wait_until(lambda: page.one("#undo").is_enabled())
    page.press("z")
    wait_until(lambda: journal(workbench) == "")
    wait_until(lambda: not page.all(".badge"))


def test_two_windows_stay_equal(page, server, workbench):
    first = page.current_window_handle
    page.switch_to.new_window("window")
    try:
        second = page.current_window_handle
        connected(page, server.address)
        correct(page, 1, "0-0")
        page.switch_to.window(first)
        wait_until(lambda: page.all(".badge.edited"))
        correct(page, 1, "= 0-0")
        page.press("z")
        page.switch_to.window(second)
        wait_until(lambda: page.execute_script("return sending.seen.get(0)?.number") == 3)
        assert page.execute_script("return edits.knownLinks()") == journal(workbench) == "1\t0-0\n"
        # What both edit at the same time is a conflict, and both see what the journal has.
        page.execute_script("sending.isSending = true")
        correct(page, 1, "0-0 0-1")
        page.switch_to.window(first)
        correct(page, 1, "0-0 1-0")
        wait_until(lambda: journal(workbench) == "1\t0-0 1-0\n")
        page.switch_to.window(second)
        page.execute_script("sendActs()")
        wait_until(lambda: "edited elsewhere" in page.one("#notice").text)
        assert page.execute_script("return edits.knownLinks()") == "1\t0-0 1-0\n"
    finally:
        page.close()
        page.switch_to.window(first)


def test_edits_wait_for_a_server_that_does_not_answer(page, workbench, server):
    page.press("e")
    page.execute_script("window.answer = fetch; fetch = () => Promise.reject(new Error())")
    page.press("c")
    wait_until(lambda: "1 edit not saved yet" in page.one("#unkept").text)
    assert page.one("#unkept").is_displayed()
    assert journal(workbench) == ""
    page.execute_script("fetch = window.answer")
    wait_until(lambda: journal(workbench) == "1\t0-0\n")
    wait_until(lambda: not page.one("#unkept").is_displayed())


def test_message_of_a_failed_edit_stays_until_one_is_saved(page, workbench):
    """The edit is taken back on the page, so that the next one of the line is saved."""
    answer = "new Response(JSON.stringify({ error: 'The line has no such cell.' }), { status: 400 })"
    page.execute_script(f"window.answer = fetch; fetch = async () => {answer}")
    page.press("ec")
    wait_until(lambda: page.one("#notice").text == "The line has no such cell.")
    wait_until(lambda: not page.execute_script("return edits.lines()"))
    assert page.all("#rows .badge") == []
    page.execute_script("fetch = window.answer; showNotice('Another message.')")
    assert page.one("#notice").text == "The line has no such cell. Another message."
    page.press("jc")
    wait_until(lambda: journal(workbench) == "2\t0-0\n")
    page.execute_script("showNotice()")
    assert page.one("#notice").text == "The line has no such cell."
    page.press("k ")
    wait_until(lambda: journal(workbench).startswith("1\t"))
    wait_until(lambda: not page.one("#notice").is_displayed())
    page.execute_script("showFailure({ kind: 'edit', line: 2 }, 'The line has no such cell.')")
    page.click("#notice")
    assert not page.one("#notice").is_displayed()


def test_undo_takes_back_own_acts_alone(page, workbench):
    """A line that another person has edited since stays; the undo takes back the own act before."""
    for line in (1, 2):
        correct(page, line, "0-0")
        wait_until(lambda line=line: line in workbench.journal.edits.texts)
    act(workbench, "b-1", 2, "0-0", "0-0 1-1", by="ben")
    wait_until(lambda: "1-1" in page.execute_script("return edits.knownLinks()"))
    page.press("z")
    wait_until(lambda: journal(workbench) == "2\t0-0 1-1\n")
    wait_until(lambda: not page.one("#undo").is_enabled())
    page.press("Z")
    wait_until(lambda: journal(workbench) == "1\t0-0\n2\t0-0 1-1\n")


def test_edit_of_another_person_is_shown_after_an_own_one_that_waits(page, workbench):
    """An event comes before the answer to an act that the journal had before it."""
    page.execute_script("window.answer = fetch; fetch = () => new Promise((done) => (window.later = done))")
    correct(page, 1, "0-0")
    sent = page.execute_script("return sending.acts[0]")
    answer = workbench.act(**sent)
    act(workbench, "b-1", 1, "0-0", "0-0 1-1", by="ben")
    wait_until(lambda: page.execute_script("return sending.seen.get(0)?.text") == "0-0 1-1")
    assert page.execute_script("return edits.knownLinks()") == "1\t0-0\n"
    page.execute_script("fetch = window.answer; later(new Response(arguments[0]))", json.dumps(answer))
    wait_until(lambda: page.execute_script("return edits.knownLinks()") == "1\t0-0 1-1\n")


def test_notes_ask_other_people(page, workbench):
    def texts(line):
        return [note["text"] for note in workbench.journal.edits.now(line)["notes"]]

    assert not page.one("#note").is_displayed()
    page.press("ea")
    page.switch_to.active_element.send_keys("which of them? <b>\ue007")
    wait_until(lambda: texts(1) == ["which of them? <b>"])
    page.click("#ask")
    wait_until(lambda: texts(1) == ["? which of them? <b>"])
    page.press("j")
    assert page.one("#note").get_attribute("value") == ""
    page.press("e")
    assert not page.one("#note").is_displayed()
    # Another person answers, and asks on another line; the page shows it at once.
    act(workbench, "b-1", 2, "", "? who", by="ben", kind="note")
    wait_until(lambda: [text[-3:] for text in texts_of(page, "#other-notes li")] == ["who"])
    act(workbench, "b-2", 1, "", "the first", by="ben", kind="note")
    wait_until(lambda: page.execute_script("return notes.get(0).length") == 2)
    act(workbench, "b-3", 3, "", "fine", by="ben", kind="note")
    wait_until(lambda: page.execute_script("return notes.has(2)"))
    for term, lines in (("notes", [1, 2, 3]), ("asked", [1, 2])):
        page.execute_script("change({ filter: arguments[0] })", term)
        assert numbers(page, "#rows") == lines
        assert term in texts_of(page, "#chips button")
        assert texts_of(page, "#rows .badge:is(.asked, .noted)") == ["?", "?", "✎"][: len(lines)]
    # What a person writes in two windows at once is not lost: the page says the note that is not kept.
    page.press("ea")
    field = page.switch_to.active_element
    field.send_keys("mine")
    page.execute_script("sending.isSending = true")
    field.send_keys("\ue007")
    act(workbench, "a-3", 2, "", "? yours", by=page.execute_script("return PERSON"), kind="note")
    page.execute_script("sendActs()")
    wait_until(lambda: "Your note was: mine" in page.one("#notice").text)
    assert page.one("#note").get_attribute("value") == "yours"
    page.execute_script("byId('note').value = 'b\\u0007ll'; writeNote(false)")
    wait_until(lambda: re.search(r"control character .* Your note was: b.ll", page.one("#notice").text))
    wait_until(lambda: page.one("#note").get_attribute("value") == "yours")
    page.refresh()
    wait_until(lambda: page.one("#note").is_displayed())


def test_long_note_is_shown_whole_and_a_low_window_has_room(page):
    """At 200 % zoom of 1,400 x 900 pixels, half of the window is the picture."""
    page.press("ea")
    for size in ((390, 844), (1440, 900)):
        screen(page, *size)
        page.execute_script("byId('note').value = 'word '.repeat(40)")
        over = "['Width', 'Height'].map((of) => byId('note')[`scroll${of}`] - byId('note')[`client${of}`])"
        assert max(page.execute_script(f"return {over}")) <= 1
    page.press("j")
    screen(page, 700, 450)
    picture, editor = boxes(page, "#picture, #editor")
    assert picture["bottom"] - picture["top"] >= 225
    assert editor["top"] >= picture["bottom"] - 1


def test_conflicts_are_decided_in_the_picture(page, workbench, make_workbench):
    """Each cell has the signs of both people. A click chooses one; after the last, the next line is shown."""
    workbench.me, other = "Anna", make_workbench("other")
    for line in (3, 4):
        act(workbench, f"a-{line}", line, "", "= 0-0")
        act(workbench, f"a-n{line}", line, "", "? mine", kind="note")
        act(other, f"b-{line}", line, "", "0!0 1-1 2-2", by="Ben")
        act(other, f"b-n{line}", line, "", "yours", kind="note", by="Ben")
    other.close()
    workbench.merge(other.folder / "journal")
    connected(page, page.current_url.split("#")[0])
    edits = workbench.journal.edits

    def decided(line, rivals):
        return wait_until(lambda: edits.rivals.get(line, "") == rivals)

    assert "conflicts" in texts_of(page, "#chips button")
    page.execute_script("change({ filter: 'conflicts', line: 3, view: 'matrix' })")
    assert numbers(page, "#rows") == [3, 4]
    assert faint_texts(page) == []
    assert [text.split(" ")[0] for text in texts_of(page, "#sides button")] == ["you", "Ben"]
    assert page.one("#note").get_attribute("value") == "mine"
    assert re.fullmatch(r"✎\s*Ben\s+\d+ \w+ \d{4}, \d\d:\d\d\s+yours", page.one("#other-notes li").text)
    signs = page.all("#picture .side")
    said = [(sign.get_attribute("class").split()[-1], sign.get_attribute("data-choice")) for sign in signs]
    own, other = ["confirmed", "forbidden", "forbidden"], ["confirmed", "confirmed", "forbidden"]
    assert sorted(said) == [*(("one", verdict) for verdict in own), *(("two", verdict) for verdict in other)]
    page.one("#picture .one[data-choice=confirmed]").click()
    decided(3, "1!1 2!2")
    page.one("#picture .two[data-choice=confirmed]").click()  # the verdict that counts
    decided(3, "2!2")
    page.one("#sides .two").click()
    decided(3, "")
    assert edits.texts[3] == "= 0-0 1-1 2-2"
    wait_until(lambda: page.one("#number").text == "4")
    page.press("z")
    decided(3, "2!2")
    wait_until(lambda: page.one("#number").text == "3" and len(page.all("#picture .side")) == 2)
    page.click("#next-conflict")
    page.one("#sides .one").click()
    decided(4, "")
    assert edits.texts[4] == "= 0-0 1!1 2!2"


def test_progress_is_by_hundred_lines(page, workbench):
    act(workbench, "a", 2, "", "= 0-0")
    page.press("l")
    wait_until(lambda: texts_of(page, "#passages button") == ["1 – 60", "1"])
    assert page.one("#passages .chapter").get_attribute("title") == "1 of 60 lines right"
    assert texts_of(page, "#format option")[0] == "Pharaoh"
    page.click("#passages button")
    assert page.one("#count").text == "60 lines"


def test_open_page_goes_on_after_a_kill_and_a_restart(driver, program, model_path, texts, tmp_path):
    """Edits made without a server arrive, later edits are answered, and the page is not loaded anew."""
    arguments = model_path, texts / "train.src", texts / "train.tgt", "--folder", tmp_path / "work"

    def known_links():
        return request(address, "file?what=edits")[1]

    with serving(program, *arguments) as (_, address):
        page = connected(driver, address)
        page.execute_script("window.isOpen = true")
        correct(page, 1, "0-0")
        wait_until(lambda: known_links() == "1\t0-0\n")
    wait_until(lambda: page.one("#offline").is_displayed())
    assert faint_texts(page) == []
    correct(page, 1, "0-0 1-1")
    correct(page, 2, "= 0-0")
    wait_until(lambda: page.one("#unkept").text == "2 edits not saved yet.")
    with serving(program, *arguments) as (_, again):
        assert again == address
        wait_until(lambda: known_links() == "1\t0-0 1-1\n2\t= 0-0\n")
        wait_until(lambda: not page.one("#offline").is_displayed())
        correct(page, 3, "0!0")
        wait_until(lambda: known_links().endswith("3\t0!0\n"))
        page.press("z")
        wait_until(lambda: known_links() == "1\t0-0 1-1\n2\t= 0-0\n")
        assert page.execute_script("return window.isOpen")


CLICKED = [
    "next-suggested", "previous", "next", "lines-back", "matrix", "ribbon", "edit", "edit", "forbid",
    "undecided", "confirm", "undo", "redo", "complete", "complete",
]  # fmt: skip


def test_enter_after_a_click_is_about_the_line(page, workbench):
    """A click gives the picture the focus, so that no line is skipped unmarked."""
    suggested(workbench)
    wait_until(lambda: page.one("#next-suggested").is_enabled())
    page.press("e")
    for button in CLICKED:
        wait_until(lambda button=button: page.one(f"#{button}").is_enabled())
        page.one(f"#{button}").click()
        wait_until(lambda: page.execute_script("return sending.acts.length") == 0)
        is_editing = page.execute_script("return editor.isOn")
        assert not is_editing or page.switch_to.active_element.get_attribute("id") == "picture", button
    line = page.execute_script("return state.line")
    page.switch_to.active_element.send_keys("\ue007")
    wait_until(lambda: line in workbench.journal.edits.complete)


def test_everything_is_in_reach(page, workbench):
    suggested(workbench)
    size = "return [document.documentElement.scrollWidth, document.body.scrollHeight]"
    for (width, height), mode in product(
        [(390, 844), (820, 1100), (1440, 900)], ("lines", "learn", "words", "save")
    ):
        touch = width < 1000
        screen(page, width, height, touch=touch)
        page.execute_script("openMode(arguments[0])", mode)
        wide, high = page.execute_script(size)
        assert (wide <= width, high <= height) == (True, True)
        columns = {box["left"] for box in boxes(page, ".board") if box["right"]}
        assert len(columns) == {"learn": max(1, width // 400), "save": 1}.get(mode, 0)
        for box in boxes(page, "button, select, input, #title, #right-count, #step"):
            assert -1 <= box["left"] <= box["right"] <= width + 1, box
        heights = [box["bottom"] - box["top"] for box in boxes(page, "button, select")]
        assert not touch or min(filter(None, heights)) >= 39.5


def test_lines_have_the_names_of_verses(driver, make_workbench):
    verses = LineIds([f"MAT {1 + n // 10}:{1 + n % 10}" for n in range(60)])
    workbench = make_workbench(ids=verses)
    suggested(workbench)
    with running(workbench) as server:
        page = connected(driver, server.address)
        correct(page, 13, "= 0-0")
        assert texts_of(page, ".place h2") == ["MAT 2:3"]
        page.press("e")
        assert page.one("#measures").text.startswith("line 13 ")
        assert texts_of(page, "#rows .current .number") == ["MAT 2:3"]
        assert page.execute_script("return edits.knownLinks()") == "13\t= 0-0\n"
        for part, mode in (("#queue", "learn"), ("#concordance", "words")):
            page.execute_script("openMode(arguments[0]); change({ word: wordsAt(12)[0][1] })", mode)
            page.execute_script("document.querySelector('.rendering')?.click()")  # opens its lines
            wait_until(lambda part=part: page.all(f"{part} .number"))
            assert set(texts_of(page, f"{part} .number")) <= {*verses.ids}
        page.press("l")
        page.one("#passage-first").send_keys("MAT 2")
        page.click("#passage button")
        wait_until(lambda: workbench.suggestions.passage == (11, 20))
        wait_until(lambda: page.one("#passage-last").get_attribute("value") == "MAT 2:10")
        assert texts_of(page, "#passages button") == ["Matthew", *"123456"]
        cells = "[...document.querySelectorAll('#passages .chapter')]"
        titles = page.execute_script(f"return {cells}.map((cell) => cell.title)")
        assert titles[:2] == ["0 of 10 verses right", "1 of 10 verses right"]
        grounds = page.execute_script(f"return {cells}.map((cell) => getComputedStyle(cell).backgroundColor)")
        assert grounds[0] != grounds[1]
        for scheme in ("light", "dark"):
            colours(page, scheme)
            assert faint_texts(page) == []
        page.execute_script(f"{cells}[1].click()")
        assert page.one("#filter").get_attribute("value") == "MAT 2"
        for filter in ("MAT 2", "Matthew 2", "mt. 2:1-10", "Matt 2.1–10"):
            page.execute_script("change({ filter: arguments[0] })", filter)
            assert numbers(page, "#rows") == [f"MAT 2:{n}" for n in range(1, 11)]
        change = "changeElement({ line: 13, links: [] })"
        assert page.execute_script(f"return {change}.querySelector('button').textContent") == "MAT 2:3"


def test_work_is_saved_after_what_does_not_fit_was_told(driver, make_workbench):
    workbench = make_workbench(ids=LineIds([f"MAT 1:{n}" for n in range(1, 61)]))
    suggested(workbench)
    with running(workbench) as server:
        page = connected(driver, server.address)
        correct(page, 25, "= 0-0 0-1 1-1")
        wait_until(lambda: len(page.all("#picture .left-out")) == 1)
        correct(page, 13, "= 0-0")
        wait_until(lambda: {13, 25} == {*workbench.journal.edits.texts})
        page.press(ESCAPE * 2 + "l")
        page.click("#step button")
        formats = texts_of(page, "#format option")
        assert formats[:4] == ["Aligned USFM", "Scripture Burrito", "Clear", "pharaoh"]

        def save(what, name):
            page.click(f"[name=what][value={what}]")
            wait_until(lambda: page.one("#save-file").text == f"Save {name}")
            page.one("#save-file").click()
            wait_until(lambda: f"Saved {name} with " in page.one("#saved").text)
            wait_until((page.downloads / name).exists)
            return page.one("#saved").text

        links = workbench.text.known_links("edits", workbench.known_links()).impose(workbench.picture.links)
        left_out = [n + 1 for n, kept in enumerate(in_groups(links)) if kept != links[n]]
        lost = len(links.source) - len(in_groups(links).source)
        assert 25 in left_out
        marks = workbench.saved("links", "usfm").facts["marks"]
        said = save("links", "train.aligned.usfm")
        assert f"with 60 verses and {counted(len(links.source) - lost - marks, 'link')}. " in said
        assert f"Left out: {counted(lost, 'link')}, {marks} of punctuation marks." in said
        told = f"{counted(lost, 'link')} in {len(left_out)} of 60 verses do"
        assert page.one("#fits").text.startswith(told)
        assert "with 2 verses and " in save("right", "train.right.aligned.usfm")
        save("edits", "train.known-links.tsv")
        assert (page.downloads / "train.known-links.tsv").read_text() == workbench.known_links()
        page.refresh()
        page.click("#save-mode")
        wait_until(lambda: "Saved train.known-links.tsv with 2 verses" in page.one("#saved").text)
        for scheme in ("light", "dark"):
            colours(page, scheme)
            assert faint_texts(page) == []
        wait_until(lambda: page.one("#list-left-out").is_displayed())
        page.click("#list-left-out")
        wait_until(
            lambda: page.execute_script("return listed.map((index) => HEADER.first + index)") == left_out
        )
        page.execute_script("change({ line: 25, pane: 'detail' })")
        assert len(page.all("#picture .left-out")) == 1
        correct(page, 25, "= 0-0 0-1 1-0 1-1")
        wait_until(lambda: not page.all("#picture .left-out"))


def test_hostile_text_is_text(driver, make_workbench, tmp_path):
    names = "<img src=x onerror=alert(1)>", "'\"&{{style}}"
    sides = ("\n".join(side) + "\n" for side in zip(*HOSTILE, strict=True))
    paths = [new_file(tmp_path, side, name) for side, name in zip(sides, names, strict=True)]
    workbench = make_workbench("work", *paths)
    with running(workbench) as server:
        page = connected(driver, server.address)
        suggested(workbench)
        for number, (source, _) in enumerate(HOSTILE, 1):
            correct(page, number, "=")
            assert words_in_picture(page, 0) == source.split()
        page.press(ESCAPE * 2 + "l")
        assert page.title.endswith("word alignments")
        assert page.all("main img, main b:not(#legend b, .figure b, #models b, #save-panel b)") == []
