"""Packed values: pack and unpack are inverse, and unknown types are refused."""

import json
from typing import NamedTuple

import numpy as np
import pytest

from aligner.criteria import Counts, DistortionCounts
from aligner.criteria.constrained import StoredMultipliers
from aligner.criteria.exponentiated_gradient import Climb, Multinomials
from aligner.training.packing import checksum, pack, unpack


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
        with pytest.raises(TypeError, match=f"found {name} in the state of a criterion; expected Climb"):
            pack([value], {})


def test_checksum_depends_on_every_array_and_number():
    other = INTS.copy()
    other[2] += 1
    values = [(INTS, 1), (other, 1), (INTS, 2), (INTS, None), (INTS,), StoredMultipliers(FLOATS, INTS)]
    assert len({checksum(value) for value in values}) == len(values)
    assert checksum((INTS, [1])) == checksum([INTS.copy(), 1])
