"""The state of a run: models, blocks and counts from iteration to iteration."""

import weakref
from itertools import pairwise

import numpy as np
import pytest

from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models import HMM, IBM1
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.training.dictionary import Dictionary
from aligner.training.evidence import Evidence
from aligner.training.loop import start, train, train_stage
from aligner.training.pruning import Pruner
from aligner.training.run import initial_model
from aligner.training.task import Options, Task
from tests.support import index_pairs, recipe


def run_of(bitext, *stages, evidence=None):
    """Return a run that has not begun its first stage."""
    recipe = recipe_from_dict({"stage": list(stages)})
    return start(Task.of(bitext, recipe, evidence or Evidence(), Options()))


@pytest.mark.parametrize("batch_pairs", [0, 20])
@pytest.mark.parametrize("criterion", ["independent", "agreement"])
def test_training_does_not_change_the_models_of_earlier_steps(criterion, batch_pairs, sample_bitext):
    options = {"batch_pairs": batch_pairs} if batch_pairs else {}
    stage = {"model": "ibm1", "iterations": 3, "criterion": criterion, **options}
    kept = []
    for step in train(sample_bitext, recipe_from_dict({"stage": [stage]})):
        table = step.model.pair.lexicon.table
        kept.append((table, table.copy()))
    for table, before in kept:
        np.testing.assert_array_equal(table, before)


def test_earlier_models_are_freed_before_pruning(sample_bitext, monkeypatch):
    """No table of an earlier model is alive, if the caller drops each step."""
    tables, alive_at_pruning = [], []
    prune = Pruner.prune

    def watched_prune(pruner, model, threads):
        alive_at_pruning.append([table() is not None for table in tables])
        return prune(pruner, model, threads)

    monkeypatch.setattr(Pruner, "prune", watched_prune)
    for step in train(sample_bitext, load_recipe()):
        tables.append(weakref.ref(step.model.pair.lexicon.table))
        del step
    assert alive_at_pruning == [[False] * 4]


def test_entering_a_stage_sets_its_distortions_and_keeps_the_lexicon(sample_bitext):
    run = run_of(sample_bitext, {"model": "ibm1", "iterations": 1}, {"model": "hmm", "iterations": 2})
    list(train_stage(run.enter(1)))
    lexicon = run.model.lexicon
    run.enter(2)
    assert (run.stage_number, run.iteration, run.stage.model) == (2, 0, "hmm")
    assert run.model.lexicon is lexicon
    assert type(run.model.forward) is type(run.model.reverse) is HMM


def test_iterations_continue_after_the_completed_ones(sample_bitext):
    run = run_of(sample_bitext, {"model": "ibm1", "iterations": 3})
    run.iteration = 1
    run.enter(1)
    assert list(run.iterations()) == [2, 3]
    assert list(run.iterations()) == []


def test_pseudo_counts_join_dictionary_and_cognates(sample_bitext):
    words = sample_bitext.source_vocabulary.words[0], sample_bitext.target_vocabulary.words[0]
    evidence = Evidence(Dictionary(((*words, 2.0),)))
    run = run_of(sample_bitext, {"model": "ibm1", "iterations": 1, "cognates": 2.0}, evidence=evidence)
    index = run.model.lexicon.index
    dictionary, cognates = run.task.facts.pseudo_counts(index).pair_ids, run.task.cognates.pair_ids(index)
    assert len(dictionary) == 1
    assert len(cognates)
    pseudo_counts = run.pseudo_counts(run.criterion.empty_counts(run.model))
    np.testing.assert_array_equal(pseudo_counts.pair_ids, [*dictionary, *cognates])


def test_estep_needs_a_stage_and_an_iteration(sample_bitext):
    run = run_of(sample_bitext, {"model": "hmm", "iterations": 2, "anneal_from": 0.3})
    with pytest.raises(AssertionError, match="begin an iteration first"):
        run.enter(1).estep((0, len(sample_bitext)))
    run.current_estep = None
    with pytest.raises(AssertionError, match="enter a stage first"):
        run.estep((0, len(sample_bitext)))


def test_stepwise_em_after_pruning_has_mini_batches_of_the_same_size(sample_bitext):
    stages = [
        {"model": "hmm", "criterion": "agreement", "iterations": 2, "prune": 1e-3},
        {"model": "ibm2", "iterations": 3, "batch_pairs": 4},
    ]
    run = run_of(sample_bitext, *stages)
    list(train_stage(run.enter(1)))
    assert run.source.kept is not None
    steps = list(train_stage(run.enter(2)))
    assert len(steps) == 3
    assert run.parts() == [(n, n + 4) for n in range(0, 60, 4)]
    for before, after in pairwise(steps):
        assert after.measures["forward_log_likelihood"] > before.measures["forward_log_likelihood"]


@pytest.mark.parametrize(
    ("model", "p0", "kept"), [("hmm", -1.0, True), ("hmm", 0.2, False), ("ibm1", -1.0, False)]
)
def test_initial_model_keeps_distortions_of_the_same_kind_and_p0(model, p0, kept, sample_bitext):
    _, source = index_pairs(sample_bitext)
    *_, last = train(sample_bitext, recipe(("hmm", "independent", 1)))
    stage = recipe_from_dict({"stage": [{"model": model, "iterations": 1, "p0": p0}]}).stages[0]
    first = initial_model(stage, last.model.pair, source)
    assert (first is last.model.pair) == kept
    assert first.lexicon is last.model.pair.lexicon
    assert first.forward.p0 == first.reverse.p0 == p0


def test_initial_model_of_a_lexicon_is_uniform(sample_bitext):
    _, source = index_pairs(sample_bitext)
    lexicon = Lexicon.uniform(CooccurrenceIndex.of(sample_bitext))
    stage = recipe(("ibm1", "independent", 1)).stages[0]
    model = initial_model(stage, lexicon, source)
    assert model.lexicon is lexicon
    for distortion in (model.forward, model.reverse):
        assert (type(distortion), distortion.p0) == (IBM1, -1.0)
