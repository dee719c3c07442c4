"""The training criteria, one small file each."""

from aligner.objectives.agreement import Agreement
from aligner.objectives.base import Counts, Expectation, Objective, Statistics
from aligner.objectives.independent import Independent

OBJECTIVES: dict[str, type[Objective]] = {kind.name: kind for kind in (Independent, Agreement)}
"""Every training criterion, by the name that configurations use."""

__all__ = ["OBJECTIVES", "Agreement", "Counts", "Expectation", "Independent", "Objective", "Statistics"]
