"""Checkpoints: an interrupted run resumes and ends in the same bytes as a run without interruption."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from aligner.decoding.batch import decode
from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.known_links import KnownLinks
from aligner.models.model_file import load, save
from aligner.priors.dictionary import Dictionary
from aligner.priors.evidence import Evidence
from aligner.recipe.load import recipe_from_dict
from aligner.text.vocabulary import Vocabulary
from aligner.training.checkpoint import Checkpoints
from aligner.training.loop import train
from tests.refusals import refused
from tests.support import bitext_of, text_of

pytestmark = pytest.mark.usefixtures("small_blocks")

WARM = {"model": "ibm1", "iterations": 2}
STAGES = {
    "default": [
        WARM | {"cognates": 3.0},
        {"model": "hmm", "criterion": "agreement", "iterations": 4, "prune": 1e-4, "cognates": 3.0},
    ],
    "pruned for the next stage": [
        {"model": "ibm2", "criterion": "agreement", "iterations": 2, "prune": 1e-4},
        {"model": "hmm", "criterion": "product-domain", "iterations": 2},
    ],
    "full table": [{"model": "ibm2-full", "criterion": "product-parameter", "iterations": 3}],
    "mre": [WARM, {"model": "hmm", "criterion": "mre", "iterations": 3}],
    "substochastic": [WARM, {"model": "hmm", "criterion": "substochastic", "iterations": 3}],
    "symmetric": [{"model": "ibm2", "criterion": "symmetric", "iterations": 3, "prune": 1e-5}],
    "stepwise": [{"model": "ibm1", "iterations": 3, "batch_pairs": 7}, {"model": "hmm", "iterations": 1}],
    "stepwise after pruning": [
        {"model": "hmm", "criterion": "agreement", "iterations": 2, "prune": 1e-3},
        {"model": "ibm2", "iterations": 3, "batch_pairs": 4},
    ],
    "annealed": [{"model": "hmm", "iterations": 3, "anneal_from": 0.3, "update": "vb", "alpha": 0.1}],
    "restarts": [{"model": "ibm1", "iterations": 2, "restarts": 2}, {"model": "hmm", "iterations": 2}],
    "same kind": [
        {"model": "hmm", "iterations": 2},
        {"model": "hmm", "criterion": "agreement", "iterations": 2},
    ],
}
DEFAULT = recipe_from_dict({"stage": STAGES["default"]})


def model_bytes(step, path):
    """Return the bytes of a step's model file."""
    save(step.model, path)
    return path.read_bytes()


def interrupt(steps, stop):
    """Take some steps and no more."""
    assert len(list(islice(steps, stop))) == stop


def assert_resumes(bitext, recipe, folder, every=1, **options):
    """Assert that a run ends in the same bytes if it is interrupted after an iteration.

    every: 1 to interrupt it after each iteration but the last, 2 after one in two.
    """
    steps = list(train(bitext, recipe, **options))
    expected = model_bytes(steps[-1], folder / "whole")
    path = folder / "model.checkpoint"
    for stop in range(1, len(steps), every):
        interrupt(train(bitext, recipe, checkpoints=Checkpoints(path, every=0), **options), stop)
        rest = list(train(bitext, recipe, threads=2, checkpoints=Checkpoints(path, resume=True), **options))
        assert [(s.stage, s.iteration) for s in rest] == [(s.stage, s.iteration) for s in steps[stop:]]
        assert [s.measures for s in rest] == [s.measures for s in steps[stop:]]
        assert model_bytes(rest[-1], folder / "resumed") == expected
        Checkpoints(path).discard()
        assert not list(folder.glob("*.checkpoint*"))


@pytest.mark.parametrize("name", STAGES)
def test_resumed_run_ends_in_the_same_bytes(name, sample_bitext, tmp_path):
    assert_resumes(sample_bitext, recipe_from_dict({"stage": STAGES[name]}), tmp_path)


def test_resumed_run_with_evidence_ends_in_the_same_bytes(sample_bitext, tmp_path):
    words = sample_bitext.source.vocabulary.words[0], sample_bitext.target.vocabulary.words[0]
    known = Alignments.from_lists([[(0, 0)]] + [[]] * (len(sample_bitext) - 1))
    none = Alignments.from_lists([[]] * len(sample_bitext))
    evidence = Evidence(Dictionary(((*words, 2.0),)), links=KnownLinks(known, none))
    assert_resumes(sample_bitext, DEFAULT, tmp_path, evidence=evidence)


@pytest.mark.slow
def test_resumed_run_of_words_and_pieces_ends_in_the_same_bytes(sample_bitext, tmp_path):
    recipe = recipe_from_dict({"stage": STAGES["default"], "pieces": {}})
    known = Alignments.from_lists([[(0, 0)]] + [[]] * (len(sample_bitext) - 1))
    links = KnownLinks(known, Alignments.from_lists([[]] * len(sample_bitext)))
    assert_resumes(sample_bitext, recipe, tmp_path, 3, evidence=Evidence(links=links))


def test_resumed_run_leaves_out_the_same_pairs(tmp_path, sample):
    bitext = bitext_of([("", "x"), *text_of(sample.train)[:30], ("a " * 30, "b")], max_length=20)
    recipe = recipe_from_dict({"stage": STAGES["default"], "data": {"max_length": 20}})
    assert_resumes(bitext, recipe, tmp_path)


