"""Tests of the aligner of single sentence pairs."""

from __future__ import annotations

import pickle

import pytest

from aligner.decoding.aligner import Aligner
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.errors import DataError
from aligner.models.model_file import save
from tests.refusals import refused
from tests.support import text_of


@pytest.fixture(scope="module")
def pairs(sample):
    """Return sentence pairs as lists of tokens, some with an empty side."""
    text = text_of(sample.train[:5] + sample.dev[:5])
    return [
        *((source.split(), target.split()) for source, target in text),
        ([], ["x"]),
        (["x"], []),
        ([], []),
    ]


def test_links_are_those_of_decode(tiny_model, pairs):
    aligner = Aligner(tiny_model, threshold=0.2)
    text = [(" ".join(source), " ".join(target)) for source, target in pairs]
    expected = decode(tiny_model, tiny_model.encode(text), Decoder.of(tiny_model, threshold=0.2))
    assert (
        [aligner.align(*pair) for pair in pairs] == [aligner.align(*pair) for pair in text] == list(expected)
    )
    assert decode(tiny_model, pairs, threshold=0.2) == expected
    probabilities = [aligner.probabilities(*pair) for pair in pairs]
    assert [list(links) for links in probabilities] == list(expected)
    assert [p for links in probabilities for p in links.values()] == expected.probabilities.tolist()


def test_a_file_or_a_model_is_aligned_with(tiny_model, pairs, tmp_path):
    save(tiny_model, tmp_path / "model")
    aligners = Aligner(tiny_model), Aligner(tmp_path / "model"), Aligner(str(tmp_path / "model"))
    assert len({str([aligner.align(*pair) for pair in pairs]) for aligner in aligners}) == 1
    assert list(decode(str(tmp_path / "model"), pairs)) == [aligners[0].align(*pair) for pair in pairs]


def test_a_pickled_aligner_gives_the_same_links(tiny_model, pairs):
    aligner = Aligner(tiny_model, threshold=0.2)
    aligner.align(*pairs[0])
    copied = pickle.loads(pickle.dumps(aligner))
    assert [copied.align(*pair) for pair in pairs] == [aligner.align(*pair) for pair in pairs]


def test_viterbi_aligns(tiny_model):
    assert Aligner(tiny_model, method="viterbi").align(["a"], ["b"]) in ([], [(0, 0)])


def test_u2_letters_are_not_taken_for_tokens(tiny_model, pairs):
    aligner, (source, target) = Aligner(tiny_model), pairs[0]
    for method in (aligner.align, aligner.probabilities):
        assert method(" ".join(source), target) == method(source, " ".join(target)) == method(source, target)
    for text in (["ab"], "ab", {"fr": ["a b"], "en": ["c d"]}):
        refused("expected", decode, tiny_model, text, error=TypeError if isinstance(text, str) else DataError)
