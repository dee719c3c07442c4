"""What NumPy does with arrays, in loops: Numba's own, with its error messages, takes seconds to compile."""

from aligner.kernels.policy import helper


@helper
def copy(values, out):
    """The first elements of ``out`` become the values."""
    for k in range(len(values)):
        out[k] = values[k]


@helper
def least(values):
    """The least of some values, at least one."""
    found = values[0]
    for k in range(1, len(values)):
        found = min(found, values[k])
    return found


@helper
def greatest(values):
    """The greatest of some values, at least one."""
    found = values[0]
    for k in range(1, len(values)):
        found = max(found, values[k])
    return found
