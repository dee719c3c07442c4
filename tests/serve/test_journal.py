"""The journal: acts are written, undone, recovered and merged."""

import json
from dataclasses import asdict
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.serve.acts import EDIT, NOTE, REDO, UNDO, Act, act_of_file, checked_edit
from aligner.serve.edits import ConflictError, Edits
from aligner.serve.journal import Journal, read_journal

TEXT = "key"
EDITS = st.sampled_from(["", "0-0", "0!1", "= 0-0", "= 0-1 1-0"])
PEOPLE = "anna", "ben"
STEP = st.tuples(st.integers(1, 3), EDITS) | st.sampled_from([UNDO, REDO])
STEPS = st.lists(st.tuples(st.sampled_from(PEOPLE), STEP), max_size=20)
IN_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


check = partial(checked_edit, ([["x"] * 9] * 9, [["y"] * 9] * 9))


def act(journal, *fields, **named):
    """Do an act on a journal, and return the first of the acts that it is, or None."""
    return next(iter(journal.act(Act(*fields, **named))), None)


class Model:
    """The slow twin of the history: stacks of each person, without acts on lines that others have edited."""

    def __init__(self):
        self.texts, self.stacks = {}, {by: {UNDO: [], REDO: []} for by in PEOPLE}

    def put(self, by, line, text):
        self.texts.pop(line, None)
        self.texts |= {line: text} if text else {}
        for stack in (stack for other in PEOPLE if other != by for stack in self.stacks[other].values()):
            stack[:] = [act for act in stack if act[0] != line]

    def edit(self, by, line, text):
        self.stacks[by] = {UNDO: [*self.stacks[by][UNDO], (line, self.texts.get(line, ""), text)], REDO: []}
        self.put(by, line, text)

    def travel(self, by, kind):
        if self.stacks[by][kind]:
            act = self.stacks[by][kind].pop()
            self.stacks[by][REDO if kind == UNDO else UNDO].append(act)
            self.put(by, act[0], act[1 if kind == UNDO else 2])


def do(journal, steps):
    """Do steps on a journal, and return the model of them."""
    model = Model()
    for number, (by, step) in enumerate(steps):
        if isinstance(step, str):
            act(journal, f"a-{number}", step, by=by)
            model.travel(by, step)
        else:
            line, text = step
            act(journal, f"a-{number}", EDIT, line, journal.edits.texts.get(line, ""), text, by=by)
            model.edit(by, line, text)
    return model


def write_journal(path, *acts):
    """Write a journal with acts, each a dictionary or a line."""
    lines = [{"journal": 1, "text": TEXT}, *acts]
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def both_edits(path):
    """Return the edits of a journal as another person reads them, and as its own does, and this journal."""
    own = Journal(path, TEXT, check)
    return read_journal(path, TEXT, check), own.edits, own


def new_journal(tmp_path):
    path = tmp_path / "journal"
    path.unlink(missing_ok=True)
    return Journal(path, TEXT, check)


def reopened(journal):
    journal.close()
    return Journal(journal.path, TEXT, check)


@IN_FOLDER
@given(steps=STEPS)
def test_undo_and_redo_of_own_acts_survive(tmp_path, steps):
    journal = new_journal(tmp_path)
    model = do(journal, steps)
    assert journal.edits.texts == model.texts
    again = reopened(journal)
    assert again.edits.texts == model.texts
    for by, stacks in model.stacks.items():
        for kind in (UNDO, REDO):
            assert again.edits.last(kind, by) == journal.edits.last(kind, by)
            assert bool(again.edits.last(kind, by)) == bool(stacks[kind])
    again.close()


@IN_FOLDER
@given(steps=STEPS, data=st.data())
def test_unfinished_last_line_is_dropped(tmp_path, steps, data):
    """A journal that is cut anywhere has exactly the acts whose lines are whole, and goes on after them."""
    journal = new_journal(tmp_path)
    do(journal, steps)
    journal.close()
    content = (tmp_path / "journal").read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    rests = [b"", b"\0\0", b'{"id'] if b"\n" in content[:cut] else [b"", b"\0\0"]
    (tmp_path / "journal").write_bytes(content[:cut] + data.draw(st.sampled_from(rests)))
    with_cut = Journal(tmp_path / "journal", TEXT, check)
    whole = content[:cut].count(b"\n")
    assert len(with_cut.edits.acts) == max(whole - 1, 0)
    act(with_cut, "later", EDIT, 9, "", "0-0")
    assert reopened(with_cut).edits.texts[9] == "0-0"


