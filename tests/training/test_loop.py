"""What training promises: likelihood never falls, and the model depends on the text alone."""

import weakref
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aligner.lexicon.block_sources import BlockSource
from aligner.recipe.config import Recipe
from aligner.recipe.load import load_recipe
from aligner.decoding.batch import decode
from aligner.errors import ConfigError, DataError
from aligner.links.evaluation import score
from aligner.training.estep import accumulate
from aligner.links.gold import Gold
from aligner.links.alignments import Alignments
from aligner.models import DISTORTIONS
from aligner.criteria import CRITERIA
from aligner.training.pruning import Pruner
from aligner.sample.files import generate_sample
from aligner.models.storage import save
from aligner.training.loop import train
from tests.support import (
    TEXTS,
    assert_same_parameters,
    bitext_of,
    parameters,
    recipe,
    pair_ids_by_words,
    text_of,
)

KINDS = pytest.mark.parametrize("kind", DISTORTIONS)
BOTH = pytest.mark.parametrize("criterion", ["independent", "agreement"])

LONG_SIDE = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=14).map(" ".join)
LONG_TEXTS = st.lists(st.tuples(LONG_SIDE, LONG_SIDE), min_size=1, max_size=4)
"""Wide enough for the outer buckets of jumps."""


def trained(text, *stages, **options):
    bitext = text if hasattr(text, "source") else bitext_of(text)
    return list(train(bitext, recipe(*stages), **options))[-1].model


# --------------------------------------------------------------------------- likelihood


def assert_likelihood_never_falls(text, kind, iterations):
    steps = list(train(bitext_of(text), recipe((kind, "independent", iterations))))
    for direction, tokens in [("forward", steps[0].target_tokens), ("reverse", steps[0].source_tokens)]:
        values = [step.measures[f"{direction}_log_likelihood"] for step in steps]
        # EM cannot lose; rounding can. A token's likelihood is a sum of float32 products, each right to a few
        # 2**-24 = 6e-8. Probabilities held at their floors, 1e-12 and 1e-7 of a bucket, and counts rounded to
        # 2**-32 weigh less. The most found on a thousand random texts was 1e-7 a token.
        tolerance = 5e-7 * tokens
        for before, after in pairwise(values):
            assert after >= before - tolerance


@KINDS
@pytest.mark.parametrize("seed", [1, 2])
def test_likelihood_never_falls_on_the_sample(kind, seed):
    assert_likelihood_never_falls(text_of(generate_sample(pairs=60, dev=0, seed=seed).train), kind, 12)


@KINDS
@given(text=LONG_TEXTS)
@example(
    text=[("b c d c a b", "d d b e d d d")]
)  # wants jump shares that differ by more than the floor allows
@example(text=[("b c c b c", "a c c a"), ("a b", "c b a"), ("c c a", "b b b a")])
def test_likelihood_never_falls_on_any_text(kind, text):
    assert_likelihood_never_falls(text, kind, 30)


@KINDS
def test_likelihood_is_that_of_the_model_before_the_step(kind):
    """That is, of the uniform model at first, by which a text of one pair of words is certain."""
    text = [("a", "x"), ("a", "x"), ("a", "x")]
    step = next(train(bitext_of(text), recipe((kind, "independent", 1))))
    assert step.measures["forward_log_likelihood"] == pytest.approx(0.0, abs=1e-6)
    assert step.forward_perplexity == pytest.approx(1.0)
    assert (step.pairs, step.source_tokens, step.target_tokens) == (3, 3, 3)


# --------------------------------------------------------------------------- degenerate siblings


@BOTH
@KINDS
def test_training_on_the_reversed_text_swaps_the_pair(kind, criterion, sample_bitext):
    stages = ("ibm1", "independent", 2), (kind, criterion, 2)
    there = trained(sample_bitext, *stages).parameters
    back = trained(sample_bitext.reversed(), *stages).parameters
    back_slots = pair_ids_by_words(back.lexicon.index)
    places = [back_slots[t, s] for s, t in pair_ids_by_words(there.lexicon.index)]
    # Model 1 adds up a target word's probabilities in the order of source types, not the other way round.
    assert_close = partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-7)
    assert_close(there.lexicon.table[1:], back.lexicon.table[places][:, ::-1])
    assert_close(there.lexicon.null_forward, back.lexicon.null_reverse)
    assert_close(there.lexicon.null_reverse, back.lexicon.null_forward)
    for name, array in there.forward.parameters().items():
        assert_close(array, back.reverse.parameters()[name])
    for name, array in there.reverse.parameters().items():
        assert_close(array, back.forward.parameters()[name])


