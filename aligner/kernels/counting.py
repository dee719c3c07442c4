"""Adding posteriors to counts that several workers share.

Words are dealt into parts, and each part has a lock. Whoever adds a block goes through the parts in whatever
order their locks come free, and adds the words of a part while it holds its lock. Whoever finds none free
may leave what is not done for later. Additions stay plain, and since they are of integers the sums do not
depend on who came first.

owners: int32 [types + 1], the part of each word. locks: int64 [parts, 8], a cache line for each part, 0 where
it is free. turn: the part to begin with. wait: whether to stay until all is done. done: bool [parts], which
parts are, filled.
"""

import numpy as np

from aligner.kernels._jit import inlined, kernel
from aligner.kernels.fixed import to_fixed
from aligner.kernels.simd import acquire, prefetch, release

# Counts are fetched so many additions before they are needed.
_AHEAD = 96


@inlined
def _by_part(words, owners, parts):
    """The numbers of each part's tokens, int32 [tokens], and where each part's begin, int64 [parts + 1]."""
    firsts = np.zeros(parts + 1, np.int64)
    order = np.empty(len(words), np.int32)
    if parts == 1:
        firsts[1] = len(words)
        for token in range(len(words)):
            order[token] = token
        return order, firsts
    for token in range(len(words)):
        firsts[owners[words[token]] + 1] += 1
    for part in range(parts):
        firsts[part + 1] += firsts[part]
    cursor = firsts.copy()
    for token in range(len(words)):
        part = owners[words[token]]
        order[cursor[part]] = token
        cursor[part] += 1
    return order, firsts


@inlined
def _runs(words, sizes, owners, parts):
    """Each part's runs of cells: where they begin and end, int64 [runs], and each part's first, [parts + 1].

    A run has the cells of a token, or of a few tokens of a part that follow one another.
    """
    order, firsts = _by_part(words, owners, parts)
    cells = np.empty(len(words) + 1, np.int64)
    cells[0] = 0
    for token in range(len(words)):
        cells[token + 1] = cells[token] + sizes[token]
    starts = np.empty(len(words), np.int64)
    ends = np.empty(len(words), np.int64)
    run = -1
    for part in range(parts):
        tokens = order[firsts[part] : firsts[part + 1]]
        firsts[part] = run + 1
        for token in tokens:
            start = cells[token]
            end = cells[token + 1]
            if run >= firsts[part] and ends[run] == start and start < starts[run] + _AHEAD:
                ends[run] = end
            elif end > start:
                run += 1
                starts[run] = start
                ends[run] = end
    firsts[parts] = run + 1
    return starts, ends, firsts


@inlined
def _next_part(locks, firsts, wait, done, part):
    """Lock a part that is still to be done, if possible the one after ``part``; -1: none is, or is free."""
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
                    waiting = wait
    return -1


@inlined
def _add(rows, coming, posteriors, counts):
    """counts[rows[k]] += posteriors[k] for all k, while the counts of what is coming are fetched."""
    columns = counts.shape[1]
    final = len(coming) - 1
    if columns == 1:
        for k in range(len(rows)):
            prefetch(counts, np.int64(coming[min(k, final)]))
            counts[rows[k], 0] += to_fixed(posteriors[k, 0])
    elif columns == 2:
        for k in range(len(rows)):
            prefetch(counts, np.int64(coming[min(k, final)]))
            entry = counts[rows[k]]
            entry[0] += to_fixed(posteriors[k, 0])
            entry[1] += to_fixed(posteriors[k, 1])
    else:
        for k in range(len(rows)):
            prefetch(counts, np.int64(coming[min(k, final)]))
            entry = counts[rows[k]]
            entry[0] += to_fixed(posteriors[k, 0])
            entry[1] += to_fixed(posteriors[k, 1])
            entry[2] += to_fixed(posteriors[k, 2])
            entry[3] += to_fixed(posteriors[k, 3])


@inlined
def _add_runs(slots, links, starts, ends, ahead, counts):
    """Add the links of a part's runs of cells, while what later runs need is fetched.

    Counts are fetched so many runs ahead, together with the links; the slots, which say what they are, twice
    as many.
    """
    runs = len(starts)
    for run in range(-ahead, runs):
        coming = run + ahead
        fetched = 0
        if run >= 0:
            far = min(coming, runs - 1)
            own = slots[starts[run] : ends[run]]
            _add(own, slots[starts[far] : ends[far]], links[starts[run] : ends[run]], counts)
            fetched = len(own)
        if coming < runs:
            for k in slots[starts[coming] + fetched : ends[coming]]:
                prefetch(counts, np.int64(k))
            for k in range(starts[coming], ends[coming], 8):
                prefetch(links, k)
        if coming + ahead < runs:
            for k in range(starts[coming + ahead], ends[coming + ahead], 16):
                prefetch(slots, k)


@kernel
def add_links(slots, links, source, sizes, owners, locks, turn, wait, done, counts):
    """Add a block's link posteriors to the counts of its word pairs, each of which is its source word's part.

    slots: uint32 [cells]; links: float32 [cells, 1, 2 or 4], by source token; sizes: int32 [source tokens],
    how many cells each has. counts: int64 fixed point, [slots + 1] of as many columns.
    """
    starts, ends, firsts = _runs(source, sizes, owners, len(locks))
    ahead = 1 + _AHEAD * firsts[len(locks)] // max(len(slots), 1)
    part = _next_part(locks, firsts, wait, done, turn)
    while part >= 0:
        first = firsts[part]
        last = firsts[part + 1]
        _add_runs(slots, links, starts[first:last], ends[first:last], ahead, counts)
        release(locks, part)
        part = _next_part(locks, firsts, wait, done, part)


@kernel
def add_to_all(slots, amount, counts):
    """Add an amount to every column of some rows, int64 [n], of counts."""
    for slot in slots:
        for c in range(counts.shape[1]):
            counts[slot, c] += amount


@kernel
def add_words(words, posteriors, owners, locks, turn, wait, done, counts):
    """Add NULL posteriors, float32 [tokens], to the counts of the words, int64 fixed point [types + 1]."""
    order, firsts = _by_part(words, owners, len(locks))
    part = _next_part(locks, firsts, wait, done, turn)
    while part >= 0:
        tokens = order[firsts[part] : firsts[part + 1]]
        final = len(tokens) - 1
        for k in range(len(tokens)):
            prefetch(counts, np.int64(words[tokens[min(k + _AHEAD, final)]]))
            counts[words[tokens[k]]] += to_fixed(posteriors[tokens[k]])
        release(locks, part)
        part = _next_part(locks, firsts, wait, done, part)
