"""Attachment of words without links against the oracle, which decides cell by cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from aligner import kernels
from tests import naive

pytestmark = pytest.mark.plain_python

SHAPES = st.tuples(st.integers(1, 6), st.integers(1, 6))
VALUES = st.sampled_from(np.float32([0.0, 0.2, 0.5, 0.8, 1.0]).tolist())


@st.composite
def cases(draw):
    """Draw links, bool [I, J], and the posteriors of both directions, float32 [I, J] each."""
    shape = draw(SHAPES)
    thinned = draw(arrays(np.bool_, shape)) & (np.arange(shape[0] * shape[1]).reshape(shape) % 3 == 0)
    forward, reverse = draw(arrays(np.float32, (2, *shape), elements=VALUES))
    return thinned, forward, reverse


def attach(links, forward, reverse, threshold):
    """Return the links and their posteriors by the kernel, in a block between two other pairs."""
    other = np.zeros((1, 2), np.float32)
    sizes = np.array([(1, 2), links.shape, (1, 2)], np.int32)
    forward_cells = np.concatenate([other.ravel(), forward.T.ravel(), other.ravel()])
    reverse_cells = np.concatenate([other.ravel(), reverse.ravel(), other.ravel()])
    linked = np.concatenate([[True, False], links.ravel(), [False, True]])
    chosen, combined = linked.copy(), np.full(len(linked), 0.6, np.float32)
    lengths = sizes[:, 0].copy(), sizes[:, 1].copy()
    kernels.links.attach(
        linked, forward_cells, reverse_cells, *lengths, np.float32(threshold), chosen, combined
    )
    own = chosen[2:-2].reshape(links.shape)
    posteriors = combined[2:-2].reshape(links.shape)
    return {tuple(cell): float(posteriors[tuple(cell)]) for cell in np.argwhere(own).tolist()}


@given(cases(), st.sampled_from([0.1, 0.5, 0.6]))
def test_attachment_matches_the_oracle(case, threshold):
    links, forward, reverse = case
    before = {tuple(cell) for cell in np.argwhere(links).tolist()}
    expected = dict.fromkeys(before, np.float32(0.6)) | naive.attached_links(
        before, forward.tolist(), reverse.tolist(), threshold
    )
    assert attach(links, forward, reverse, threshold) == pytest.approx(expected)


def test_an_article_joins_the_noun_beside_it():
    # Source 0 is an article and source 1 a noun. Target 0 is a noun, which generates both.
    links = np.array([[False], [True]])
    forward = np.array([[0.1], [0.8]], np.float32)
    reverse = np.array([[0.7], [0.9]], np.float32)
    assert attach(links, forward, reverse, 0.5) == pytest.approx({(0, 0): 0.7, (1, 0): 0.6})
    assert set(attach(links, forward, reverse, 0.75)) == {(1, 0)}


def test_a_word_joins_only_a_link_beside_it():
    links = np.array([[False], [False], [True]])
    forward = np.array([[0.1], [0.1], [0.8]], np.float32)
    reverse = np.array([[0.9], [0.9], [0.9]], np.float32)
    assert set(attach(links, forward, reverse, 0.5)) == {(1, 0), (2, 0)}
