"""Time the parts of a small run by pytest-benchmark, of the extra ``bench``. It is no part of the tests.

    pytest scripts/timings.py [--benchmark-autosave] [--benchmark-compare]

The text is a generated sample of 2,000 sentence pairs. Kernels are compiled before they are timed. Machines
are noisy: compare figures of the same machine in a quiet hour. ``benchmark`` and ``stages`` time real texts.
"""

import pytest

from aligner import Aligner, decode, load, load_recipe, read_bitext, save, score, train
from aligner.links.gold import read_gold
from aligner.sample.files import write_sample

PAIRS = 2000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the sample."""
    folder = tmp_path_factory.mktemp("sample") / "text"
    write_sample(folder, pairs=PAIRS)
    return folder


@pytest.fixture(scope="module")
def bitext(folder):
    """Return the training text."""
    return read_bitext(folder / "train.fr", folder / "train.en")


@pytest.fixture(scope="module")
def model(bitext):
    """Return a model of the default recipe."""
    return trained(bitext, "default")


def trained(bitext, recipe):
    """Return a model that is trained by one thread."""
    for step in train(bitext, load_recipe(recipe), threads=1):
        model = step.model
    return model


def test_read(benchmark, folder):
    bitext = benchmark(read_bitext, folder / "train.fr", folder / "train.en")
    assert len(bitext) == PAIRS


@pytest.mark.parametrize("recipe", ["fast", "default", "liang2006-joint"])
def test_train(benchmark, bitext, recipe):
    benchmark.pedantic(trained, (bitext, recipe), rounds=3, warmup_rounds=1)


def test_decode(benchmark, bitext, model):
    links = benchmark(decode, model, bitext)
    assert len(links) == PAIRS


def test_decode_a_pair(benchmark, model):
    aligner = Aligner(model)
    benchmark(aligner.align, ["la", "maison"], ["the", "house"])


def test_save_and_load(benchmark, tmp_path, model):
    def save_and_load():
        save(model, tmp_path / "model")
        return load(tmp_path / "model")

    assert benchmark(save_and_load).source_vocabulary.words == model.source_vocabulary.words


def test_score(benchmark, folder, model):
    gold = read_gold(folder / "dev.gold")
    links = decode(model, read_bitext(folder / "dev.fr", folder / "dev.en"))
    assert benchmark(score, links, gold).aer < 0.2
