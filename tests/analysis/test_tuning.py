"""Tuning of a decoder: the trials, the best of them, and its lines for a recipe."""

import tomllib
from dataclasses import replace

import pytest

from aligner.analysis.tuning import tune
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.decoding.methods import COMBINATIONS, LINK_METHODS, has_probabilities
from aligner.errors import DataError
from aligner.links.evaluation import score
from aligner.links.gold import Gold
from aligner.links.symmetrize import SYMMETRIZATIONS
from aligner.recipe.load import load_recipe, recipe_from_dict
from tests.links.strategies import gold_of

THRESHOLDS = (0.3, 0.6)


@pytest.fixture(scope="module")
def tuning(tiny_model, dev):
    return tune(tiny_model, *dev, thresholds=THRESHOLDS)


def test_every_method_combination_and_threshold_is_tried(tiny_model, dev, tuning):
    posterior_methods = sum(map(has_probabilities, LINK_METHODS))
    candidates = posterior_methods * len(COMBINATIONS) * len(THRESHOLDS) + len(SYMMETRIZATIONS)
    decoders = {trial.decoder for trial in tuning.trials}
    assert len(decoders) == len(tuning.trials) == candidates + 1
    assert tuning.current.decoder == Decoder.of(tiny_model)
    text, gold = dev
    for trial in tuning.trials[::3]:
        assert trial.score == score(decode(tiny_model, text, trial.decoder), gold)
    assert tuning.best.score.aer == min(trial.score.aer for trial in tuning.trials)
    assert tuning.interval[0] <= tuning.best.score.aer <= tuning.interval[1]
    assert 0 < tuning.p <= 1


def test_best_of_each_and_curve(tuning):
    best = tuning.best_of_each()
    assert best[0] is tuning.best
    assert len({(trial.decoder.method, trial.decoder.combine) for trial in best}) == len(best)
    name, points = tuning.curve()
    thresholds = [point.threshold for point in points]
    assert thresholds == sorted(thresholds)
    assert set(THRESHOLDS) <= set(thresholds)
    with_thresholds = next(trial for trial in best if trial.decoder.method != "viterbi")
    assert name == f"{with_thresholds.decoder.method}, {with_thresholds.decoder.combine}"
    assert max(points, key=lambda point: -point.score.aer).score == with_thresholds.score
    viterbi_first = sorted(tuning.trials, key=lambda trial: trial.decoder.method != "viterbi")
    assert replace(tuning, trials=tuple(viterbi_first)).curve() == (name, points)


def test_recipe_lines_load_as_the_best_settings(tuning):
    recipe = load_recipe("fast").to_dict()
    for trial in tuning.trials[::5]:
        lines = "\n".join(replace(tuning, trials=(trial,)).recipe_lines())
        assert recipe_from_dict(recipe | tomllib.loads(lines)).decode == trial.decoder
        assert f"# AER {trial.score.aer:.2%} on 10 pairs" in lines
        assert ("# current" in lines) == (trial is not tuning.current)
        assert ("# not significantly better" in lines) == (trial is not tuning.current and tuning.p > 0.05)


def test_current_settings_win_ties(tiny_model, dev):
    """Tune on gold without links, by which every decoder has the same AER."""
    text, gold = dev
    none = gold_of([[] for _ in range(len(gold))])
    assert tune(tiny_model, text, none, thresholds=(0.9,)).best.decoder == Decoder.of(tiny_model)


def test_empty_dev_set_is_refused(tiny_model, dev):
    text, gold = dev
    with pytest.raises(DataError, match="no sentence pairs"):
        tune(tiny_model, text.slice(0, 0), Gold(gold.sure[:0], gold.possible[:0]), thresholds=(0.5,))
