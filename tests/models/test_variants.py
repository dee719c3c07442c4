"""Variants of EM: against enumeration, their invariants, and plain EM at their limits."""

# ruff: noqa: E741 (I is the papers' name for the length of the conditioning side)

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aligner.training.loop
from aligner.training.model1_estep import e_step
from aligner.training.cognates import Cognates
from aligner.recipe.config import Recipe
from aligner.errors import ConfigError
from aligner.training.evidence import KnownFacts
from aligner.training.estep import accumulate
from aligner.kernels.fixed import SCALE
from aligner.lexicon.table import Lexicon
from aligner.models import DISTORTIONS
from aligner.criteria import CRITERIA, Agreement, Independent
from aligner.criteria.base import maximise
from aligner.training.restarts import perturbed
from aligner.training.stepwise import Stepwise
from aligner.training.loop import train
from aligner.models.variants import Annealed, Viterbi, annealing
from tests import naive
from tests.support import (
    TEXTS,
    assert_same_parameters,
    bitext_of,
    index_pairs,
    oracles,
    parameters,
    random_pair,
    recipe,
)

KINDS = pytest.mark.parametrize("kind", DISTORTIONS)
POSITIVE_INTEGERS = st.integers(0, 10**6)


def config_of(*stages, **tables) -> Recipe:
    return recipe_from_dict({"stage": [{"model": "hmm", "iterations": 3, **s} for s in stages], **tables})


def last(bitext, config, **options):
    return list(train(bitext, config, **options))[-1].model.parameters


def inferred(pair, bitext):
    """Both directions' posteriors and log masses of a text as one block, and the distortions' statistics."""
    block = pair.lexicon.index.find(index_pairs(bitext)[1].block(0, len(bitext)))
    forward, reverse = pair.potentials(block)
    statistics = pair.forward.new_counts(), pair.reverse.new_counts()
    masses = (
        pair.forward_posteriors(forward, statistics[0]),
        pair.reverse_posteriors(reverse, statistics[1]),
    )
    return (forward, reverse), masses, statistics


# --------------------------------------------------------------------------- annealing


@KINDS
@given(text=TEXTS, seed=POSITIVE_INTEGERS, beta=st.sampled_from([0.1, 0.5, 0.9]))
def test_annealed_posteriors_are_the_oracle_s(kind, text, seed, beta):
    bitext = bitext_of(text)
    pair = random_pair(kind, bitext, seed)
    found, masses, _ = inferred(Annealed(beta)(pair), bitext)
    cell, token = [0, 0], [0, 0]
    for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        for direction, oracle in enumerate(oracles(pair, source, target)):
            links, null = naive.link_posteriors(oracle, power_lex=beta, power_dist=beta)
            I, J = naive.size(oracle)
            own = found[direction].links[cell[direction] :][: I * J].reshape(J, I)
            np.testing.assert_allclose(own, links, rtol=2e-4, atol=1e-6)
            np.testing.assert_allclose(
                found[direction].null[token[direction] :][:J], null, rtol=2e-4, atol=1e-6
            )
            total = naive.total(oracle, power_lex=beta, power_dist=beta)
            assert masses[direction][n] == pytest.approx(math.log(total), rel=1e-5, abs=1e-5)
            cell[direction] += I * J
            token[direction] += J


def test_annealing_ends_at_plain_em():
    betas = [inference.beta for inference in annealing(0.25, 5)]
    np.testing.assert_allclose(betas, [0.25, 0.25**0.75, 0.5, 0.25**0.25, 1.0])
    pair = object()
    assert Annealed(1.0)(pair) is pair
    steps = list(train(bitext_of([("a b", "x y")]), config_of({"anneal_from": 0.25})))
    assert [step.model.history[-1]["inverse_temperature"] for step in steps] == [0.25, 0.5, 1.0]


# --------------------------------------------------------------------------- best alignments


