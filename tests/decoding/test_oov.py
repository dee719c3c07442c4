"""Guesses at the translations of out-of-vocabulary words by position and spelling."""

from dataclasses import replace

import numpy as np
import pytest

from aligner.decoding.batch import decode
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.training.loop import train
from tests.support import bitext_of, text_of

NAMES = [
    ("monsieur zanzibar parle", "mister zanzibari speaks"),
    ("zanzibar parle", "speaks zanzibari"),
    ("parle monsieur", "mister speaks"),
]

RECIPE = {
    "stage": [
        {"model": "ibm1", "iterations": 3, "cognates": 3.0},
        {"model": "hmm", "criterion": "agreement", "iterations": 5, "prune": 1e-7, "cognates": 3.0},
    ],
    "decode": {"method": "competitive"},
}
"""Of words, without word forms."""


@pytest.fixture(scope="module")
def model(sample):
    """Return a model of the sample's words and a few other words."""
    bitext = bitext_of([*NAMES, *text_of(sample.train)])
    *_, last = train(bitext, recipe_from_dict(RECIPE))
    return last.model


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("monsieur xavier parle", "mister speaks xavier", [(0, 0), (1, 2), (2, 1)]),  # both out of vocabulary
        ("parle 1985", "1985 speaks", [(0, 1), (1, 0)]),
        ("zanzibars parle", "speaks zanzibari", [(0, 1), (1, 0)]),  # only the source word out of vocabulary
        (
            "monsieur 1985 1984",
            "mister 1984 1985",
            [(0, 0), (1, 2), (2, 1)],
        ),  # equal words before similar words
        ("monsieur maison", "mister house", [(0, 0), (1, 1)]),  # no other word is left
        ("zanzibar parle", "vends speaks", [(0, 0), (1, 1)]),  # no other word explains "vends"
    ],
)
def test_oov_words_find_translations(model, source, target, expected):
    assert list(decode(model, model.encode([(source, target)]))) == [expected]


def test_oov_words_without_spelling_are_linked_by_position(model):
    bitext = model.encode([("monsieur 1985 1984", "mister 1984 1985")] * 2)
    assert bitext.source.oov is not None
    source, target = (replace(side, oov=None) for side in bitext.sides)
    without_spelling = replace(bitext, source=source, target=target)
    assert list(decode(model, without_spelling)) == [[(0, 0), (1, 1), (2, 2)]] * 2
    np.testing.assert_array_equal(without_spelling.source.tokens, bitext.source.tokens)


def test_training_text_is_aligned_as_any_text(sample):
    """Include pairs that were too long to train on, whose words are out of vocabulary."""
    pairs = [*text_of(sample.train), *((f"{s} {s} xavier", f"zavier {t} {t}") for s, t in NAMES)]
    bitext = bitext_of(pairs, max_length=12)
    assert bitext.source.oov is not None
    *_, last = train(bitext, load_recipe("fast", ["data.max_length=12"]))
    assert list(decode(last.model, bitext)) == list(decode(last.model, last.model.encode(pairs)))
