"""Learned links: those of the twin, of the line and the model alone, by any threads and chunks."""

import numpy as np
import pytest

from aligner import Aligner, decode, load, save
from aligner.decoding.decoder import Decoder
from aligner.decoding.learned_decoder import LearnedDecoder, decoder_of
from aligner.learning.corrected_lines import LineCandidates
from aligner.models.learned_links import prior_logits
from tests.decoding.cases import (
    assert_changes_are_refused_or_a_model,
    assert_pairs_are_independent,
    assert_setting_is_refused,
)
from tests.learning.cases import taught
from tests.learning.test_trees import walk
from tests.refusals import refused
from tests.support import text_of


@pytest.fixture(scope="module")
def learned(tiny_model, sample_bitext):
    """Return a model that has learned random trees."""
    return taught(tiny_model)


def test_links_are_the_candidates_that_reach_the_threshold(learned, sample):
    text = learned.encode(text_of(sample.dev))
    found = decode(learned, text)
    lines = LineCandidates.of(learned, text)
    for n in range(len(text)):
        own = lines.features[lines.cells.pair == n]
        logits = [
            0.7 * prior + walk(learned.learned.trees, x)
            for prior, x in zip(prior_logits(own), own, strict=True)
        ]
        expected = {
            cell: 1 / (1 + np.exp(-logit)) for cell, logit in zip(lines.cells[n], logits, strict=True)
        }
        assert found[n] == [cell for cell, p in expected.items() if p >= 0.45]
        probabilities = found[n : n + 1].probabilities
        assert probabilities.tolist() == pytest.approx([expected[cell] for cell in found[n]])


def test_links_depend_on_the_line_and_the_model_alone(learned, sample, tmp_path):
    text = [*text_of(sample.train), ("new words 7", "some new words 7"), ("", "x"), ("x", "")]
    assert_pairs_are_independent(learned, text, tmp_path / "model")
    assert Aligner(learned).align(text[0][0].split(), text[0][1].split()) == decode(learned, text[:1])[0]


def test_scores_are_those_of_the_plain_model(learned, sample):
    text = learned.encode(text_of(sample.dev))
    plain = decode(learned, text, Decoder.of(learned), scores=True)
    np.testing.assert_allclose(decode(learned, text, scores=True).scores, plain.scores, atol=1e-12)


def test_saved_model_says_what_it_has_learned(learned, tmp_path):
    save(learned, tmp_path / "model")
    again = load(tmp_path / "model")
    assert "learned from 7 corrected lines" in repr(again)
    save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_decoders_of_a_model_that_has_learned(learned, tiny_model):
    assert decoder_of(learned).threshold == 0.45
    assert decoder_of(learned, threshold=0.3).threshold == 0.3
    assert isinstance(decoder_of(learned), LearnedDecoder)
    assert decoder_of(learned).describe() == "learned, threshold 0.45"
    recipe = Decoder.of(learned)
    assert decoder_of(learned, learned=False) == recipe == decoder_of(tiny_model)
    assert decoder_of(learned, method="viterbi") == Decoder.of(learned, method="viterbi")
    refused("no meaning for learned links", decoder_of, learned, learned=True, method="viterbi")
    refused("has learned no links", decoder_of, tiny_model, learned=True)
    refused("has learned no links", decode, tiny_model, [("a", "b")], decoder_of(learned))


def test_changed_values_of_learned_links_are_refused_or_are_a_model(learned, sample, tmp_path):
    assert_changes_are_refused_or_a_model(learned, "learned", text_of(sample.dev)[:3], tmp_path / "model")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("features", 1),
        ("threshold", 0.0),
        ("threshold", 2.0),
        ("prior_weight", -0.5),
        ("record", {}),
        ("record", {"lines": "7", "start": ""}),
        ("record", {"lines": 7, "start": 3}),
    ],
)
def test_changed_settings_are_refused(learned, tmp_path, key, value):
    assert_setting_is_refused(learned, "learned", key, value, tmp_path / "model")
