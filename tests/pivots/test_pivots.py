"""Decoding through pivot languages, against plain matrices of one line at a time."""

from dataclasses import replace
from functools import cache, partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligner import Decoder, decode, kernels
from aligner.arrays import offsets_of
from aligner.decoding import text_block
from aligner.decoding.text_block import text_blocks
from aligner.pivots import align as align_module
from aligner.pivots.align import align_spans, align_through_pivots
from aligner.pivots.mixture import mix
from aligner.pivots.models import PairModels, pairs_needed
from aligner.pivots.posteriors import LinePosteriors
from aligner.text.parallel import ParallelTexts
from tests.decoding.cases import model_of
from tests.refusals import refused

WORDS = {"aa": "abc", "bb": "xyz", "cc": "klm", "dd": "uvw"}
"""The words of each language."""

AGREEMENTS = {("aa", "bb"): 0.5, ("aa", "cc"): 0.8, ("bb", "cc"): 0.6, ("bb", "dd"): 0.9, ("cc", "dd"): 0.3}
DECODERS = [
    Decoder("attaching", "average", 0.4, constraint="symmetric", slack=0.1, steps=2),
    Decoder("posterior", "product", 0.2),
    Decoder("competitive", "intersection", 0.3),
]


def with_agreement(model, share):
    """Return a model whose directions agreed on a share of the links, or that did not measure it."""
    return replace(model, history=() if share is None else ({"agreed_links": share, "links": 1.0},))


def random_models(agreements=AGREEMENTS):
    """Return models with random parameters for pairs of languages."""
    random = np.random.default_rng(5)
    models = {}
    for seed, (pair, share) in enumerate(agreements.items()):
        lines = [
            [" ".join(random.choice([*WORDS[name]], random.integers(1, 4))) for _ in range(12)]
            for name in pair
        ]
        models[pair] = with_agreement(model_of("hmm", seed, list(zip(*lines, strict=True))), share)
    return PairModels(models)


@cache
def models():
    """Return the models that most tests share."""
    return random_models()


LINES = st.lists(
    st.fixed_dictionaries(
        {
            name: st.lists(st.sampled_from([*words, "new"]), max_size=4).map(" ".join)
            for name, words in WORDS.items()
        }
    ),
    max_size=5,
)


def random_lines(seed, count, most):
    """Return lines of up to ``most`` random words in each language."""
    random = np.random.default_rng(seed)
    return [
        {name: " ".join(random.choice([*words], random.integers(most + 1))) for name, words in WORDS.items()}
        for _ in range(count)
    ]


def align(lines, *pairs, decoder=DECODERS[0], **options):
    """Return the links of pairs in lines, which are one dictionary each, through all other languages."""
    return align_through_pivots(models(), texts_of(lines), pairs, decoder, **options)


def texts_of(lines):
    """Return parallel texts, given one dictionary for each line."""
    return ParallelTexts({name: [line[name] for line in lines] for name in WORDS})


def own_matrices(models, line, pair, decoder):
    """Return both directions' posteriors of a pair in one line, F and R, [I, J]; None without cells."""
    model, is_reversed = models.find(pair)
    source, target = pair[::-1] if is_reversed else pair
    if not (line[source] and line[target]):
        return None
    (block,) = text_blocks(model, model.encode([(line[source], line[target])]))
    (forward, reverse), _ = decoder.posteriors(block)
    size = len(line[source].split()), len(line[target].split())
    matrices = forward.reshape(size[::-1]).T.astype(float), reverse.reshape(size).astype(float)
    return [matrix.T for matrix in matrices[::-1]] if is_reversed else list(matrices)


def mixed_matrices(models, line, pair, decoder):
    """Return the mixture of a pair in one line, F and R, [I, J], by plain matrix products."""
    source, target = pair
    direct = own_matrices(models, line, pair, decoder)
    total, sums = 0.0, [0.0, 0.0]
    for name, weight in models.members(pair, WORDS).items():
        found = direct
        if name:
            steps = [own_matrices(models, line, step, decoder) for step in ((source, name), (name, target))]
            if None in steps:
                continue
            found = [first @ second for first, second in zip(*steps, strict=True)]
        total += weight
        sums = [own + weight * matrix for own, matrix in zip(sums, found, strict=True)]
    return [own / total for own in sums]


