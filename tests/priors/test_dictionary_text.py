"""The dictionary as text: which entries are pairs, and what they teach about other words."""

import numpy as np
import pytest

from aligner import decode
from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.known_links import KnownLinks
from aligner.priors.dictionary import Dictionary
from aligner.priors.dictionary_text import entry_pairs, with_dictionary
from aligner.priors.evidence import Evidence
from aligner.priors.knowledge import Knowledge
from aligner.recipe.load import load_recipe
from aligner.text.bitext import Bitext
from tests.support import bitext_of, last_model

TEXT = [("the white house", "la maison blanche"), ("a white cat", "un chat blanc"), ("the end", "fin")]


def pairs_of(entries, text=TEXT, weight=1.0):
    """Return the entries that are pairs, and the figures of a dictionary."""
    bitext = bitext_of(text)
    evidence = Evidence(Dictionary(tuple((*entry, 1.0)[:3] for entry in entries)), weight)
    knowledge = Knowledge(evidence)
    whole, _, figures = with_dictionary(bitext, knowledge)
    chosen = whole.slice(len(text), len(whole))
    sides = [[" ".join(side.words(sentence)) for sentence in side] for side in chosen.sides]
    return list(zip(*sides, strict=True)), {k.split("_")[1]: v for k, v in figures.items() if "dict" in k}


def test_entries_are_pairs_of_words_and_of_phrases_that_the_text_has():
    words = [("house", "maison"), ("dog", "chien"), ("cat", "chien")]
    phrases = [("white house", "maison blanche"), ("cat", "un chat"), ("the end", "fin")]
    others = [("the house", "la maison"), ("white dog", "chat blanc"), ("cat the", "blanc"), ("a", "b", 0.0)]
    found, figures = pairs_of([*others, *words, *phrases])
    assert found == [*words, *phrases]
    assert figures == {"entries": 10, "found": 6, "turned": 0, "pairs": 6}
    assert pairs_of(words, weight=0.0) == ([], {"entries": 3, "found": 0, "turned": 0, "pairs": 0})


def test_a_dictionary_of_the_other_direction_is_turned():
    found, figures = pairs_of([("maison", "house"), ("chat", "cat"), ("chien", "dog")])
    assert found == [("house", "maison"), ("cat", "chat"), ("dog", "chien")]
    assert figures["turned"]
    turned = Evidence(Dictionary((("maison", "cat", 9.0), ("chat", "house", 9.0))))
    model = last_model(bitext_of(TEXT), load_recipe("fast"), evidence=turned)
    assert [model.translations(word, best=1)[0][0] for word in ("cat", "house")] == ["maison", "chat"]


def test_phrases_may_stand_in_any_part_of_a_text():
    bitext = bitext_of(TEXT)
    evidence = Evidence(Dictionary((("white house", "chat blanc", 1.0),)))
    words = bitext.vocabularies
    reading = {"lowercase": True, "fold": "scripts", "max_length": 100}
    entries, _ = entry_pairs(evidence, words, bitext.chunks(1), reading)
    assert len(entries) == 1


def test_the_report_and_known_links_are_of_the_text_alone():
    bitext = Bitext.from_text([*TEXT, ("x " * 200, "too long")])
    links = KnownLinks(Alignments.from_lists([[(0, 0)]] * 4), Alignments.from_lists([[]] * 4))
    evidence = Evidence(Dictionary((("house", "long", 1.0),)), links=links)
    whole, knowledge, report = with_dictionary(bitext, Knowledge(evidence))
    assert len(whole) == 5
    assert report.items() >= bitext.report.to_dict().items()
    known = knowledge.evidence.links.of_text(len(whole))
    np.testing.assert_array_equal(np.diff(known.known.offsets), [1, 1, 1, 1, 0])
    model = last_model(bitext, load_recipe("fast"), evidence=evidence)
    assert model.corpus["lines"] == 4
    assert model.corpus["known_links"] == 3


def test_a_dictionary_is_no_text_alone():
    evidence = Evidence(Dictionary((("house", "maison", 1.0),)))
    with pytest.raises(DataError, match="no usable sentence pair among 1"):
        last_model(Bitext.from_text([("", "x")]), load_recipe("fast"), evidence=evidence)


@pytest.mark.parametrize("name", ["fast", "default"])
def test_words_of_the_dictionary_are_linked_in_new_text(name, sample_bitext):
    evidence = Evidence(Dictionary((("zupa", "qwert", 1.0), ("lomi", "asdfg", 1.0))))
    new = [("zupa lomi", "asdfg qwert"), ("lomi zupa", "asdfg qwert")]
    model = last_model(sample_bitext, load_recipe(name), evidence=evidence)
    assert list(decode(model, model.encode(new))) == [[(0, 1), (1, 0)], [(0, 0), (1, 1)]]
    assert model.pieces is None or "zupa" in model.pieces.source.words.words
