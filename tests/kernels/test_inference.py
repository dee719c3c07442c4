"""Every inference kernel against the oracle that enumerates all alignments."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligner.kernels import hmm as kernels
from aligner.kernels.fixed import JUMP_SCALE, SCALE
from aligner.models import HMM, IBM1, IBM2, DirectionalCells, IBM2Full
from aligner.models.jumps import mstep_of_jumps, uniform_jumps
from aligner.sample.files import write_sample
from tests import naive

KINDS = ["ibm1", "ibm2", "ibm2-full", "hmm"]


def make_case(kind, sizes, seed, p0=-1.0):
    """A block of random pairs of the given (I, J), its model, and the oracle's model of each pair."""
    rng = np.random.default_rng(seed)
    conditioning = np.array([size[0] for size in sizes], np.int32)
    emitted = np.array([size[1] for size in sizes], np.int32)
    links = (rng.random(int(conditioning @ emitted)) ** 4 + 1e-6).astype(np.float32)
    null = (rng.random(int(emitted.sum())) ** 4 + 1e-6).astype(np.float32)
    cells = DirectionalCells(links, null, conditioning, emitted)
    jumps = rng.dirichlet(np.ones(11), size=3)
    if kind == "ibm1":
        model = IBM1(p0)
    elif kind == "ibm2":
        model = IBM2(jumps[0], p0)
    elif kind == "hmm":
        model = HMM(jumps, p0)
    else:
        model = IBM2Full.initial(conditioning, emitted, p0)
        table = rng.random(len(model.table)).astype(np.float32)
        model = IBM2Full(model.shapes, model.starts, table, p0)
        model = model.mstep((table * SCALE).astype(np.int64))
    oracles = []
    cell = token = 0
    for width, height in sizes:
        emit = links[cell : cell + width * height].reshape(height, width).astype(float).tolist()
        nulls = null[token : token + height].astype(float).tolist()
        prior = naive.default_p0(width) if p0 < 0 else p0
        if kind == "ibm1":
            oracles.append(naive.model1(emit, nulls, prior))
        elif kind == "ibm2":
            oracles.append(naive.model2(emit, nulls, prior, jumps[0].tolist()))
        elif kind == "hmm":
            oracles.append(naive.hmm(emit, nulls, prior, *jumps.tolist()))
        else:
            start = model._where(cells)[len(oracles)]
            table = model.table[start : start + width * height].reshape(height, width).astype(float)
            oracles.append(naive.model2_table(emit, nulls, prior, table.tolist()))
        cell += width * height
        token += height
    return cells, model, oracles


def copy(cells):
    return DirectionalCells(cells.links.copy(), cells.null.copy(), cells.conditioning, cells.emitted)


def rows(cells, n):
    """The links [J, I] and NULLs [J] of pair n."""
    sizes = cells.conditioning.astype(int) * cells.emitted
    cell, token = int(sizes[:n].sum()), int(cells.emitted[:n].sum())
    height, width = int(cells.emitted[n]), int(cells.conditioning[n])
    links = cells.links[cell : cell + height * width].reshape(height, width)
    return links, cells.null[token : token + height]


