"""Packed values: pack and unpack are inverse, and unknown types and other indices are refused."""

import json
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from aligner.criteria import Counts, DistortionCounts
from aligner.criteria.constrained import StoredMultipliers
from aligner.criteria.exponentiated_gradient import Climb, Multinomials
from aligner.errors import DamagedError
from aligner.training.packing import checksum, pack, require_like, unpack


def assert_same(value, expected):
    assert type(value) is type(expected)
    if isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(value, expected)
        assert value.dtype == expected.dtype
    elif isinstance(expected, (list, tuple)):
        assert len(value) == len(expected)
        for one, other in zip(value, expected, strict=True):
            assert_same(one, other)
    elif hasattr(expected, "__dataclass_fields__"):
        for name in expected.__dataclass_fields__:
            assert_same(getattr(value, name), getattr(expected, name))
    else:
        assert value == expected


FLOATS, INTS = np.linspace(0, 1, 3, dtype=np.float32), np.arange(4)
POINT = Multinomials(FLOATS, 0, INTS, 4, FLOATS, FLOATS)
COUNTS = Counts(INTS, INTS, INTS, DistortionCounts(INTS, INTS), INTS, 7)


@pytest.mark.parametrize(
    "value",
    [
        None,
        (None, (3, COUNTS)),
        [1, 2.5, "text", True],
        (Climb(5, (POINT, POINT)), None),
        [StoredMultipliers(FLOATS, INTS)],
        (),
    ],
    ids=str,
)
def test_unpack_is_the_inverse_of_pack(value):
    arrays = {"other": INTS}
    packed = json.loads(json.dumps(pack(value, arrays)))
    assert_same(unpack(packed, arrays), value)
    assert arrays["other"] is INTS


def test_unknown_types_are_refused():
    class Unknown(NamedTuple):
        number: int

    for value, name in ((Unknown(1), "Unknown"), ({"array": INTS}, "dict"), (INTS[0], "int64"), ({1}, "set")):
        with pytest.raises(TypeError, match=f"found {name} in the state of a criterion; expected Counts"):
            pack([value], {})


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
        (replace(POINT, rows=INTS + 1), POINT, "rows"),
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
