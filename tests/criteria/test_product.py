"""Product EM: the E-steps of both approximations against enumeration, and what they have in common."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.cli.reporter import Reporter
from aligner.criteria import Independent, ProductDomain, ProductParameter
from aligner.criteria.counts import MEASURE_SCALE
from aligner.kernels.constants import COUNT_SCALE
from aligner.models import HMM
from aligner.recipe.load import recipe_from_dict
from aligner.training.loop import train
from tests import naive
from tests.criteria.cases import KINDS, expected_counts
from tests.support import (
    TEXTS,
    bitext_of,
    oracles,
    pair_ids_by_words,
    random_pair,
    recipe,
)


def combined_oracles(model, source, target, null_weight):
    """Return both directions' oracles with the potentials of section 5.2."""
    forward, reverse = oracles(model, source, target)
    product = np.array(forward.emit) * np.array(reverse.emit).T
    return (
        forward._replace(emit=product.tolist(), null=[null_weight * x for x in forward.null]),
        reverse._replace(emit=product.T.tolist(), null=[null_weight * x for x in reverse.null]),
    )


def enumerated_counts(model, bitext, oracles_of, **power):
    """Return averaged links by pair_id, each direction's NULL counts, and the measures."""
    pair_ids = pair_ids_by_words(model.lexicon.index)
    links = np.zeros(len(model.lexicon.index) + 1)
    null = np.zeros(len(bitext.target.vocabulary) + 1), np.zeros(len(bitext.source.vocabulary) + 1)
    log_mass = [0.0, 0.0]
    for n in range(len(bitext)):
        source, target = bitext.source[n], bitext.target[n]
        for direction, oracle in enumerate(oracles_of(source, target)):
            matrix, unlinked = naive.link_posteriors(oracle, **power)
            cells = np.array(matrix).T if direction == 0 else np.array(matrix)
            for (i, j), value in np.ndenumerate(cells):
                links[pair_ids[source[i], target[j]]] += value / 2
            np.add.at(null[direction], (target, source)[direction], unlinked)
            log_mass[direction] += math.log(naive.total(oracle, **power))
    return links, *null, [sum(log_mass) / 2, *log_mass]


def assert_counts(counts, expected):
    links, null_forward, null_reverse, measures = expected
    np.testing.assert_allclose(counts.links[:, 0] / COUNT_SCALE, links, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(counts.null_forward / COUNT_SCALE, null_forward, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(counts.null_reverse / COUNT_SCALE, null_reverse, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(counts.measures / MEASURE_SCALE, measures, rtol=1e-5, atol=1e-5)


@pytest.mark.plain_python
@given(
    pairs=TEXTS,
    kind=st.sampled_from(KINDS),
    weight=st.sampled_from([1.0, 0.1, 0.003]),
    seed=st.integers(0, 999),
)
def test_domain_estep_matches_enumeration(pairs, kind, weight, seed):
    bitext = bitext_of(pairs)
    model = random_pair(kind, bitext, seed)
    counts = expected_counts(ProductDomain(weight), model, bitext)
    expected = enumerated_counts(model, bitext, lambda s, t: combined_oracles(model, s, t, weight))
    assert_counts(counts, expected)


@pytest.mark.plain_python
@given(
    pairs=TEXTS,
    kind=st.sampled_from(KINDS),
    distortion_power=st.sampled_from([1.0, 2.0]),
    seed=st.integers(0, 999),
)
def test_parameter_estep_matches_enumeration(pairs, kind, distortion_power, seed):
    bitext = bitext_of(pairs)
    model = random_pair(kind, bitext, seed)
    counts = expected_counts(ProductParameter(distortion_power), model, bitext)
    power = {"power_lex": 2.0, "power_dist": distortion_power}
    assert_counts(counts, enumerated_counts(model, bitext, lambda s, t: oracles(model, s, t), **power))


def test_domain_is_exact_where_the_spaces_coincide():
    """Both directions of a pair with one word on each side have the same two alignments.

    The exact E-step scores no link by both NULLs, the domain-approximate one by its own NULL only. The weight
    t(s | NULL) p0 / (1 - p0) stands for the other NULL.
    """
    bitext = bitext_of([("a", "x"), ("b", "y")])
    model = random_pair("ibm1", bitext, 2)
    t_null = 0.35
    model.lexicon.null_forward[:] = t_null
    model.lexicon.null_reverse[:] = t_null
    p0 = naive.default_p0(1)
    counts = expected_counts(ProductDomain(t_null * p0 / (1 - p0)), model, bitext)
    pair_ids = pair_ids_by_words(model.lexicon.index)
    total = 0.0
    for n in range(2):
        source, target = bitext.source[n], bitext.target[n]
        links, log_mass = naive.product_exact(*oracles(model, source, target))
        count = counts.links[pair_ids[source[0], target[0]], 0] / COUNT_SCALE
        assert count == pytest.approx(links[0][0], rel=1e-5)
        total += log_mass - math.log(1 - p0)
    assert counts.measures / MEASURE_SCALE == pytest.approx(total, rel=1e-5)


def objectives(bitext, settings):
    """Return the objective at each iteration that has one."""
    return [step.measures["objective"] for step in train(bitext, settings) if "objective" in step.measures]


@given(
    pairs=TEXTS,
    kind=st.sampled_from(KINDS),
    weight=st.sampled_from([1.0, 0.3, 0.01]),
    first=st.integers(0, 2),
)
def test_domain_objective_never_decreases(pairs, kind, weight, first):
    stages = [
        {"model": "ibm1", "iterations": first},
        {"model": kind, "criterion": "product-domain", "null_weight": weight, "iterations": 6},
    ]
    values = objectives(bitext_of(pairs), recipe_from_dict({"stage": stages}))
    assert min(np.diff(values)) >= -2e-5


def test_floor_potentials_have_finite_posteriors():
    """Every cell of a long pair has the product of two floors, 1e-24."""
    bitext = bitext_of([(" ".join(f"s{k}" for k in range(60)), " ".join(f"t{k}" for k in range(80)))])
    model = random_pair("hmm", bitext)
    model.lexicon.table[:] = 1e-12
    model.lexicon.null_forward[:] = 1e-12
    model.lexicon.null_reverse[:] = 1e-12
    assert isinstance(model.forward, HMM)
    for criterion in (ProductDomain(1e-3), ProductParameter()):
        counts = expected_counts(criterion, model, bitext)
        per_side = 0.5 * (60 + 80)
        unlinked = (counts.null_forward.sum() + counts.null_reverse.sum()) / 2
        assert (counts.links.sum() + unlinked) / COUNT_SCALE == pytest.approx(per_side, rel=1e-4)


def test_steps_without_likelihoods_are_reported_without_perplexity(sample_bitext, capsys):
    """Sums over products of probabilities are not likelihoods."""
    step = next(train(sample_bitext, recipe(("ibm1", "product-domain", 1))))
    assert step.forward_perplexity is None
    assert step.reverse_perplexity is None
    Reporter(quiet=False).step(step)
    report = capsys.readouterr().err
    assert "ibm1 product-domain 1/1" in report
    assert "objective" in report
    assert "perplexity" not in report
    step = next(train(sample_bitext, recipe(("ibm1", Independent.name, 1))))
    assert step.forward_perplexity is not None
    Reporter(quiet=False).step(step)
    assert "perplexity" in capsys.readouterr().err
