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

To add a criterion, write a class like these (see ``base.Criterion``), here or in an extension (see
docs/extending.md).
"""

from aligner.criteria.base import (
    CRITERIA,
    BlockPosteriors,
    Criterion,
    check_compatible,
    check_model,
)
from aligner.criteria.counts import Counts, DistortionCounts

# Criteria are registered when they are imported: this is their order in help texts and messages.
# isort: off
from aligner.criteria.independent import Independent
from aligner.criteria.agreement import Agreement
from aligner.criteria.product import ProductDomain, ProductParameter
from aligner.criteria.reconstruction import MRE
from aligner.criteria.constrained import Substochastic, Symmetric

# isort: on

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
    "check_model",
]
