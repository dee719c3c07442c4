"""Random restarts: random starts are distributions, and the best one is used."""

import numpy as np
import pytest

from aligner.criteria import CRITERIA
from aligner.lexicon.table import Lexicon
from aligner.training.loop import train
from aligner.training.restarts import perturbed
from tests.support import assert_same_parameters, hmm_recipe, index_pairs


def test_random_starts_are_distributions(sample_bitext):
    index, _ = index_pairs(sample_bitext)
    uniform = Lexicon.uniform(index)
    start, same_seed, other_seed = (perturbed(uniform, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(start.table, same_seed.table)
    assert (start.table != other_seed.table).any()
    for direction, types in ((0, index.source_types), (1, index.target_types)):
        sums = np.bincount(start.rows(direction), start.table[1:, direction], minlength=types)
        np.testing.assert_allclose(sums, 1, rtol=1e-5)
    assert start.null_forward[:-1].sum() == pytest.approx(1, rel=1e-5)
    assert start.null_reverse[:-1].sum() == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("criterion", ["independent", "product-domain"])
def test_best_restart_is_used(criterion, sample_bitext, monkeypatch):
    options = {"criterion": criterion}
    steps = list(train(sample_bitext, hmm_recipe({**options, "restarts": 4})))
    objective = CRITERIA[criterion].objective

    def figure(step):
        return step.measures[objective] if objective else sum(step.measures.values())

    outcomes = []
    for seed in (1, 2, 3, 4):
        monkeypatch.setattr(
            "aligner.training.loop.best_start",
            lambda lexicon, restarts, train, seed=seed: perturbed(lexicon, seed),
        )
        *_, last = train(sample_bitext, hmm_recipe(options))
        outcomes.append(last)
    figures = [figure(outcome) for outcome in outcomes]
    assert len(set(figures)) == 4
    best = outcomes[int(np.argmax(figures))]
    assert figure(steps[-1]) == max(figures)
    assert_same_parameters(steps[-1].model.pair, best.model.pair)
    assert len(steps) == 3
