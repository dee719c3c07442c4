"""The log of ``align train``: the figures of each iteration, as lines of JSON and as a chart."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import click

from aligner import Step


@dataclass(frozen=True)
class TrainingLog:
    """Figures of iterations. Unlike other outputs, the file of the log grows during training.

    path: None for no file, "-" for stdout; plot_path: the PNG file of the chart, or None; resumed: True to
    add to the file that is there.
    """

    path: str | None
    plot_path: str | None
    resumed: bool
    records: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.plot_path is not None:
            from aligner.analysis.plot import figure_class

            figure_class()  # raises now if matplotlib is missing, not after hours of training

    def add(self, step: Step, dev_aer: float | None) -> None:
        """Write an iteration, with the AER on the dev set if there is one."""
        goes_on = self.resumed or self.records
        record = step.to_dict() | ({} if dev_aer is None else {"dev_aer": round(dev_aer, 6)})
        self.records.append(record)
        if self.path is not None:
            with click.open_file(self.path, "a" if goes_on else "w", encoding="utf-8") as file:
                print(json.dumps(record), file=file, flush=True)

    def draw(self) -> None:
        """Draw the chart, if it is wanted."""
        if self.plot_path is not None:
            from aligner.analysis.plot import write_training

            write_training(self.plot_path, self.records)
