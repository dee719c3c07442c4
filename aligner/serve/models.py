"""Models of a workbench: the original model and the accepted models, in a folder."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

from aligner.errors import ConfigError, DataError
from aligner.files.json_text import parse_json
from aligner.files.opening import remove_temporary_files, write_texts
from aligner.learning.learn import Learning, learn
from aligner.links.gold import Gold
from aligner.messages import excerpt
from aligner.models.model_file import load, save
from aligner.models.start import STARTS, with_start
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext

ORIGINAL = ""
"""The name of the model that the workbench began with."""

_RECORDS = "models.json"


class Models:
    """The models of a workbench.

    Parameters
    ----------
    folder
        The folder.
    original
        The path of the model that the workbench begins with.
    start
        The start that chooses links until a model is accepted, or "" for the model's own links; learning
        prefers it.
    threads
        Number of threads.

    Attributes
    ----------
    current, model
        The name of the model in use, and this model.
    records
        Name -> record of an accepted model, as plain data: "name", the fields of ``Lesson.record``, and
        "changed", the changes that were accepted.
    points
        Number of corrected lines -> their cross-validation, as ``lesson.points_of`` yields it.
    """

    def __init__(self, folder: Path, original: str, start: str = "", threads: int = 1) -> None:
        self._folder, self._original = folder, original
        self.start, self.threads = start, threads
        path = folder / _RECORDS
        stored: dict[str, Any] = {"current": ORIGINAL, "models": [], "points": []}
        try:
            if path.exists():
                stored = parse_json(path.read_bytes())
            self.current = str(stored["current"])
            self.records: dict[str, dict[str, Any]] = {own["name"]: own for own in stored["models"]}
            self.points: dict[int, dict[str, Any]] = {own["lines"]: own for own in stored["points"]}
            if self.current not in (ORIGINAL, *self.records):
                raise KeyError(self.current)
        except (OSError, ValueError, KeyError, TypeError):
            raise DataError(
                f"{path}: found no record of the models of a workbench; expected the file that align"
                " serve wrote; restore it, or name another --folder"
            ) from None
        self.model = self._load(self.current)

    def original(self) -> TrainedModel:
        """Return the model that the workbench began with."""
        model = load(self._original)
        return with_start(model, self.start) if self.start in STARTS else model

    def learn(self, text: Bitext, gold: Gold) -> Learning:
        """Return what the model that the workbench began with learns from gold of a text."""
        return learn(self.original(), text, gold, start=self.start or None, threads=self.threads)

    def use(self, name: str) -> None:
        """Make a model current."""
        if name not in (ORIGINAL, *self.records):
            raise ConfigError(f"found no model {excerpt(name)}; expected one of those that were accepted")
        self.model, self.current = self._load(name), name
        self._write()

    def add(self, model: TrainedModel, record: dict[str, Any]) -> None:
        """Save a model under a new name, and make it current."""
        name = next(name for n in count(1) if not (self._folder / (name := f"model-{n}")).exists())
        remove_temporary_files(self._folder / name)
        save(model, self._folder / name)
        self.model, self.current = model, name
        self.records[name] = {"name": name} | record
        self._write()

    def add_point(self, point: dict[str, Any]) -> None:
        """Keep a result of cross-validation, in place of one with as many lines."""
        self.points = dict(sorted((self.points | {point["lines"]: point}).items()))
        self._write()

    def _load(self, name: str) -> TrainedModel:
        """Return the model of a name."""
        return self.original() if name == ORIGINAL else load(self._folder / name)

    def state(self) -> dict[str, Any]:
        """Return the name of the model in use, the records and the points as plain data."""
        models, points = [*self.records.values()], [*self.points.values()]
        return {"current": self.current, "models": models, "points": points}

    def _write(self) -> None:
        write_texts(self._folder / _RECORDS, [json.dumps(self.state(), indent=1)], compress=False)
