"""Training: likelihood never decreases, and the model depends on the text and the recipe alone."""

import re
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aligner.criteria import CRITERIA
from aligner.decoding.batch import decode
from aligner.links.alignments import Alignments
from aligner.links.evaluation import score
from aligner.links.gold import Gold
from aligner.models import MODELS
from aligner.models.model_file import save
from aligner.recipe.load import load_recipe
from aligner.sample.files import generate_sample
from aligner.training.loop import fit, train
from tests.support import (
    TEXTS,
    assert_same_parameters,
    bitext_of,
    pair_ids_by_words,
    parameters,
    recipe,
    text_of,
)

KINDS = pytest.mark.parametrize("kind", MODELS)
BOTH = pytest.mark.parametrize("criterion", ["independent", "agreement"])

LONG_SIDE = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=14).map(" ".join)
LONG_TEXTS = st.lists(st.tuples(LONG_SIDE, LONG_SIDE), min_size=1, max_size=4)
"""Texts that are wide enough for jumps in the outer buckets."""


def trained(text, *stages, **options):
    """Return the model of a text, given as a bitext or as pairs of strings."""
    bitext = text if hasattr(text, "source") else bitext_of(text)
    return list(train(bitext, recipe(*stages), **options))[-1].model


# --------------------------------------------------------------------------- likelihood


def assert_likelihood_never_decreases(text, kind, iterations):
    steps = list(train(bitext_of(text), recipe((kind, "independent", iterations))))
    for direction, tokens in [("forward", steps[0].target_tokens), ("reverse", steps[0].source_tokens)]:
        values = [step.measures[f"{direction}_log_likelihood"] for step in steps]
        # EM cannot decrease it, but rounding can. A token's likelihood is a sum of float32 products, each
        # right to a few 2**-24 = 6e-8. The floors of probabilities, 1e-12 and 1e-7 of a bucket, and the
        # rounding of counts to 2**-32 weigh less. The most found on 1,000 random texts was 1e-7 a token.
        tolerance = 5e-7 * tokens
        for before, after in pairwise(values):
            assert after >= before - tolerance


@KINDS
@pytest.mark.parametrize("seed", [1, 2])
def test_likelihood_never_decreases_on_the_sample(kind, seed):
    sample = generate_sample(pairs=60, dev=0, seed=seed)
    assert_likelihood_never_decreases(text_of(sample.train), kind, 12)


@KINDS
@given(text=LONG_TEXTS)
@example(text=[("b c d c a b", "d d b e d d d")])  # its best jump probabilities are below the floor
@example(text=[("b c c b c", "a c c a"), ("a b", "c b a"), ("c c a", "b b b a")])
def test_likelihood_never_decreases_on_any_text(kind, text):
    assert_likelihood_never_decreases(text, kind, 30)


@KINDS
def test_likelihood_is_measured_before_the_update(kind):
    """The first model is uniform, which makes a text of a single word pair certain."""
    text = [("a", "x"), ("a", "x"), ("a", "x")]
    step = next(train(bitext_of(text), recipe((kind, "independent", 1))))
    assert step.measures["forward_log_likelihood"] == pytest.approx(0.0, abs=1e-6)
    assert step.forward_perplexity == pytest.approx(1.0)
    assert (step.pairs, step.source_tokens, step.target_tokens) == (3, 3, 3)


# --------------------------------------------------------------------------- models that must be equal


@pytest.mark.parametrize("criterion", ["independent", "agreement", "product-domain", "product-parameter"])
@KINDS
def test_reversed_text_swaps_the_two_directions(kind, criterion, sample_bitext):
    stages = ("ibm1", "independent", 2), (kind, criterion, 2)
    model = trained(sample_bitext, *stages).pair
    swapped = trained(sample_bitext.reversed(), *stages).pair
    swapped_ids = pair_ids_by_words(swapped.lexicon.index)
    pair_ids = [swapped_ids[t, s] for s, t in pair_ids_by_words(model.lexicon.index)]
    # Model 1 sums over source types in order, in both directions, so the two texts round differently.
    assert_close = partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-7)
    assert_close(model.lexicon.table[1:], swapped.lexicon.table[pair_ids][:, ::-1])
    assert_close(model.lexicon.null_forward, swapped.lexicon.null_reverse)
    assert_close(model.lexicon.null_reverse, swapped.lexicon.null_forward)
    for name, array in model.forward.arrays().items():
        assert_close(array, swapped.reverse.arrays()[name])
    for name, array in model.reverse.arrays().items():
        assert_close(array, swapped.forward.arrays()[name])


