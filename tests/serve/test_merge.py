"""Journals of several people are merged cell by cell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.serve.acts import EDIT, NOTE, REDO, UNDO, Act
from aligner.serve.edits import Edits
from tests.serve.test_journal import check

TEXTS = "", "0-0", "0!0", "0-0 1-1", "0-0 1!1", "=", "= 0-0", "= 0!0 1-1", "= 0-0 1-1", "1!1"
WORDS = *TEXTS, UNDO, REDO, "keep", "choose", "note one", "note two", "note"
STEPS = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(WORDS)), max_size=6)


def of(edits):
    """Return everything that edits lead to."""
    return edits.texts, edits.rivals, edits.notes, edits.now(1)["conflicts"]


class Person:
    """A person with edits, and acts on line 1, whose times are of a clock that goes wrong."""

    def __init__(self, name, acts=()):
        self.name, self.edits = name, Edits(acts, check)

    def do(self, steps):
        for day, step in steps:
            kind = NOTE if step.startswith("note") else step if step in (UNDO, REDO) else EDIT
            before, chosen = self.edits.texts.get(1, ""), ""
            if kind == NOTE:
                before = "".join(note.after for note in self.edits.notes.get(1, ()) if note.by == self.name)
            after = before if step in ("keep", "choose") else step.removeprefix("note").lstrip()
            if step == "choose":  # the verdict that counts, on one cell
                chosen = self.edits.rivals.get(1, "").split(" ")[0].translate({45: "!", 33: "-"})
            id, time = f"{self.name}{len(self.edits.acts)}", f"2026-01-0{day + 1}"
            self.take(self.edits.new_acts(Act(id, kind, 1, before, after, time, self.name, chosen=chosen)))
        return self

    def take(self, acts):
        for act in acts:
            self.edits.apply(act)

    def merge(self, other):
        self.take(self.edits.lacks(other.edits))
        return self

    def copy(self):
        return Person(self.name, self.edits.acts.values())


def two(shared, one, other):
    """Return two people who have edited a shared journal."""
    past = Person("s").do(shared).edits.acts.values()
    return Person("a", past).do(one), Person("b", past).do(other)


@given(shared=STEPS, one=STEPS, other=STEPS, later=STEPS)
def test_both_orders_lead_to_the_same_and_a_second_merge_to_nothing(shared, one, other, later):
    anna, ben = two(shared, one, other)
    after_ben = anna.copy().merge(ben)
    after_anna = ben.copy().merge(anna)
    assert of(after_ben.edits) == of(after_anna.edits)
    assert after_ben.edits.lacks(ben.edits) == after_ben.edits.lacks(after_anna.edits) == []
    # One merges, goes on, and the other one merges what has become of it.
    after_ben.do(later)
    ben.merge(after_ben)
    assert of(ben.edits) == of(after_ben.edits)
    assert of(ben.copy().edits) == of(ben.edits)


PEOPLE = range(5)
HISTORIES = st.lists(
    st.tuples(st.sampled_from(PEOPLE), STEPS.map(lambda steps: steps[:2]) | st.sampled_from(PEOPLE))
)


@given(history=HISTORIES, orders=st.lists(st.permutations(PEOPLE), min_size=5, max_size=5))
def test_all_people_have_the_same_whatever_the_order_of_merges(history, orders):
    """People act and merge as they like. At the end each merges all others, in an order of their own."""
    people = [Person(f"p{number}") for number in PEOPLE]
    for number, step in history:
        people[number].merge(people[step]) if isinstance(step, int) else people[number].do(step)
    ends = [person.copy() for person in people]
    for end, order in zip(ends, orders, strict=True):
        for other in order:
            end.merge(people[other])
    assert all(of(end.edits) == of(ends[0].edits) for end in ends)
    assert of(ends[0].copy().edits) == of(ends[0].edits)


def test_third_person_decides_alike_for_all():
    """A confirms a link, C forbids it, then B confirms it. A merges B first, the others merge C first."""
    a, b, c = (
        Person(name).do([(day, text)])
        for name, day, text in (("a", 1, "0-0"), ("b", 3, "0-0"), ("c", 2, "0!0"))
    )
    first, second = a.copy().merge(b).merge(c), b.copy().merge(c).merge(a)
    assert of(first.edits) == of(second.edits)
    assert of(first.edits)[:3] == ({1: "0-0"}, {1: "0!0"}, {})
    said = first.edits.now(1)["conflicts"]["0-0"]
    assert {verdict: act["by"] for verdict, act in said.items()} == {"confirmed": "b", "forbidden": "c"}


@given(shared=STEPS, one=STEPS)
def test_acts_of_one_person_alone_are_taken(shared, one):
    anna, ben = two(shared, one, [])
    assert of(ben.merge(anna).edits) == of(anna.edits)


def merged(one, other, shared=""):
    """Return the edit and the rivals of a line that two people have edited, the same for both orders."""
    found = []
    for turned in (False, True):
        anna, ben = two([(0, shared)], [(1, one)], [(2, other)])
        own, their = (ben, anna) if turned else (anna, ben)
        edits = own.merge(their).edits
        found.append((edits.texts.get(1, ""), edits.rivals.get(1, "")))
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize(
    ("one", "other", "shared", "expected", "rivals"),
    [
        ("0-0", "1-1", "", "0-0 1-1", ""),  # other cells
        ("0-0 1-1", "0-0 1!2", "", "0-0 1-1 1!2", ""),  # the same verdict, and other cells
        ("0-0", "0!0", "", "0!0", "0-0"),  # a contradiction: the later act counts
        ("= 0-0 1-1", "= 0-0 2-2", "", "= 0-0 2-2", "1-1 2!2"),  # two complete lines
        ("= 0-0", "1-1", "", "= 0-0 1-1", "1!1"),  # a complete line, and a link that it does not name
        ("= 0-0", "1!1", "", "= 0-0 1!1", ""),
        ("= 0-0", "= 0-0", "", "= 0-0", ""),
        ("0-0 1-1", "1-1", "1-1", "0-0 1-1", ""),  # one of them has done nothing
        ("", "0-0 1-1", "0-0", "1-1", ""),  # a verdict that is taken back, and another cell
        ("0!0", "0-0 1-1", "0-0", "0!0 1-1", ""),  # a change of what both have had
        ("= 0-0", "", "0-0", "= 0-0", ""),  # a complete line confirms its links
    ],
)
def test_cells_are_merged(one, other, shared, expected, rivals):
    assert merged(one, other, shared) == (expected, rivals)


@pytest.mark.parametrize(
    ("step", "left"),
    [("keep", ""), ("choose", "1-1"), ("0-0 1!1", "1-1"), ("= 0!0 1!1", ""), ("0!0 1!1 2-2", "0-0 1-1")],
)
def test_conflict_stays_until_somebody_decides(step, left):
    anna, ben = two([], [(1, "0-0 1-1")], [(2, "0!0 1!1")])
    anna.merge(ben)
    assert of(anna.edits)[:2] == ({1: "0!0 1!1"}, {1: "0-0 1-1"})
    anna.do([(3, step)])
    assert anna.edits.rivals.get(1, "") == left
    assert of(ben.merge(anna).edits) == of(anna.edits), "the decision is merged"
    anna.do([(4, UNDO)])
    assert anna.edits.rivals == {1: "0-0 1-1"}
    said = {"confirmed": {"by": "a", "time": "2026-01-02"}, "forbidden": {"by": "b", "time": "2026-01-03"}}
    assert anna.edits.now(1)["conflicts"] == {"0-0": said, "1-1": said}
    anna.do([(5, REDO)])
    assert anna.edits.rivals.get(1, "") == left


def test_merged_acts_stay_as_they_are():
    anna, ben = two([], [(1, "0-0")], [(2, "1-1"), (3, "note ? why")])
    theirs = {**ben.edits.acts}
    anna.merge(ben)
    assert {id: anna.edits.acts[id] for id in theirs} == theirs
    assert (anna.edits.texts, texts_of_notes(anna)) == ({1: "0-0 1-1"}, ["? why"])


def texts_of_notes(person):
    return [note["text"] for note in person.edits.now(1)["notes"]]


def test_each_person_has_a_note_of_their_own():
    anna, ben = two([(0, "note old")], [(1, "note mine")], [(2, "note yours")])
    assert texts_of_notes(anna.copy().merge(ben)) == ["old", "mine", "yours"]
    ben.do([(3, "note")])
    assert texts_of_notes(anna.merge(ben)) == texts_of_notes(ben.merge(anna)) == ["old", "mine"]
    anna.do([(4, "note mine still")])
    assert texts_of_notes(ben.merge(anna)) == ["old", "mine still"]
