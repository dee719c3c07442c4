"""Runs by shards, and the model bytes of the same text trained at once."""

from itertools import pairwise

from aligner.models.storage import save
from aligner.shards import steps
from aligner.shards.folder import Folder
from aligner.text.bitext import Bitext
from aligner.training.loop import train


def shards_of(pairs, cuts):
    """Cut a list of sentence pairs before these numbers; return the shards."""
    edges = [0, *cuts, len(pairs)]
    return [pairs[begin:end] for begin, end in pairwise(edges)]


def begin(path, shards, recipe, slices=None, given=None):
    """Start a run in a new folder, and read all shards."""
    folder = Folder(path)
    steps.start(folder, recipe, len(shards), slices, given)
    for number, pairs in enumerate(shards, start=1):
        steps.read(folder, number, Bitext.from_text(pairs, **vars(recipe.data)), None)
    return folder


def finish(folder, merges=(), order=None):
    """Take the remaining steps of a run, with merges in each round, and return the bytes of its model."""
    while not (state := folder.state()).done:
        for shard in order or range(1, state.shards + 1):
            steps.count(folder, shard)
        for shards in merges:
            steps.merge(folder, shards)
        steps.update(folder)
    return folder.model.read_bytes()


def trained_at_once(pairs, recipe, path, **given):
    """Return the bytes of the model that ``train`` makes of the whole text."""
    *_, last = train(Bitext.from_text(pairs, **vars(recipe.data)), recipe, **given)
    save(last.model, path)
    return path.read_bytes()
