"""The results of ``align train``: a model, and the links of the training text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aligner import DevSet, Step, TrainedModel, save

from .reporter import Reporter
from .training_log import TrainingLog


@dataclass(frozen=True)
class TrainingResults:
    """The files to write, and the reports on the way.

    model_path, links_path: None for no file; dev: None if there is no dev set; log: of the iterations.
    """

    model_path: str | None
    links_path: str | None
    dev: DevSet | None
    reporter: Reporter
    log: TrainingLog

    def write(self, steps: Iterable[Step], align: Callable[[TrainedModel, str], object]) -> None:
        """Report each step of training, and write the files by the model of the last one.

        align: writes the links of the training text by a model to a file.
        """
        for step in steps:
            dev, words = self.dev.scored(step.model) if self.dev else (None, "")
            self.reporter.step(step, words)
            self.log.add(step, None if dev is None else dev.aer)
            if step.last:
                model = step.model
            del step  # frees its model while the next one is computed
        self.reporter.remove_bar()
        if self.model_path is not None:
            save(model, self.model_path)
        if self.links_path is not None:
            align(model, self.links_path)
        self.log.draw()
        self.reporter.wrote(model, self.model_path, self.links_path)
