"""Fixtures of the whole suite: one generated sample and one small model trained on it."""

import pytest
from hypothesis import settings

from aligner.sample.files import generate_sample
from aligner.training.loop import train
from tests.program import align, texts, trained  # noqa: F401 (fixtures)
from tests.support import bitext_of, recipe, text_of

# The first example of a test may compile kernels, so no example has a deadline.
settings.register_profile("suite", deadline=None, max_examples=40)
settings.load_profile("suite")


@pytest.fixture(scope="session")
def sample():
    """Sixty sentence pairs and ten held-out ones."""
    return generate_sample(pairs=60, dev=10)


@pytest.fixture(scope="session")
def sample_bitext(sample):
    """The sixty pairs, encoded."""
    return bitext_of(text_of(sample.train))


@pytest.fixture(scope="session")
def tiny_model(sample_bitext):
    """The default kind of model after two iterations of each stage."""
    config = recipe(("ibm1", "independent", 2), ("hmm", "agreement", 2))
    return list(train(sample_bitext, config))[-1].model
