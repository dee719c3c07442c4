"""Runs on pieces: once a run has trained the words, a run on their pieces goes on in its folder RUN/pieces.

It is a run as any other, but for the texts of its shards, which follow from the run on words.
"""

from __future__ import annotations

from aligner.models.model_file import load
from aligner.models.trained import TrainedModel
from aligner.pieces.encoder import PieceEncoder, in_pieces
from aligner.pieces.segmenter import Segmenter
from aligner.recipe.config import Recipe
from aligner.shards.folder import READ, SEGMENTERS, Folder
from aligner.shards.run_state import Run
from aligner.shards.shard import ReadShard
from aligner.text.bitext import Bitext
from aligner.training.piece_task import joined


def current(folder: Folder) -> Folder:
    """Return the folder of the run that goes on: of words, or of their pieces once the words are trained."""
    return folder.of_pieces if folder.of_pieces.rounds() else folder


def rounds(folder: Folder) -> tuple[int, int]:
    """Return the numbers of rounds done and of all rounds, of a run on words with the run on its pieces."""
    run, then = Run.current(folder), folder.of_pieces
    if run.recipe.pieces is None:
        return run.round, run.rounds
    of_pieces = Run.current(then) if then.rounds() else Run(run.recipe.of_pieces.to_dict(), run.shards)
    return run.round + of_pieces.round, run.rounds + of_pieces.rounds


def is_of_pieces(folder: Folder) -> bool:
    """Return True if the run in a folder is on pieces."""
    return folder.exists(SEGMENTERS())


def write_segmenters(folder: Folder, segmenters: list[Segmenter]) -> None:
    """Write the segmenters of the words of a run into the folder of the run on their pieces."""
    folder.path.mkdir(exist_ok=True)
    folder.write(SEGMENTERS(), [], dict(zip(("source", "target"), segmenters, strict=True)))


def text_of_shard(folder: Folder, shard: int) -> tuple[Bitext, str]:
    """Return the text of a shard of a run on pieces, and the identity of the text of words."""
    words = folder.of_words
    text, identity = ReadShard.take(words, shard), words.identity(READ(shard))
    splits = load(words.model_of_words, follow_links=False).splits  # frees the model
    source, target = (side.split_at(splits) for side, splits in zip(text.vocabularies, splits, strict=True))
    pairs = Bitext(text.source, text.target).encoded_in(source, target)
    encoders = map(PieceEncoder.of, _segmenters(folder), pairs.sides)
    return in_pieces(pairs, *encoders).without_word_sizes(), identity


def join(folder: Folder, recipe: Recipe, pieces: TrainedModel) -> TrainedModel:
    """Return the model of words, together with a model of pieces that the run in a folder has trained.

    recipe: of the run on words.
    """
    words = load(folder.of_words.model_of_words, follow_links=False)
    return joined(words, _segmenters(folder), pieces, recipe)


def _segmenters(folder: Folder) -> list[Segmenter]:
    """Return the segmenters of the words of both sides."""
    return [folder.take(SEGMENTERS(), side, Segmenter) for side in ("source", "target")]
