"""Stepwise EM: running counts compared with their formula, and with batch EM in the limit."""

import numpy as np
import pytest

from aligner.criteria import Agreement, Counts, Criterion, DistortionCounts
from aligner.priors.existing_models import Prior
from aligner.training import state as state_module
from aligner.training.estep import BlockEStep
from aligner.training.loop import train
from aligner.training.stepwise import blended, parts_of
from tests.support import assert_same_parameters, hmm_recipe, index_pairs, last_model, random_pair


@pytest.mark.parametrize("criterion", ["independent", "agreement", "symmetric"])
def test_one_batch_without_decay_is_batch_em(criterion, sample_bitext):
    batch = last_model(sample_bitext, hmm_recipe(criterion=criterion)).pair
    stepwise = last_model(sample_bitext, hmm_recipe(criterion=criterion, batch_pairs=60, decay=0.0)).pair
    assert_same_parameters(batch, stepwise)


def test_running_counts_by_hand():
    """With decay 1, eta is 1/2: half of 4 links, and half of 2: 1 link in one of 2 pairs stands for 2."""
    stage = hmm_recipe(batch_pairs=1, decay=1.0).stages[-1]

    def counts(links, pairs):
        none = np.zeros(1, np.int64)
        return Counts(np.array([[links]]), none, none, DistortionCounts(none, none), none, pairs)

    state, first = blended(stage, None, counts(4, 2), 2)
    state, second = blended(stage, state, counts(1, 1), 2)
    assert (first.links.item(), second.links.item()) == (4, 3)


def test_running_counts_match_the_formula(sample_bitext):
    _, source = index_pairs(sample_bitext)
    pair, estep = random_pair("hmm", sample_bitext), BlockEStep(source)
    stage = hmm_recipe(batch_pairs=25, decay=0.6).stages[-1]
    (whole,) = parts_of(stage, None, 60)
    state, start = blended(stage, None, estep(Agreement(), pair, part=whole), 60)
    running = start.links.astype(float)
    assert parts_of(stage, state, 60) == [(0, 20), (20, 40), (40, 60)]
    for k, part in enumerate(parts_of(stage, state, 60)):
        counts = estep(Agreement(), pair, part=part)
        assert counts.pairs == 20
        eta = (k + 2) ** -0.6
        running = (1 - eta) * running + eta * 3 * counts.links
        state, mixed = blended(stage, state, counts, 60)
        np.testing.assert_allclose(mixed.links, running, atol=4)
        np.testing.assert_array_equal(mixed.measures, counts.measures)


def test_pseudo_counts_are_not_added_to_running_counts(sample_bitext, tiny_model, monkeypatch):
    """They are added to the counts of each update, and mini-batches would otherwise pile them up."""
    mstep, grown, mixed = Criterion.mstep, [], []

    def watched_blended(*arguments):
        running, counts = blended(*arguments)
        mixed.append(running[1])
        return running, counts

    def watched_mstep(criterion, model, counts, *arguments):
        mu = mixed[-1]
        own = mu.links, mu.null_forward, mu.null_reverse, *mu.distortion
        total = counts.links, counts.null_forward, counts.null_reverse, *counts.distortion
        grown.append([more.sum() - less.sum() for more, less in zip(total, own, strict=True)])
        return mstep(criterion, model, counts, *arguments)

    monkeypatch.setattr(state_module, "blended", watched_blended)
    monkeypatch.setattr(Criterion, "mstep", watched_mstep)
    list(train(sample_bitext, hmm_recipe(batch_pairs=20), prior=Prior(tiny_model, 5.0)))
    assert len(grown) == 1 + 2 * 3
    assert (np.array(grown) > 0).all()
