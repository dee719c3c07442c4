"""Array operations as loops: Numba's own versions, with their error messages, take seconds to compile."""

from aligner.kernels.policy import helper


@helper
def copy(values, out):
    """Set the first elements of ``out`` to the values."""
    for k in range(len(values)):
        out[k] = values[k]


@helper
def least(values):
    """Return the least element of a vector that is not empty."""
    result = values[0]
    for k in range(1, len(values)):
        result = min(result, values[k])
    return result


@helper
def greatest(values):
    """Return the greatest element of a vector that is not empty."""
    result = values[0]
    for k in range(1, len(values)):
        result = max(result, values[k])
    return result
