'''The training criteria, one small file each, and their registry.

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

To add a criterion, write a file beside these and one line below (see ``base.Criterion``), or use ``register``
in a program of your own. This one counts the geometric mean of both directions' link posteriors::

    from dataclasses import dataclass

    import numpy as np

    from aligner import load_recipe, read_bitext, train
    from aligner.criteria import BlockPosteriors, Criterion, register


    @register
    @dataclass(frozen=True)
    class GeometricAgreement(Criterion):
        """Both directions learn from the geometric mean of their link posteriors."""

        name = "geometric-agreement"
        summary = "both directions learn from the geometric mean of their posteriors"

        def estep(self, model, block, distortion, state):
            forward, reverse = cells = model.potentials(block)
            log_likelihoods = model.infer(cells, distortion)
            products, _ = block.multiply(forward.links, reverse.links)
            links = np.sqrt(products)[:, None]
            return BlockPosteriors(links, forward.null, reverse.null, log_likelihoods)


    recipe = load_recipe("default", ["stage.2.criterion=geometric-agreement"])
    *_, last = train(read_bitext("train.src", "train.tgt", **vars(recipe.data)), recipe)
'''

from aligner.criteria.agreement import Agreement
from aligner.criteria.base import (
    BlockPosteriors,
    Criterion,
    check_compatible,
    check_declarations,
    check_model,
)
from aligner.criteria.constrained import Substochastic, Symmetric
from aligner.criteria.counts import Counts, DistortionCounts
from aligner.criteria.independent import Independent
from aligner.criteria.product import ProductDomain, ProductParameter
from aligner.criteria.reconstruction import MRE
from aligner.errors import ConfigError
from aligner.registry import Registry

CRITERIA: Registry[type[Criterion]] = Registry("criterion")
"""Every training criterion, by the name that recipes use."""


def register(criterion: type[Criterion]) -> type[Criterion]:
    """Add a criterion to the registry. It can be used as a class decorator.

    Raises
    ------
    ConfigError
        If the name is taken, if what the criterion declares does not go together, or if another criterion
        has a state type of the same name.
    """
    check_declarations(criterion)
    taken = {"Counts": Counts, "DistortionCounts": DistortionCounts, **state_types()}
    for kind in criterion.state_types:
        if taken.get(kind.__name__, kind) is not kind:
            raise ConfigError(
                f"criterion {criterion.name!r} declares the state type {kind.__name__}, a name that is"
                f" taken; choose another name"
            )
    return CRITERIA.register(criterion.name, criterion.summary)(criterion)


def state_types() -> dict[str, type]:
    """Return the state types of all criteria by name."""
    return {kind.__name__: kind for criterion in CRITERIA.values() for kind in criterion.state_types}


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
    "check_model",
    "register",
    "state_types",
]
