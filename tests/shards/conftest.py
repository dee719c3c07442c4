"""The text of runs by shards."""

import pytest

from tests.shards.cases import DEFAULT, begin, shards_of, trained_at_once
from tests.support import text_of


@pytest.fixture(scope="module")
def sentence_pairs(sample):
    """Return the pairs of the sample, with an empty and a too long pair among them."""
    text = text_of(sample.train)
    return [*text[:20], ("", "x y"), *text[20:40], ("a " * 101, "b"), *text[40:]]


@pytest.fixture(scope="module")
def expected(sentence_pairs, tmp_path_factory):
    """Return the bytes of the whole text's model."""
    return trained_at_once(sentence_pairs, DEFAULT, tmp_path_factory.mktemp("whole") / "model")


@pytest.fixture
def folder(sentence_pairs, tmp_path):
    """Return the folder of a run of two shards that have been read."""
    return begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
