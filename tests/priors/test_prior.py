"""Training with an existing model as a prior, and on from one."""

import math
from dataclasses import replace

import numpy as np
import pytest

from aligner.criteria import Independent
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models import IBM1, ModelPair
from aligner.models.model_file import save
from aligner.priors.existing_models import Prior, extended
from aligner.priors.knowledge import Knowledge
from aligner.priors.model_prior import ModelPrior
from aligner.recipe.load import recipe_from_dict
from aligner.training.checkpoint import Checkpoints
from aligner.training.estep import BlockEStep
from aligner.training.loop import train
from tests.refusals import refused
from tests.support import assert_same_parameters, bitext_of, facts_of, last_model, recipe, text_of
from tests.training.test_checkpoint import assert_resumes, interrupt

STAGES = [
    {"model": "ibm1", "iterations": 2, "cognates": 3.0},
    {
        "model": "hmm",
        "criterion": "agreement",
        "iterations": 3,
        "prune": 1e-6,
        "word_forms": True,
        "word_jumps": 2,
    },
]
RECIPE = recipe_from_dict({"stage": STAGES})
USES = [
    lambda model: {"prior": model},
    lambda model: {"prior": Prior(model, 20.0)},
    lambda model: {"init": model},
    lambda model: {"prior": model, "init": model},
]


def word_table(model, direction):
    """Return the probabilities of a direction by (source word, target word)."""
    source, target, lexicon = model.source_vocabulary, model.target_vocabulary, model.pair.lexicon
    rows = zip(lexicon.index.rows()[1:], lexicon.index.columns[1:], lexicon.table[1:], strict=True)
    return {(source.words[s], target.words[t]): values[direction] for s, t, values in rows}


@pytest.fixture(scope="module")
def halves(sample):
    """Return the two halves of the sample, and a model of the first."""
    pairs = text_of(sample.train)
    first, second = bitext_of(pairs[:40]), bitext_of(pairs[40:])
    return first, second, last_model(first, RECIPE)


def test_a_prior_adds_no_words(halves):
    _, second, model = halves
    taught = last_model(second, RECIPE, prior=model)
    assert taught.source_vocabulary is second.source.vocabulary
    known = taught.corpus["prior_source_tokens"], taught.corpus["prior_target_tokens"]
    assert 0 < known[0] < len(second.source.tokens)
    assert 0 < known[1] < len(second.target.tokens)
    weights = taught.history[-1]["prior_weights"]
    assert list(weights) == ["forward", "reverse", "forward_jumps", "reverse_jumps"]
    assert all(weight > 0 for weight in weights.values())


def test_a_prior_of_weight_0_changes_nothing(halves):
    _, second, model = halves
    plain, taught = last_model(second, RECIPE), last_model(second, RECIPE, prior=Prior(model, 0.0))
    assert_same_parameters(plain.pair, taught.pair)


def test_a_prior_of_greater_weight_comes_closer_to_its_model(halves):
    _, second, model = halves
    known = word_table(model, 0)
    distances = []
    for weight in (0.0, 1.0, 30.0, math.inf):
        own = word_table(
            last_model(second, recipe(("ibm1", "independent", 2)), prior=Prior(model, weight)), 0
        )
        distances.append(np.mean([abs(own[pair] - known[pair]) for pair in own.keys() & known.keys()]))
    assert distances == sorted(distances, reverse=True)


def test_going_on_keeps_the_words_of_both_texts(halves):
    first, second, model = halves
    joined = last_model(second, RECIPE, init=model)
    for old, new, both in zip(*(text.vocabularies for text in (first, second, joined)), strict=True):
        frequencies = dict(zip(both.words, both.counts.tolist(), strict=True))
        assert frequencies.keys() == {*old.words, *new.words}
        for word, count in frequencies.items():
            parts = (words.counts[words.index[word]] for words in (old, new) if word in words.index)
            assert count == sum(parts)
    assert word_table(model, 0).keys() <= word_table(joined, 0).keys()


@pytest.mark.parametrize("criterion", ["agreement", "independent"])
def test_going_on_leaves_other_words_as_they_are(halves, criterion):
    """Rows of words that the new text does not have keep the probabilities that the model has.

    Rows of few expected links have small counts, which fixed point rounds.
    """
    first, second, _ = halves
    two_stages = recipe_from_dict({"stage": [STAGES[0], STAGES[1] | {"criterion": criterion}]})
    model = last_model(first, two_stages)
    joined = last_model(second, two_stages, init=model)
    for direction in (0, 1):
        before, after = word_table(model, direction), word_table(joined, direction)
        others = {*first.vocabularies[direction].words} - {*second.vocabularies[direction].words}
        kept = [pair for pair in before if pair[direction] in others]
        assert len(kept) > 100
        np.testing.assert_allclose([after[p] for p in kept], [before[p] for p in kept], rtol=1e-6, atol=1e-8)


