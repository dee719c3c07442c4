"""From cells that are marked to links."""

import numpy as np

from aligner.kernels._jit import kernel
from aligner.kernels.simd import eight_bytes


@kernel
def list_links(chosen, values, source_lengths, target_lengths, offsets, source, target, probabilities):
    """List the cells that are chosen, by pair, source and target position.

    chosen: uint8 [cells], 1 for a link, else 0; values: float32 [cells]; both [I, J] per pair. Filled are
    offsets: int64 [pairs + 1], where each pair's links begin; source, target: int32 [links], positions;
    probabilities: float32 [links], the values.
    """
    cell = 0
    count = 0
    offsets[0] = 0
    for n in range(len(source_lengths)):
        width = np.int64(target_lengths[n])
        size = source_lengths[n] * width
        k = 0
        while k < size:
            # Most are none: eight at a time are passed over.
            if k + 8 <= size and eight_bytes(chosen, cell + k) == 0:
                k += 8
                continue
            if chosen[cell + k]:
                i = k // width
                source[count] = i
                target[count] = k - i * width
                probabilities[count] = values[cell + k]
                count += 1
            k += 1
        cell += size
        offsets[n + 1] = count
