"""Fixtures of the training tests."""

import pytest

from aligner.lexicon.block_sources import BlockSource


@pytest.fixture
def small_blocks(monkeypatch):
    """Cut the sample into many blocks, so that every thread has some. By default it is one block."""
    monkeypatch.setattr(BlockSource, "block_cells", lambda self, threads: 1000)
