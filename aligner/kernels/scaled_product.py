"""The log of a product of many masses, with few logarithms."""

import math

from aligner.kernels.policy import helper


@helper
def multiply_scaled(product, mass, logs):
    """Return (product * mass, logs), moving the product into the sum of logs where a double would overflow."""
    product *= mass
    if product < 1e-200 or product > 1e200:
        return 1.0, logs + math.log(product)
    return product, logs
