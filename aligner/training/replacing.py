"""Protection of model files: no model of another text is replaced unless the user asks for it."""

from __future__ import annotations

import os

from aligner.errors import DataError, ModelError
from aligner.models.model_file import load
from aligner.models.trained import TrainedModel
from aligner.priors.existing_models import extended
from aligner.text.bitext import Bitext
from aligner.text.facts import TextFacts
from aligner.text.vocabulary import Vocabulary


def check_replaceable(path: str, bitext: Bitext, init: TrainedModel | None = None) -> None:
    """Check that a model of a text may be written to a path.

    Parameters
    ----------
    path
        Where the model will be written. A path without a regular file may always be written.
    bitext
        The text to train on.
    init
        The model that training goes on from.

    Raises
    ------
    DataError
        If the path holds a file that is no model, or a model of another text.
    """
    facts = TextFacts.of(bitext, {})
    check_model_of(path, facts if init is None else extended(facts.split(*init.splits), init))


def check_model_of(path: str, facts: TextFacts) -> None:
    """Check the same as ``check_replaceable``; facts: with the words of a model to go on from."""
    if not os.path.isfile(path):
        return
    try:
        model = load(path)
    except ModelError:
        raise DataError(
            f"{path}: found a file that is no intact model; expected none, or a model of this text; name"
            f" another file, or replace it by --force"
        ) from None
    if not _is_of(model, facts):
        raise DataError(
            f"{path}: found a model of another text, or of this text read in another way; expected none, or"
            f" a model of this text; name another file, or replace it by --force"
        )


def _is_of(model: TrainedModel, facts: TextFacts) -> bool:
    """Return True if a model was trained on a text: it has the same lines and words."""
    if not any(words.splits for words in facts.vocabularies):
        facts = facts.split(*model.splits)
    sides = zip(model.vocabularies, facts.vocabularies, strict=True)
    return {name: model.corpus.get(name) for name in facts.report} == facts.report and all(
        _has_words(own, other, "dictionary_pairs" in model.corpus) for own, other in sides
    )


def _has_words(own: Vocabulary, other: Vocabulary, more: bool) -> bool:
    """Return True if a vocabulary has the words of another as often; more: at least as often."""
    if not more:
        return own.words == other.words and bool((own.counts == other.counts).all())
    ids = other.ids_in(own)[:-1]
    return bool((ids >= 0).all() and (own.counts[ids] >= other.counts).all())
