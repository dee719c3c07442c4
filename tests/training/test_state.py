"""The state of a run: models, blocks and counts from iteration to iteration."""

import weakref
from itertools import pairwise

import numpy as np
import pytest

from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models import HMM, IBM1
from aligner.priors.dictionary import Dictionary
from aligner.priors.evidence import Evidence
from aligner.priors.knowledge import Knowledge
from aligner.priors.source import add_pseudo_counts
from aligner.priors.word_forms import WordForms
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.training.counting import Counting
from aligner.training.loop import iterate, start, task_of, train
from aligner.training.state import TrainingState, first_pair
from aligner.training.stepwise import parts_of
from aligner.training.task import Task
from tests.support import facts_of, last_model, recipe


def begun(bitext, *stages, evidence=None):
    """Return the first state of a run, and its counting."""
    recipe = recipe_from_dict({"stage": list(stages)})
    task = task_of(bitext, recipe, Knowledge(evidence or Evidence()))
    count = Counting()
    return start(task, recipe, count), count


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

    def watched(state, kept):
        alive_at_pruning.append([table() is not None for table in tables])
        return prune(state, kept)

    prune = TrainingState._prune
    monkeypatch.setattr(TrainingState, "_prune", watched)
    for step in train(sample_bitext, load_recipe("fast")):
        tables.append(weakref.ref(step.model.pair.lexicon.table))
        del step
    assert alive_at_pruning == [[False] * 4]


def test_tables_are_freed_before_pseudo_counts_are_computed(sample_bitext, monkeypatch):
    sizes, pseudo_counts = [], WordForms.pseudo_counts

    def note_size(self, pair, *others):
        sizes.append(len(pair.lexicon.table))
        return pseudo_counts(self, pair, *others)

    monkeypatch.setattr(WordForms, "pseudo_counts", note_size)
    *_, _ = train(sample_bitext, load_recipe("fast"))
    assert sizes[-4:] == [0, 0, 0, 0]


def test_entering_a_stage_sets_its_models_and_keeps_the_lexicon(sample_bitext):
    state, count = begun(sample_bitext, {"model": "ibm1", "iterations": 1}, {"model": "hmm", "iterations": 2})
    next(iterate(state, count))
    lexicon = state.pair.lexicon
    assert (state.stage_number, state.iteration, state.stage.model) == (1, 1, "ibm1")
    for _ in range(2):  # entered once
        state.enter()
        assert (state.stage_number, state.iteration, state.stage.model) == (2, 0, "hmm")
    assert state.pair.lexicon is lexicon
    assert type(state.pair.forward) is type(state.pair.reverse) is HMM


def test_iterations_continue_after_the_completed_ones(sample_bitext):
    state, count = begun(sample_bitext, {"model": "ibm1", "iterations": 3})
    next(iterate(state, count))
    steps = list(iterate(state, count))
    assert [(step.iteration, step.last) for step in steps] == [(2, False), (3, True)]
    assert state.done
    assert not list(iterate(state, count))


def test_pseudo_counts_join_dictionary_and_cognates(sample_bitext):
    words = sample_bitext.source.vocabulary.words[0], sample_bitext.target.vocabulary.words[0]
    evidence = Evidence(Dictionary(((*words, 2.0),)))
    stage = {"model": "ibm1", "iterations": 1, "cognates": 2.0}
    state, _ = begun(sample_bitext, stage, evidence=evidence)
    counts = state.stage.criterion.empty_counts(state.pair)
    dictionary, cognates = (
        state.task.priors[name].pseudo_counts(state.pair, counts, state.stage).pair_ids
        for name in ("dictionary", "cognates")
    )
    assert len(dictionary) == 1
    assert len(cognates)
    joined = add_pseudo_counts(state.task.priors.values(), state.pair, counts, state.stage)
    np.testing.assert_array_equal(joined.pair_ids, [*dictionary, *cognates])


def test_stepwise_em_after_pruning_has_mini_batches_of_the_same_size(sample_bitext):
    stages = [
        {"model": "hmm", "criterion": "agreement", "iterations": 2, "prune": 1e-3},
        {"model": "ibm2", "iterations": 3, "batch_pairs": 4},
    ]
    state, count = begun(sample_bitext, *stages)
    steps = []
    for step in iterate(state, count):
        steps.append(step)
        assert (state.kept_cells is not None) == state.is_pruned == (len(steps) > 1)
    assert parts_of(state.stage, state.running, 60) == [(n, n + 4) for n in range(0, 60, 4)]
    for before, after in pairwise(steps[2:]):
        assert after.measures["forward_log_likelihood"] > before.measures["forward_log_likelihood"]


@pytest.mark.parametrize(
    ("model", "p0", "kept"), [("hmm", -1.0, True), ("hmm", 0.2, False), ("ibm1", -1.0, False)]
)
def test_first_model_keeps_distortions_of_the_same_kind_and_p0(model, p0, kept, sample_bitext):
    last = last_model(sample_bitext, recipe(("hmm", "independent", 1)))
    stage = recipe_from_dict({"stage": [{"model": model, "iterations": 1, "p0": p0}]}).stages[0]
    first = first_pair(stage, last.pair, Task(facts_of(sample_bitext), {}))
    assert (first.forward is last.pair.forward) == kept
    assert first.lexicon is last.pair.lexicon
    assert first.forward.p0 == first.reverse.p0 == p0


def test_first_model_of_a_lexicon_is_uniform(sample_bitext):
    lexicon = Lexicon.uniform(CooccurrenceIndex.of(sample_bitext))
    stage = recipe(("ibm1", "independent", 1)).stages[0]
    model = first_pair(stage, lexicon, Task(facts_of(sample_bitext), {}))
    assert model.lexicon is lexicon
    for distortion in (model.forward, model.reverse):
        assert (type(distortion), distortion.p0) == (IBM1, -1.0)