@BOTH
@KINDS
@given(text=TEXTS)
def test_first_step_from_a_uniform_start_is_model_1(kind, criterion, text):
    """Sentences of up to 5 words share no bucket, so uniform buckets are uniform positions."""
    expected = trained(text, ("ibm1", criterion, 1)).pair.lexicon
    lexicon = trained(text, (kind, criterion, 1)).pair.lexicon
    np.testing.assert_allclose(lexicon.table, expected.table, rtol=1e-5)
    np.testing.assert_allclose(lexicon.null_forward, expected.null_forward, rtol=1e-5)
    np.testing.assert_allclose(lexicon.null_reverse, expected.null_reverse, rtol=1e-5)


@BOTH
@KINDS
def test_doubled_text_gives_the_same_model(kind, criterion, sample):
    text = text_of(sample.train)[:30]
    stages = ("ibm1", "independent", 2), (kind, criterion, 2)
    assert_same_parameters(trained(text, *stages).pair, trained(text * 2, *stages).pair)


@KINDS
def test_two_stages_of_a_kind_are_one_long_stage(kind, sample_bitext):
    stages = [(kind, "independent", 2), (kind, "independent", 1)]
    whole = trained(sample_bitext, (kind, "independent", 3))
    assert_same_parameters(trained(sample_bitext, *stages).pair, whole.pair)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", ["ibm2-full", "hmm"])
@pytest.mark.parametrize("prune", [0.0, 1e-3])
@pytest.mark.usefixtures("small_blocks")
def test_model_file_does_not_depend_on_threads(kind, criterion, prune, sample_bitext, tmp_path):
    stages = ("ibm1", "independent", 2), (kind, criterion, 3, prune)
    files = []
    for threads in (1, 3):
        save(trained(sample_bitext, *stages, threads=threads), tmp_path / f"{threads}")
        files.append((tmp_path / f"{threads}").read_bytes())
    assert files[0] == files[1]


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
def test_parameters_are_between_0_and_1(text, kind, criterion):
    model = trained(text, ("ibm1", "independent", 2), (kind, criterion, 4)).pair
    for name, array in parameters(model).items():
        if array.dtype.kind == "f":
            assert np.isfinite(array).all(), name
            assert (array >= 0).all(), name
            assert (array <= 1 + 1e-6).all(), name


# --------------------------------------------------------------------------- criteria and stages


def test_agreement_learns_from_a_uniform_hmm():
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


def test_steps_are_numbered_and_recorded_in_the_history(sample_bitext):
    two_stages = recipe(("ibm1", "independent", 2), ("hmm", "agreement", 1))
    steps = list(train(sample_bitext, two_stages))
    assert [(step.stage, step.iteration) for step in steps] == [(1, 1), (1, 2), (2, 1)]
    assert [step.settings for step in steps] == [two_stages.stages[n] for n in (0, 0, 1)]
    assert [step.last for step in steps] == [False, False, True]
    for n, step in enumerate(steps, start=1):
        assert len(step.model.history) == n
        record = step.model.history[-1]
        assert (record["stage"], record["iteration"]) == (step.stage, step.iteration)
        assert {name: record[name] for name in step.measures} == step.measures


def test_stage_without_iterations_is_skipped(sample_bitext):
    nothing = ("ibm2", "independent", 0)
    three_stages = recipe(nothing, ("ibm1", "independent", 2), nothing)
    assert [(step.stage, step.last) for step in train(sample_bitext, three_stages)] == [(2, False), (2, True)]


def test_fit_draws_a_bar_that_is_full_at_the_end(sample, capsys):
    pairs = text_of(sample.train[:20])
    for text in pairs, bitext_of(pairs):
        fit(text, load_recipe("fast", ["pieces.weight=0.5", "stage.2.iterations=1"]), progress=True)
        *_, last = capsys.readouterr().err.split("\r")
        assert re.match(r"hmm 1/1: 100%.* 160/160 ", last)
    fit(pairs, "fast", progress=False)
    assert capsys.readouterr().err == ""
    done = []
    fit(pairs, "fast", progress=done.append)
    assert sum(done) == 20 * load_recipe("fast").passes


def test_pairs_are_fitted_by_the_name_of_a_recipe(sample, tmp_path):
    pairs = text_of(sample.train[:20])
    fast = load_recipe("fast")
    *_, step = train(bitext_of(pairs, **vars(fast.data)), fast)
    save(step.model, tmp_path / "step")
    save(fit([(s.split(), t.split()) for s, t in pairs], "fast", threads=2), tmp_path / "fit")
    assert (tmp_path / "fit").read_bytes() == (tmp_path / "step").read_bytes()
    assert fit(pairs).config == load_recipe().to_dict()