@KINDS
@given(text=TEXTS, seed=POSITIVE_INTEGERS, power=st.sampled_from([1.0, 2.0]))
def test_hard_posteriors_are_a_best_alignment_of_the_oracle(kind, text, seed, power):
    bitext = bitext_of(text)
    pair = random_pair(kind, bitext, seed)
    hard = Viterbi()(pair)
    block = pair.lexicon.index.find(index_pairs(bitext)[1].block(0, len(bitext)))
    for direction in (0, 1):
        cells = hard.potentials(block)[direction].to_power(power)
        infer = (hard.forward_posteriors, hard.reverse_posteriors)[direction]
        statistics = (pair.forward, pair.reverse)[direction].new_counts()
        masses = infer(cells, statistics, power)
        cell = token = 0
        for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
            oracle = oracles(pair, source, target)[direction]
            I, J = naive.size(oracle)
            own = np.column_stack(
                [cells.null[token : token + J], cells.links[cell : cell + I * J].reshape(J, I)]
            )
            np.testing.assert_allclose(own, np.rint(own), atol=1e-5)
            np.testing.assert_allclose(own.sum(axis=1), 1, atol=1e-5)
            alignment = tuple(own.argmax(axis=1).tolist())
            _, best = naive.viterbi(oracle, power_lex=power, power_dist=power)
            assert naive.joint(oracle, alignment, power_lex=power, power_dist=power) == pytest.approx(
                best, rel=1e-5
            )
            assert masses[n] == pytest.approx(math.log(best), rel=1e-5, abs=1e-5)
            cell += I * J
            token += J


@KINDS
def test_the_best_alignments_never_get_less_probable(kind, sample_bitext):
    """Neither by the choice of alignments nor by the update: both climb one joint probability."""
    steps = list(train(sample_bitext, config_of({"model": kind, "hard": True, "iterations": 8})))
    for name, tokens in [("forward", steps[0].target_tokens), ("reverse", steps[0].source_tokens)]:
        values = [step.measures[f"{name}_log_likelihood"] for step in steps]
        for before, after in pairwise(values):
            assert after >= before - 5e-7 * tokens
        assert values[-1] > values[0]


def test_hard_counts_are_whole_numbers(sample_bitext):
    pair = last(sample_bitext, recipe(("ibm1", "independent", 2)))
    _, cells = index_pairs(sample_bitext)
    for criterion in (Independent(), Agreement()):
        counts = accumulate(criterion, Viterbi()(pair), cells)
        for array in (counts.links, counts.null_forward, counts.null_reverse):
            np.testing.assert_allclose(array / SCALE, np.rint(array / SCALE), atol=1e-4)
        assert counts.links.sum() > 0


# --------------------------------------------------------------------------- mini-batches


@pytest.mark.parametrize("criterion", ["independent", "agreement", "symmetric"])
def test_one_batch_without_memory_is_batch_em(criterion, sample_bitext):
    options = {"criterion": criterion}
    batch = last(sample_bitext, config_of(options))
    stepwise = last(sample_bitext, config_of({**options, "batch_pairs": 60, "decay": 0.0}))
    assert_same_parameters(batch, stepwise)


def test_running_counts_are_the_formula(sample_bitext):
    _, cells = index_pairs(sample_bitext)
    pair = random_pair("hmm", sample_bitext)
    stepping = Stepwise(25, 0.6)
    (whole,) = stepping.parts(60)
    start = stepping.take(accumulate(Agreement(), pair, cells, part=whole), 60)
    running = start.links.astype(float)
    assert stepping.parts(60) == [(0, 20), (20, 40), (40, 60)]
    for k, part in enumerate(stepping.parts(60)):
        counts = accumulate(Agreement(), pair, cells, part=part)
        assert counts.pairs == 20
        eta = (k + 2) ** -0.6
        running = (1 - eta) * running + eta * 3 * counts.links
        mixed = stepping.take(counts, 60)
        np.testing.assert_allclose(mixed.links, running, atol=4)
        np.testing.assert_array_equal(mixed.measures, counts.measures)


def test_the_parts_of_a_text_add_up_to_it(sample_bitext):
    _, cells = index_pairs(sample_bitext)
    pair = random_pair("hmm", sample_bitext)
    whole = accumulate(Agreement(), pair, cells)
    parts = [accumulate(Agreement(), pair, cells, part=part) for part in [(0, 1), (1, 40), (40, 60)]]
    total = parts[0] + parts[1] + parts[2]
    np.testing.assert_array_equal(total.links, whole.links)
    np.testing.assert_array_equal(total.measures, whole.measures)
    np.testing.assert_array_equal(total.statistics.forward, whole.statistics.forward)
    assert total.pairs == whole.pairs


# --------------------------------------------------------------------------- restarts


