"""Training by the recipe `fast`, and the links of one direction of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.files.opening import PathLike
from aligner.links.alignments import Alignments
from aligner.links.known_links import KnownLinks, read_known_links
from aligner.models.trained import TrainedModel
from aligner.priors.evidence import Evidence
from aligner.recipe.config import Recipe
from aligner.text.bitext import Bitext
from aligner.training.loop import train

Say = Callable[[str], None]
"""A function that receives each line for stderr."""


def known_of(path: PathLike | None, bitext: Bitext) -> KnownLinks | None:
    """Return the known links of a text in a file; DataError if they do not fit."""
    if path is None:
        return None
    known = read_known_links(path).of_text(len(bitext))
    known.check_positions(*bitext.lengths)
    return known


MORE_ACCURATE = (
    "for fewer errors than by symmetrised links of both directions, let align combine the posteriors of both:"
    " align train, then align decode"
)
"""Said once, since the stand-ins keep to the links of one direction that the original programs write."""


def train_model(
    bitext: Bitext, recipe: Recipe, say: Say, threads: int, evidence: Evidence | None = None
) -> TrainedModel | None:
    """Train by a recipe, say a line for each iteration, and return the last model.

    Return None if the text has lines, and no line to train on: its lines still need lines of links.
    """
    if len(bitext) and not bitext.trainable(bitext.max_length).any():
        say(f"found no pair with 1 to {bitext.max_length} tokens on both sides to train on, so no links")
        return None
    for step in train(bitext, recipe, evidence=evidence, threads=threads):
        say(f"{step.settings.model} {step.iteration}/{step.settings.iterations}  {step.seconds:.2f} s")
        if step.last:
            model = step.model
        del step  # frees its model while the next one is computed
    say(MORE_ACCURATE)
    return model


def align_direction(
    model: TrainedModel | None,
    bitext: Bitext,
    reverse: bool,
    threads: int,
    scores: bool = False,
    known: KnownLinks | None = None,
) -> Alignments:
    """Return the best alignment of each pair in a direction, with scores of both directions if ``scores``.

    Known links are imposed on each direction, so that every symmetrisation of both keeps them. Without a
    model, there are no others.
    """
    if model is None:
        links = Alignments.from_lists([[]] * len(bitext)) if known is None else known.known
        return replace(links, scores=np.full((len(bitext), 3), -np.inf))
    combine = "reverse" if reverse else "forward"
    decoder = Decoder.of(model, method="viterbi", combine=combine, constraint="")
    return decode(model, bitext, decoder, known=known, scores=scores, threads=threads)


def format_direction(alignments: Alignments, reverse: bool) -> Iterator[str]:
    """Yield the links `i-j i-j ...` of each pair, in the order of the words that the direction generates."""
    if reverse:
        return (" ".join([f"{i}-{j}" for i, j in links]) for links in alignments)
    return (" ".join([f"{i}-{j}" for j, i in links]) for links in alignments.reversed())