@BOTH
@KINDS
@given(text=TEXTS)
def test_the_first_step_from_a_uniform_start_is_model_1_s(kind, criterion, text):
    """Up to five positions no bucket is shared, so equal buckets are equal positions: all are Model 1."""
    one = trained(text, ("ibm1", criterion, 1)).parameters.lexicon
    other = trained(text, (kind, criterion, 1)).parameters.lexicon
    np.testing.assert_allclose(other.table, one.table, rtol=1e-5)
    np.testing.assert_allclose(other.null_forward, one.null_forward, rtol=1e-5)
    np.testing.assert_allclose(other.null_reverse, one.null_reverse, rtol=1e-5)


@BOTH
@KINDS
def test_a_text_twice_gives_the_same_model(kind, criterion, sample):
    text = text_of(sample.train)[:30]
    stages = ("ibm1", "independent", 2), (kind, criterion, 2)
    assert_same_parameters(trained(text, *stages).parameters, trained(text * 2, *stages).parameters)


@KINDS
def test_two_stages_of_a_kind_are_one_long_stage(kind, sample_bitext):
    stages = [(kind, "independent", 2), (kind, "independent", 1)]
    whole = trained(sample_bitext, (kind, "independent", 3))
    assert_same_parameters(trained(sample_bitext, *stages).parameters, whole.parameters)


# --------------------------------------------------------------------------- what does not train


@KINDS
def test_pairs_that_are_empty_or_too_long_leave_no_trace(kind, sample):
    text = text_of(sample.train)[:30]
    strange = [("", "x y"), ("only here", ""), ("", ""), ("a " * 31, "b"), ("c", "d " * 31)]
    mixed = [strange[0], *text[:10], *strange[1:4], *text[10:], strange[4]]
    config = recipe(("ibm1", "independent", 2), (kind, "agreement", 2), data={"max_length": 30})
    models = [list(train(bitext_of(pairs, max_length=30), config))[-1].model for pairs in (text, mixed)]
    assert_same_parameters(models[0].parameters, models[1].parameters)
    assert models[0].history == models[1].history
    for side in ("source_vocabulary", "target_vocabulary"):
        vocabularies = [getattr(model, side) for model in models]
        assert vocabularies[0].words == vocabularies[1].words
        np.testing.assert_array_equal(vocabularies[0].counts, vocabularies[1].counts)
    corpus = models[1].corpus
    assert (corpus["lines"], corpus["trainable"], corpus["empty"], corpus["too_long"]) == (35, 30, 3, 2)


@pytest.mark.parametrize("text", [[], [("", "")], [("a", "")], [("a b c", "x")]])
def test_a_text_without_a_usable_pair_is_refused(text):
    config = recipe(("ibm1", "independent", 1), data={"max_length": 2})
    with pytest.raises(DataError, match="no usable sentence pair"):
        next(train(bitext_of(text, max_length=2), config))


def test_more_of_a_word_than_counts_can_say_is_refused(monkeypatch):
    monkeypatch.setattr("aligner.training.estep.MOST", 4)
    config = recipe(("ibm1", "independent", 1))
    with pytest.raises(DataError, match="'b' occurs 4 times; expected fewer than 4; train on fewer pairs"):
        next(train(bitext_of([("a a a", "b b b b")]), config))
    next(train(bitext_of([("a a a", "b b b")]), config))


@pytest.mark.parametrize(
    ("read", "said"),
    [({}, {"max_length": 40}), ({"max_length": 40}, {}), ({}, {"lowercase": False})],
    ids=str,
)
def test_a_text_that_was_not_read_as_the_recipe_says_is_refused(read, said):
    """Its vocabularies and report would be of another text than what is trained on."""
    config = recipe(("ibm1", "independent", 1), data=said)
    text = [("a b", "x y")]
    with pytest.raises(ConfigError, match=r"read with (max_length|lowercase)=.*\*\*vars\(config\.data\)"):
        next(train(bitext_of(text, **read), config))
    next(train(bitext_of(text, **vars(config.data)), config))


def test_the_longest_side_that_is_trained_on():
    """Where the recipe sets no limit, positions in 16 bits do."""
    config = recipe(("ibm1", "independent", 1), data={"max_length": 0})
    long, longer = ("a " * 65_535, "x"), ("a", "x " * 65_535 + "y")
    step = next(train(bitext_of([long, longer], max_length=0), config))
    assert (step.pairs, step.source_tokens, step.target_tokens) == (1, 65_535, 1)
    assert (step.model.corpus["trainable"], step.model.corpus["too_long"]) == (1, 1)
    assert step.model.source_vocabulary.counts.tolist() == [65_535]
    assert step.model.target_vocabulary.words == ["x"]
    for limit in (0, 70_000):
        data = {"max_length": limit}
        with pytest.raises(DataError, match="more than 65,535 tokens"):
            next(train(bitext_of([longer], **data), recipe(("ibm1", "independent", 1), data=data)))