def test_random_starts_are_distributions(sample_bitext):
    index, _ = index_pairs(sample_bitext)
    uniform = Lexicon.uniform(index)
    one, again, other = (perturbed(uniform, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.table, again.table)
    assert (one.table != other.table).any()
    for direction, sizes in ((0, index.source_types), (1, index.target_types)):
        sums = np.bincount(one.rows(direction), one.table[1:, direction], minlength=sizes)
        np.testing.assert_allclose(sums, 1, rtol=1e-5)
    assert one.null_forward[:-1].sum() == pytest.approx(1, rel=1e-5)
    assert one.null_reverse[:-1].sum() == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("criterion", ["independent", "product-domain"])
def test_the_best_restart_is_taken(criterion, sample_bitext):
    stage = {"criterion": criterion, "iterations": 3}
    steps = list(train(sample_bitext, config_of({**stage, "restarts": 4})))
    name = CRITERIA[criterion].objective

    def value(measures):
        return measures[name] if name else sum(measures.values())

    found = [value(done.measures) for done in by_seed(sample_bitext, config_of(stage).stages[0], 4)]
    assert len(set(found)) == 4
    assert value(steps[-1].measures) == max(found)
    assert len(steps) == 3


def by_seed(bitext, stage, restarts):
    """The last iteration from each random start."""
    index, cells = index_pairs(bitext)
    for seed in range(1, restarts + 1):
        start = perturbed(Lexicon.uniform(index), seed)
        standing = aligner.training.loop._Standing(aligner.training.loop._enter(stage, start, cells), cells, {})
        facts = KnownFacts()
        infer, known = e_step(stage, facts, cells), {"facts": facts, "cognates": Cognates(bitext)}
        *_, done = aligner.training.loop._iterations(stage, standing, infer, **known, threads=1, progress=None)
        yield done


# --------------------------------------------------------------------------- composition, and its limits

VARIANTS = {
    "map": {"update": "map", "alpha": 0.1},
    "vb": {"update": "vb", "alpha": 0.1},
    "hard": {"hard": True},
    "annealed": {"anneal_from": 0.5},
    "stepwise": {"batch_pairs": 7},
    "restarts": {"restarts": 3},
    "cognates": {"cognates": 2.0},
    "all": {"update": "map", "alpha": 0.1, "hard": True, "batch_pairs": 25, "restarts": 2, "cognates": 1.0},
}


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_compose_with_criteria_or_say_why_not(variant, criterion, sample_bitext, monkeypatch):
    """And do not depend on threads."""
    options = VARIANTS[variant]
    refused = set(CRITERIA[criterion].incompatible_with) & set(options)
    if refused:
        with pytest.raises(ConfigError, match=f"does not go with criterion '{criterion}': .*it"):
            config_of({"criterion": criterion, **options})
        return
    monkeypatch.setattr("aligner.training.model1_estep.accumulate", partial(accumulate, block_cells=1000))
    config = config_of({"criterion": criterion, "iterations": 2, **options})
    assert recipe_from_dict(config.to_dict()) == config
    one, three = (last(sample_bitext, config, threads=threads) for threads in (1, 3))
    assert_same_parameters(one, three)
    for name, array in parameters(one).items():
        if array.dtype.kind == "f":
            assert np.isfinite(array).all(), name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hard": True, "anneal_from": 0.5}, "same at every temperature"),
        ({"anneal_from": 0.5, "iterations": 1}, "anneal_from with one iteration"),
        ({"anneal_from": 0.0}, "anneal_from = 0.0: expected"),
        ({"anneal_from": 1.5}, "anneal_from = 1.5: expected"),
        ({"anneal_from": float("nan")}, "anneal_from = nan: expected"),
        ({"hard": True, "prune": 1e-7}, "hard with prune"),
        ({"batch_pairs": 10, "prune": 1e-7}, "batch_pairs with prune"),
        ({"batch_pairs": -1}, "batch_pairs = -1"),
        ({"decay": 1.5}, "decay = 1.5"),
        ({"restarts": 0}, "restarts = 0"),
        ({"restarts": 2, "iterations": 0}, "restarts with no iterations"),
    ],
)
def test_what_has_no_meaning_is_refused(options, message):
    with pytest.raises(ConfigError) as caught:
        config_of(options)
    assert message in str(caught.value)


def test_only_the_first_stage_starts_at_random():
    with pytest.raises(ConfigError, match="restarts in a later stage"):
        config_of({}, {"restarts": 2})


def test_updates_are_given_the_bare_pair(sample_bitext):
    _, cells = index_pairs(sample_bitext)
    pair = random_pair("hmm", sample_bitext)
    after = maximise(pair, accumulate(Agreement(), Annealed(0.5)(pair), cells))
    assert type(after) is type(pair)
