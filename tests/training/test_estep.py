"""The E-step of a whole text: the oracle's expected counts, the same bits however the work is divided."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.lexicon.block_sources import BlockSource
from aligner.training.estep import MEASURE_SCALE, accumulate
from aligner.kernels.fixed import JUMP_SCALE, SCALE
from aligner.lexicon.table import Lexicon
from aligner.models import DISTORTIONS, ModelPair
from aligner.criteria import CRITERIA, Agreement, Independent
from aligner.sharing import _Addition
from tests import naive
from tests.support import TEXTS, bitext_of, index_pairs, link_matrices, oracles, random_pair

TEXT = [
    ("a b c", "x y"),
    ("b", "y z y"),
    ("a a", "x"),
    ("c b a d", "z y x"),
    ("d", "w"),
    ("a b b", "x y y w"),
]
WIDE = [("a b c d a b c d", "x y"), ("d c b a d c b", "w z"), ("a b c d e f g h i", "x y")]
"""Wide enough that jumps fall into the outer buckets."""

BOTH = pytest.mark.parametrize("objective", [Independent(), Agreement()], ids=lambda o: o.name)
KINDS = pytest.mark.parametrize("kind", DISTORTIONS)


def case(text, kind, seed=1):
    """A text with pair_ids, and an arbitrary model of it."""
    bitext = bitext_of(text)
    index, cells = index_pairs(bitext)
    return bitext, index, cells, random_pair(kind, bitext, seed)


def arrays(counts):
    return {
        "links": counts.links,
        "null_forward": counts.null_forward,
        "null_reverse": counts.null_reverse,
        "forward statistics": counts.distortion.forward,
        "reverse statistics": counts.distortion.reverse,
        "measures": counts.measures,
        "pairs": np.array(counts.pairs),
    }


def assert_same_counts(one, two):
    for name, array in arrays(one).items():
        np.testing.assert_array_equal(array, arrays(two)[name], err_msg=name)


def naive_counts(bitext, cells, model, objective):
    """Enumerated posteriors, added up by word pair; the logs of the likelihoods, and of the agreement."""
    links = np.zeros((len(model.lexicon.index) + 1, objective.columns))
    null_forward = np.zeros(len(model.lexicon.null_forward))
    null_reverse = np.zeros(len(model.lexicon.null_reverse))
    measures = np.zeros(len(objective.measures))
    pair_ids = iter(cells.pair_ids.tolist())
    for source, target in zip(bitext.source, bitext.target, strict=True):
        F, R, unaligned_target, unaligned_source = link_matrices(model, source, target)
        q = [F * R] if objective.columns == 1 else [F, R]
        for i in range(len(source)):
            for j in range(len(target)):
                links[next(pair_ids)] += [column[i, j] for column in q]
        np.add.at(null_forward, target, unaligned_target)
        np.add.at(null_reverse, source, unaligned_source)
        likelihoods = [np.log(naive.total(oracle)) for oracle in oracles(model, source, target)]
        measures += [*likelihoods, np.log((F * R).sum())][: len(measures)]
    return links, null_forward, null_reverse, measures


def assert_counts(counts, expected):
    links, null_forward, null_reverse, measures = expected
    np.testing.assert_allclose(counts.links / SCALE, links, rtol=3e-5, atol=1e-6)
    np.testing.assert_allclose(counts.null_forward / SCALE, null_forward, rtol=3e-5, atol=1e-6)
    np.testing.assert_allclose(counts.null_reverse / SCALE, null_reverse, rtol=3e-5, atol=1e-6)
    np.testing.assert_allclose(counts.measures / MEASURE_SCALE, measures, rtol=1e-5, atol=1e-5)


@BOTH
@KINDS
def test_expected_counts_are_the_oracle_s(kind, objective):
    bitext, _, cells, model = case(TEXT, kind)
    counts = accumulate(objective, model, cells)
    assert_counts(counts, naive_counts(bitext, cells, model, objective))
    assert counts.pairs == len(TEXT)


@BOTH
@pytest.mark.parametrize("kind", ["ibm1", "ibm2", "hmm"])
@given(text=TEXTS, seed=st.integers(0, 10**6))
def test_expected_counts_of_any_tiny_text(kind, objective, text, seed):
    bitext, _, cells, model = case(text, kind, seed)
    assert_counts(accumulate(objective, model, cells), naive_counts(bitext, cells, model, objective))


@pytest.mark.parametrize("kind", ["ibm2", "hmm"])
def test_distortion_statistics_are_the_oracle_s(kind):
    """Both directions', whatever the criterion: jumps are counted from each model's own posteriors."""
    # Narrow in one direction, wide in the other: few alignments, and every bucket is reached.
    bitext, _, cells, model = case([("a b c d a b c d", "x y"), ("b a", "x y z"), *TEXT], kind)
    counts = accumulate(Agreement(), model, cells)
    expected = np.zeros((2, 3 if kind == "hmm" else 1, 53))
    for source, target in zip(bitext.source, bitext.target, strict=True):
        for direction, oracle in enumerate(oracles(model, source, target)):
            width, height = naive.size(oracle)
            posterior = naive.posterior(oracle)
            if kind == "hmm":
                parts = naive.hmm_statistics(posterior, width).values()
            else:
                parts = [naive.model2_statistics(posterior, width, height)]
            for n, part in enumerate(parts):
                expected[direction, n] += [*part.N, *np.ravel(part.M)]
    for found, wanted in zip(counts.distortion, expected, strict=True):
        np.testing.assert_allclose(found.reshape(-1, 53) / JUMP_SCALE, wanted, rtol=3e-5, atol=1e-6)


@KINDS
@pytest.mark.parametrize("name", CRITERIA)
def test_the_division_of_labour_changes_no_bit(kind, name):
    objective = CRITERIA[name]()
    _, _, cells, model = case(TEXT + WIDE + TEXT, kind)

    def count(**how):
        return accumulate(objective, model, cells, objective.begin(cells), **how)

    whole = count()
    for threads in (1, 2, 3, 8):
        for block_cells in (1, 20, 1 << 20):
            assert_same_counts(count(threads=threads, block_cells=block_cells), whole)


@pytest.mark.parametrize("threads", [1, 4])
def test_a_table_that_is_still_to_be_made_is_there_before_threads_ask_for_it(threads):
    """Of several that do, each might make one: what is cached on first use is no more made under a lock."""
    there = []

    class Asking(Independent):
        def estep(self, model, *others):
            there.append("table" in vars(model.lexicon))
            return super().estep(model, *others)

    index, cells = index_pairs(bitext_of(TEXT))
    distortion = DISTORTIONS["ibm1"](-1.0)
    uniform = ModelPair(Lexicon.uniform(index), distortion, distortion)
    accumulate(Asking(), uniform, cells, threads=threads, block_cells=1)
    assert len(there) == len(TEXT)
    assert all(there)


@pytest.mark.parametrize("at_once", [1, 12, 1 << 20])
def test_what_is_added_late_is_what_it_was(at_once, monkeypatch):
    """Each block is left to be added later for as long as can be, its pair_ids with it."""
    _, index, cells, model = case(TEXT + WIDE + TEXT, "ibm1")
    whole = accumulate(Independent(), model, cells)
    go_on = _Addition.go_on
    monkeypatch.setattr(_Addition, "go_on", lambda self, turn, wait: wait and go_on(self, turn, wait))
    searched = cells.searched(index, at_once)
    for text in (cells, searched):
        assert_same_counts(accumulate(Independent(), model, text, block_cells=4), whole)


@BOTH
@pytest.mark.parametrize("kind", ["ibm1", "ibm2", "hmm"])
def test_two_halves_add_up_to_the_whole(kind, objective):
    """Bit for bit, so that shards of a text can be counted anywhere."""
    bitext, index, cells, model = case(TEXT + WIDE, kind)

    def shard(numbers):
        return BlockSource.of(bitext.select(numbers)).indexed(index)

    odd, even = shard([1, 3, 5, 7]), shard([0, 2, 4, 6, 8])
    total = accumulate(objective, model, odd) + accumulate(objective, model, even)
    assert_same_counts(total, accumulate(objective, model, cells))


def test_progress_is_told_every_pair_once():
    _, _, cells, model = case(TEXT, "ibm1")
    for threads in (1, 3):
        told = []
        accumulate(Independent(), model, cells, threads=threads, block_cells=6, progress=told.append)
        assert sum(told) == len(TEXT)
        assert len(told) > 1 or threads > 1


@dataclass(frozen=True)
class _Failing(Independent):
    def estep(self, model, block, statistics, state):
        if block.start == 4:
            raise ArithmeticError("a block that cannot be inferred")
        return super().estep(model, block, statistics, state)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_failure_in_any_thread_is_raised_and_stops_all(threads):
    _, _, cells, model = case(TEXT, "ibm1")
    with pytest.raises(ArithmeticError, match="cannot be inferred"):
        accumulate(_Failing(), model, cells, threads=threads, block_cells=1)
