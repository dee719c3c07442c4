"""Training with jumps of words."""

import numpy as np
import pytest

from aligner.decoding.batch import decode
from aligner.models.model_file import load, save
from aligner.recipe.load import recipe_from_dict
from aligner.training.loop import train
from tests.support import bitext_of, text_of

LEAST = 3


def recipe_with(*word_jumps):
    """Return a recipe with an HMM stage for each setting."""
    stages = [
        {"model": "hmm", "criterion": "agreement", "iterations": 2, "word_jumps": least}
        for least in word_jumps
    ]
    return recipe_from_dict({"stage": [{"model": "ibm1", "iterations": 2}, *stages]})


def models(bitext, recipe, **options):
    """Return the model after each iteration."""
    return [step.model for step in train(bitext, recipe, **options)]


@pytest.fixture(scope="module")
def bitext(sample):
    """Return the training text of the sample."""
    return bitext_of(text_of(sample.train))


def test_frequent_words_and_all_others_have_jumps(bitext):
    pair = models(bitext, recipe_with(LEAST))[-1].pair
    vocabularies = bitext.vocabularies
    for distortion, vocabulary in zip((pair.forward, pair.reverse), vocabularies, strict=True):
        frequent = int((vocabulary.counts >= LEAST).sum())
        assert 0 < frequent < len(vocabulary)
        assert len(distortion.jumps) == 3 + frequent + 1
        np.testing.assert_allclose(distortion.jumps.sum(axis=1), 1.0)
        assert len(np.unique(distortion.jumps[3:], axis=0)) > frequent // 2


def test_no_more_words_than_the_most_have_jumps(bitext, monkeypatch):
    monkeypatch.setattr("aligner.training.state.MOST_WORDS", 7)
    pair = models(bitext, recipe_with(LEAST))[-1].pair
    assert len(pair.forward.jumps) == len(pair.reverse.jumps) == 3 + 7 + 1


def test_threads_and_files_change_nothing(bitext, tmp_path):
    one, three = (models(bitext, recipe_with(LEAST), threads=threads)[-1] for threads in (1, 3))
    for name, model in (("one", one), ("three", three)):
        save(model, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "three").read_bytes()
    links, again = decode(one, bitext), decode(load(tmp_path / "one"), bitext)
    assert list(links) == list(again)


def test_stages_with_and_without_jumps_of_words(bitext):
    """A stage goes on from the shared jumps of the stage before."""
    steps = models(bitext, recipe_with(0, LEAST, 0))
    sets = [len(model.pair.forward.jumps) for model in steps[2:]]
    assert sets[0] == sets[1] == sets[4] == sets[5] == 3
    assert sets[2] == sets[3] > 3
