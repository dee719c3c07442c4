"""The log of a product of many masses: a logarithm is taken only where a double would soon not hold it."""

import math

from aligner.kernels._jit import inlined


@inlined
def times(product, mass, logs):
    """The product times a mass, and the sum of logs taken of it so far; where it is extreme, its own too."""
    product *= mass
    if product < 1e-200 or product > 1e200:
        return 1.0, logs + math.log(product)
    return product, logs
