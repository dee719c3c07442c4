"""Fixtures of the whole suite: a generated sample, and a small model trained on it."""

from pkgutil import resolve_name

import pytest
from hypothesis import settings

from aligner.extensions import REGISTRIES
from aligner.lexicon.block_sources import BlockSource
from aligner.sample.files import generate_sample
from aligner.training.loop import train
from tests.program import align, align_on_path, program, texts, trained  # noqa: F401 (fixtures)
from tests.support import bitext_of, recipe, text_of
from tests.view.browser import chromium, driver  # noqa: F401 (fixtures)

# An example has no deadline, because the first one may compile kernels.
settings.register_profile("suite", deadline=None, max_examples=15)
settings.register_profile("long", deadline=None, max_examples=500)
settings.load_profile("suite")


def pytest_collection_modifyitems(items):
    """Run slow tests first, so that all processes of a run stay busy until its end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session")
def sample():
    """Return a sample of 60 sentence pairs and 10 held-out pairs."""
    return generate_sample(pairs=60, dev=10)


@pytest.fixture(scope="session")
def sample_bitext(sample):
    """Return the 60 pairs as a bitext."""
    return bitext_of(text_of(sample.train))


@pytest.fixture(scope="session")
def tiny_model(sample_bitext):
    """Return a model of the default kind, trained by two iterations of each stage."""
    two_stages = recipe(("ibm1", "independent", 2), ("hmm", "agreement", 2))
    return list(train(sample_bitext, two_stages))[-1].model


@pytest.fixture
def small_blocks(monkeypatch):
    """Cut the sample into many blocks, so that every thread has some. By default it is one block."""
    monkeypatch.setattr(BlockSource, "block_cells", lambda self, threads: 1000)


@pytest.fixture
def own_registries(monkeypatch):
    """Undo what a test registers."""
    for name in REGISTRIES:
        registry = resolve_name(f"aligner.{name}")
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))
