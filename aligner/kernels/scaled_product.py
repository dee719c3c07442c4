"""The log of a product of many numbers, computed with few logarithms."""

import math

from aligner.kernels.policy import helper


@helper
def multiply_scaled(product, mass, logs):
    """Return (product * mass, logs), where a product near the range of a double is moved into ``logs``."""
    product *= mass
    if product < 1e-200 or product > 1e200:
        return 1.0, logs + math.log(product)
    return product, logs
