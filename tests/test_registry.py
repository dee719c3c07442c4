"""Registries: look-up by name, suggestions for unknown names, and summaries."""

import pytest

from aligner.errors import ConfigError
from aligner.registry import Registry, check_known


@pytest.fixture
def fruits():
    """Return a registry of three entries, of which the last has no summary."""
    registry = Registry("fruit")
    registry.register("apple", "round and red")(1)
    registry.register("banana", "long and yellow")(2)
    registry.register("cherry")(3)
    return registry


def test_registry_is_a_mapping_in_the_order_of_registration(fruits):
    assert list(fruits) == ["apple", "banana", "cherry"]
    assert dict(fruits) == {"apple": 1, "banana": 2, "cherry": 3}
    assert "melon" not in fruits
    with pytest.raises(KeyError):
        fruits["melon"]


def test_an_unknown_or_a_taken_name_is_refused(fruits):
    known = "(known: apple, banana, cherry)"
    for name, hint in ("bananna", "; did you mean 'banana'?"), ("xyz", ""):
        with pytest.raises(ConfigError) as caught:
            fruits.find(name)
        assert str(caught.value) == f"unknown fruit {name!r}{hint} {known}"
    with pytest.raises(ConfigError, match="'apple' is registered already"):
        fruits.register("apple", "another apple")
    assert (fruits["apple"], fruits.find("banana")) == (1, 2)
    for names in ("forward", "reverse"), ["forward", "reverse"]:
        check_known("forward", names, "direction")
        with pytest.raises(ConfigError, match="'foward'; did you mean 'forward'"):
            check_known("foward", names, "direction")


def test_describe_lists_names_with_their_summaries(fruits):
    assert (fruits.summary("banana"), fruits.summary("cherry")) == ("long and yellow", "")
    assert fruits.describe() == "apple: round and red; banana: long and yellow; cherry"
    assert Registry("fruit").describe() == ""


def test_prepare_sees_every_new_entry_and_may_refuse_it():
    prepared = []

    def prepare(name, entry):
        if entry < 0:
            raise ConfigError("found a negative fruit")
        prepared.append((name, entry))

    fruits = Registry("fruit", prepare)
    fruits.register("apple")(1)
    with pytest.raises(ConfigError, match="negative"):
        fruits.register("banana")(-1)
    assert prepared == [("apple", 1)]
    assert list(fruits) == ["apple"]
