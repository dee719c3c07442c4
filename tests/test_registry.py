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
    assert len(fruits) == 3
    assert "banana" in fruits
    assert "melon" not in fruits
    with pytest.raises(KeyError):
        fruits["melon"]


def test_find_returns_the_entry(fruits):
    assert fruits.find("banana") == 2


def test_find_names_the_nearest_known_name(fruits):
    with pytest.raises(ConfigError) as caught:
        fruits.find("bananna")
    assert str(caught.value) == (
        "unknown fruit 'bananna'; did you mean 'banana'? (known: apple, banana, cherry)"
    )


def test_find_lists_known_names_where_none_is_near(fruits):
    with pytest.raises(ConfigError) as caught:
        fruits.find("xyz")
    assert str(caught.value) == "unknown fruit 'xyz' (known: apple, banana, cherry)"


def test_taken_name_is_refused(fruits):
    with pytest.raises(ConfigError, match="fruit 'apple' is registered already; choose another name"):
        fruits.register("apple", "another apple")
    assert fruits["apple"] == 1
    assert fruits.summary("apple") == "round and red"


def test_describe_lists_names_with_their_summaries(fruits):
    assert fruits.summary("banana") == "long and yellow"
    assert fruits.summary("cherry") == ""
    assert fruits.describe() == "apple: round and red; banana: long and yellow; cherry"
    assert Registry("fruit").describe() == ""


def test_register_is_a_decorator(fruits):
    @fruits.register("melon", "green")
    def melon():
        return 5

    assert fruits["melon"] is melon
    assert melon() == 5
    assert fruits.summary("melon") == "green"


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


@pytest.mark.parametrize("names", [("forward", "reverse"), ["forward", "reverse"]])
def test_check_known_accepts_sequences_of_names(names):
    check_known("forward", names, "direction")
    with pytest.raises(ConfigError, match="unknown direction 'foward'; did you mean 'forward'"):
        check_known("foward", names, "direction")
