"""Tests of the shelf: texts that are dropped on the page, by requests and in a browser."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest

from aligner.serve.draft import LARGEST_FILE
from aligner.serve.shelf import Shelf
from tests.serve.client import ask, edit, request, running, send
from tests.view.browser import load, screen, texts_of, wait_until

COMPILING = 300
"""Seconds in which the processes that look at a text and train have compiled their kernels, too."""

GREEK = "\\id JHN\n\\c 1\n\\p\n\\v 1 ὁ λόγος\n\\v 2 οὗτος\n\\v 3 πάντα\n"
ENGLISH = "\\id JHN\n\\c 1\n\\p\n\\v 1 the Word\n\\v 2 this one\n\\v 2 again\n"


@pytest.fixture
def shelf(tmp_path):
    """Return a shelf without a text."""
    return Shelf(tmp_path / "texts")


@pytest.fixture
def address(shelf):
    """Return the address of the page that opens texts."""
    with running(shelf) as server:
        yield server.address


def put(address, side, name, content, depth=-1):
    """Post a file, and return the status and the error."""
    query = urlencode({"side": side, "name": name, "depth": depth})
    status, body = request(address, f"file?{query}", content)
    return status, json.loads(body).get("error", "")


def drop(address, *contents, name="a.txt"):
    """Drop a file on each side."""
    for side, content in zip(("source", "target"), contents, strict=False):
        send(address, "begin", side=side, title=name)
        assert put(address, side, name, content) == (200, "")


def test_verses_in_common_are_found_with_what_was_skipped(address):
    drop(address, GREEK.encode(), ENGLISH.encode(), name="JHN.usfm")
    found = send(address, "look")
    assert (found["lines"], found["verses"], found["words"]) == (2, True, [3, 4])
    assert found["said"]["source"] == ["found verses that the other text lacks: 1 (JHN 1:3)"]
    assert "JHN.usfm:6: found JHN 1:2 again" in found["said"]["target"][0]
    assert "0000" not in json.dumps(found)


def test_lines_are_counted_and_compared(address):
    drop(address, b"le chat\n\n", b"the cat\nhere")
    found = send(address, "look")
    assert (found["lines"], found["verses"], found["words"]) == (2, False, [2, 3])
    assert found["said"][""] == ["1 empty on one side, not learned from"]


@pytest.mark.parametrize(
    ("contents", "error"),
    [
        ([b"a\n"], "one text alone"),
        ([b"a\n", b"a\nb\n"], "1 line in 'a.txt' and 2 lines"),
        ([GREEK.encode(), b"a\n"], "verses in 'a.txt', and none in 'a.txt'"),
        ([GREEK.encode(), GREEK.replace("JHN", "MRK").encode()], "no verse in common"),
    ],
)
def test_texts_that_do_not_go_together_are_refused(address, contents, error):
    drop(address, *contents)
    status, body = request(address, "look", {})
    assert status == 400
    assert error in json.loads(body)["error"]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "found no text in UTF-8, in line 1"),
        (b"PK\x03\x04word/document.xml", "found a zip archive, in line 1"),
        ("a\n".encode("utf-16"), "found UTF-16, in line 1"),
        ("a\né\n".encode("latin-1"), "found no text in UTF-8, in line 2"),
    ],
)
def test_files_that_are_no_text_are_refused(address, shelf, content, error):
    send(address, "begin", side="source", title="x")
    status, said = put(address, "source", "x.txt", content)
    assert (status, said[: len(error) + 7]) == (400, f"x.txt: {error}")
    assert "save it as plain text" in said
    assert not [path for path in (shelf.folder / "draft").rglob("*") if path.is_file()]


def test_files_land_in_the_folder_of_the_draft(address, shelf, tmp_path):
    """No name or depth of a request is a path."""
    send(address, "begin", side="source", title="../..")
    names = ["../../evil", "/etc/evil", "..", ".bashrc", "a\\..\\evil", "x" * 300, "CON", "Settings.xml"]
    assert {put(address, "source", name, b"a\n", 99)[0] for name in names} == {200}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    folder = shelf.folder / "draft" / "source"
    assert len([path for path in files if path.is_relative_to(folder)]) == len(files) == len(names)
    assert put(address, "../x", "a", b"a")[0] == 400
    assert request(address, "begin", {"side": "..", "title": "a"})[0] == 400
    for name in ("..", "text-1", "draft"):
        assert request(address, "remove", {"name": name})[0] == 400
        assert request(address, f"{name}/")[0] in (400, 404)


@pytest.mark.parametrize("content", ["", "[]", '{"titles": ["a", "b"]}'])
def test_a_damaged_text_does_not_hide_the_others(tmp_path, content):
    facts = {"titles": ["a", "b"], "lines": 1, "verses": False, "words": [1, 1], "made": ""}
    for name, text in (("text-1", content), ("text-2", json.dumps(facts))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text.json").write_text(text)
    shelf = Shelf(tmp_path)
    assert [text["name"] for text in shelf.state()["texts"]] == ["text-2"]
    assert [message.partition(":")[0] for message in shelf.notices] == [
        str(tmp_path / "text-1" / "text.json")
    ]


def test_uploads_need_the_token_and_have_a_limit(address):
    drop(address, b"a\n")
    query = urlencode({"side": "source", "name": "a", "depth": 0})
    assert request(address, f"file?{query}", b"a", {"Origin": "http://evil.example"})[0] == 403
    assert request(f"{address[:-5]}/", f"file?{query}", b"a")[0] == 403
    answer = ask(address, f"file?{query}", b"", {"Content-Length": str(LARGEST_FILE + 1)})
    assert (answer.status, "over 200 MB" in answer.text) == (400, True)


@pytest.mark.browser
def test_two_files_become_a_workbench_and_are_removed(driver, shelf, texts, tmp_path):
    """Training is stopped and resumed; the corrections are there after a restart, until they are removed."""
    usfm = tmp_path / "Source Bible"
    usfm.mkdir()
    for path, side in ((usfm / "GEN.usfm", "src"), (tmp_path / "GEN.usfm", "tgt")):
        lines = (texts / f"train.{side}").read_text("utf-8").splitlines()[:60]
        verses = "".join(f"\\v {number} {line}\n" for number, line in enumerate(lines, 1))
        path.write_text(f"\\id GEN\n\\c 1\n\\p\n{verses}", "utf-8")
    with running(shelf) as server:
        load(driver, server.address)
        driver.one("[data-side=source] [webkitdirectory]").send_keys(str(usfm))
        driver.one("[data-side=target] [multiple]").send_keys(str(tmp_path / "GEN.usfm"))
        wait_until(lambda: driver.one("#align").is_enabled(), COMPILING)
        assert texts_of(driver, "#found b") == ["60 verses in both"]
        driver.click("#align")
        wait_until(lambda: texts_of(driver, "#texts .choices button")[:1] == ["Stop"])
        driver.click("#texts .choices button")
        wait_until(lambda: "Stopped" in driver.one("#texts").text)
        driver.click("#texts .main")
        wait_until(lambda: driver.all("#picture svg"), COMPILING)
        assert "/text-1/" in driver.current_url
        assert driver.title.startswith("Source Bible – GEN.usfm")
        wait_until(lambda: driver.one("#welcome").text.startswith("The words of 60 verses are linked"))
        assert edit(f"{server.address}text-1/", "a", 1, "", "= 0-0")[0] == 200
        wait_until(lambda: not driver.one("#welcome").is_displayed())
    again = Shelf(shelf.folder)
    with running(again) as server:
        load(driver, server.address)
        wait_until(lambda: "60 verses · 1 corrected" in driver.one("#texts").text)
        screen(driver, 390, 844)
        driver.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
        spare = "const page = document.documentElement; return page.clientWidth - page.scrollWidth"
        assert driver.execute_script(spare) == 0
        driver.click("#texts .choices button:last-child")
        driver.click("#removal .danger")
        wait_until(lambda: not driver.one("#shelf").is_displayed())
    assert not list(shelf.folder.glob("*t*"))
