"""Features of candidates are those of the slow twin, and depend on the line and the model alone."""

import numpy as np

from aligner import decode
from aligner.decoding.decoder import Decoder
from aligner.decoding.text_block import text_blocks
from aligner.learning.corrected_lines import LineCandidates
from aligner.models.learned_links import FEATURES
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


def assert_as_twin(model, line):
    """Assert that the candidates of a line and their features are those of the slow twin."""
    bitext = model.encode([line])
    found = LineCandidates.of(model, bitext)
    words = line[0].lower().split(), line[1].lower().split()
    counts, links = (
        tuple(
            dict(zip(vocabulary.words, values.tolist(), strict=False))
            for vocabulary, values in zip(model.vocabularies, of_sides, strict=True)
        )
        for of_sides in ([vocabulary.counts for vocabulary in model.vocabularies], model.links)
    )
    chosen = set(decode(model, bitext)[0])
    pair = naive.Pair(*words, *matrices(model, bitext), counts, links, chosen)
    cells = naive.candidates(pair)
    assert found.cells[0] == cells
    expected = np.array([naive.features(pair, i, j) for i, j in cells]).reshape(-1, len(FEATURES))
    for k, name in enumerate(FEATURES):
        np.testing.assert_allclose(found.features[:, k], expected[:, k], rtol=2e-4, atol=2e-5, err_msg=name)


def test_features_are_those_of_the_twin(tiny_model, sample):
    """Also of a line of repeated words."""
    lines = text_of(sample.train)[:8]
    for line in [*lines, tuple(f"{side} {side}" for side in lines[0])]:
        assert_as_twin(tiny_model, line)


def test_features_depend_on_the_line_alone(tiny_model, sample):
    model = tiny_model
    text = [*text_of(sample.dev), ("new words 7", "some new words 7"), ("", "x")]
    together = LineCandidates.of(model, model.encode(text))
    for n, line in enumerate(text):
        alone = LineCandidates.of(model, model.encode([line]))
        assert alone.cells[0] == together.cells[n]
        np.testing.assert_array_equal(alone.features, together.features[together.cells.pair == n])
