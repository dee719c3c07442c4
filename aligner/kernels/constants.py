"""Numbers that kernels and their callers share. This module does not import Numba."""

COUNT_SCALE = 4294967296.0
"""Expected counts are integers in units of 2**-32: adding them is exact in any order."""

MAX_COUNT = 1 << 31
"""Every word occurs less often than this, so the expected count of each word pair fits into 63 bits."""

MEAN_SCALE = 72057594037927936.0
"""Prior means are summed as integers in units of 2**-56. Those of a row sum to about 1: 2**7 fits."""

SLOPE_SCALE = 16777216.0
"""Slopes of likelihoods are summed as integers in units of 2**-24: 2**39 occurrences fit."""

JUMP_SCALE = 16777216.0
"""Expected jumps are integers in units of 2**-24, since every token of a text has one: 2**39 fit."""

MOST_LANES = 16
"""The largest number of sentence pairs that go through the HMM side by side (see ``kernels.intrinsics``)."""

BUCKETS = 11
"""Jump distances that are told apart: <= -5, -4 .. 4, >= 5."""

GENERAL_SETS = 3
"""Sets of the HMM's jumps that every word shares: entering a sentence, inside it, and leaving it."""

LEFT_REACHES, RIGHT_REACHES = 7, 6
"""Normalisers of jumps: by min(origin, 6) positions to the left and min(length - origin, 5) to the right."""

LARGE_PAIR = 1 << 16
"""Pairs with more cells go through the HMM alone: side by side, they would need too much memory."""
