"""The training criteria, one small file each, and their registry.

A criterion says how the posteriors of both directions become expected counts (see ``base``). ``mstep`` says
how counts become lexical probabilities. To add a criterion, write a file beside these and one line below, or
call ``register`` from a program of your own.
"""

from aligner.criteria.agreement import Agreement
from aligner.criteria.base import BlockPosteriors, Criterion, check_compatible, check_shapes
from aligner.criteria.constrained import Substochastic, Symmetric
from aligner.criteria.counts import Counts, DistortionCounts
from aligner.criteria.independent import Independent
from aligner.criteria.product import ProductDomain, ProductParameter
from aligner.criteria.reconstruction import MRE
from aligner.registry import Registry

CRITERIA: Registry[type[Criterion]] = Registry("criterion")
"""Every training criterion, by the name that recipes use."""


def register(criterion: type[Criterion]) -> type[Criterion]:
    """Add a criterion to the registry. It can be used as a class decorator.

    Raises
    ------
    ConfigError
        If the name is taken, or if the shapes that the criterion declares do not go together.
    """
    check_shapes(criterion)
    CRITERIA.register(criterion.name, criterion, criterion.summary)
    return criterion


for _criterion in (Independent, Agreement, ProductDomain, ProductParameter, MRE, Substochastic, Symmetric):
    register(_criterion)

__all__ = [
    "CRITERIA",
    "MRE",
    "Agreement",
    "BlockPosteriors",
    "Counts",
    "Criterion",
    "DistortionCounts",
    "Independent",
    "ProductDomain",
    "ProductParameter",
    "Substochastic",
    "Symmetric",
    "check_compatible",
    "register",
]
