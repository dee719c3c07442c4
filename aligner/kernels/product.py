"""The product of both directions' potentials, though they lie in opposite orders."""

from aligner.kernels._jit import kernel


@kernel
def multiply(forward, reverse, source_lengths, target_lengths):
    """Replace both directions' potentials by their product, each in its own order, in place.

    forward: float32, [J, I] per pair; reverse: float32, [I, J] per pair.
    """
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        for i in range(width):
            r = reverse[cell + i * height : cell + (i + 1) * height]
            for j in range(height):
                value = f[j * width + i] * r[j]
                f[j * width + i] = value
                r[j] = value
        cell += size