def test_going_on_counts_the_text_of_the_model(halves):
    """The first M-step of Model 1, by the definition: new counts plus L(e) t(f | e) of the model.

    L(e) is the number of links of e in the model's last M-step. The start has L(e) t(f | e) and one
    occurrence of each word, spread evenly over its row.
    """
    _, second, model = halves
    one = recipe(("ibm1", "independent", 1))
    joined = last_model(second, one, init=model)
    facts = extended(facts_of(second), model)
    text = second.encoded_in(*facts.vocabularies)
    prior, index = ModelPrior.of_init(facts, Knowledge(init=model)), CooccurrenceIndex.of(text)
    index = prior.extend(index)
    start = ModelPair(prior.start(Lexicon.uniform(index)), IBM1(), IBM1())
    source = BlockSource.of(text).searched(index, 1 << 20)
    links = BlockEStep(source)(Independent(), start).links[1:] / COUNT_SCALE
    for direction in (0, 1):
        rows = (index.rows()[1:], index.columns[1:])[direction]
        known, words = word_table(model, direction), text.vocabularies[direction].words
        old = model.vocabularies[direction]
        linked = model.links[direction]
        sizes = [linked[old.index[word]] if word in old.index else 0 for word in words]
        of_model = word_table(replace(joined, pair=start), direction)
        by_model = np.array([sizes[row] * known.get(p, 0) for row, p in zip(rows, of_model, strict=True)])
        for counts, found in [
            (1 / np.bincount(rows)[rows], start.lexicon),
            (links[:, direction], joined.pair.lexicon),
        ]:
            total = counts + by_model
            expected = total / np.bincount(rows, total)[rows]
            np.testing.assert_allclose(found.table[1:, direction], expected, rtol=1e-5, atol=1e-8)


def test_going_on_starts_at_the_parameters_of_the_model(halves):
    """The first E-step sees the model's tables and jumps: its perplexity is below the uniform one's."""
    _, second, model = halves
    stages = recipe(("hmm", "agreement", 1))
    started, afresh = next(train(second, stages, init=model)), next(train(second, stages))
    assert started.forward_perplexity < 0.8 * afresh.forward_perplexity
    assert started.reverse_perplexity < 0.8 * afresh.reverse_perplexity


@pytest.mark.parametrize("use", USES)
@pytest.mark.usefixtures("small_blocks")
def test_models_give_the_same_bits_for_any_number_of_threads(halves, use):
    _, second, model = halves
    one, many = (last_model(second, RECIPE, threads=threads, **use(model)) for threads in (1, 3))
    assert_same_parameters(one.pair, many.pair)
    assert one.history == many.history


@pytest.mark.parametrize("use", USES[1:])
@pytest.mark.usefixtures("small_blocks")
def test_resumed_run_with_a_model_ends_in_the_same_bytes(halves, use, tmp_path):
    _, second, model = halves
    assert_resumes(second, RECIPE, tmp_path, **use(model))


def test_checkpoint_of_another_model_is_refused(halves, tiny_model, tmp_path):
    _, second, model = halves
    path = tmp_path / "c"
    interrupt(train(second, RECIPE, prior=model, checkpoints=Checkpoints(path, every=0)), 2)
    resuming = Checkpoints(path, resume=True)
    for options in ({}, {"prior": tiny_model}, {"prior": Prior(model, 5.0)}, {"init": model}):
        refused(
            "of another text, recipe, evidence", last_model, second, RECIPE, checkpoints=resuming, **options
        )
    assert next(train(second, RECIPE, prior=model, checkpoints=resuming)).stage == 2


@pytest.mark.parametrize(
    "stage",
    [
        {"model": "ibm2", "criterion": "product-domain", "update": "map", "alpha": 0.1},
        {"model": "ibm2-full", "update": "vb", "alpha": 0.1},
        {"model": "hmm", "hard": True},
        {"model": "ibm1", "criterion": "substochastic", "anneal_from": 0.5},
        {"model": "hmm", "criterion": "symmetric", "batch_pairs": 7},
        {"model": "ibm1", "restarts": 2},
    ],
    ids=lambda stage: "-".join(map(str, stage.values())),
)
def test_models_go_with_other_options(halves, stage, tmp_path):
    _, second, model = halves
    one_stage = recipe_from_dict({"stage": [stage | {"iterations": 2}]})
    save(last_model(second, one_stage, prior=model, init=model), tmp_path / "model")  # raises for a NaN


@pytest.mark.parametrize("name", ["prior", "init"])
def test_unsuitable_models_are_refused(halves, name):
    _, second, model = halves
    cased = recipe_from_dict({"stage": STAGES, "data": {"lowercase": False}})
    foreign = bitext_of([(model.source_vocabulary.words[0], "Q9")])
    in_capitals = bitext_of([("A", "B")], lowercase=False)
    for said, text, own in (
        ("does not go with criterion 'mre'", second, recipe(("ibm1", "mre", 1))),
        (": found a model of the other direction: .. exchange the sides", second.reversed(), RECIPE),
        (": found a model without any target word of this text", foreign, RECIPE),
        (": found a model of a text read with lowercase=True", in_capitals, cased),
    ):
        refused(f"{name} .. {said}", last_model, text, own, **{name: model})
    for weight in (-1.0, math.nan):
        refused("prior weight .. : expected a number from 0", Prior, model, weight)


def test_memory_of_models_is_planned_for(halves):
    _, second, model = halves
    peaks = []
    for options in ({}, {"prior": model}, {"init": model}, {"prior": model, "init": model}):
        next(train(second, RECIPE, announce=peaks.append, **options))
    none, prior, init, both = peaks
    assert none < prior < init < both
