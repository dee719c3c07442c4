"""The codec: encode and decode are inverse, and unknown types and other indices are refused."""

import json
import re
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from aligner.criteria import Counts, DistortionCounts, Symmetric
from aligner.criteria.constrained import StoredMultipliers
from aligner.criteria.exponentiated_gradient import Climb, Multinomials
from aligner.errors import DamagedError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.storage.checks import require
from aligner.storage.codec import checksum, decode, encode, require_like


def assert_same(value, expected):
    """Assert that two values have the same types, shapes and contents."""
    require_like(value, expected)
    assert checksum(value) == checksum(expected)


FLOATS, INTS = np.linspace(0, 1, 3, dtype=np.float32), np.arange(4)
ROWS = INTS.astype(np.int32)
POINT = Multinomials(FLOATS, 0, ROWS, 4, FLOATS, FLOATS)
COUNTS = Counts(INTS, INTS, INTS, DistortionCounts(INTS, INTS), INTS, 7)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (None, None),
        ((None, (3, COUNTS)), tuple[int | None, tuple[int, Counts]]),
        ([1, 2.5, "text", True], list[Any]),
        ((Climb(5, (POINT, POINT)),), tuple[Climb, ...]),
        ([StoredMultipliers(ROWS.astype(np.int16), INTS)], Symmetric.state_type),
        ((), tuple[int, ...]),
    ],
    ids=str,
)
def test_decode_is_the_inverse_of_encode(value, hint):
    arrays = {"other": INTS}
    encoded = json.loads(json.dumps(encode(value, arrays, "value")))
    assert_same(decode(hint, encoded, arrays, "value"), value)
    assert arrays["other"] is INTS


class Inner(NamedTuple):
    """A part of a value."""

    values: NDArray[np.int32]
    number: int = 3


@dataclass(frozen=True)
class Outer:
    """A value with parts of several kinds."""

    inner: tuple[Inner, ...]
    table: dict[str, int]
    maybe: Inner | None = None

    def check_structure(self):
        require(len(self.inner) < 3, "it has too many parts")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"inner": (Inner(np.zeros(2, np.int64)),)}, "'outer.inner.0.values' is int64"),
        ({"inner": (Inner(np.zeros(2, np.int32), 3.0),)}, "'outer.inner.0.number' is a float"),
        ({"inner": "text"}, "'outer.inner' is a str"),
        ({"inner": (Inner(np.zeros(1, np.int32)),) * 3}, "it has too many parts"),
        ({"table": {"a": "b"}}, "'outer.table.a' is a str"),
        ({"maybe": 5}, "'outer.maybe' is a int"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_values_of_other_types_than_annotated_are_refused(changed, reason):
    right = Outer((Inner(np.zeros(2, np.int32)),), {"a": 1})
    for value, refused in ((right, False), (replace(right, **changed), True)):
        arrays = {}
        encoded = encode(value, arrays, "outer")
        if refused:
            with pytest.raises(DamagedError, match=re.escape(reason)):
                decode(Outer, encoded, arrays, "outer")
        else:
            assert_same(decode(Outer, encoded, arrays, "outer"), value)


@dataclass(frozen=True)
class Even:
    number: int

    def check_structure(self):
        require(self.number % 2 == 0, "it is odd")


@dataclass(frozen=True)
class Boxed:
    even: Even

    def to_fields(self):
        return {"even": self.even}

    @classmethod
    def from_fields(cls, even: Even):
        return cls(even)


def test_parts_of_a_value_that_is_stored_in_another_form_are_checked():
    assert decode(Boxed, encode(Boxed(Even(2)), {}, "box"), {}, "box") == Boxed(Even(2))
    with pytest.raises(DamagedError, match="it is odd"):
        decode(Boxed, encode(Boxed(Even(3)), {}, "box"), {}, "box")


def test_unknown_types_are_refused():
    for value, name in ((INTS[0], "int64"), ({1}, "set")):
        with pytest.raises(TypeError, match=rf"found {name} in state\.0; expected dataclasses, lists"):
            encode([value], {}, "state")


def test_checksum_depends_on_every_array_and_number():
    other = INTS.copy()
    other[2] += 1
    values = [(INTS, 1), (other, 1), (INTS, 2), (INTS, None), (INTS,), StoredMultipliers(FLOATS, INTS)]
    assert len({checksum(value) for value in values}) == len(values)
    assert checksum((INTS, [1])) == checksum([INTS.copy(), 1])


@pytest.mark.parametrize(
    ("value", "example", "name"),
    [
        (StoredMultipliers(FLOATS, INTS + 1), StoredMultipliers(FLOATS, INTS), "offsets"),
        (replace(POINT, rows=ROWS + np.int32(1)), POINT, "rows"),
        (replace(POINT, row_count=5), POINT, "row_count"),
        (replace(POINT, column=1), POINT, "column"),
    ],
    ids=["offsets", "rows", "row_count", "column"],
)
def test_indices_must_be_those_of_the_example(value, example, name):
    """Kernels read and write where they say."""
    require_like((example,), (example,))
    with pytest.raises(DamagedError, match=f"'{name}' has other values"):
        require_like((value,), (example,))


def test_other_values_may_differ_from_the_example_but_not_their_shape():
    require_like(replace(POINT, values=FLOATS + 1), POINT)
    with pytest.raises(DamagedError, match=r"'slopes' is float32 \[2\]"):
        require_like(replace(POINT, slopes=FLOATS[:2]), POINT)
    with pytest.raises(DamagedError, match="'state' is a tuple"):
        require_like((1,), [1])


@pytest.mark.parametrize("name", ["row_offsets", "columns"])
def test_arrays_of_other_dimensions_are_refused(name):
    index, arrays = CooccurrenceIndex(np.ones(3, np.int64), ROWS[:1], 1), {}
    encoded = encode(index, arrays, "index")
    arrays[f"index.{name}"] = arrays[f"index.{name}"][0:1].reshape(())
    with pytest.raises(DamagedError, match="'index' cannot be rebuilt"):
        decode(CooccurrenceIndex, encoded, arrays, "index")
