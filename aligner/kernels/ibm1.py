"""Posteriors and best alignment of IBM Model 1 (Brown et al. 1993)."""

import math

import numpy as np

from aligner.kernels.distortion import null_probability
from aligner.kernels.policy import kernel
from aligner.kernels.scaled_product import multiply_scaled


@kernel
def posteriors(emit, null, conditioning, emitted, fixed_p0, power, log_likelihood):
    """Replace potentials by posteriors, in place; shapes as in ``hmm.posteriors``.

    P(a_j = i) is proportional to e_j[i] ((1 - p0) / I)^power, and P(a_j = NULL) to null_j p0^power.
    """
    f4 = np.float32
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        if width == 0:
            log_likelihood[n] = 0.0
            token += emitted[n]
            continue
        p0 = null_probability(fixed_p0, width)
        share = f4(((1.0 - p0) / width) ** power)
        p0 = p0**power
        product = 1.0
        logs = 0.0
        for _ in range(emitted[n]):
            e = emit[cell : cell + width]
            cell += width
            total = f4(0.0)
            for i in range(width):
                total += e[i]
            unaligned = p0 * null[token]
            mass = share * total + unaligned
            factor = f4(share / mass)
            for i in range(width):
                e[i] *= factor
            null[token] = unaligned / mass
            token += 1
            product, logs = multiply_scaled(product, mass, logs)
        log_likelihood[n] = logs + math.log(product)


@kernel
def viterbi(emit, null, conditioning, emitted, fixed_p0, alignment):
    """Set alignment, int32, [J] for each pair, to the best conditioning position from 0, or to -1 for NULL.

    Ties go to NULL, then to the lowest position.
    """
    cell = 0
    token = 0
    for n in range(len(emitted)):
        width = conditioning[n]
        p0 = null_probability(fixed_p0, width)
        share = (1.0 - p0) / max(width, 1)
        for _ in range(emitted[n]):
            e = emit[cell : cell + width]
            best = p0 * null[token]
            alignment[token] = -1
            for i in range(width):
                if share * e[i] > best:
                    best = share * e[i]
                    alignment[token] = i
            cell += width
            token += 1
