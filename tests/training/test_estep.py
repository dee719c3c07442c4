"""The E-step by block: the oracle's expected counts, and the same bits however the work is divided."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import CRITERIA, Agreement, Independent
from aligner.errors import ConfigError
from aligner.kernels.constants import JUMP_SCALE
from aligner.models import MODELS
from aligner.training.estep import BlockEStep
from tests import naive
from tests.support import TEXTS, oracles
from tests.training.cases import TEXT, WIDE, assert_counts, assert_same_counts, case, naive_counts

BOTH = pytest.mark.parametrize("criterion", [Independent(), Agreement()], ids=lambda c: c.name)
KINDS = pytest.mark.parametrize("kind", MODELS)


@BOTH
@KINDS
def test_expected_counts_match_the_oracle(kind, criterion):
    _, _, source, model = case(TEXT, kind)
    counts = BlockEStep(source)(criterion, model)
    assert_counts(counts, naive_counts(source, model, criterion))
    assert counts.pairs == len(TEXT)


@BOTH
@pytest.mark.parametrize("kind", ["ibm1", "ibm2", "hmm"])
@given(text=TEXTS, seed=st.integers(0, 10**6))
def test_expected_counts_of_tiny_texts_match_the_oracle(kind, criterion, text, seed):
    _, _, source, model = case(text, kind, seed)
    assert_counts(BlockEStep(source)(criterion, model), naive_counts(source, model, criterion))


@pytest.mark.parametrize("kind", ["ibm2", "hmm"])
def test_distortion_counts_match_the_oracle(kind):
    """Jumps are counted from each model's own posteriors, even if the criterion combines the links."""
    # Narrow in one direction and wide in the other: few alignments, and all buckets occur.
    bitext, _, source, model = case([("a b c d a b c d", "x y"), ("b a", "x y z"), *TEXT], kind)
    counts = BlockEStep(source)(Agreement(), model)
    expected = np.zeros((2, 3 if kind == "hmm" else 1, 53))
    for source_words, target_words in zip(bitext.source, bitext.target, strict=True):
        for direction, oracle in enumerate(oracles(model, source_words, target_words)):
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
def test_counts_do_not_depend_on_threads_or_blocks(kind, name):
    criterion = CRITERIA[name]()
    _, _, source, model = case(TEXT + WIDE + TEXT, kind)

    def count(threads=1, block_cells=None):
        estep = BlockEStep(source, threads, block_cells)
        return estep(criterion, model, criterion.initial_state(source, model))

    expected = count()
    for threads in (1, 2, 3, 8):
        for block_cells in (1, 20, 1 << 20):
            assert_same_counts(count(threads, block_cells), expected)


@pytest.mark.parametrize("cells_at_once", [1, 12, 1 << 20])
@pytest.mark.parametrize("threads", [1, 3])
def test_counts_do_not_depend_on_cells_looked_up_at_once(cells_at_once, threads):
    _, index, source, model = case(TEXT + WIDE + TEXT, "ibm1")
    expected = BlockEStep(source)(Independent(), model)
    searched = source.searched(index, cells_at_once)
    assert_same_counts(BlockEStep(searched, threads, block_cells=4)(Independent(), model), expected)


@BOTH
def test_counts_of_an_empty_part_are_empty(criterion):
    _, _, source, model = case(TEXT, "hmm")
    counts = BlockEStep(source)(criterion, model, part=(2, 2))
    assert_same_counts(counts, criterion.empty_counts(model))
    assert not any(array.any() for array in (counts.links, counts.null_forward, counts.null_reverse))


@pytest.mark.parametrize("threads", [1, 3])
def test_progress_receives_every_pair_once(threads):
    _, _, source, model = case(TEXT, "ibm1")
    reports = []
    estep = BlockEStep(source, threads, block_cells=6)
    estep(Independent(), model, progress=lambda pairs: reports.append((pairs, threading.get_ident())))
    assert sum(pairs for pairs, _ in reports) == len(TEXT)
    assert {thread for _, thread in reports} == {threading.get_ident()}
    assert len(reports) > 1 or threads > 1


@pytest.mark.parametrize("threads", [1, 3])
def test_filter_decides_what_is_counted(threads):
    _, _, source, model = case(TEXT, "ibm1")
    blocks = []

    def without_links(block, posteriors):
        blocks.append(block.start)
        return block, posteriors._replace(links=np.zeros_like(posteriors.links))

    counts = BlockEStep(source, threads, block_cells=6)(Independent(), model, block_filter=without_links)
    assert not counts.links.any()
    assert counts.null_forward.any()
    assert sorted(blocks) == [start for start, _ in source.spans(6)]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_no_thread_goes_on_for_long_after_a_failure(threads):
    _, _, source, model = case(TEXT * 20, "ibm1")
    failed, counted = threading.Event(), []

    class FailsFirst(Independent):
        def estep(self, model, block, distortion, state):
            if block.start == 0:
                failed.set()
                raise ArithmeticError("the first block fails")
            failed.wait(60)
            time.sleep(0.01)
            counted.append(block.start)
            return super().estep(model, block, distortion, state)

    with pytest.raises(ArithmeticError, match="first block"):
        BlockEStep(source, threads, block_cells=1)(FailsFirst(), model)
    assert len(counted) < len(source.bitext) // 4


@dataclass(frozen=True)
class Wrong(Independent):
    """A criterion of somebody, whose posteriors are not what they should be."""

    change: Callable = lambda posteriors: posteriors

    def estep(self, *arguments):
        return self.change(super().estep(*arguments))


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda p: p._replace(links=p.links + 1), "links from 1.* to .*; expected posteriors, from 0 to 1"),
        (lambda p: p._replace(links=p.links - 1), "links from -0.* to -0"),
        (lambda p: p._replace(links=p.links * np.float32("nan")), "links from nan to nan"),
        (lambda p: p._replace(null_reverse=p.null_reverse / 0), "null_reverse from .* to inf"),
        (
            lambda p: p._replace(links=p.links[:, 0]),
            r"links of float32 \(\d+,\); expected float32",
        ),
        (lambda p: p._replace(links=p.links[:-1]), r"links of float32 \(\d+, 2\); expected float32"),
        (lambda p: p._replace(links=p.links.astype(float)), r"links of float64"),
        (lambda p: p._replace(null_forward=None), r"null_forward of object \(\)"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*encountered in divide")
def test_posteriors_of_own_criteria_are_checked(change, found):
    _, _, source, model = case(TEXT, "ibm1")
    assert_same_counts(BlockEStep(source)(Wrong(), model), BlockEStep(source)(Independent(), model))
    with pytest.raises(ConfigError, match=f"criterion 'independent': found {found}"):
        BlockEStep(source)(Wrong(change), model)


def test_numbers_of_criteria_of_more_columns_are_finite():
    _, _, source, model = case(TEXT, "ibm1")

    class More(Wrong):
        columns = 3

    def widen(p, by):
        return p._replace(links=np.column_stack((p.links, -2 * p.links[:, 0] * by)).astype(np.float32))

    assert BlockEStep(source)(More(lambda p: widen(p, 1)), model).links[:, 2].min() < 0
    with pytest.raises(ConfigError, match="found links from nan to nan; expected finite numbers"):
        BlockEStep(source)(More(lambda p: widen(p, np.nan)), model)
