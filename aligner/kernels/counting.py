"""Adding posteriors to counts that several workers share.

Words are dealt into parts, and each part has a lock. Whoever adds a block goes through the parts in whatever
order their locks come free, and adds the words of a part while it holds its lock: no worker ever waits for
long, additions stay plain, and since they are of integers the sums do not depend on who came first.

owners: int32 [types + 1], the part of each word. locks: int64 [parts, 8], a cache line for each part, 0 where
it is free. turn: the part to begin with.
"""

import numpy as np

from aligner.kernels._jit import kernel
from aligner.kernels.fixed import to_fixed
from aligner.kernels.simd import acquire, prefetch, release

# Counts are fetched so many additions before they are needed.
_AHEAD = 96


@kernel
def _by_part(rows, posteriors, words, sizes, owners, parts):
    """What is to be added, grouped by part: rows, posteriors, and each part's first, int64 [parts + 1]."""
    firsts = np.zeros(parts + 1, np.int64)
    for token in range(len(words)):
        firsts[owners[words[token]] + 1] += sizes[token]
    if parts == 1:
        return rows, posteriors, firsts
    for part in range(parts):
        firsts[part + 1] += firsts[part]
    cursor = firsts.copy()
    grouped_rows = np.empty_like(rows)
    grouped_posteriors = np.empty_like(posteriors)
    start = 0
    for token in range(len(words)):
        size = sizes[token]
        place = cursor[owners[words[token]]]
        cursor[owners[words[token]]] += size
        grouped_rows[place : place + size] = rows[start : start + size]
        grouped_posteriors[place : place + size] = posteriors[start : start + size]
        start += size
    return grouped_rows, grouped_posteriors, firsts


@kernel
def _next_part(locks, firsts, done, part):
    """Lock a part that is not done yet, if possible the one after ``part``; -1 if all are."""
    waiting = True
    while waiting:
        waiting = False
        for _ in range(len(done)):
            part = part + 1 if part + 1 < len(done) else 0
            if not done[part]:
                if firsts[part] == firsts[part + 1]:
                    done[part] = True
                elif acquire(locks, part):
                    done[part] = True
                    return part
                else:
                    waiting = True
    return -1


@kernel
def _add(rows, coming, posteriors, counts):
    """counts[rows[k]] += posteriors[k] for all k, while the counts of what is coming are fetched."""
    columns = counts.shape[1]
    if columns == 1:
        for k in range(len(rows)):
            prefetch(counts, np.int64(coming[k]))
            counts[rows[k], 0] += to_fixed(posteriors[k, 0])
    elif columns == 2:
        for k in range(len(rows)):
            prefetch(counts, np.int64(coming[k]))
            entry = counts[rows[k]]
            entry[0] += to_fixed(posteriors[k, 0])
            entry[1] += to_fixed(posteriors[k, 1])
    else:
        for k in range(len(rows)):
            prefetch(counts, np.int64(coming[k]))
            entry = counts[rows[k]]
            entry[0] += to_fixed(posteriors[k, 0])
            entry[1] += to_fixed(posteriors[k, 1])
            entry[2] += to_fixed(posteriors[k, 2])
            entry[3] += to_fixed(posteriors[k, 3])


@kernel
def add(rows, posteriors, words, sizes, owners, locks, turn, counts):
    """Add posteriors, float32 [n, 1, 2 or 4], to the counts' rows of these numbers, uint32 [n].

    words: int32 [tokens], each of which has the next sizes[token], int32, of the n, and says by its owner
    which part they are of. counts: int64 fixed point, [rows] of as many columns.
    """
    rows, posteriors, firsts = _by_part(rows, posteriors, words, sizes, owners, len(locks))
    done = np.zeros(len(locks), np.bool_)
    part = _next_part(locks, firsts, done, turn)
    while part >= 0:
        begin = firsts[part]
        end = firsts[part + 1]
        # The last of them have nothing to fetch, and are fetched twice.
        for start, stop in ((begin, max(begin, end - _AHEAD)), (max(begin, end - _AHEAD), end)):
            coming = rows[start + (_AHEAD if stop < end else 0) :]
            _add(rows[start:stop], coming, posteriors[start:stop], counts)
        release(locks, part)
        part = _next_part(locks, firsts, done, part)
