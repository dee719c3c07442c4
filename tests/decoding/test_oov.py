"""Words that a model does not know: kept with the text they are in, and guessed at by their spelling."""

from dataclasses import replace

import numpy as np
import pytest

from aligner.recipe.load import load_recipe
from aligner.text.bitext import read_bitext
from aligner.decoding.batch import decode
from aligner.errors import DataError
from aligner.text.vocabulary import Vocabulary
from aligner.training.loop import train
from tests.support import bitext_of, text_of

NAMES = [
    ("monsieur zanzibar parle", "mister zanzibari speaks"),
    ("zanzibar parle", "speaks zanzibari"),
    ("parle monsieur", "mister speaks"),
]


def spellings(bitext):
    """Every sentence of both sides with its unknown words."""
    sides = []
    for sentences, vocabulary, unknown in (
        (bitext.source, bitext.source_vocabulary, bitext.source_unknown),
        (bitext.target, bitext.target_vocabulary, bitext.target_unknown),
    ):
        texts = []
        for n in range(len(bitext)):
            numbers = iter(() if unknown is None else unknown.sentences[n].tolist())
            texts.append(
                " ".join(
                    vocabulary.words[k] if k < len(vocabulary) else unknown.words[next(numbers)]
                    for k in sentences[n].tolist()
                )
            )
            assert not list(numbers)
        sides.append(texts)
    return list(zip(*sides, strict=True))


@pytest.fixture
def text():
    """Some pairs too long to train on, with words that no others have."""
    pairs = [("a b", "x"), ("A new one", "y Z other"), ("", "new"), ("b c new", "x y"), ("new É", "w other")]
    return pairs, bitext_of(pairs, max_length=2)


def test_a_text_keeps_its_unknown_words(text):
    pairs, bitext = text
    lowered = [(s.lower(), t.lower()) for s, t in pairs]
    assert spellings(bitext) == lowered
    assert spellings(bitext.reversed()) == [(t, s) for s, t in lowered]
    assert spellings(bitext.slice(1, 4)) == lowered[1:4]
    assert spellings(bitext.select([3, 3, 1])) == [lowered[n] for n in (3, 3, 1)]
    vocabularies = bitext.source_vocabulary, bitext.target_vocabulary
    assert spellings(bitext_of(pairs, vocabularies=vocabularies)) == lowered
    assert bitext_of(pairs[:1], vocabularies=vocabularies).source_unknown is None


@pytest.mark.parametrize("threads", [1, 3])
def test_so_does_one_that_is_read(text, tmp_path, threads):
    pairs, bitext = text
    for name, side in (("s", 0), ("t", 1)):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")
    read = read_bitext(tmp_path / "s", tmp_path / "t", max_length=2, threads=threads)
    assert spellings(read) == spellings(bitext)


@pytest.mark.parametrize("chosen", [[0, 1, 2, 3, 4], [4, 1], []])
def test_a_text_keeps_its_words_in_other_vocabularies(text, chosen):
    pairs, bitext = text
    other = bitext_of([("new b", "x other"), ("zzz b", "y")])
    vocabularies = other.source_vocabulary, other.target_vocabulary
    moved = bitext.select(chosen).encoded_in(*vocabularies)
    expected = bitext_of([pairs[n] for n in chosen], vocabularies=vocabularies)
    assert spellings(moved) == spellings(expected)
    np.testing.assert_array_equal(moved.source.tokens, expected.source.tokens)
    np.testing.assert_array_equal(moved.target.tokens, expected.target.tokens)


def test_a_text_in_the_vocabularies_asked_for_is_not_touched(text):
    _, bitext = text
    vocabularies = bitext.source_vocabulary, bitext.target_vocabulary
    assert bitext.encoded_in(*vocabularies) is bitext
    same = bitext.encoded_in(*(Vocabulary([*v.words], v.counts) for v in vocabularies))
    assert (same.source, same.target_unknown) == (bitext.source, bitext.target_unknown)


def test_words_without_spelling_cannot_be_looked_up_elsewhere(text):
    _, bitext = text
    other = bitext_of([("new b", "x other")])
    with pytest.raises(DataError, match="unknown words without their spelling"):
        replace(bitext, source_unknown=None).encoded_in(other.source_vocabulary, other.target_vocabulary)


def test_the_training_text_and_a_text_to_align_are_aligned_alike(sample):
    """Also pairs that were too long to learn from, whose words the model does not know."""
    pairs = [*text_of(sample.train), *((f"{s} {s} xavier", f"zavier {t} {t}") for s, t in NAMES)]
    bitext = bitext_of(pairs, max_length=12)
    assert bitext.source_unknown is not None
    *_, last = train(bitext, load_recipe("default", ["data.max_length=12"]))
    assert list(decode(last.model, bitext)) == list(decode(last.model, last.model.encode(pairs)))


@pytest.fixture(scope="module")
def model(sample):
    """One that knows the sample's words and a few others."""
    bitext = bitext_of([*NAMES, *text_of(sample.train)])
    *_, last = train(bitext, load_recipe("default"))
    return last.model


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("monsieur xavier parle", "mister speaks xavier", [(0, 0), (1, 2), (2, 1)]),  # both unknown
        ("parle 1985", "1985 speaks", [(0, 1), (1, 0)]),
        ("zanzibars parle", "speaks zanzibari", [(0, 1), (1, 0)]),  # one of them known
        ("monsieur 1985 1984", "mister 1984 1985", [(0, 0), (1, 2), (2, 1)]),  # equal before alike
        ("monsieur maison", "mister house", [(0, 0), (1, 1)]),  # nothing else is left
        ("zanzibar parle", "vends speaks", [(0, 0), (1, 1)]),  # nor is anything to be said for it
    ],
)
def test_new_words_find_each_other(model, source, target, expected):
    assert list(decode(model, model.encode([(source, target)]))) == [expected]


def test_without_their_spelling_they_are_placed_by_their_neighbours(model):
    bitext = model.encode([("monsieur 1985 1984", "mister 1984 1985")] * 2)
    assert bitext.source_unknown is not None
    bare = replace(bitext, source_unknown=None, target_unknown=None)
    assert list(decode(model, bare)) == [[(0, 0), (1, 1), (2, 2)]] * 2
    np.testing.assert_array_equal(bare.source.tokens, bitext.source.tokens)
