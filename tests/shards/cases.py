"""Runs by shards, and the model bytes of the same text trained at once."""

from importlib.util import find_spec
from itertools import pairwise

import pytest

from aligner.models.model_file import save
from aligner.recipe.load import recipe_from_dict
from aligner.shards import steps
from aligner.shards.folder import Folder
from aligner.shards.piece_run import current
from aligner.shards.run_state import Run
from aligner.text.bitext import Bitext
from aligner.training.loop import train

WARM = {"model": "ibm1", "iterations": 1}
STAGES = {
    "default": [
        {"model": "ibm1", "iterations": 2, "cognates": 3.0},
        {"model": "hmm", "criterion": "agreement", "iterations": 3, "prune": 1e-4, "cognates": 3.0}
        | {"word_forms": True, "word_jumps": 2},
    ],
    "full table, entered without an iteration between": [
        WARM,
        {"model": "ibm2", "iterations": 0},
        {"model": "ibm2-full", "criterion": "product-parameter", "iterations": 2},
    ],
    "climbing, pruned": [WARM, {"model": "ibm2-full", "criterion": "mre", "iterations": 3, "prune": 1e-5}],
    "multipliers": [{"model": "ibm2", "criterion": "symmetric", "iterations": 3, "prune": 1e-5}],
    "multipliers of the last stage": [
        {"model": "ibm1", "criterion": "substochastic", "iterations": 2},
        {"model": "hmm", "criterion": "substochastic", "iterations": 2},
    ],
    "annealed, hard": [
        {"model": "ibm2", "iterations": 2, "anneal_from": 0.3, "update": "vb", "alpha": 0.1},
        {"model": "hmm", "iterations": 2, "hard": True, "update": "map", "alpha": 0.1},
    ],
}
DEFAULT = recipe_from_dict({"stage": STAGES["default"]})


def shards_of(pairs, cuts):
    """Cut a list of sentence pairs before these numbers; return the shards."""
    edges = [0, *cuts, len(pairs)]
    return [pairs[begin:end] for begin, end in pairwise(edges)]


def begin(path, shards, recipe, knowledge=None):
    """Start a run in a new folder, and read all shards."""
    folder = Folder(path)
    steps.start(folder, recipe, len(shards), knowledge)
    for number, pairs in enumerate(shards, start=1):
        steps.read(folder, number, Bitext.from_text(pairs, **vars(recipe.data)), None)
    return folder


def count_all(folder):
    """Count all shards in the current round."""
    for shard in Run.current(folder).numbers:
        steps.count(folder, shard)


def go_to(folder, round):
    """Take all steps before a round."""
    while folder.round() < round:
        count_all(folder)
        steps.update(folder)


def finish(folder):
    """Take the remaining steps of a run, and return the bytes of its model."""
    while not folder.exists("model"):
        count_all(current(folder))
        steps.update(current(folder))
    return folder.model.read_bytes()


def trained_at_once(pairs, recipe, path, **given):
    """Return the bytes of the model that ``train`` makes of the whole text."""
    *_, last = train(Bitext.from_text(pairs, **vars(recipe.data)), recipe, **given)
    save(last.model, path)
    return path.read_bytes()


def needs_distributed(test):
    """Mark a test that starts worker processes, and skip it without the extra."""
    missing = find_spec("distributed") is None  # importing it takes 0.5 s
    return pytest.mark.cluster(pytest.mark.skipif(missing, reason="needs the extra cluster")(test))
