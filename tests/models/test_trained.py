"""Trained models as values."""

from dataclasses import replace

import pytest

from aligner.errors import ConfigError
from aligner.models import IBM1
from aligner.models.export import translations
from tests.support import bitext_of


def test_repr_names_the_kind_and_the_sizes(tiny_model):
    source, target = len(tiny_model.source_vocabulary), len(tiny_model.target_vocabulary)
    word_pairs = len(tiny_model.pair.lexicon.index)
    assert word_pairs >= 1000, "expected a number that is written with a comma"
    assert repr(tiny_model) == (
        f"TrainedModel(hmm, {source:,} + {target:,} words, {word_pairs:,} word pairs, 4 iterations)"
    )


def test_repr_names_both_distortions_if_they_differ(tiny_model):
    mixed = replace(tiny_model, pair=replace(tiny_model.pair, reverse=IBM1()))
    assert repr(mixed).startswith("TrainedModel(hmm / ibm1, ")


def test_encode_gives_the_word_ids_of_the_model(tiny_model):
    words = tiny_model.source_vocabulary.words[:3], tiny_model.target_vocabulary.words[:2]
    pair = " ".join(words[0]).upper(), " ".join([*words[1], "out-of-vocabulary"])
    bitext = tiny_model.encode([pair])
    assert bitext.source[0].tolist() == [0, 1, 2]
    assert bitext.target[0].tolist() == [0, 1, len(tiny_model.target_vocabulary)]
    assert tiny_model.encode(bitext) is bitext
    assert tiny_model.encode(bitext_of([pair])).source[0].tolist() == [0, 1, 2]


def test_encode_refuses_text_of_another_case(tiny_model):
    with pytest.raises(ConfigError, match=r"lowercase=False, .*lowercase=True, .*\*\*model"):
        tiny_model.encode(bitext_of([("A", "b")], lowercase=False))


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_translations_of_a_word_are_those_of_the_lexicon(tiny_model, direction):
    source, target = tiny_model.source_vocabulary.words, tiny_model.target_vocabulary.words
    known, other = (source, target) if direction == "forward" else (target, source)
    entries = translations(tiny_model, direction, least=0.01)
    for number in (0, 7, len(known) - 1):
        mine = entries.word == number
        numbers, probabilities = entries.translation[mine].tolist(), entries.probability[mine].tolist()
        expected = [(other[t], p) for t, p in zip(numbers, probabilities, strict=True)]
        found = tiny_model.translations(known[number].upper(), direction, least=0.01, best=None)
        assert found == expected
        assert tiny_model.translations(known[number], direction, least=0.01, best=1) == expected[:1]
    assert tiny_model.translations("out-of-vocabulary") == []
    with pytest.raises(ConfigError, match="unknown direction"):
        tiny_model.translations("a", "backward")
