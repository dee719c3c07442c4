"""The training criteria, one small file each, and their registry.

A criterion turns the link posteriors F (forward) and R (reverse) of a block into the posteriors q that are
counted. ``mstep`` turns counts into lexical probabilities.

=====================  =========================================  =======================================
name                   counted                                    monotone objective
=====================  =========================================  =======================================
``independent``        F and R                                    each direction's log-likelihood
``agreement``          F R, both directions                       none
``product-domain``     (F + R) / 2, inferred with both lexicons   mean log sum of both directions
``product-parameter``  (F + R) / 2, inferred with squared t       none
``mre``                under Q and the posterior P                log probability of reconstruction
``substochastic``      F and R with expected fertility <= 1       log-likelihoods less KL and slack's cost
``symmetric``          F and R projected so that F = R            log-likelihoods less KL and slack's cost
=====================  =========================================  =======================================

To add a criterion, write a file beside these and one line below, or call ``register`` from a program of your
own (see ``base.Criterion``).
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
