"""An interrupted run that goes on from its checkpoint ends in the same bytes as one that never stopped."""

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

import pytest

from aligner.training.checkpoint import Checkpoints, _pack
from aligner.recipe.config import Recipe
from aligner.decoding.batch import decode
from aligner.errors import DataError
from aligner.training.evidence import Dictionary, Evidence, KnownLinks
from aligner.training.estep import accumulate
from aligner.links.alignments import Alignments
from aligner.text.vocabulary import Vocabulary
from aligner.models.storage import load, save
from aligner.training.loop import train
from tests.support import bitext_of, text_of

WARM = {"model": "ibm1", "iterations": 2}
RECIPES = {
    "default": [
        WARM | {"cognates": 3.0},
        {"model": "hmm", "criterion": "agreement", "iterations": 4, "prune": 1e-4, "cognates": 3.0},
    ],
    "pruned for the next stage": [
        {"model": "ibm2", "criterion": "agreement", "iterations": 2, "prune": 1e-4},
        {"model": "hmm", "criterion": "product-domain", "iterations": 2},
    ],
    "full table": [{"model": "ibm2-full", "criterion": "product-parameter", "iterations": 3}],
    "mre": [WARM, {"model": "hmm", "criterion": "mre", "iterations": 4}],
    "substochastic": [WARM, {"model": "hmm", "criterion": "substochastic", "iterations": 3}],
    "symmetric": [{"model": "ibm2", "criterion": "symmetric", "iterations": 3, "prune": 1e-5}],
    "stepwise": [{"model": "ibm1", "iterations": 3, "batch_pairs": 7}, {"model": "hmm", "iterations": 1}],
    "annealed": [{"model": "hmm", "iterations": 3, "anneal_from": 0.3, "update": "vb", "alpha": 0.1}],
    "restarts": [{"model": "ibm1", "iterations": 2, "restarts": 2}, {"model": "hmm", "iterations": 2}],
    "same kind": [
        {"model": "hmm", "iterations": 2},
        {"model": "hmm", "criterion": "agreement", "iterations": 2},
    ],
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """So small that several threads have something to do."""
    monkeypatch.setattr("aligner.training.model1_estep.accumulate", partial(accumulate, block_cells=1000))


def written(step, path):
    save(step.model, path)
    return path.read_bytes()


def interrupt(steps, stop):
    """Take some steps and no more."""
    assert len(list(islice(steps, stop))) == stop


def assert_goes_on(bitext, config, folder, **options):
    steps = list(train(bitext, config, **options))
    expected = written(steps[-1], folder / "whole")
    path = folder / "model.checkpoint"
    for stop in range(1, len(steps)):
        interrupt(train(bitext, config, checkpoints=Checkpoints(path, every=0), **options), stop)
        rest = list(train(bitext, config, threads=2, checkpoints=Checkpoints(path, resume=True), **options))
        assert [(s.stage, s.iteration) for s in rest] == [(s.stage, s.iteration) for s in steps[stop:]]
        assert [s.measures for s in rest] == [s.measures for s in steps[stop:]]
        assert written(rest[-1], folder / "resumed") == expected
        path.unlink()


@pytest.mark.parametrize("name", RECIPES)
def test_a_run_goes_on_to_the_same_bytes(name, sample_bitext, tmp_path):
    assert_goes_on(sample_bitext, recipe_from_dict({"stage": RECIPES[name]}), tmp_path)


def test_a_run_with_evidence_goes_on_to_the_same_bytes(sample_bitext, tmp_path):
    words = sample_bitext.source_vocabulary.words[0], sample_bitext.target_vocabulary.words[0]
    known = Alignments.from_lists([[(0, 0)]] + [[]] * (len(sample_bitext) - 1))
    none = Alignments.from_lists([[]] * len(sample_bitext))
    evidence = Evidence(Dictionary(((*words, 2.0),)), links=KnownLinks(known, none))
    config = recipe_from_dict({"stage": RECIPES["default"]})
    assert_goes_on(sample_bitext, config, tmp_path, evidence=evidence)


def test_pairs_that_are_left_out_stay_out(tmp_path, sample):
    bitext = bitext_of([("", "x"), *text_of(sample.train)[:30], ("a " * 30, "b")], max_length=20)
    config = recipe_from_dict({"stage": RECIPES["default"], "data": {"max_length": 20}})
    assert_goes_on(bitext, config, tmp_path)


@pytest.fixture
def interrupted(sample_bitext, tmp_path):
    """The checkpoint of a run of the default recipe, stopped after three iterations."""
    checkpoints = Checkpoints(tmp_path / "c", every=0)
    config = recipe_from_dict({"stage": RECIPES["default"]})
    interrupt(train(sample_bitext, config, checkpoints=checkpoints), 3)
    return checkpoints


def test_a_checkpoint_is_of_one_run(interrupted, sample_bitext):
    on = Checkpoints(interrupted.path, resume=True)
    config = recipe_from_dict({"stage": RECIPES["default"]})
    other = recipe_from_dict({"stage": RECIPES["mre"]})
    dictionary = Evidence(Dictionary((("a", "b", 1.0),)))
    words, counts = (getattr(sample_bitext.source_vocabulary, name) for name in ("words", "counts"))
    renamed = replace(sample_bitext, source_vocabulary=Vocabulary([f"{word}s" for word in words], counts))
    for arguments, options in [
        ((sample_bitext, other), {}),
        ((sample_bitext.select(range(50)), config), {}),
        ((sample_bitext, config), {"evidence": dictionary}),
        ((renamed, config), {}),
    ]:
        with pytest.raises(DataError, match="of another text, recipe, evidence or version"):
            next(train(*arguments, checkpoints=on, **options))
    assert next(train(sample_bitext, config, checkpoints=on)).iteration == 2


def test_a_file_that_is_no_checkpoint_is_left_alone(interrupted, sample_bitext, tiny_model):
    config = recipe_from_dict({"stage": RECIPES["default"]})
    for spoil in (lambda: interrupted.path.write_text("mine"), lambda: save(tiny_model, interrupted.path)):
        spoil()
        before = interrupted.path.read_bytes()
        with pytest.raises(DataError, match="found a file that is no checkpoint"):
            next(train(sample_bitext, config, checkpoints=Checkpoints(interrupted.path, every=0)))
        assert interrupted.path.read_bytes() == before


def test_a_checkpoint_not_gone_on_from_is_named(interrupted, sample_bitext):
    told = []
    anew = Checkpoints(interrupted.path, warn=told.append)
    assert (
        next(train(sample_bitext, recipe_from_dict({"stage": RECIPES["default"]}), checkpoints=anew)).stage
        == 1
    )
    assert told == [f"{anew.path}: not going on from this checkpoint of the same run; --resume would"]
    next(train(sample_bitext, recipe_from_dict({"stage": RECIPES["mre"]}), checkpoints=anew))
    assert len(told) == 1


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), DataError("cannot be written")])
def test_training_survives_a_checkpoint_that_cannot_be_written(error, sample_bitext, tmp_path, monkeypatch):
    def fail(*_):
        raise error

    config = recipe_from_dict({"stage": RECIPES["default"]})
    expected = [step.measures for step in train(sample_bitext, config)]
    monkeypatch.setattr("aligner.training.checkpoint.container.write", fail)
    told = []
    checkpoints = Checkpoints(tmp_path / "c", every=0, warn=told.append)
    assert [step.measures for step in train(sample_bitext, config, checkpoints=checkpoints)] == expected
    assert told == [f"{checkpoints.path}: no checkpoint, training goes on: {error}"] * 5


