"""Iterations in memory: which tables they free, reuse and restore."""

from dataclasses import replace

import numpy as np
import pytest

from aligner.lexicon.sums import alone
from aligner.priors.evidence import Evidence
from aligner.priors.knowledge import Knowledge
from aligner.priors.word_forms import WordForms
from aligner.recipe.load import load_recipe
from aligner.training.counting import LocalCounting
from aligner.training.loop import start, task_of, train
from aligner.training.state import entered


@pytest.fixture
def annealed(sample_bitext):
    """Return the task, the counting and the state before an annealed iteration, with random tables."""
    recipe = load_recipe("default", ["stage.1.iterations=0"])
    task = task_of(sample_bitext, recipe, Knowledge(Evidence()))
    state, counting = start(task, recipe, lambda *_: LocalCounting(task.blocks, 1 << 20))
    state = entered(state, task)
    table = np.random.default_rng(1).random(state.pair.lexicon.table.shape).astype(np.float32)
    lexicon = replace(state.pair.lexicon, table=table, uniform_shares=None)
    return task, counting, replace(state, pair=replace(state.pair, lexicon=lexicon))


def test_steps_that_are_kept_do_not_change(sample_bitext):
    recipe = load_recipe()
    kept = [(step.model, step.model.pair.lexicon.table.copy()) for step in train(sample_bitext, recipe)]
    dropped = [step.model.pair.lexicon.table.copy() for step in train(sample_bitext, recipe)]
    for (model, table), other in zip(kept, dropped, strict=True):
        np.testing.assert_array_equal(model.pair.lexicon.table, table)
        np.testing.assert_array_equal(table, other)


def test_tables_are_freed_before_pseudo_counts_are_computed(sample_bitext, monkeypatch):
    sizes, scores = [], WordForms.scores

    def note_size(self, lexicon, links):
        sizes.append(len(lexicon.table))
        return scores(self, lexicon, links)

    monkeypatch.setattr(WordForms, "scores", note_size)
    *_, _ = train(sample_bitext, load_recipe())
    assert sizes == [0, 0, 0, 0]


def test_update_without_tables_is_the_same(annealed):
    task, counting, state = annealed
    prepared = counting.prepared(state, task)
    counts = counting.expected_counts(prepared, (0, len(task.blocks)))
    expected = counting.update(state, counts.copy(), task).state.pair.lexicon
    counted = counting.counted(prepared, counts, task)
    assert len(counted.pair.lexicon.table) == 0
    found = counting.update(counted, counts, task).state.pair.lexicon
    assert np.shares_memory(found.table, counts.links)
    for name in ("table", "null_forward", "null_reverse"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_words_without_counts_have_their_rows_restored(annealed):
    task, counting, state = annealed
    prepared = counting.prepared(state, task)
    nothing = state.stage.criterion.empty_counts(state.pair)
    lexicon, before = counting.counted(prepared, nothing, task).pair.lexicon, state.pair.lexicon
    np.testing.assert_allclose(lexicon.table, before.table, rtol=1e-6)
    np.testing.assert_array_equal(lexicon.null_forward, before.null_forward)
    learned = alone(lexicon.mstep(nothing.links, nothing.null_forward, nothing.null_reverse))
    np.testing.assert_allclose(learned.table[1:], before.table[1:], rtol=1e-6)