SIZES = [(1, 1), (2, 3), (3, 2), (1, 4), (4, 1), (4, 4), (3, 4)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("lexical", "distortion"), [(1.0, 1.0), (2.0, 1.0), (2.0, 2.0)])
@pytest.mark.parametrize("p0", [-1.0, 0.2])
def test_posteriors_and_likelihood(kind, lexical, distortion, p0):
    cells, model, oracles = make_case(kind, SIZES, 1, p0)
    power = {"power_lex": lexical, "power_dist": distortion}
    done = DirectionalCells(
        cells.links ** np.float32(lexical),
        cells.null ** np.float32(lexical),
        cells.conditioning,
        cells.emitted,
    )
    log_likelihood = model.posteriors(done, model.new_counts(), distortion)
    for n, oracle in enumerate(oracles):
        links, null = rows(done, n)
        expected_links, expected_null = naive.link_posteriors(oracle, **power)
        np.testing.assert_allclose(links, expected_links, rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(null, expected_null, rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(
            log_likelihood[n], np.log(naive.total(oracle, **power)), rtol=1e-6, atol=1e-6
        )


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    sizes=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=3),
    seed=st.integers(0, 10**6),
)
def test_posteriors_of_any_small_pair(kind, sizes, seed):
    cells, model, oracles = make_case(kind, sizes, seed)
    model.posteriors(cells, model.new_counts())
    for n, oracle in enumerate(oracles):
        expected_links, expected_null = naive.link_posteriors(oracle)
        links, null = rows(cells, n)
        np.testing.assert_allclose(links, expected_links, rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(null, expected_null, rtol=2e-5, atol=1e-7)


WIDE = [(7, 2), (12, 2), (6, 3), (9, 3), (1, 5), (11, 1)]
"""Wide enough that every bucket and both kinds of outer bucket are reached."""


@pytest.mark.parametrize("kind", ["ibm2", "hmm"])
def test_wide_sentences_and_jump_statistics(kind):
    cells, model, oracles = make_case(kind, WIDE, 3)
    statistics = model.new_counts()
    log_likelihood = model.posteriors(cells, statistics)
    sets = 3 if kind == "hmm" else 1
    expected = np.zeros((sets, 53))
    for n, oracle in enumerate(oracles):
        width, height = WIDE[n]
        posterior = naive.posterior(oracle)
        links, null = naive.marginals(posterior, width, height)
        np.testing.assert_allclose(rows(cells, n)[0], links, rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(rows(cells, n)[1], null, rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(log_likelihood[n], np.log(naive.total(oracle)), rtol=1e-6)
        if kind == "hmm":
            counts = naive.hmm_statistics(posterior, width)
            parts = [counts["first"], counts["inside"], counts["last"]]
        else:
            parts = [naive.model2_statistics(posterior, width, height)]
        for k, part in enumerate(parts):
            expected[k, :11] += part.N
            expected[k, 11:] += np.ravel(part.M)
    np.testing.assert_allclose(statistics.reshape(sets, 53) / JUMP_SCALE, expected, rtol=3e-5, atol=1e-6)


def test_full_table_statistics_are_link_posteriors():
    cells, model, oracles = make_case("ibm2-full", [(3, 2), (2, 2)], 5)
    statistics = model.new_counts()
    model.posteriors(cells, statistics)
    for start, n in zip(model._where(cells), range(2), strict=True):
        links, _ = naive.link_posteriors(oracles[n])
        flat = np.ravel(links)
        np.testing.assert_allclose(statistics[start : start + len(flat)] / SCALE, flat, rtol=2e-5, atol=1e-7)


def test_full_table_is_uniform_for_an_unknown_shape():
    cells, _, oracles = make_case("ibm1", [(3, 2)], 5)
    model = IBM2Full.initial(np.array([2], np.int32), np.array([2], np.int32), -1.0)
    model.posteriors(cells, model.new_counts())
    np.testing.assert_allclose(rows(cells, 0)[0], naive.link_posteriors(oracles[0])[0], rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_viterbi(kind):
    sizes = [*SIZES, (7, 3), (11, 2), (12, 2), (6, 4)]
    for seed in range(6):
        cells, model, oracles = make_case(kind, sizes, seed)
        alignment = model.viterbi(cells) + 1
        token = 0
        for oracle, (_, height) in zip(oracles, sizes, strict=True):
            best, probability = naive.viterbi(oracle)
            found = tuple(alignment[token : token + height].tolist())
            assert found in best or np.isclose(naive.joint(oracle, found), probability, rtol=1e-5)
            token += height


def test_siblings_flat_jumps_are_model_1():
    cells, _, _ = make_case("hmm", [(5, 6), (3, 3)], 7)
    one, two = copy(cells), copy(cells)
    IBM1().posteriors(one, IBM1().new_counts())
    model = IBM2Full.initial(cells.conditioning, cells.emitted, -1.0)
    model.posteriors(two, model.new_counts())
    np.testing.assert_allclose(one.links, two.links, rtol=1e-5)
    # Up to five positions no outer bucket is shared, so flat buckets are a flat HMM too.
    three = copy(cells)
    hmm = HMM(np.full((3, 11), 1 / 11), -1.0)
    hmm.posteriors(three, hmm.new_counts())
    np.testing.assert_allclose(one.links, three.links, rtol=1e-4)


def test_the_chain_is_the_enumeration():
    """What longer pairs are compared with, below, on those that can be enumerated."""
    rng = np.random.default_rng(5)
    for width, height in [*SIZES, *WIDE]:
        emit, null = (rng.random((height, width)) ** 4).tolist(), (rng.random(height) ** 4).tolist()
        jumps = rng.dirichlet(np.ones(11), size=3).tolist()
        oracle = naive.hmm(emit, null, 0.2, *jumps)
        links, nulls, log_total = naive.hmm_chain(emit, null, 0.2, *jumps)
        expected_links, expected_nulls = naive.link_posteriors(oracle)
        np.testing.assert_allclose(links, expected_links, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(nulls, expected_nulls, rtol=1e-9, atol=1e-12)
        assert log_total == pytest.approx(math.log(naive.total(oracle)))


LONG = [(41, 30), (5, 60), (60, 3), (33, 33), (1, 40), (24, 55), (40, 41), (41, 29)]


@pytest.mark.parametrize("large", [0, 300, kernels.LARGE], ids=["alone", "some alone", "together"])
@pytest.mark.parametrize("smallest", [1e-9, 1e-30])
def test_longer_sentences_by_either_kernel_are_the_chain(monkeypatch, large, smallest):
    """Potentials of NULL that are far below 1 among them: words are much more often linked than not."""
    monkeypatch.setattr(kernels, "LARGE", large)
    cells, model, _ = make_case("hmm", LONG, 13)
    cells.null[:] = cells.null**3 * np.float32(0.01) + np.float32(smallest)
    potentials = [rows(copy(cells), n) for n in range(len(LONG))]
    statistics = model.new_counts()
    log_likelihood = model.posteriors(cells, statistics)
    for n, (width, _) in enumerate(LONG):
        emit, null = (array.astype(float).tolist() for array in potentials[n])
        p0 = naive.default_p0(width)
        links, nulls, log_total = naive.hmm_chain(emit, null, p0, *model.jumps.tolist())
        np.testing.assert_allclose(rows(cells, n)[0], links, rtol=1e-4, atol=1e-7)
        np.testing.assert_allclose(rows(cells, n)[1], nulls, rtol=1e-4, atol=1e-9)
        assert log_likelihood[n] == pytest.approx(log_total, rel=1e-6)
    # Between the links of a pair, all but one, there are jumps.
    linked = cells.links.astype(float).sum()
    jumps = statistics[:, :11].sum(axis=1) / JUMP_SCALE
    assert jumps[0] + jumps[1] == pytest.approx(linked, rel=1e-5)
    assert jumps[2] == pytest.approx(jumps[0], rel=1e-5)


@pytest.mark.parametrize("sizes", [[(1000, 1000), (3, 1000), (1000, 3)], [(1000, 1000)]], ids=len)
@pytest.mark.parametrize("kind", KINDS)
def test_long_sentences_stay_exact(kind, sizes):
    """1,000 x 1,000 tokens, among others and alone: no underflow, posteriors are distributions."""
    cells, model, _ = make_case(kind, sizes, 11)
    cells.links[:] *= 1e-9
    cells.null[:] *= 1e-9
    log_likelihood = model.posteriors(cells, model.new_counts())
    assert np.isfinite(log_likelihood).all()
    for n in range(len(sizes)):
        links, null = rows(cells, n)
        np.testing.assert_allclose(links.sum(axis=1, dtype=float) + null, 1.0, rtol=1e-4)
        assert (links >= 0).all()


def expected_log_likelihood(jumps, statistics):
    """What the M-step of jumps raises."""
    values = statistics / JUMP_SCALE
    return naive.mstep_objective(jumps.tolist(), values[:11].tolist(), values[11:].reshape(7, 6).tolist())


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_jump_m_step_reaches_the_slow_maximiser(seed):
    rng = np.random.default_rng(seed)
    cells, model, _ = make_case("hmm", WIDE, seed)
    statistics = model.new_counts()
    model.posteriors(cells, statistics)
    for k in range(3):
        start = rng.dirichlet(np.ones(11))
        found = mstep_of_jumps(start, statistics[k])
        assert found.sum() == pytest.approx(1.0)
        assert (
            expected_log_likelihood(found, statistics[k])
            >= expected_log_likelihood(start, statistics[k]) - 1e-6
        )
        values = statistics[k] / JUMP_SCALE
        best = naive.mstep(
            start.tolist(), values[:11].tolist(), values[11:].reshape(7, 6).tolist(), rounds=200
        )
        best = np.maximum(best, 1e-7)
        reachable = expected_log_likelihood(best / best.sum(), statistics[k])
        gain = reachable - expected_log_likelihood(start, statistics[k])
        assert reachable - expected_log_likelihood(found, statistics[k]) <= 0.02 * gain + 1e-6


@settings(max_examples=60, deadline=None)
@given(
    uses=st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(0, 10), st.integers(1, 9)),
        min_size=1,
        max_size=6,
    )
)
def test_jump_m_step_never_descends(uses):
    """However far apart the best shares are: origins that always jump alike want them far apart."""
    statistics = np.zeros(53, np.int64)
    for left, right, choice, times in uses:
        right = max(right, 1 - left)  # within some reach
        statistics[6 - left + choice % (left + right)] += times * int(JUMP_SCALE)
        statistics[11 + 6 * left + right] += times * int(JUMP_SCALE)
    jumps = uniform_jumps()
    for _ in range(20):
        following = mstep_of_jumps(jumps, statistics)
        assert (
            expected_log_likelihood(following, statistics)
            >= expected_log_likelihood(jumps, statistics) - 1e-9
        )
        jumps = following


def test_the_jumps_of_any_text_fit():
    """A hundred billion of them, of two tokens each, are as good as a hundred."""
    jumps = uniform_jumps()
    counts = np.zeros(53, np.int64)
    counts[[4, 5, 6, 7]] = 5, 20, 55, 20
    counts[11 + 6 * 6 + 5] = 100
    few, many = (mstep_of_jumps(jumps, counts * int(JUMP_SCALE) * times) for times in (1, 10**9))
    np.testing.assert_allclose(many, few, rtol=1e-9)
    assert few.argmax() == 6


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_counted_changes_nothing(kind):
    _, model, _ = make_case(kind, SIZES, 1)
    after = model.mstep(model.new_counts()).parameters()
    for name, array in model.parameters().items():
        np.testing.assert_array_equal(after[name], array)


@pytest.mark.slow
def test_compiled_and_loaded_kernels_round_alike(tmp_path):
    """The run that compiles the kernels gives the same bits as the next, which finds them on disk."""
    write_sample(tmp_path / "sample", pairs=600, dev=20)
    command = [sys.executable, "-c", "from aligner.cli.main import main; main()", "train", "-q"]
    for side in ("src", "tgt"):
        lines = (tmp_path / "sample" / f"train.{side}").read_text("utf-8").splitlines()
        long = "".join(" ".join(lines[k : k + 4]) + "\n" for k in range(0, len(lines), 4))
        (tmp_path / side).write_text(long, "utf-8")
        command.append(str(tmp_path / side))
    command += ["-c", "liang2006-independent", "--set", "stage.2.model=ibm2", "-m"]
    root = Path(__file__).resolve().parent.parent
    environment = os.environ | {"ALIGN_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(root)}
    for name in ("first", "second"):
        subprocess.run([*command, str(tmp_path / name)], env=environment, check=True)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