@pytest.mark.parametrize("batch_pairs", [0, 20])
@BOTH
def test_a_model_that_is_kept_stays_as_it_was(criterion, batch_pairs, sample_bitext):
    """Counts become the next tables in place; nobody else's."""
    options = {"batch_pairs": batch_pairs} if batch_pairs else {}
    stage = {"model": "ibm1", "iterations": 3, "criterion": criterion, **options}
    kept = []
    for step in train(sample_bitext, recipe_from_dict({"stage": [stage]})):
        table = step.model.parameters.lexicon.table
        kept.append((table, table.copy()))
    for table, before in kept:
        np.testing.assert_array_equal(table, before)


def test_what_an_iteration_replaces_is_gone_when_cells_are_dropped(sample_bitext, monkeypatch):
    """No table of an earlier model, and no pair_ids, if whoever trains lets go of each step."""
    earlier, there = [], []
    prune = Pruner.prune

    def look(pruner, text, model, threads):
        there.append((type(text), [table() is not None for table in earlier]))
        return prune(pruner, text, model, threads)

    monkeypatch.setattr(Pruner, "prune", look)
    for step in train(sample_bitext, load_recipe()):
        earlier.append(weakref.ref(step.model.parameters.lexicon.table))
        del step
    assert there == [(BlockSource, [False] * 4)]


@pytest.mark.parametrize("criterion", CRITERIA)
@KINDS
@pytest.mark.parametrize(
    "text",
    [
        [("a", "x")],
        [("a", "x " * 40)],
        [("a " * 40, "x")],
        [("a a a", "x x x")] * 3,
        [("a b c d e f g h i j k l", "l k j i h g f e d c b a"), ("a", "z")],
    ],
    ids=["one word", "one to many", "many to one", "repetition", "long"],
)
def test_models_are_numbers_between_0_and_1(text, kind, criterion):
    model = trained(text, ("ibm1", "independent", 2), (kind, criterion, 4)).parameters
    for name, array in parameters(model).items():
        if array.dtype.kind == "f":
            assert np.isfinite(array).all(), name
            assert (array >= 0).all(), name
            assert (array <= 1 + 1e-6).all(), name


# --------------------------------------------------------------------------- criteria and stages


def test_agreement_from_a_uniform_hmm_learns():
    """Independent training from there fails (Liang, Taskar & Klein 2006, section 3.2); agreement does not."""
    sample = generate_sample(pairs=800, dev=40)
    bitext = bitext_of(text_of(sample.train))
    gold = Gold(
        Alignments.from_lists(pair.sure for pair in sample.dev),
        Alignments.from_lists(pair.possible for pair in sample.dev),
    )
    steps = list(train(bitext, recipe(("hmm", "agreement", 5))))
    agreement = [step.measures["agreement"] for step in steps]
    assert agreement[-1] > agreement[0]
    first, last = (
        score(decode(step.model, step.model.encode(text_of(sample.dev))), gold).aer
        for step in (steps[0], steps[-1])
    )
    assert last < first - 0.1
    assert last < 0.5


def test_steps_number_stages_and_iterations_and_models_remember_them(sample_bitext):
    steps = list(train(sample_bitext, recipe(("ibm1", "independent", 2), ("hmm", "agreement", 1))))
    assert [(step.stage, step.iteration) for step in steps] == [(1, 1), (1, 2), (2, 1)]
    for n, step in enumerate(steps, start=1):
        assert len(step.model.history) == n
        record = step.model.history[-1]
        assert (record["stage"], record["iteration"]) == (step.stage, step.iteration)
        assert {name: record[name] for name in step.measures} == step.measures
    # The model of an earlier step is a value: later steps do not change it.
    again = next(train(sample_bitext, recipe(("ibm1", "independent", 2), ("hmm", "agreement", 1))))
    assert_same_parameters(steps[0].model.parameters, again.model.parameters)


def test_a_stage_of_no_iterations_is_skipped(sample_bitext):
    nothing = ("ibm2", "independent", 0)
    config = recipe(nothing, ("ibm1", "independent", 2), nothing)
    assert [(step.stage, step.last) for step in train(sample_bitext, config)] == [(2, False), (2, True)]


# --------------------------------------------------------------------------- threads


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", ["ibm2-full", "hmm"])
@pytest.mark.parametrize("prune", [0.0, 1e-3])
def test_a_model_file_is_the_same_bytes_for_any_threads(
    kind, criterion, prune, sample_bitext, tmp_path, monkeypatch
):
    # The sample would fit in one block, and one block is one thread's.
    monkeypatch.setattr("aligner.training.model1_estep.accumulate", partial(accumulate, block_cells=1000))
    stages = ("ibm1", "independent", 2), (kind, criterion, 3, prune)
    files = []
    for threads in (1, 2, 3):
        save(trained(sample_bitext, *stages, threads=threads), tmp_path / f"{threads}")
        files.append((tmp_path / f"{threads}").read_bytes())
    assert files[0] == files[1] == files[2]
