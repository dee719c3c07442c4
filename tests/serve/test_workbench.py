"""Tests of the workbench: learning in the background, models, suggestions, known links and gold."""

import json
from dataclasses import asdict

import pytest

from aligner import decode, load
from aligner.errors import ConfigError, DataError
from aligner.learning.corrections import read_corrections
from aligner.links.formats import LINK_FORMATS
from aligner.links.gold import read_gold
from aligner.links.known_links import read_known_links
from aligner.serve.acts import Act
from aligner.serve.served_text import ServedText
from aligner.text.line_ids import LineIds
from tests.serve.client import act, choosy_edits, is_idle, saved, suggested, wait_for
from tests.support import new_file


def correct(workbench, gold, lines):
    for line in lines:
        act(workbench, f"g-{line}", line, "", gold[line - 1])


def test_page_opens_with_the_links_of_decode(workbench):
    content = workbench.picture.content
    assert content.links == decode(workbench.models.model, workbench.text.bitext)
    assert content.threshold == 0.5


@pytest.mark.learn
@pytest.mark.slow
def test_learning_is_accepted_or_not(make_workbench):
    pytest.importorskip("lightgbm")
    workbench = make_workbench()
    events = []
    workbench.publish = events.append
    correct(workbench, choosy_edits(workbench), range(1, 13))
    before, edition = workbench.picture.links, workbench.picture.edition
    workbench.learn()
    with pytest.raises(ValueError, match="goes on"):
        workbench.learn()
    work = wait_for(workbench, "done")
    assert work["record"]["lines"] == 12
    assert not any("p =" in said or "tree" in said for said in work["said"])
    assert [point["lines"] for point in workbench.state()["points"]] == [6, 12]
    done = {event["work"].get("doing") for event in events if event["type"] == "work"}
    assert {"waiting", "learning", "aligning"} <= done
    shown = workbench.changes(0, 100)
    assert len(shown) == work["lines"] > 10
    assert not {change["line"] for change in shown} & set(range(1, 13))
    kind = workbench.rows(0, 1)["rows"][0]
    assert 0 < len(workbench.changes(0, 100, kind=kind["kind"])) <= min(work["lines"], sum(kind["counts"]))
    workbench.discard()
    assert workbench.picture.links is before
    with pytest.raises(ValueError, match="no new model"):
        workbench.accept()
    workbench.learn()
    wait_for(workbench, "done")
    workbench.accept()
    state = is_idle(workbench).state()
    assert state["current"] == "model-1"
    assert state["edition"] != edition
    assert state["models"][0]["lines"] == 12
    links = workbench.picture.links
    workbench.close()
    again = make_workbench()
    assert again.state()["current"] == "model-1"
    assert again.picture.links == links
    assert again.picture.edition == state["edition"], "open pages go on after a restart"
    again.use("")
    assert again.picture.links == before
    assert again.picture.edition == edition
    with pytest.raises(ConfigError, match="no model"):
        again.use("../model")


@pytest.mark.learn
@pytest.mark.slow
def test_refused_changes_stay_as_they_are(make_workbench):
    """On the page, in known links, by decoding with them, with the original model, until released."""
    pytest.importorskip("lightgbm")
    workbench = make_workbench()
    correct(workbench, choosy_edits(workbench), range(1, 13))
    before, gold = workbench.picture.links, saved(workbench, "right", "pharaoh")
    texts = {**workbench.journal.edits.texts}
    workbench.learn()
    wait_for(workbench, "done")
    kind = {"kind": workbench.rows(0, 1)["rows"][0]["kind"]}
    one, other = (kind | {"word": own["word"]} for own in workbench.rows(0, 2, **kind)["rows"])
    workbench.refuse(**other)
    workbench.refuse(**one, pair=workbench.rows(0, 1, **one)["rows"][0]["pair"])
    refused = workbench.state()["work"]["refused"]
    assert refused == sum(own["refused"] for own in workbench.rows(0, 2, **kind)["rows"])
    workbench.accept()
    kept = {**workbench.kept.cells}

    def linked(links):
        return {(n, i, j) for n, own in enumerate(links) for i, j in own if (n, i, j) in kept}

    assert len(kept) == refused == sum(own["count"] for own in workbench.state()["kept"])
    assert (
        linked(before)
        == {cell for cell, is_link in kept.items() if is_link}
        == linked(workbench.picture.links)
    )
    assert workbench.picture.content.links == workbench.picture.links
    assert (saved(workbench, "right", "pharaoh"), workbench.journal.edits.texts) == (gold, texts)
    model, known = load(workbench.folder / "model-1"), read_known_links(workbench.write_known_links())
    corrections = read_corrections(workbench.write_known_links(), 60)
    assert [n for n, links in enumerate(corrections.sure) if links] == [*range(12)]
    found = decode(model, workbench.text.bitext)
    assert linked(found) != linked(before) == linked(known.impose(found))
    workbench.close()
    again = make_workbench()
    assert again.picture.links == workbench.picture.links
    again.use("")
    assert list(again.picture.links) == list(before)
    first, *others = again.state()["kept"]
    again.release(first["side"], first["word"])
    assert sum(own["count"] for own in again.state()["kept"]) == sum(own["count"] for own in others)
    again.release()
    assert (again.picture.links, again.state()["kept"]) == (before, [])
    again.close()
    assert make_workbench().state()["kept"] == []


