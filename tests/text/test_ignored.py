"""Ignored tokens: text that has them is read as text without them, and positions count them."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligner import Alignments, Evidence, decode, fit, load, load_recipe, save
from aligner.analysis.health import examine
from aligner.errors import ConfigError
from aligner.learning.lines import LineCandidates
from aligner.links.known_links import KnownLinks
from aligner.pivots.align import align_through_pivots
from aligner.pivots.models import PairModels
from aligner.text.lookup import Lookup
from aligner.text.parallel import ParallelTexts
from tests.support import bitext_of
from tests.text.test_prefixes import semitic_text

IGNORED = ["▁", "<range>", "É"]
IGNORE = ["data.ignore=▁ <Range> é"]
WORDS = load_recipe("fast", ["split=prefixes", *IGNORE])
PIECES = load_recipe("default", IGNORE)
PAIRS = semitic_text()[:60]


def with_ignored(pairs, seed, rate):
    """Return a text with ignored tokens in random places, and the positions of the words of its sides."""
    random = Random(seed)
    text, positions = [], []
    for pair in pairs:
        sides = []
        for side in pair:
            tokens = [token for word in side.split() for token in (*ignored(random, rate), word)]
            sides.append(tokens + ignored(random, rate))
        text.append(tuple(map(" ".join, sides)))
        positions.append([[k for k, token in enumerate(side) if token not in IGNORED] for side in sides])
    return text, positions


def ignored(random, rate):
    """Return none, one or two ignored tokens."""
    return [random.choice(IGNORED) for _ in range(2) if random.random() < rate]


def moved(links, positions):
    """Return links of a text without ignored tokens as those of a text with them."""
    return [
        [(source[i], target[j]) for i, j in line]
        for line, (source, target) in zip(links, positions, strict=True)
    ]


def model_bytes(model, path):
    save(model, path)
    return path.read_bytes()


@pytest.fixture(scope="module", params=[WORDS, PIECES], ids=["words", "pieces"])
def trained(request, tmp_path_factory):
    """Return a recipe, its model of a text without ignored tokens, its bytes, and a folder."""
    folder = tmp_path_factory.mktemp("ignored")
    pairs = [*PAIRS, ("", ""), ("x " * 101, "y"), ("x " * 100, "y " * 100)]
    model = fit(pairs, request.param)
    return request.param, model, model_bytes(model, folder / "plain"), folder, pairs


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(), rate=st.floats(0, 0.9))
def test_text_with_ignored_tokens_gives_the_model_and_links_of_text_without(trained, seed, rate):
    recipe, plain, expected, folder, pairs = trained
    model = fit(with_ignored(pairs, seed, rate)[0], recipe)
    assert model_bytes(model, folder / "ignored") == expected
    new = [*pairs, ("whkaliq new new", "kaliq-in-english unknown"), ("kaliq", "")]
    text, positions = with_ignored(new, seed, rate)
    own, found = decode(plain, new, scores=True), decode(load(folder / "ignored"), text, scores=True)
    assert [*found] == moved(own, positions)
    assert found.scores.tobytes() == own.scores.tobytes()
    assert found.probabilities.tobytes() == own.probabilities.tobytes()
