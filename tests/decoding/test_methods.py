"""The registries of link methods and combinations, and methods that a program adds."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.decoding.methods import COMBINATIONS, LINK_METHODS, all_combinations, combinations_of, matrices
from aligner.links.symmetrize import SYMMETRIZATIONS
from aligner.recipe.load import load_recipe
from tests.decoding.cases import TEXT, aligned_pairs, model_of
from tests.refusals import refused
from tests.support import link_matrices

pytestmark = pytest.mark.usefixtures("own_registries")


def mutual(block, forward, reverse, settings):
    """Choose the cells that are the best of their row and of their column."""
    combined = settings.combine(block, forward, reverse)
    chosen = np.zeros(len(combined), np.bool_)
    for p, links in zip(matrices(combined, block), matrices(chosen, block), strict=True):
        links[:] = (p >= settings.threshold) & (p == p.max(axis=0)) & (p == p.max(axis=1, keepdims=True))
    return chosen, combined


def test_registered_method_chooses_links():
    assert LINK_METHODS.register("mutual", "best of row and column")(mutual) is mutual
    assert LINK_METHODS.summary("mutual") == "best of row and column"
    model = model_of("hmm")
    bitext = model.encode(TEXT)
    found = decode(model, bitext, Decoder("mutual", "average", 0.2), threads=2)
    for n, source, target in aligned_pairs(bitext):
        F, R, _, _ = link_matrices(model.pair, source, target, TEXT[n])
        p = (F + R) / 2
        best = (p >= 0.2) & (p == p.max(axis=0)) & (p == p.max(axis=1, keepdims=True))
        assert found[n] == [tuple(cell) for cell in np.argwhere(best).tolist()]
    assert found.probabilities.min() >= np.float32(0.2)


def test_no_probability_is_above_1():
    """Sums of rounded posteriors may be."""

    @LINK_METHODS.register("above")
    def above(block, forward, reverse, settings):
        return np.ones(block.cells, np.bool_), np.full(block.cells, 1 + 7e-7, np.float32)

    model = model_of("hmm")
    assert decode(model, model.encode(TEXT), Decoder("above", "average", 0.2)).probabilities.max() == 1


def test_registered_method_works_in_recipes():
    LINK_METHODS.register("mutual", "best of row and column")(mutual)
    decoder = load_recipe("default", ["decode.method=mutual", "decode.threshold=0.25"]).decode
    assert decoder == replace(load_recipe("default").decode, method="mutual", threshold=0.25)
    assert Decoder.of(model_of("hmm"), method="mutual").describe() == "mutual, average, threshold 0.5"


def test_model_of_an_unregistered_method_can_be_decoded_by_another():
    model = model_of("hmm")
    model.config["decode"] |= {"method": "mutual"}
    refused("unknown decoding method 'mutual'", Decoder.of, model)
    assert Decoder.of(model, method="posterior") == Decoder("posterior")


@pytest.mark.parametrize(
    ("chosen", "posteriors", "found"),
    [
        (np.zeros(5, np.bool_), np.zeros(6, np.float32), "bool [5]; expected bool"),
        (np.zeros(6, np.float32), np.zeros(6, np.float32), "float32 [6]; expected bool"),
        (np.zeros(6, np.bool_), np.zeros(5, np.float32), "float32 [5]; expected float32"),
        (np.zeros(6, np.bool_), np.zeros(6), "float64 [6]; expected float32"),
    ],
)
def test_wrong_result_of_a_method_raises_config_error(chosen, posteriors, found):
    LINK_METHODS.register("wrong", "wrong results")(lambda *_: (chosen, posteriors))
    said = f"method 'wrong' returned {found} [6], one"
    refused(said, decode, model_of("ibm1"), [("a b c", "x y")], Decoder("wrong"))


def test_registered_combination_works():
    COMBINATIONS.register("half")(lambda block, forward, reverse: block.source_major(forward) / 2)
    model = model_of("ibm1")
    expected = decode(model, TEXT, Decoder("posterior", "forward", 1e-6)).probabilities / 2
    found = decode(model, TEXT, Decoder("posterior", "half", 5e-7))
    np.testing.assert_array_equal(found.probabilities, expected)


def test_registered_symmetrisation_is_a_viterbi_combination():
    SYMMETRIZATIONS.register("nothing", "no links")(lambda forward, reverse: [])
    assert combinations_of("viterbi") is SYMMETRIZATIONS
    assert "nothing" in all_combinations()
    assert not any(decode(model_of("ibm1"), TEXT, Decoder("viterbi", "nothing")))


def test_all_combinations_are_named_once():
    names = all_combinations()
    assert len(names) == len(set(names))
    assert set(names) == {*COMBINATIONS, *SYMMETRIZATIONS}
    refused(f"unknown combination 'foo' .. (known: {', '.join(names)})", Decoder, combine="foo")


def test_every_entry_has_a_summary():
    for registry in (LINK_METHODS, COMBINATIONS, SYMMETRIZATIONS):
        assert all(registry.summary(name) for name in registry)


def test_registries_do_not_import_numba():
    code = "import sys, aligner.decoding.methods, aligner.decoding.decoder; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