def test_act_that_is_sent_again_counts_once(tmp_path):
    journal = new_journal(tmp_path)
    for _ in range(3):
        assert act(journal, "a-1", EDIT, 1, "", "0-0").after == "0-0"
    act(journal, "a-2", EDIT, 1, "0-0", "0!0")
    act(journal, "a-1", EDIT, 1, "", "0-0")
    assert journal.edits.texts == {1: "0!0"}
    for _ in range(2):
        act(journal, "a-3", UNDO)
    assert journal.edits.texts == {1: "0-0"}
    assert len((tmp_path / "journal").read_text().splitlines()) == 4


ACT = {"id": "a", "kind": "edit", "line": 1, "before": "", "after": "0-0", "time": "2026-01-01"}

OTHERS = [{"line": "1"}, {"line": 0}, {"kind": "destroy"}]
OTHERS += [{name: 1} for name in ("after", "more", "by", "rivals", "chosen", "parents")] + [{"parents": [1]}]


@pytest.mark.parametrize(
    "line", ["nonsense", "[]", "{}", "[" * 100_000, *(json.dumps(ACT | other) for other in OTHERS)]
)
def test_other_lines_are_errors(tmp_path, line):
    with pytest.raises(DataError, match="journal:2: found"):
        Journal(write_journal(tmp_path / "journal", line), TEXT, check)


@pytest.mark.parametrize("content", [b"some text\nof mine\n", b"some text", b'{"journal": 2', b"\n"])
def test_file_that_is_no_journal_stays_as_it_is(tmp_path, content):
    (tmp_path / "journal").write_bytes(content)
    with pytest.raises(DataError, match="first line"):
        Journal(tmp_path / "journal", TEXT, check)
    assert (tmp_path / "journal").read_bytes() == content


BAD = {
    "line": 10**9,
    "after": "garbage",
    "before": "garbage",
    "rivals": "= 0-0",
    "chosen": "=",
    "time": "\x1b[31m",
}
BAD_NOTES = "x" * 501, "\x1b[31m"


def test_acts_that_no_edit_can_be_are_counted_and_left_out(tmp_path):
    """Bad acts of another person are not merged, and bad acts that an earlier release merged do no harm."""
    good = ACT | {"id": "b", "line": 2, "after": "0-0\n1-1"}  # a newline would add a line to known-links.tsv
    acts = [*(ACT | {"id": name, name: value} for name, value in BAD.items()), good]
    acts += [ACT | {"id": note, "kind": "note", "after": note} for note in BAD_NOTES]
    *both, own = both_edits(write_journal(tmp_path / "journal", *acts))
    for edits in both:
        assert (edits.known_links(), edits.notes, edits.refused) == ("2\t0-0 1-1\n", {}, 8)
    own.close()


def test_second_act_of_an_id_is_counted_and_left_out(tmp_path):
    """A journal that an earlier release has broken opens again, and can be merged."""
    acts = ACT, ACT | {"line": 2}, ACT | {"id": "b", "line": 3}
    *both, own = both_edits(write_journal(tmp_path / "journal", *acts))
    for edits in both:
        assert (edits.texts, edits.refused) == ({1: "0-0", 3: "0-0"}, 1)
    act(own, "c", EDIT, 2, "", "1-1")
    assert reopened(own).edits.texts == {1: "0-0", 2: "1-1", 3: "0-0"}


def test_act_of_a_file_cannot_be_claimed(tmp_path):
    """An act of another person with the id that the edit of a file will have is left out."""
    edit = act_of_file(5, "0-0")
    for claim in (ACT | {"id": edit.id}, asdict(edit) | {"line": 7}, asdict(edit) | {"by": "eve"}):
        theirs = read_journal(write_journal(tmp_path / "theirs", claim), TEXT, check)
        assert (theirs.acts, theirs.refused) == ({}, 1)
    journal = new_journal(tmp_path)
    for _ in range(2):
        journal.take([edit, edit])
    assert reopened(journal).edits.texts == {5: "0-0"}


def test_journal_of_an_earlier_release_is_read(tmp_path):
    """Its acts name no person: no undo reaches them, and anybody can edit their lines."""
    undo = ACT | {"id": "b", "kind": "undo", "before": "0-0", "after": ""}
    journal = Journal(write_journal(tmp_path / "journal", ACT, undo), TEXT, check)
    assert (journal.edits.texts, journal.edits.refused) == ({}, 0)
    assert act(journal, "c", REDO, by="anna") is None
    act(journal, "d", EDIT, 1, "", "1-1", by="anna")
    assert reopened(journal).edits.texts == {1: "1-1"}


