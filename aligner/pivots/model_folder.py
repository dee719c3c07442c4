"""Models of pairs of languages, kept in a folder: each is trained when there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aligner.errors import DataError
from aligner.models.model_file import load, save
from aligner.models.trained import TrainedModel
from aligner.pivots.models import LanguagePair, PairModels
from aligner.recipe.config import Recipe
from aligner.recipe.load import recipe_from_dict
from aligner.text.parallel import ParallelTexts
from aligner.training.loop import train
from aligner.training.replacing import check_replaceable
from aligner.training.step import Step


@dataclass(frozen=True)
class ModelFolder:
    """A folder with the model of each pair of languages, ``SOURCE-TARGET.model``."""

    path: Path

    def of(self, pair: LanguagePair) -> Path:
        """Return the file of the model of a pair."""
        return self.path / f"{'-'.join(pair)}.model"

    def find(self, pair: LanguagePair) -> LanguagePair:
        """Return the pair, or the opposite pair if the folder has the model of that."""
        return pair[::-1] if self.of(pair[::-1]).exists() and not self.of(pair).exists() else pair


def train_pairs(
    folder: ModelFolder,
    texts: ParallelTexts,
    pairs: Sequence[LanguagePair],
    recipe: Recipe,
    *,
    given: Mapping[LanguagePair, TrainedModel] | None = None,
    force: bool = False,
    threads: int = 1,
    max_memory: int | str | None = None,
    announce: Callable[[LanguagePair], Callable[[int], None] | None] = lambda _: None,
    report: Callable[[LanguagePair, Step | None], None] = lambda *_: None,
) -> PairModels:
    """Return a model for each pair of languages: a given one, one of the folder, or a new one, kept there.

    Parameters
    ----------
    folder
        The folder, which exists.
    texts
        The texts.
    pairs
        The pairs that need a model.
    recipe
        The recipe. Models of the folder may have other settings of decoding.
    given
        Models to use without training them.
    force
        Train every model that is not given, and replace its file in the folder.
    threads, max_memory
        As for ``train``.
    announce
        Is told of each pair before its model is trained. Returns the ``progress`` of ``train``.
    report
        Receives the last step of each training, or None for a pair without a line to train on, which gets no
        model.

    Raises
    ------
    DataError
        If the folder has a file for a pair that is no model, or a model of another text or recipe, unless
        ``force`` is set, and as for ``train``.
    """
    recipe = replace(recipe, split="none")  # posteriors of two models go through the same words
    models = dict(given or {})
    for pair in (pair for pair in pairs if pair not in PairModels(models)):
        own = folder.find(pair)
        path = folder.of(own)
        lookup, max_length = recipe.data.lookup, recipe.data.max_length
        text = texts.bitext(*own, lookup, max_length=max_length, threads=threads)
        if not text.report.trainable:
            report(own, None)
            continue
        if force or not path.exists():
            progress = announce(own)
            for step in train(text, recipe, threads=threads, progress=progress, max_memory=max_memory):
                if step.last:
                    last = step
                del step  # frees its model while the next one is computed
            save(last.model, path)
            report(own, last)
        else:
            check_replaceable(str(path), text)
        models[own] = load(path)
        _check_recipe(path, models[own], recipe)
    return PairModels(models)


def _check_recipe(path: Path, model: TrainedModel, recipe: Recipe) -> None:
    """Raise DataError for a model of another recipe, apart from the settings of decoding."""
    trained, asked = (
        replace(own, decode=recipe.decode, summary="") for own in (recipe_from_dict(model.config), recipe)
    )
    if trained != asked:
        raise DataError(
            f"{path}: found a model of another recipe; expected none, or one of this recipe; name another"
            f" folder, or train all models anew by --force"
        )