def test_verdicts_count_more_than_kept_links(workbench):
    workbench.kept.add({(0, 0, 0): False, (0, 0, 1): True, (1, 0, 0): True, (2, 1, 0): True})
    act(workbench, "a", 1, "", "0-0 1-1")
    act(workbench, "b", 2, "", "= 1-1")
    assert workbench.known_links() == "1\t0-0 0-1 1-1\n2\t= 1-1\n3\t1-0\n"
    assert workbench.journal.edits.complete == [2]
    record = workbench.kept.records()[0]
    workbench.kept.release((record["side"], record["word"]))
    assert len(workbench.kept.cells) == 4 - record["count"]
    workbench.kept.release()
    assert workbench.kept.cells == {}


DAMAGED = [("kept-links.tsv", "1\t0-99\n"), ("kept-links.tsv", "nonsense")]
DAMAGED += [("models.json", '{"current": "../x", "models": [], "points": []}')]


@pytest.mark.parametrize(("name", "text"), DAMAGED)
def test_damaged_file_of_the_folder_is_an_error(make_workbench, name, text):
    workbench = make_workbench()
    workbench.close()
    new_file(workbench.folder, text, name)
    with pytest.raises(DataError, match=name):
        make_workbench()


def test_too_few_lines_teach_nothing(workbench, gold):
    correct(workbench, gold, [1])
    act(workbench, "x", 2, "", "0-0")
    workbench.learn()
    assert "at least 2 lines" in wait_for(workbench, "failed")["said"][0]


@pytest.fixture
def lines_of(texts, tmp_path):
    """Return a function that returns the paths of a text: the first lines of the sample, perhaps changed."""
    sides = [(texts / f"train.{side}").read_text().splitlines(keepends=True) for side in ("src", "tgt")]

    def lines_of(*changed):
        return [
            new_file(tmp_path, "".join(change(s)), n)
            for change, s, n in zip(changed, sides, "st", strict=True)
        ]

    return lines_of


def test_equal_lines_are_suggested_once(make_workbench, lines_of):
    """A line with the words of an earlier one, or of a complete one, is not suggested."""
    workbench = make_workbench("work", *lines_of(*[lambda side: side[:8] * 3] * 2))

    def suggested_lines():
        return {found["line"] for found in suggested(workbench)}

    lines = suggested_lines()
    assert lines
    assert lines <= set(range(1, 9))
    act(workbench, "a", 10, "", "=")
    assert suggested_lines() == lines - {2}
    workbench.suggestions.choose(9, 24)
    assert suggested_lines() == {line + 8 for line in lines - {2}}


def test_unsure_cells_are_those_that_reasons_count(workbench):
    counted = 0
    for found in suggested(workbench):
        cells = workbench.unsure(found["line"])
        assert all(0.1 <= p <= 0.9 for _, _, p in cells)
        counted += len(cells)
        if cells:
            assert f"{len(cells)} unsure word pair" in " ".join(found["reasons"])
    assert counted


def test_an_empty_line_has_no_unsure_cells(make_workbench, lines_of):
    paths = lines_of(lambda side: [side[0], "\n", *side[2:4]], lambda side: side[:4])
    workbench = make_workbench("work", *paths)
    assert workbench.unsure(2) == []
    assert workbench.unsure(1) or workbench.unsure(3) or workbench.unsure(4)


def test_bad_lines_are_served_as_empty_lines(model_path, tmp_path):
    path, messages = tmp_path / "text", []
    path.write_bytes(b"a\tb\nc\xff\td\n")
    text = ServedText.read(path, None, load(model_path), skip_bad=True, report=messages.append)
    assert text.words == ([["a"], []], [["b"], []])
    assert text.bitext.bad_lines == len(messages) == 1


def test_suggestions_are_of_the_passage_and_not_complete(workbench, gold):
    queue = suggested(workbench)
    assert len(queue) == 50
    bits = [found["uncertainty"] for found in queue]
    assert bits == sorted(bits, reverse=True)
    assert all(found["reasons"] for found in queue[:5])
    correct(workbench, gold, [21])
    workbench.suggest(20, 30)
    state = is_idle(workbench).state()
    assert {found["line"] for found in state["queue"]} <= set(range(20, 31)) - {21}
    assert state["passage"] == (20, 30)