def test_acts_that_are_one_are_done_undone_and_redone_as_one(tmp_path):
    """A conflict on one line refuses all; what somebody else has edited since stays."""
    journal = new_journal(tmp_path)
    act(journal, "a-1", EDIT, 1, "", "0-0", by="anna")
    parts = [Act(f"a-2.{line}", EDIT, line, "", "0!0", by="anna") for line in (2, 3, 4)]
    with pytest.raises(ConflictError):
        journal.act(*parts, Act("a-2.9", EDIT, 1, "", "0!0", by="anna"))
    assert journal.edits.texts == {1: "0-0"}
    assert journal.act(*parts) == journal.act(*parts)
    act(journal, "b-1", EDIT, 3, "0!0", "1-1", by="ben")
    journal = reopened(journal)
    act(journal, "a-3", UNDO, by="anna")
    assert journal.edits.texts == {1: "0-0", 3: "1-1"}
    act(journal, "a-4", REDO, by="anna")
    assert reopened(journal).edits.texts == {1: "0-0", 2: "0!0", 3: "1-1", 4: "0!0"}


def test_notes_are_no_edits(tmp_path):
    """A note has a history of its own, and conflicts with other notes alone."""
    journal = new_journal(tmp_path)
    act(journal, "a-1", EDIT, 1, "", "0-0", by="anna")
    act(journal, "b-1", NOTE, 1, "", "? why", by="ben")
    with pytest.raises(ConflictError) as conflict:
        act(journal, "b-3", NOTE, 1, "", "mine", by="ben")
    assert conflict.value.text == "? why"
    assert act(journal, "b-2", UNDO, by="ben") is None
    act(journal, "a-3", UNDO, by="anna")
    assert (journal.edits.texts, [note.after for note in journal.edits.notes[1]]) == ({}, ["? why"])
    assert b"chosen" not in (tmp_path / "journal").read_bytes(), "earlier releases read it"
    assert reopened(journal).edits.notes == {1: [journal.edits.acts["b-1"]]}


def test_full_disk_leaves_no_part_of_an_act(tmp_path, monkeypatch):
    journal = new_journal(tmp_path)
    act(journal, "a-1", EDIT, 1, "", "0-0")
    monkeypatch.setattr("os.fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(DataError, match="No space left"):
        act(journal, "a-2", EDIT, 2, "", "0-0")
    monkeypatch.undo()
    assert journal.edits.texts == {1: "0-0"}
    act(journal, "a-2", EDIT, 2, "", "0-0")
    assert reopened(journal).edits.texts == {1: "0-0", 2: "0-0"}


def test_known_links_and_order_of_complete_lines():
    lines = (7, "= 0-1 1!0", "2026-01-02"), (3, "0-0 1!2", "2026-01-03"), (5, "=", "2026-01-01")
    edits = Edits((Act(text, EDIT, line, "", text, time) for line, text, time in lines), check)
    assert edits.known_links() == "3\t0-0 1!2\n5\t=\n7\t= 0-1\n"
    assert edits.complete == [5, 7]


def test_journal_of_another_person_is_read_up_to_its_last_line(tmp_path):
    journal = new_journal(tmp_path)
    act(journal, "a-1", EDIT, 1, "", "0-0")
    with open(tmp_path / "journal", "ab") as file:
        file.write(b'{"id": "a-2"')
    assert read_journal(tmp_path / "journal", TEXT, check).texts == {1: "0-0"}
    with pytest.raises(DataError, match="another text"):
        read_journal(tmp_path / "journal", "other", check)
    with pytest.raises(DataError, match="cannot be read"):
        read_journal(tmp_path / "none", TEXT, check)


def test_edits_are_checked_and_put_in_order():
    words = [["x"] * 2, []], [["y"] * 3, []]
    assert checked_edit(words, 1, "1-1 = 0!2 0-0") == "= 0-0 0!2 1-1"
    assert checked_edit(words, 2, "") == ""
    for wrong in ("2-0", "0-3", "0?0", "0-0 0!0", "x", "0-0:1", "-1-0"):
        with pytest.raises(ValueError, match="found"):
            checked_edit(words, 1, wrong)
