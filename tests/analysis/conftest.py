"""Fixtures of the analysis tests: a dev set, and a model with text that it was not trained on."""

import pytest

from aligner.sample.files import generate_sample
from aligner.training.loop import fit
from tests.links.strategies import gold_of
from tests.support import text_of


@pytest.fixture(scope="session")
def dev(tiny_model, sample):
    """Return the text of the sample's held-out pairs in the vocabularies of a model, and its gold."""
    gold = gold_of([pair.sure for pair in sample.dev], [pair.possible for pair in sample.dev])
    return tiny_model.encode(text_of(sample.dev)), gold


@pytest.fixture(scope="session")
def texts_with_model():
    """Return 400 training pairs, 200 other pairs, and a model."""
    sample = generate_sample(pairs=400, dev=200)
    training, other = text_of(sample.train), text_of(sample.dev)
    return training, other, trained_on(training)


def trained_on(pairs):
    """Return the model that the recipe ``fast`` trains on pairs of strings."""
    return fit(pairs, "fast")