def test_search_ends_when_another_passage_is_chosen(workbench):
    suggestions = workbench.suggestions
    suggestions.find(workbench.models, [], lambda: suggestions.choose(20, 30))
    assert suggestions.queue == []
    suggestions.find(workbench.models, [], lambda: suggestions.choose(20, 30))
    assert suggestions.queue


def test_queue_is_filled_anew_when_it_runs_out(workbench, gold):
    queue = suggested(workbench)
    lines = [found["line"] for found in queue]
    correct(workbench, gold, lines[:45])
    assert is_idle(workbench).state()["queue"] == queue
    correct(workbench, gold, lines[45:46])
    others = {found["line"] for found in is_idle(workbench).state()["queue"]}
    assert others > set(lines[46:])
    assert not others & set(lines[:46])


def test_known_links_begin_a_journal(make_workbench, tmp_path):
    known = read_known_links(new_file(tmp_path, "2\t0-0 1!1\n5\t= 0-0\n"))
    workbench = make_workbench()
    act(workbench, "a", 5, "", "1-1")
    assert workbench.take_known_links(known) == [
        f"took over 1 line of {tmp_path / 'links'}",
        f"kept the journal's edits of line 5, which differ from {tmp_path / 'links'}",
    ]
    assert workbench.journal.edits.known_links() == "2\t0-0 1!1\n5\t1-1\n"
    workbench.close()
    assert (workbench.folder / "known-links.tsv").read_text() == "2\t0-0 1!1\n5\t1-1\n"
    assert len(make_workbench().take_known_links(known)) == 1
    with pytest.raises(DataError):
        make_workbench("other").take_known_links(read_known_links(new_file(tmp_path, "2\t99-0\n")))


def test_two_journals_become_one(make_workbench, tmp_path):
    """Known links that both begin with are no conflict, unless they contradict each other."""
    mine, other = make_workbench("mine"), make_workbench("other")
    for workbench, text in ((mine, "1\t0-0\n2\t0-0\n3\t1!1\n"), (other, "1\t0-0\n2\t0-0\n3\t1-1\n")):
        workbench.take_known_links(read_known_links(new_file(tmp_path, text)))
    act(other, "a", 2, "0-0", "0-1", by="ben")
    act(other, "b", 2, "", " ? which\t of them", by="ben", kind="note")
    path = other.folder / "journal"
    conflict = "both have judged links of line 3 in different ways"
    said = mine.merge(path)
    assert said[0] == f"took over 2 lines of {path}"
    assert said[1].startswith(conflict)
    edits = mine.journal.edits
    assert (edits.texts[2], edits.rivals) == ("0-1", {3: "1!1"})
    said = mine.merge(path)
    assert said[0].startswith("took over 0 lines")
    assert said[1].startswith(conflict), "the conflict is still there"
    act(mine, "c", 3, "1-1", "1-1")
    assert mine.merge(path) == said[:1]
    with open(path, "a") as journal:
        journal.write(json.dumps(asdict(Act("x", "edit", 10**9, "", "0-0"))) + "\n")
        journal.write(json.dumps(asdict(Act("y", "note", 1, "", "x" * 501))) + "\n")
    assert "left out 2 acts" in mine.merge(path)[1]
    mine.close()
    again = make_workbench("mine").state()
    note = {"text": "? which of them", "by": "ben", "time": edits.acts["b"].time}
    assert (again["conflicts"], again["notes"]) == ({}, {2: [note]})


def test_known_links_that_are_not_of_the_folder_stay(make_workbench, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "known-links.tsv").write_text("1\t0-0\n")
    with pytest.raises(DataError, match="would be replaced"):
        make_workbench()


@pytest.mark.parametrize("format", ["pharaoh", "moses", "talp", "wa", "lines", "giza", "jsonl"])
def test_complete_lines_are_gold_in_every_format(workbench, gold, tmp_path, format):
    correct(workbench, gold, [1, 4])
    act(workbench, "x", 2, "", "0-0")
    path = new_file(tmp_path, saved(workbench, "right", format))
    if format != "lines":
        found = read_gold(path, format=format, sentences=len(workbench.text))
        links = {n + 1: cells for n, cells in enumerate(found.sure) if cells}
        expected = {n: [tuple(map(int, t.split("-"))) for t in gold[n - 1].split()[1:]] for n in (1, 4)}
        assert links == {n: sorted(cells) for n, cells in expected.items()}


