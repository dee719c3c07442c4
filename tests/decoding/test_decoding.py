"""Links of every method, compared with the oracle, and with any input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.decoding.batch import decode
from aligner.decoding.decoder import GREATEST_POWER, Decoder, constraints
from aligner.decoding.methods import COMBINATIONS, LINK_METHODS, combinations_of, has_probabilities
from aligner.lexicon.table import FLOOR
from aligner.links.symmetrize import SYMMETRIZATIONS
from aligner.models.jumps import JUMP_FLOOR
from tests import naive
from tests.decoding.cases import KINDS, TEXT, aligned_pairs, model_of
from tests.support import link_matrices, oracles, text_of

ORACLE = {
    "product": lambda F, R: F * R,
    "average": lambda F, R: (F + R) / 2,
    "geometric": lambda F, R: np.sqrt(F * R),
    "forward": lambda F, R: F,
    "reverse": lambda F, R: R,
    "intersection": np.minimum,
    "union": np.maximum,
}


@KINDS
@pytest.mark.parametrize("combine", COMBINATIONS)
@pytest.mark.parametrize("threshold", [0.1, 0.5])
def test_posterior_links_reach_the_threshold(kind, combine, threshold):
    model = model_of(kind)
    bitext = model.encode(TEXT)
    found = decode(model, bitext, Decoder("posterior", combine, threshold))
    assert len(found) == len(TEXT)
    expected = {}
    for n, source, target in aligned_pairs(bitext):
        F, R, _, _ = link_matrices(model.pair, source, target, TEXT[n])
        values = ORACLE[combine](F, R)
        assert np.abs(values - threshold).min() > 1e-5, "too close to the threshold: choose another seed"
        expected |= {(n, i, j): values[i, j] for i, j in np.argwhere(values >= threshold).tolist()}
    links = list(zip(found.pair.tolist(), found.source.tolist(), found.target.tolist(), strict=True))
    assert links == list(expected)
    np.testing.assert_allclose(found.probabilities, list(expected.values()), rtol=1e-4)


def test_competitive_links_match_naive_twin(sample):
    model = model_of("hmm", training=text_of(sample.train))
    oov = [(f"b{n} b{n} c{n} d{n}", f"x{n} y{n} y{n} z{n}") for n in range(20)]
    text = [*text_of(sample.dev)[:40], *TEXT, *oov]
    bitext = model.encode(text)
    all_cells = decode(model, bitext, Decoder("posterior", "average", 1e-9))
    found = decode(model, bitext, Decoder("competitive", "average", 0.2))
    for n, (source, target) in enumerate((s.lower().split(), t.lower().split()) for s, t in text):
        posterior = np.zeros((len(source), len(target)), np.float32)
        cells = all_cells[n : n + 1]
        posterior[cells.source, cells.target] = cells.probabilities
        assert found[n] == naive.competitive_links(posterior, np.float32(0.2), source, target)


@KINDS
@pytest.mark.parametrize("combine", SYMMETRIZATIONS)
def test_viterbi_links_match_oracle(kind, combine):
    model = model_of(kind)
    bitext = model.encode(TEXT)
    found = decode(model, bitext, Decoder("viterbi", combine))
    expected = [[] for _ in TEXT]
    for n, source, target in aligned_pairs(bitext):
        # Unseen pairs are equally likely: a tie goes to NULL, then to the lowest position.
        forward, reverse = (
            min(naive.viterbi(oracle)[0]) for oracle in oracles(model.pair, source, target, TEXT[n])
        )
        from_target = {(i - 1, j) for j, i in enumerate(forward) if i > 0}
        from_source = {(i, j - 1) for i, j in enumerate(reverse) if j > 0}
        one_direction = {"forward": from_target, "reverse": from_source}
        if combine in one_direction:
            expected[n] = sorted(one_direction[combine])
        else:
            expected[n] = SYMMETRIZATIONS[combine](from_target, from_source)
    assert list(found) == expected
    assert found.probabilities is None


WORD = st.text(
    st.characters(exclude_characters=" \t\n", exclude_categories=["Cs"]), min_size=1, max_size=4
) | st.sampled_from([".", "pe", "ha", ",", "nepo", "|||", "\u00a0", "\u2028"])
SIDE = st.lists(WORD, max_size=12).map(" ".join)


@pytest.mark.parametrize("method", LINK_METHODS)
@given(text=st.lists(st.tuples(SIDE, SIDE), max_size=4), data=st.data())
def test_links_of_any_text_are_in_range_sorted_and_distinct(tiny_model, method, text, data):
    combine = data.draw(st.sampled_from(list(combinations_of(method))))
    found = decode(tiny_model, tiny_model.encode(text), Decoder(method, combine, 0.05))
    assert len(found) == len(text)
    for links, (source, target) in zip(found, text, strict=True):
        sizes = len(source.split(" ")) if source else 0, len(target.split(" ")) if target else 0
        assert links == sorted(set(links))
        assert all(0 <= i < sizes[0] and 0 <= j < sizes[1] for i, j in links)
    if len(found.source):
        assert (found.probabilities is not None) == has_probabilities(method)
    if found.probabilities is not None:
        assert (found.probabilities >= np.float32(0.05)).all()


@KINDS
@pytest.mark.parametrize("constraint", ["", *constraints()])
def test_posteriors_are_finite_at_the_greatest_power(kind, constraint):
    """Align words with the least lexical probabilities, NULL included, and only one likely jump."""
    model = model_of(kind, training=[(f"a{k} b{k}", f"x{k} y{k}") for k in range(60)])
    lexicon = model.pair.lexicon
    for floored in (lexicon.table[0], lexicon.null_forward, lexicon.null_reverse):
        floored[:] = FLOOR
    for distortion in (model.pair.forward, model.pair.reverse):
        if kind in ("ibm2", "hmm"):
            distortion.jumps[:] = JUMP_FLOOR
            distortion.jumps[..., 6] = 1.0
    sizes = [(5, 60), (60, 5), (40, 1), (1, 40), (60, 60), (1, 1)]
    text = []
    for source, target in (("a", "y"), ("a", "unknown"), ("unknown", "y"), ("new", "unknown")):
        words = [[f"{word}{k}" for k in range(60)] for word in (source, target)]
        text += [(" ".join(words[0][:m]), " ".join(words[1][-n:])) for m, n in sizes]
    for method, combine in (("posterior", "average"), ("competitive", "product")):
        found = decode(model, model.encode(text), Decoder(method, combine, 1e-9, GREATEST_POWER, constraint))
        assert len(found) == len(text)
        assert np.isfinite(found.probabilities).all()
