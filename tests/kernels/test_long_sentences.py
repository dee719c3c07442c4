"""Inference of sentence pairs that are too long to enumerate."""

import math

import numpy as np
import pytest

from aligner.kernels.constants import JUMP_SCALE, LARGE_PAIR
from aligner.models import DirectionalCells
from tests import naive
from tests.kernels.cases import KINDS, SMALL, WIDE, make_block, rows


def test_the_chain_matches_enumeration():
    """The oracle of long pairs agrees with the oracle of short ones."""
    rng = np.random.default_rng(5)
    for width, height in [*SMALL, *WIDE]:
        emit, null = (rng.random((height, width)) ** 4).tolist(), (rng.random(height) ** 4).tolist()
        jumps = rng.dirichlet(np.ones(11), size=3).tolist()
        oracle = naive.hmm(emit, null, 0.2, *jumps)
        links, nulls, log_total = naive.hmm_chain(emit, null, 0.2, *jumps)
        expected_links, expected_nulls = naive.link_posteriors(oracle)
        np.testing.assert_allclose(links, expected_links, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(nulls, expected_nulls, rtol=1e-9, atol=1e-12)
        assert log_total == pytest.approx(math.log(naive.total(oracle)))


LONG = [(41, 30), (5, 60), (60, 3), (33, 33), (1, 40), (24, 55), (40, 41), (41, 29)]


@pytest.mark.slow
@pytest.mark.parametrize("large", [0, 300, LARGE_PAIR], ids=["alone", "some alone", "together"])
@pytest.mark.parametrize("smallest", [1e-9, 1e-30])
def test_long_sentences_match_the_chain(monkeypatch, large, smallest):
    """Both kernels agree with the oracle, also if NULL potentials are so small that most words are linked."""
    monkeypatch.setattr("aligner.models.hmm.LARGE_PAIR", large)
    cells, model = make_block("hmm", LONG, 13)
    cells.null[:] = cells.null**3 * np.float32(0.01) + np.float32(smallest)
    potentials = [rows(cells.copy(), n) for n in range(len(LONG))]
    counts = model.new_counts()
    log_likelihood = model.posteriors(cells, counts)
    for n, (width, _) in enumerate(LONG):
        emit, null = (array.astype(float).tolist() for array in potentials[n])
        p0 = naive.default_p0(width)
        links, nulls, log_total = naive.hmm_chain(emit, null, p0, *model.jumps.tolist())
        np.testing.assert_allclose(rows(cells, n)[0], links, rtol=1e-4, atol=1e-7)
        np.testing.assert_allclose(rows(cells, n)[1], nulls, rtol=1e-4, atol=1e-9)
        assert log_likelihood[n] == pytest.approx(log_total, rel=1e-6)
    # Each link is reached by one jump, and each pair with links is left once.
    linked = cells.links.astype(float).sum()
    jumps = counts[:, :11].sum(axis=1) / JUMP_SCALE
    assert jumps[0] + jumps[1] == pytest.approx(linked, rel=1e-5)
    assert jumps[2] == pytest.approx(jumps[0], rel=1e-5)


@pytest.mark.parametrize("sizes", [[(1000, 1000), (3, 1000), (1000, 3)], [(1000, 1000)]], ids=len)
@pytest.mark.parametrize("kind", KINDS)
def test_posteriors_of_very_long_sentences_sum_to_one(kind, sizes):
    """Pairs of 1,000 x 1,000 tokens do not underflow, and their posteriors are distributions."""
    cells, model = make_block(kind, sizes, 11)
    cells.links[:] *= 1e-9
    cells.null[:] *= 1e-9
    log_likelihood = model.posteriors(cells, model.new_counts())
    assert np.isfinite(log_likelihood).all()
    for n in range(len(sizes)):
        links, null = rows(cells, n)
        np.testing.assert_allclose(links.sum(axis=1, dtype=float) + null, 1.0, rtol=1e-4)
        assert (links >= 0).all()


@pytest.mark.parametrize("sizes", [[(1000, 1000)], [(300, 700), (310, 690)]])
def test_d3_jumps_of_long_sentences_are_exact(sizes):
    """Every jump inside a sentence uses the normaliser of its origin, whose uses are summed apart."""
    _, model = make_block("hmm", [(1, 1)], 3)
    rng = np.random.default_rng(3)
    lengths = np.array(sizes, np.int32).T.copy()
    links = rng.random(int(lengths.prod(axis=0).sum())).astype(np.float32)
    null = rng.random(int(lengths[1].sum())).astype(np.float32)
    words = np.zeros(int(lengths[0].sum()), np.int32)
    counts = model.new_counts()
    model.posteriors(DirectionalCells(links, null, lengths[0], lengths[1], words), counts)
    jumps, uses = counts.reshape(3, 53)[1, :11].sum(), counts.reshape(3, 53)[1, 11:].sum()
    np.testing.assert_allclose(jumps, uses, rtol=1e-5)