@pytest.mark.parametrize("format", ["pharaoh", "pharaoh-probabilities", "jsonl", "giza"])
def test_all_links_have_the_edits(workbench, tmp_path, format):
    """They are those that decode gives with the edits as known links."""
    read = LINK_FORMATS[format].read

    def lines_of(text):
        return [sorted(pair.links) for pair in read(new_file(tmp_path, text))]

    before = lines_of(saved(workbench, "links", format))
    assert before == [sorted(cells) for cells in workbench.picture.links]
    first = before[0][0]
    act(workbench, "a", 1, "", f"{first[0]}!{first[1]}")
    act(workbench, "b", 2, "", "= 0-1")
    assert lines_of(saved(workbench, "links", format)) == [before[0][1:], [(0, 1)], *before[2:]]
    if format == "pharaoh-probabilities":
        assert saved(workbench, "links", format).splitlines()[1] == "0-1:1.0000"
        with pytest.raises(ValueError, match="needs the probability"):
            saved(workbench, "right", format)


def test_unfinished_model_of_a_killed_run_is_deleted(workbench):
    unfinished = workbench.folder / "model-1.0123abcd.tmp"
    unfinished.touch()
    workbench.models.add(workbench.models.model, {})
    assert not unfinished.exists()


def test_text_is_as_long_as_a_page(model_path, texts, monkeypatch, tmp_path):
    monkeypatch.setattr("aligner.serve.served_text.MOST_LINES", 59)
    with pytest.raises(ConfigError, match="found 60 lines"):
        ServedText.read(texts / "train.src", texts / "train.tgt", load(model_path))
    with pytest.raises(DataError, match="no line"):
        ServedText.read(new_file(tmp_path, ""), None, load(model_path))


def test_ids_that_are_no_verses_are_said_for_formats_of_verses(make_workbench):
    workbench = make_workbench(ids=LineIds([f"line {n}" for n in range(60)]))
    with pytest.raises(ConfigError, match="found the id 'line 0'; expected a verse"):
        saved(workbench, "links", "usfm")


def test_lines_have_ids(make_workbench):
    def opened(count, folder="work"):
        return make_workbench(folder, ids=LineIds([f"MAT 1:{n}" for n in range(count)]))

    for count, message in ((59, "one for each line"), (61, "expected 60")):
        with pytest.raises(DataError, match=message):
            opened(count)
    workbench, other = opened(60), opened(60, "other")
    assert '"ids":["MAT 1:0","MAT 1:1",' in workbench.page().decode()
    assert '"id": "MAT 1:59"' in saved(workbench, "right", "jsonl")
    assert {"usfm", "burrito", "csv"} < {*workbench.state()["formats"]}
    act(workbench, "y", 1, "", "= 0-0 0-1 1-1")
    assert r"\zaln-s" in saved(workbench, "right", "usfm")
    assert workbench.saved("right", "usfm").facts["left_out"] == len(workbench.ungrouped()[1]) == 1
    assert workbench.ungrouped(1) == {1: workbench.ungrouped()[1]}
    assert workbench.ungrouped(61) == {}
    assert r"\v 58" in saved(workbench, "links", "usfm")
    act(workbench, "x", 2, "", "0-0")
    assert workbench.journal.edits.known_links() == "1\t= 0-0 0-1 1-1\n2\t0-0\n"
    act(other, "z", 2, "", "0!0")
    other.close()
    assert " of line MAT 1:1 in different ways" in workbench.merge(other.folder / "journal")[1]


def test_a_word_that_joins_others_is_taken_back(make_workbench, monkeypatch):
    monkeypatch.setattr("aligner.learning.learn.has_lightgbm", lambda: False)
    workbench = make_workbench()
    text = workbench.text.bitext
    plain = decode(workbench.models.model, text)
    links = decode(workbench.models.model, text, attach=True)
    correct(workbench, ["= " + " ".join(f"{i}-{j}" for i, j in own) for own in links], range(1, 31))
    workbench.learn()
    work = wait_for(workbench, "done")
    assert "learned only which words join others" in " ".join(work["said"])
    joining = {*workbench._lesson.model.joining[0], *workbench._lesson.model.joining[1]}
    (kind,) = workbench.rows(0, 9)["rows"]
    first, *others = workbench.rows(0, 99, kind=kind["kind"])["rows"]
    assert all(own["step"] for own in (first, *others))
    workbench.refuse(kind=kind["kind"])
    workbench.refuse(0, kind=kind["kind"], word=first["word"])
    with pytest.raises(ValueError, match="no such changes"):
        workbench.refuse(kind=kind["kind"], word=10**6)
    workbench.accept()
    model = is_idle(workbench).models.model
    assert {*model.joining[0], *model.joining[1]} == joining - {own["text"].lower() for own in others}
    assert list(workbench.picture.links) == list(decode(model, text)) != list(plain)