@pytest.mark.parametrize("decoder", DECODERS, ids=lambda decoder: decoder.method)
@pytest.mark.parametrize("pair", [("aa", "bb"), ("dd", "bb")], ids="-".join)
@settings(max_examples=10)
@given(lines=LINES)
def test_mixture_is_that_of_plain_matrices(lines, pair, decoder):
    texts, found = texts_of(lines), {}
    for model_pair, model in models().models.items():
        text = model.encode([(line[model_pair[0]], line[model_pair[1]]) for line in lines])
        found[model_pair] = LinePosteriors.of(model, text, decoder)
        found[model_pair[::-1]] = found[model_pair].reversed()
    members = models().members(pair, texts.languages)
    paths = [(found[pair[0], name], found[name, pair[1]]) for name in members if name]
    mixture = mix(found[pair], paths, list(members.values()))
    offsets = mixture.offsets
    for n, line in enumerate(lines):
        size = len(line[pair[0]].split()), len(line[pair[1]].split())
        assert offsets[n + 1] - offsets[n] == size[0] * size[1]
        if not all(size):
            continue
        span = slice(offsets[n], offsets[n + 1])
        forward, reverse = mixed_matrices(models(), line, pair, decoder)
        np.testing.assert_allclose(mixture.forward[span].reshape(size[::-1]).T, forward, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(mixture.reverse[span].reshape(size), reverse, rtol=1e-4, atol=1e-6)


@given(lines=LINES)
def test_as_many_cells_reach_the_threshold_as_of_the_model(lines):
    decoder, pair = Decoder("posterior", "average", 0.3), ("aa", "bb")
    found = align(lines, pair, decoder=decoder)[pair]
    assert len(found) == len(lines)
    for n, line in enumerate(lines):
        part = found[n : n + 1]
        if not (line["aa"] and line["bb"]):
            assert part[0] == []
            continue
        combined = sum(mixed_matrices(models(), line, pair, decoder)) / 2
        own = sum(own_matrices(models(), line, pair, decoder)) / 2
        links = np.count_nonzero(own >= np.float32(0.3))
        ranked = np.sort(combined.ravel())[::-1]
        scaled = combined * (max(1.0, 0.3 / ranked[links - 1]) if links else 1.0)
        is_link = np.zeros(own.shape, np.bool_)
        is_link[part.source, part.target] = True
        np.testing.assert_array_equal(is_link, np.where(abs(scaled - 0.3) < 1e-5, is_link, scaled >= 0.3))
        np.testing.assert_allclose(part.probabilities, np.minimum(scaled[is_link], 1.0), rtol=1e-4)
        assert np.count_nonzero(is_link) >= links


@pytest.mark.plain_python
@given(
    rows=st.lists(
        st.lists(st.tuples(st.floats(0, 1, width=32), st.floats(0, 1, width=32)), max_size=6), max_size=4
    ),
    threshold=st.floats(0.0625, 1, width=32),
)
def test_scale_is_the_least_that_brings_enough_cells_to_the_threshold(rows, threshold):
    offsets = offsets_of(np.array([len(row) for row in rows], np.int64))
    model, mixture = (np.array([cells[side] for row in rows for cells in row], np.float32) for side in (0, 1))
    scales = np.empty(len(rows), np.float32)
    kernels.pivots.match(model, mixture, offsets, np.float32(threshold), scales)
    for n, row in enumerate(rows):
        links = sum(own >= threshold for own, _ in row)
        ranked = sorted((value for _, value in row), reverse=True)
        if not links or ranked[links - 1] < 1e-30:
            assert scales[n] == 1.0 or links
            continue
        assert scales[n] == pytest.approx(max(1.0, threshold / ranked[links - 1]), rel=2e-6)
        reached = np.array(ranked, np.float32) * scales[n] >= np.float32(threshold)
        assert np.count_nonzero(reached) >= links


@pytest.mark.parametrize("largest", [text_block.MAX_CELLS, 6])
def test_lines_without_pivots_have_the_links_of_the_model(largest, monkeypatch):
    """Pivots are missing, or the sentence pair with them is too large."""
    monkeypatch.setattr(text_block, "MAX_CELLS", largest)
    lines = [
        {"aa": "a b c", "bb": "x y", "cc": "k l m" if largest == 6 else "", "dd": ""},
        {"aa": "", "bb": "z", "cc": "k", "dd": "u"},
        {"aa": "a c", "bb": "y z new", "cc": "k l", "dd": ""},
        {"aa": "a b c", "bb": "x y z", "cc": "k", "dd": ""},
    ]
    pair = ("aa", "bb")
    found = align(lines, pair)[pair]
    model = models().models[pair]
    own = decode(model, [(line["aa"], line["bb"]) for line in lines], DECODERS[0])
    assert found[:2] == own[:2]
    assert found[0] != found[1] == []
    assert not np.array_equal(found[2:3].probabilities, own[2:3].probabilities)
    assert (found[3] == []) == (largest == 6)


@pytest.mark.parametrize("decoder", DECODERS, ids=lambda decoder: decoder.method)
def test_opposite_pair_has_the_opposite_links(decoder):
    links, opposite = align(random_lines(1, 30, 5), ("aa", "bb"), ("bb", "aa"), decoder=decoder).values()
    assert list(links.reversed()) == list(opposite)
    assert len(links.source) > 15


def test_links_do_not_depend_on_spans_threads_or_other_pairs(monkeypatch):
    lines, pairs = random_lines(2, 50, 7), list(combinations(WORDS, 2))
    together = align(lines, *pairs)
    assert list(together["aa", "dd"]) == [[]] * 50  # this pair has no model
    assert len(list(align_spans(models(), texts_of(lines), pairs, DECODERS[0], cells=300))) > 3
    monkeypatch.setattr(align_module, "align_spans", partial(align_spans, cells=300))
    for threads in (1, 3):
        assert align(lines, *pairs, threads=threads) == together
    for pair in pairs:
        assert align(lines, pair)[pair] == together[pair]


def test_weights_are_products_of_agreements():
    direct, path = 0.5, 0.8 * 0.6
    assert models().members(("aa", "bb"), WORDS) == pytest.approx(
        {"": direct / (direct + path), "cc": path / (direct + path)}
    )
    paths = {"": 0.6, "aa": 0.5 * 0.8, "dd": 0.9 * 0.3}
    assert models().members(("cc", "bb"), WORDS) == pytest.approx(
        {name: weight / sum(paths.values()) for name, weight in paths.items()}
    )
    assert models().members(("aa", "dd"), WORDS) == {}


def test_weights_are_equal_where_a_model_has_no_agreement():
    models = random_models(AGREEMENTS | {("bb", "cc"): None})
    assert models.members(("aa", "bb"), WORDS) == {"": 0.5, "cc": 0.5}
    without = random_models(AGREEMENTS | {("aa", "bb"): 0.0, ("bb", "cc"): 0.0})
    assert sum(without.members(("aa", "bb"), WORDS).values()) == pytest.approx(1.0)


def test_needed_pairs_are_in_the_order_of_the_languages():
    assert pairs_needed([("cc", "aa")], ["aa", "bb", "cc"]) == [("aa", "bb"), ("aa", "cc"), ("bb", "cc")]
    found = pairs_needed([("aa", "bb")], WORDS)
    assert found == [("aa", "bb"), ("aa", "cc"), ("aa", "dd"), ("bb", "cc"), ("bb", "dd")]
    assert pairs_needed([], WORDS) == []


def test_settings_that_do_not_go_together_are_refused():
    lines = [dict.fromkeys(WORDS, "a")]
    for pair, options, message in (
        (("aa", "bc"), {}, "unknown language 'bc'"),
        (("aa", "aa"), {}, "two languages"),
        (("aa", "bb"), {"decoder": Decoder("viterbi")}, "no posteriors to mix"),
        (("aa", "bb"), {"threads": 0}, "threads"),
    ):
        refused(message, align, lines, pair, **options)
    model = models().models["aa", "bb"]
    refused("leave one out", PairModels, {("aa", "bb"): model, ("bb", "aa"): model})
