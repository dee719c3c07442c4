"""Inference kernels against the oracle, which enumerates all alignments."""

import numpy as np
import pytest

from aligner.kernels.constants import COUNT_SCALE, JUMP_SCALE
from aligner.models import DirectionalCells, IBM2Full
from tests import naive
from tests.kernels.cases import KINDS, SMALL, WIDE, make_case, rows
from tests.support import FREQUENT


@pytest.mark.plain_python
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("lexical", "distortion"), [(1.0, 1.0), (2.0, 1.0), (2.0, 2.0)])
@pytest.mark.parametrize("p0", [-1.0, 0.2])
def test_posteriors_and_likelihood_match_enumeration(kind, lexical, distortion, p0):
    cells, model, oracles = make_case(kind, SMALL, 1, p0)
    power = {"power_lex": lexical, "power_dist": distortion}
    done = cells._replace(links=cells.links ** np.float32(lexical), null=cells.null ** np.float32(lexical))
    log_likelihood = model.posteriors(done, model.new_counts(), distortion)
    for n, oracle in enumerate(oracles):
        links, null = rows(done, n)
        expected_links, expected_null = naive.link_posteriors(oracle, **power)
        np.testing.assert_allclose(links, expected_links, rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(null, expected_null, rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(
            log_likelihood[n], np.log(naive.total(oracle, **power)), rtol=1e-6, atol=1e-6
        )


@pytest.mark.plain_python
@pytest.mark.parametrize("kind", ["ibm2", "hmm", "hmm, words"])
def test_jump_counts_of_wide_sentences_match_enumeration(kind):
    cells, model, oracles = make_case(kind, WIDE, 3)
    counts = np.atleast_2d(model.new_counts())
    log_likelihood = model.posteriors(cells, counts if kind != "ibm2" else counts[0])
    expected = np.zeros(counts.shape)
    for n, oracle in enumerate(oracles):
        width, height = WIDE[n]
        posterior = naive.posterior(oracle)
        links, null = naive.marginals(posterior, width, height)
        np.testing.assert_allclose(rows(cells, n)[0], links, rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(rows(cells, n)[1], null, rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(log_likelihood[n], np.log(naive.total(oracle)), rtol=1e-6)
        for k, part in jump_counts(kind, cells, n, posterior):
            expected[k, :11] += part.N
            expected[k, 11:] += np.ravel(part.M)
    np.testing.assert_allclose(counts / JUMP_SCALE, expected, rtol=3e-5, atol=1e-6)


def jump_counts(kind, cells, n, posterior):
    """Return the oracle's jump counts of pair n, each with the number of its set."""
    width, height = WIDE[n]
    if kind == "ibm2":
        return [(0, naive.model2_statistics(posterior, width, height))]
    general = naive.hmm_statistics(posterior, width)
    by_position = naive.hmm_statistics_by_position(posterior, width)
    *_, words = list(cells.by_pair())[n]
    sets = 3 + np.minimum(words, FREQUENT)
    inside = [(1, general["inside"])] if kind == "hmm" else zip(sets.tolist(), by_position, strict=True)
    return [(0, general["first"]), *inside, (2, general["last"])]


@pytest.mark.plain_python
@pytest.mark.parametrize("kind", KINDS)
def test_pairs_with_an_empty_side_change_no_other_pair(kind):
    sizes = [(0, 2), (3, 2), (2, 0), (0, 0), (1, 4), (0, 1)]
    cells, model, _ = make_case(kind, [(3, 2), (1, 4)], 5)
    links, null = cells.links.copy(), np.concatenate([[0.5, 0.25], cells.null, [0.75]]).astype(np.float32)
    conditioning, emitted = np.array(sizes, np.int32).T.copy()
    words = np.concatenate([cells.words[:3], [0, 0], cells.words[3:]]).astype(np.int32)
    padded = DirectionalCells(links, null, conditioning, emitted, words)
    best, expected_best = model.viterbi(padded), model.viterbi(cells)
    counts, expected_counts = model.new_counts(), model.new_counts()
    found, expected = model.posteriors(padded, counts), model.posteriors(cells, expected_counts)
    assert best.tolist() == [-1, -1, *expected_best.tolist(), -1]
    np.testing.assert_array_equal(found, [0, expected[0], 0, 0, expected[1], 0])
    np.testing.assert_array_equal(links, cells.links)
    np.testing.assert_array_equal(null, [0.5, 0.25, *cells.null.tolist(), 0.75])
    np.testing.assert_array_equal(counts, expected_counts)


@pytest.mark.parametrize("kind", KINDS)
def test_posteriors_do_not_depend_on_counting(kind):
    cells, model, _ = make_case(kind, SMALL, 4)
    one, two = cells.copy(), cells.copy()
    counted, uncounted = model.posteriors(one, model.new_counts()), model.posteriors(two, None)
    np.testing.assert_array_equal(one.links, two.links)
    np.testing.assert_array_equal(counted, uncounted)


def test_equal_jumps_of_words_are_those_of_all_words():
    """A pair beside other pairs and alone, with shared jumps and with the same jumps for each word."""
    cells, model, _ = make_case("hmm", [*SMALL, *WIDE], 2)
    shared, by_word = cells.copy(), cells.copy()
    model.posteriors(shared, None)
    model.with_word_jumps(FREQUENT).posteriors(by_word, None)
    np.testing.assert_allclose(shared.links, by_word.links, rtol=1e-5, atol=1e-9)
    assert model.with_word_jumps(FREQUENT).with_word_jumps(None).jumps.shape == model.jumps.shape


def test_full_table_counts_are_link_posteriors():
    sizes = [(3, 2), (2, 2)]
    cells, model, oracles = make_case("ibm2-full", sizes, 5)
    counts = model.new_counts()
    model.posteriors(cells, counts)
    for (width, height), oracle in zip(sizes, oracles, strict=True):
        links, _ = naive.link_posteriors(oracle)
        start, flat = int(model.starts[model.shapes == (width << 32 | height)][0]), np.ravel(links)
        np.testing.assert_allclose(
            counts[start : start + len(flat)] / COUNT_SCALE, flat, rtol=2e-5, atol=1e-7
        )


def test_full_table_is_uniform_for_a_shape_that_it_lacks():
    cells, _, oracles = make_case("ibm1", [(3, 2)], 5)
    model = IBM2Full.initial(np.array([2], np.int32), np.array([2], np.int32), -1.0)
    model.posteriors(cells, model.new_counts())
    np.testing.assert_allclose(rows(cells, 0)[0], naive.link_posteriors(oracles[0])[0], rtol=1e-5)


@pytest.mark.plain_python
@pytest.mark.parametrize("kind", KINDS)
def test_viterbi_matches_enumeration(kind):
    sizes = [*SMALL, (7, 3), (11, 2), (12, 2), (6, 4)]
    for seed in range(6):
        cells, model, oracles = make_case(kind, sizes, seed)
        alignment = model.viterbi(cells) + 1
        token = 0
        for oracle, (_, height) in zip(oracles, sizes, strict=True):
            best, probability = naive.viterbi(oracle)
            found = tuple(alignment[token : token + height].tolist())
            assert found in best or np.isclose(naive.joint(oracle, found), probability, rtol=1e-5)
            token += height


@pytest.mark.parametrize("kind", ["ibm1", "ibm2", "ibm2-full", "hmm"])
def test_mstep_without_counts_changes_nothing(kind):
    _, model, _ = make_case(kind, SMALL, 1)
    after = model.mstep(model.new_counts()).arrays()
    for name, array in model.arrays().items():
        np.testing.assert_array_equal(after[name], array)