@pytest.fixture
def interrupted(sample_bitext, tmp_path):
    """Return the checkpoints of a run of the default recipe that stopped after three iterations."""
    checkpoints = Checkpoints(tmp_path / "c", every=0)
    interrupt(train(sample_bitext, DEFAULT, checkpoints=checkpoints), 3)
    return checkpoints


OF_ANOTHER = "of another text, recipe, evidence or version"


def begin(path, bitext, recipe=DEFAULT, resume=False, force=False, **options):
    """Take the first step of a run with checkpoints."""
    return next(train(bitext, recipe, checkpoints=Checkpoints(path, 0, resume, force), **options))


def test_a_run_is_resumed_by_itself_only(interrupted, sample_bitext, monkeypatch):
    path, side, words = interrupted.path, sample_bitext.source, sample_bitext.source.vocabulary
    others = Vocabulary([f"{word}s" for word in words.words], words.counts)
    renamed = replace(sample_bitext, source=replace(side, vocabulary=others))
    dictionary = Evidence(Dictionary((("a", "b", 1.0),)))
    refused(OF_ANOTHER, begin, path, sample_bitext, recipe_from_dict({"stage": STAGES["mre"]}), resume=True)
    refused(OF_ANOTHER, begin, path, sample_bitext.select(range(50)), resume=True)
    refused(OF_ANOTHER, begin, path, sample_bitext, resume=True, evidence=dictionary)
    refused(OF_ANOTHER, begin, path, renamed, resume=True)
    assert begin(path, sample_bitext, resume=True).iteration == 2
    monkeypatch.setattr("aligner.training.checkpoint.__version__", "0.0")
    refused(OF_ANOTHER, begin, path, sample_bitext, resume=True)


@pytest.mark.parametrize(
    ("said", "to_resume", "spoil"),
    [
        ("found a file that is no checkpoint; expected none", False, lambda path, _: path.write_text("mine")),
        ("found a file that is no checkpoint; expected none", False, lambda path, model: save(model, path)),
        ("found a checkpoint of the same run .. by --resume .. by --force", False, lambda *_: None),
        (OF_ANOTHER, True, lambda path, model: save(model, path)),
        (
            "c: found a file that is no checkpoint; expected one of the same",
            True,
            lambda path, _: empty(path),
        ),
        ("c: found a file that is no checkpoint; .. the same", True, lambda path, _: empty(path, Path.mkdir)),
        ("this checkpoint is damaged .. delete it, and train anew", True, lambda path, _: flip(path)),
    ],
)
def test_other_files_are_kept(said, to_resume, spoil, interrupted, sample_bitext, tiny_model):
    """A fresh run replaces them only by force."""
    path = interrupted.path
    spoil(path, tiny_model)
    before = path.is_file() and path.read_bytes()
    refused(said, begin, path, sample_bitext, resume=to_resume)
    assert before == (path.is_file() and path.read_bytes())
    if not to_resume:
        step = begin(path, sample_bitext, recipe_from_dict({"stage": STAGES["mre"]}), force=True)
        assert (step.stage, step.iteration) == (1, 1)
        assert path.read_bytes() != before


def empty(path, make=Path.touch):
    """Replace a file by an empty one, or by a folder."""
    path.unlink()
    make(path)


def flip(path):
    """Change a bit of a file."""
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), DataError("cannot be written")])
def test_training_goes_on_if_a_checkpoint_cannot_be_written(error, sample_bitext, tmp_path, monkeypatch):
    def fail(*_):
        raise error

    expected = [step.measures for step in train(sample_bitext, DEFAULT)]
    monkeypatch.setattr("aligner.training.checkpoint.array_file.write", fail)
    warnings = []
    checkpoints = Checkpoints(tmp_path / "c", every=0, warn=warnings.append)
    assert [step.measures for step in train(sample_bitext, DEFAULT, checkpoints=checkpoints)] == expected
    warning = f"{checkpoints.path}: the checkpoint could not be written, training goes on: {error}"
    assert warnings == [warning] * 5


def test_checkpoint_is_a_model(interrupted, sample_bitext):
    model = load(interrupted.path)
    assert [(r["stage"], r["iteration"]) for r in model.history] == [(1, 1), (1, 2), (2, 1)]
    assert len(decode(model, sample_bitext)) == len(sample_bitext)


def test_run_without_a_checkpoint_starts_at_the_beginning(sample_bitext, tmp_path):
    checkpoints = Checkpoints(tmp_path / "c", every=3600, resume=True)
    steps = train(sample_bitext, recipe_from_dict({"stage": [WARM]}), checkpoints=checkpoints)
    assert [step.iteration for step in steps] == [1, 2]
    assert not checkpoints.path.exists()  # less than an hour has passed


def test_last_iteration_writes_no_checkpoint(sample_bitext, tmp_path):
    recipe = recipe_from_dict({"stage": [WARM, {"model": "hmm", "iterations": 0}]})
    checkpoints = Checkpoints(tmp_path / "c", every=0)
    for _ in train(sample_bitext, recipe, checkpoints=checkpoints):
        assert load(checkpoints.path).history[-1]["iteration"] == 1
    checkpoints.discard()
    checkpoints.discard()
    assert not checkpoints.path.exists()


def test_checkpoints_lie_beside_regular_files_only(tmp_path):
    beside = Checkpoints.beside(str(tmp_path / "model"), 60.0, True)
    assert beside == Checkpoints(tmp_path / "model.checkpoint", 60.0, True)
    device = Checkpoints.beside("/dev/null", 0.0, True)
    assert device == Checkpoints(Path("/dev/null.checkpoint"), float("inf"), False)
