"""Usable pairs: pairs that are not trained on leave no trace, and their order."""

import numpy as np
import pytest

from aligner.models import MODELS
from aligner.recipe.load import recipe_from_dict
from aligner.training.loop import train
from aligner.training.usable import usable_pairs
from tests.support import assert_same_parameters, bitext_of, last_model, recipe, text_of

MODEL1 = ("ibm1", "independent", 1)


@pytest.mark.parametrize("kind", MODELS)
def test_empty_and_long_pairs_leave_no_trace(kind, sample):
    text = text_of(sample.train)[:30]
    unusable = [("", "x y"), ("only here", ""), ("", ""), ("a " * 31, "b"), ("c", "d " * 31)]
    mixed = [unusable[0], *text[:10], *unusable[1:4], *text[10:], unusable[4]]
    two_stages = recipe(("ibm1", "independent", 2), (kind, "agreement", 2), data={"max_length": 30})
    plain, model = (last_model(bitext_of(pairs, max_length=30), two_stages) for pairs in (text, mixed))
    assert_same_parameters(plain.pair, model.pair)
    assert plain.history == model.history
    for side in ("source_vocabulary", "target_vocabulary"):
        expected, found = getattr(plain, side), getattr(model, side)
        assert expected.words == found.words
        np.testing.assert_array_equal(expected.counts, found.counts)
    corpus = model.corpus
    assert (corpus["lines"], corpus["trainable"], corpus["empty"], corpus["too_long"]) == (35, 30, 3, 2)


def test_pairs_are_ordered_by_size_except_for_stepwise_em():
    bitext = bitext_of([("a b c", "x"), ("", "x"), ("a", "x y"), ("a b c", "y"), ("a", "y z")])
    batch = usable_pairs(bitext, recipe(MODEL1))
    assert sorted(batch.tolist()) == [0, 2, 3, 4]
    sizes = [(len(bitext.source[n]), len(bitext.target[n])) for n in batch]
    assert len(set(sizes[:2])) == len(set(sizes[2:])) == 1
    stepwise = recipe_from_dict({"stage": [{"model": "ibm1", "iterations": 2, "batch_pairs": 2}]})
    assert usable_pairs(bitext, stepwise).tolist() == [0, 2, 3, 4]


def test_longest_side_that_is_trained_on():
    """Without a limit in the recipe, 16-bit positions are the limit."""
    unlimited = recipe(MODEL1, data={"max_length": 0})
    long, longer = ("a " * 65_535, "x"), ("a", "x " * 65_535 + "y")
    step = next(train(bitext_of([long, longer], max_length=0), unlimited))
    assert (step.pairs, step.source_tokens, step.target_tokens) == (1, 65_535, 1)
    assert (step.model.corpus["trainable"], step.model.corpus["too_long"]) == (1, 1)
    assert step.model.source_vocabulary.counts.tolist() == [65_535]
    assert step.model.target_vocabulary.words == ["x"]
