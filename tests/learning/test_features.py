"""Features of candidates are those of the slow twin, and depend on the line and the model alone."""

import numpy as np
import pytest

from aligner.decoding.decoder import Decoder
from aligner.decoding.text_block import text_blocks
from aligner.learning.lines import LineCandidates
from aligner.learning.statistics import collect_statistics
from aligner.models.learned import FEATURES
from tests.naive import features as naive
from tests.support import text_of


def matrices(model, bitext):
    """Return F, R, F0, R0, t(f|e) and t(e|f) of the only pair of a text, each [I][J]."""
    (text,) = text_blocks(model, bitext)
    block, plain = text.block, model.pair.potentials(text.block)
    lexical = [cells.links.copy() for cells in plain]
    model.pair.infer(plain)
    (forward, reverse), _ = Decoder.of(model).posteriors(text)
    size = int(block.source_lengths[0]), int(block.target_lengths[0])
    pairs = (forward, reverse), [cells.links for cells in plain], lexical
    return [
        side.reshape(size[::-1]).T.tolist() if k == 0 else side.reshape(size).tolist()
        for both in pairs
        for k, side in enumerate(both)
    ]


def slow_statistics(model, bitext):
    """Return (e, f) -> [co-occurrences, links] and the links of every word of both sides, pair by pair."""
    together, links = {}, ({}, {})
    for n in range(len(bitext)):
        one = bitext.slice(n, n + 1)
        forward, reverse, *_ = matrices(model, one)
        for i, e in enumerate(one.source.tokens.tolist()):
            for j, f in enumerate(one.target.tokens.tolist()):
                a = (forward[i][j] + reverse[i][j]) / 2
                entry = together.setdefault((e, f), [0, 0.0])
                entry[0] += 1
                entry[1] += a
                for side, word in zip(links, (e, f), strict=True):
                    side[word] = side.get(word, 0.0) + a
    return together, links


def test_statistics_are_those_of_all_cells(tiny_model, sample_bitext):
    model = tiny_model.compact()
    found = collect_statistics(model, sample_bitext)
    text = model.encode(sample_bitext)
    together, links = slow_statistics(model, text)
    index = model.pair.lexicon.index
    rows = index.rows()
    expected = [together[rows[k], index.columns[k]] for k in range(1, len(index) + 1)]
    np.testing.assert_allclose(found.pairs[1:], expected, rtol=3e-3, atol=1e-4)
    assert not found.pairs[0].any()
    for fertilities, own, vocabulary in (
        (found.source_fertilities, links[0], model.source_vocabulary),
        (found.target_fertilities, links[1], model.target_vocabulary),
    ):
        mean = [own[k] / vocabulary.counts[k] for k in range(len(vocabulary))]
        np.testing.assert_allclose(fertilities, [*mean, 0.0], rtol=1e-3, atol=1e-4)
    for threads in (2, 3):
        again = collect_statistics(model, sample_bitext, threads=threads)
        for name in ("pairs", "source_fertilities", "target_fertilities"):
            np.testing.assert_array_equal(getattr(again, name), getattr(found, name))


@pytest.fixture(scope="module")
def learned_text(tiny_model, sample_bitext):
    """Return a model, statistics of its text, and the words of both sides."""
    model = tiny_model.compact()
    return model, collect_statistics(model, sample_bitext)


def assert_as_twin(model, statistics, line):
    """Assert that the candidates of a line and their features are those of the slow twin."""
    bitext = model.encode([line])
    found = LineCandidates.of(model, bitext, statistics)
    words = line[0].lower().split(), line[1].lower().split()
    vocabularies = model.source_vocabulary, model.target_vocabulary
    index, together = model.pair.lexicon.index, {}
    for k, s in enumerate(index.rows().tolist()):
        if k:
            pair = vocabularies[0].words[s], vocabularies[1].words[index.columns[k]]
            together[pair] = tuple(statistics.pairs[k].tolist())
    fertilities = statistics.source_fertilities, statistics.target_fertilities
    pair = naive.Pair(
        *words,
        *matrices(model, bitext),
        together,
        tuple(dict(zip(v.words, v.counts.tolist(), strict=True)) for v in vocabularies),
        tuple(
            dict(zip(v.words, own.tolist(), strict=False))
            for v, own in zip(vocabularies, fertilities, strict=True)
        ),
    )
    cells = naive.candidates(pair)
    assert found.cells[0] == cells
    expected = np.array([naive.features(pair, i, j) for i, j in cells]).reshape(-1, len(FEATURES))
    for k, name in enumerate(FEATURES):
        np.testing.assert_allclose(found.features[:, k], expected[:, k], rtol=2e-4, atol=2e-5, err_msg=name)


def test_features_are_those_of_the_twin(learned_text, sample):
    """Also of a line of repeated words."""
    model, statistics = learned_text
    lines = text_of(sample.train)[:8]
    for line in [*lines, tuple(f"{side} {side}" for side in lines[0])]:
        assert_as_twin(model, statistics, line)


def test_features_depend_on_the_line_alone(learned_text, sample):
    model, statistics = learned_text
    text = [*text_of(sample.dev), ("new words 7", "some new words 7"), ("", "x")]
    together = LineCandidates.of(model, model.encode(text), statistics)
    for n, line in enumerate(text):
        alone = LineCandidates.of(model, model.encode([line]), statistics)
        assert alone.cells[0] == together.cells[n]
        np.testing.assert_array_equal(alone.features, together.features[together.cells.pair == n])