def test_what_cannot_be_read_back_is_not_written(interrupted):
    class Unheard(NamedTuple):
        of: int

    with pytest.raises(TypeError, match="Unheard in what a criterion remembers"):
        _pack([Unheard(1)], {})


def test_a_checkpoint_is_a_model(interrupted, sample_bitext):
    model = load(interrupted.path)
    assert [(r["stage"], r["iteration"]) for r in model.history] == [(1, 1), (1, 2), (2, 1)]
    assert len(decode(model, sample_bitext)) == len(sample_bitext)


def test_a_model_is_no_checkpoint(sample_bitext, tiny_model, tmp_path):
    save(tiny_model, tmp_path / "c")
    config = recipe_from_dict({"stage": RECIPES["default"]})
    with pytest.raises(DataError, match="of another"):
        next(train(sample_bitext, config, checkpoints=Checkpoints(tmp_path / "c", resume=True)))


def test_a_damaged_checkpoint_is_refused(interrupted, sample_bitext):
    content = bytearray(interrupted.path.read_bytes())
    content[-100] ^= 1
    interrupted.path.write_bytes(content)
    config = recipe_from_dict({"stage": RECIPES["default"]})
    with pytest.raises(DataError, match=r"this checkpoint is damaged .* without --resume"):
        next(train(sample_bitext, config, checkpoints=Checkpoints(interrupted.path, resume=True)))


def test_without_a_checkpoint_a_run_begins_at_the_beginning(sample_bitext, tmp_path):
    config = recipe_from_dict({"stage": [WARM]})
    checkpoints = Checkpoints(tmp_path / "c", every=3600, resume=True)
    assert [step.iteration for step in train(sample_bitext, config, checkpoints=checkpoints)] == [1, 2]
    assert not checkpoints.path.exists()  # an hour has not passed


def test_the_last_iteration_needs_none(sample_bitext, tmp_path):
    stages = [WARM, {"model": "hmm", "iterations": 0}]
    checkpoints = Checkpoints(tmp_path / "c", every=0)
    for _ in train(sample_bitext, recipe_from_dict({"stage": stages}), checkpoints=checkpoints):
        assert load(checkpoints.path).history[-1]["iteration"] == 1
    checkpoints.discard()
    checkpoints.discard()
    assert not checkpoints.path.exists()


def test_checkpoints_lie_beside_ordinary_files_only(tmp_path):
    beside = Checkpoints.beside(str(tmp_path / "model"), 60.0, True)
    assert beside == Checkpoints(tmp_path / "model.checkpoint", 60.0, True)
    nowhere = Checkpoints.beside("/dev/null", 0.0, True)
    assert nowhere.every == float("inf")
    assert not nowhere.resume
