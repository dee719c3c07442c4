"""The training criteria, one small file each."""

from aligner.objectives.agreement import Agreement
from aligner.objectives.base import Counts, Expectation, Objective, Statistics
from aligner.objectives.constrained import Substochastic, Symmetric
from aligner.objectives.independent import Independent
from aligner.objectives.mre import MRE
from aligner.objectives.product import ProductDomain, ProductParameter

OBJECTIVES: dict[str, type[Objective]] = {
    kind.name: kind
    for kind in (
        Independent,
        Agreement,
        ProductDomain,
        ProductParameter,
        MRE,
        Substochastic,
        Symmetric,
    )
}
"""Every training criterion, by the name that configurations use."""

__all__ = [
    "MRE",
    "OBJECTIVES",
    "Agreement",
    "Counts",
    "Expectation",
    "Independent",
    "Objective",
    "ProductDomain",
    "ProductParameter",
    "Statistics",
    "Substochastic",
    "Symmetric",
]
