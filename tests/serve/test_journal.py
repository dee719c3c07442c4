"""The journal: acts are written, undone, recovered and merged."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.serve.edits import EDIT, REDO, UNDO, Act, Edits, checked_edit, merge
from aligner.serve.journal import Journal, read_journal

TEXT = "key"
EDITS = st.sampled_from(["", "0-0", "0!1", "= 0-0", "= 0-1 1-0"])
STEPS = st.lists(st.one_of(st.tuples(st.integers(1, 3), EDITS), st.sampled_from([UNDO, REDO])), max_size=20)
IN_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def check(line, text):
    """Check an edit of a text of 9 lines with 9 words on each side."""
    if line > 9:
        raise ValueError
    return checked_edit(text, 9, 9)


class Model:
    """The slow twin of the history: whole states, without acts."""

    def __init__(self):
        self.past, self.future = [{}], []

    @property
    def texts(self):
        return {line: text for line, text in self.past[-1].items() if text}

    def edit(self, line, text):
        self.past.append(self.past[-1] | {line: text})
        self.future = []

    def travel(self, kind):
        if kind == UNDO and len(self.past) > 1:
            self.future.append(self.past.pop())
        elif kind == REDO and self.future:
            self.past.append(self.future.pop())


def do(journal, steps):
    """Do steps on a journal, and return the model of them."""
    model = Model()
    for number, step in enumerate(steps):
        if isinstance(step, str):
            journal.travel(f"a-{number}", step)
            model.travel(step)
        else:
            line, text = step
            journal.edit(f"a-{number}", line, journal.edits.texts.get(line, ""), text)
            model.edit(line, text)
    return model


def new_journal(tmp_path):
    path = tmp_path / "journal"
    path.unlink(missing_ok=True)
    return Journal(path, TEXT, check)


def reopened(journal):
    journal.close()
    return Journal(journal.path, TEXT, check)


@IN_FOLDER
@given(steps=STEPS)
def test_edits_undo_and_redo_survive(tmp_path, steps):
    journal = new_journal(tmp_path)
    model = do(journal, steps)
    assert journal.edits.texts == model.texts
    again = reopened(journal)
    assert again.edits.texts == model.texts
    for kind in (UNDO, REDO):
        assert again.edits.last(kind) == journal.edits.last(kind)
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
    assert len(with_cut.edits.ids) == max(whole - 1, 0)
    with_cut.edit("later", 9, "", "0-0")
    assert reopened(with_cut).edits.texts[9] == "0-0"


def test_act_that_is_sent_again_counts_once(tmp_path):
    journal = new_journal(tmp_path)
    for _ in range(3):
        assert journal.edit("a-1", 1, "", "0-0").after == "0-0"
    journal.edit("a-2", 1, "0-0", "0!0")
    journal.edit("a-1", 1, "", "0-0")
    assert journal.edits.texts == {1: "0!0"}
    for _ in range(2):
        journal.travel("a-3", UNDO)
    assert journal.edits.texts == {1: "0-0"}
    assert len((tmp_path / "journal").read_text().splitlines()) == 4


ACT = {"id": "a", "kind": "edit", "line": 1, "before": "", "after": "0-0", "time": "2026-01-01"}


OTHERS = {"line": "1"}, {"line": 0}, {"after": None}, {"kind": "destroy"}, {"more": 1}
TWICE = f"{json.dumps(ACT)}\n{json.dumps(ACT)}"


@pytest.mark.parametrize(
    "line", ["nonsense", "[]", "{}", TWICE, "[" * 100_000, *(json.dumps(ACT | other) for other in OTHERS)]
)
def test_other_lines_are_errors(tmp_path, line):
    first = json.dumps({"journal": 1, "text": TEXT})
    (tmp_path / "journal").write_text(f"{first}\n{line}\n")
    with pytest.raises(DataError, match=r"journal:[23]: found"):
        Journal(tmp_path / "journal", TEXT, check)


@pytest.mark.parametrize("content", [b"some text\nof mine\n", b"some text", b'{"journal": 2', b"\n"])
def test_file_that_is_no_journal_stays_as_it_is(tmp_path, content):
    (tmp_path / "journal").write_bytes(content)
    with pytest.raises(DataError, match="first line"):
        Journal(tmp_path / "journal", TEXT, check)
    assert (tmp_path / "journal").read_bytes() == content


BAD = {"line": 10**9, "after": "garbage", "time": "\x1b[31m"}


def test_acts_that_no_edit_can_be_are_counted_and_left_out(tmp_path):
    """Bad acts of another person are not merged, and bad acts that an earlier release merged do no harm."""
    good = ACT | {"id": "b", "line": 2, "after": "0-0\n1-1"}  # a newline would add a line to known-links.tsv
    acts = [*(ACT | {"id": name, name: value} for name, value in BAD.items()), good]
    lines = [{"journal": 1, "text": TEXT}, *acts]
    (tmp_path / "journal").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    other, own = read_journal(tmp_path / "journal", TEXT, check), Journal(tmp_path / "journal", TEXT, check)
    for edits in (other, own.edits):
        assert (edits.known_links(), edits.refused) == ("2\t0-0 1-1\n", 3)
    own.close()


def test_full_disk_leaves_no_part_of_an_act(tmp_path, monkeypatch):
    journal = new_journal(tmp_path)
    journal.edit("a-1", 1, "", "0-0")
    monkeypatch.setattr("os.fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(DataError, match="No space left"):
        journal.edit("a-2", 2, "", "0-0")
    monkeypatch.undo()
    assert journal.edits.texts == {1: "0-0"}
    journal.edit("a-2", 2, "", "0-0")
    assert reopened(journal).edits.texts == {1: "0-0", 2: "0-0"}


def test_known_links_and_order_of_complete_lines():
    lines = (7, "= 0-1 1!0", "2026-01-02"), (3, "0-0 1!2", "2026-01-03"), (5, "=", "2026-01-01")
    edits = Edits((Act(text, EDIT, line, "", text, time) for line, text, time in lines), check)
    assert edits.known_links() == "3\t0-0 1!2\n5\t=\n7\t= 0-1\n"
    assert edits.complete == [5, 7]


def edits_of(acts):
    """Return the edits of (id, time, line, text), each after the earlier edits of its line."""
    edits = Edits((), check)
    for id, time, line, text in acts:
        edits.apply(Act(id, EDIT, line, edits.texts.get(line, ""), text, time))
    return edits


TWO = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 3), EDITS), max_size=6)


@given(shared=TWO, one=TWO, two=TWO)
def test_merging_is_symmetric_and_happens_once(shared, one, two):
    def acts(own, name):
        return [(f"{name}{k}", f"2026-01-0{day + 1}", line, text) for k, (day, line, text) in enumerate(own)]

    past = acts(sorted(shared), "s")
    sides = [edits_of(past + acts(own, name)) for own, name in ((one, "a"), (two, "b"))]
    merged = [merge(sides[k], sides[1 - k]) for k in (0, 1)]
    for edits, (taken, _) in zip(sides, merged, strict=True):
        for act in taken:
            edits.apply(act)
    assert sides[0].texts == sides[1].texts
    lines = [{kept.line for kept, _ in conflicts} for _, conflicts in merged]
    assert lines[0] == lines[1]
    for k in (0, 1):
        assert not merge(sides[k], sides[1 - k])[0]


def test_journal_of_another_person_is_read_up_to_its_last_line(tmp_path):
    journal = new_journal(tmp_path)
    journal.edit("a-1", 1, "", "0-0")
    with open(tmp_path / "journal", "ab") as file:
        file.write(b'{"id": "a-2"')
    assert read_journal(tmp_path / "journal", TEXT, check).texts == {1: "0-0"}
    with pytest.raises(DataError, match="another text"):
        read_journal(tmp_path / "journal", "other", check)
    with pytest.raises(DataError, match="cannot be read"):
        read_journal(tmp_path / "none", TEXT, check)


def test_edits_are_checked_and_put_in_order():
    assert checked_edit("1-1 = 0!2 0-0", 2, 3) == "= 0-0 0!2 1-1"
    assert checked_edit("", 0, 0) == ""
    for wrong in ("2-0", "0-3", "0?0", "0-0 0!0", "x", "0-0:1", "-1-0"):
        with pytest.raises(ValueError, match="found"):
            checked_edit(wrong, 2, 3)
