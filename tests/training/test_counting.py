"""Iterations in memory: steps keep their models, and tables are freed before they are replaced."""

import numpy as np

from aligner.priors.word_forms import WordForms
from aligner.recipe.load import load_recipe
from aligner.training.loop import train


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
