"""Operations on cells: gather potentials, combine the two directions' posteriors, drop what is negligible."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels._jit import inlined, kernel
from aligner.kernels.simd import (
    add_to,
    interleave,
    lanes16,
    load,
    load_first,
    prefetch,
    splat,
    store_first,
)

# Rows of the lexicon are fetched this many cells before they are needed.
_AHEAD = 96


@kernel
def gather(slots, table, source_lengths, target_lengths, forward, reverse):
    """Look up both directions' lexical potentials of a block in one pass.

    slots: uint32 [cells], source-major; table: float32 [slots + 1, 2]. forward: float32, [J, I] per pair,
    gets table[:, 0]; reverse: float32, [I, J] per pair, gets table[:, 1].
    """
    cell = 0
    end = len(slots) - 1
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        for i in range(width):
            k = slots[cell + i * height : cell + (i + 1) * height]
            r = reverse[cell + i * height : cell + (i + 1) * height]
            ahead = cell + i * height + _AHEAD
            for j in range(height):
                prefetch(table, np.int64(slots[min(ahead + j, end)]))
                entry = table[k[j]]
                f[j * width + i] = entry[0]
                r[j] = entry[1]
        cell += size


@kernel
def gather_sparse(slots, runs, columns, table, source_lengths, target_lengths, forward, reverse):
    """``gather`` where only some cells were kept; all others get row 0 of the table.

    runs: uint16 [source tokens], kept cells of each source token; columns: uint16 [kept], their target
    positions.
    """
    cell = 0
    token = 0
    kept = 0
    final = len(slots) - 1
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        r = reverse[cell : cell + size]
        f[:] = table[0, 0]
        r[:] = table[0, 1]
        for i in range(width):
            end = kept + runs[token]
            for k in range(kept, end):
                prefetch(table, np.int64(slots[min(k + _AHEAD, final)]))
                j = columns[k]
                entry = table[slots[k]]
                f[j * width + i] = entry[0]
                r[i * height + j] = entry[1]
            kept = end
            token += 1
        cell += size


@kernel
def gather_words(tokens, table, out):
    """out[k] = table[tokens[k]]: the NULL potentials of a block's words."""
    for k in range(len(tokens)):
        out[k] = table[tokens[k]]


class _Turned(NamedTuple):
    """Working memory, in which forward cells get the order of the reverse ones.

    cells: float32 [I, 16], of sixteen target positions; starts, counts: int64 [16], of their rows.
    """

    cells: NDArray
    starts: NDArray
    counts: NDArray


@inlined
def _new_turned(source_lengths):
    """Room for the longest source sentence: its positions are written sixteen at a time."""
    longest = 0
    for length in source_lengths:
        longest = max(longest, length)
    return _Turned(np.empty(16 * (longest + 15), np.float32), np.empty(16, np.int64), np.empty(16, np.int64))


@inlined
def _turn(forward, cell, width, height, first, turned):
    """turned.cells[i, l] = F[first + l, i] of the pair whose cells begin there; 0 beyond its last row."""
    for lane in range(16):
        turned.starts[lane] = cell + (first + lane) * width
        turned.counts[lane] = width if first + lane < height else 0
    interleave(forward, turned.starts, turned.counts, width, turned.cells, 0)


@kernel
def transpose(forward, source_lengths, target_lengths, out):
    """Copy target-major cells (float32, [J, I] per pair) to source-major order ([I, J] per pair).

    With the lengths swapped, it is the inverse.
    """
    like = lanes16()
    turned = _new_turned(source_lengths)
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        for j in range(0, height, 16):
            _turn(forward, cell, width, height, j, turned)
            for i in range(width):
                store_first(out, cell + i * height + j, load(like, turned.cells, 16 * i), height - j)
        cell += width * height


@kernel
def multiply(forward, reverse, source_lengths, target_lengths, out, sums):
    """out = F R, source-major: float32 [cells]; sums: float64 [pairs], of each pair's products.

    forward: float32, [J, I] per pair; reverse: float32, [I, J] per pair, which may be the same as out.
    """
    like = lanes16()
    turned = _new_turned(source_lengths)
    totals = np.empty(16)
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        totals[:] = 0.0
        for j in range(0, height, 16):
            _turn(forward, cell, width, height, j, turned)
            of_words = splat(like, np.float32(0.0))
            for i in range(width):
                k = cell + i * height + j
                both = load(like, turned.cells, 16 * i) * load_first(like, reverse, k, height - j)
                store_first(out, k, both, height - j)
                of_words = of_words + both
            add_to(totals, of_words)
        sums[n] = totals.sum()
        cell += width * height


@kernel
def multiply_kept(runs, columns, forward, reverse, source_lengths, target_lengths, out, sums):
    """``multiply``, but of the cells that were kept alone, out: float32 [kept]; see ``gather_sparse``."""
    cell = 0
    token = 0
    kept = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        r = reverse[cell : cell + size]
        total = 0.0
        for i in range(width):
            end = kept + runs[token]
            for k in range(kept, end):
                j = columns[k]
                both = f[j * width + i] * r[i * height + j]
                out[k] = both
                total += both
            kept = end
            token += 1
        sums[n] = total
        cell += size


@kernel
def add(forward, reverse, forward_weight, reverse_weight, source_lengths, target_lengths, out):
    """out = a F + b R, source-major: float32 [cells]; a, b: float32. The rest as in ``multiply``."""
    like = lanes16()
    a = splat(like, forward_weight)
    b = splat(like, reverse_weight)
    turned = _new_turned(source_lengths)
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        for j in range(0, height, 16):
            _turn(forward, cell, width, height, j, turned)
            for i in range(width):
                k = cell + i * height + j
                both = a * load(like, turned.cells, 16 * i) + b * load_first(like, reverse, k, height - j)
                store_first(out, k, both, height - j)
        cell += width * height


@kernel
def side_by_side(cells, source_lengths, target_lengths, out):
    """out[:, c] = cells[c], source-major: float32 [cells, columns].

    cells: a tuple, by turns forward, float32, [J, I] per pair, and reverse, [I, J] per pair.
    """
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        for c in range(0, len(cells), 2):
            f = cells[c][cell : cell + size]
            for i in range(width):
                r = cells[c + 1][cell + i * height : cell + (i + 1) * height]
                q = out[cell + i * height : cell + (i + 1) * height]
                for j in range(height):
                    q[j, c] = f[j * width + i]
                    q[j, c + 1] = r[j]
        cell += size


@inlined
def _largest(links, k):
    largest = links[k, 0]
    for c in range(1, links.shape[1]):
        largest = max(largest, links[k, c])
    return largest


@kernel
def count_kept(links, threshold):
    """How many cells, of links: float32 [cells, columns], have one of at least ``threshold``."""
    kept = 0
    for k in range(len(links)):
        kept += _largest(links, k) >= threshold
    return kept


@kernel
def keep(slots, links, threshold, source_lengths, target_lengths, runs, columns, kept_slots):
    """List the cells that ``count_kept`` counts.

    slots: uint32 [cells], links: float32 [cells, columns], source-major; runs, columns, kept_slots: filled,
    as ``gather_sparse`` reads them, but columns and kept_slots have room for one more.
    """
    cell = 0
    token = 0
    kept = 0
    for n in range(len(source_lengths)):
        height = target_lengths[n]
        for _ in range(source_lengths[n]):
            before = kept
            k = slots[cell : cell + height]
            q = links[cell : cell + height]
            for j in range(height):
                # Written first and kept if so: a branch would be guessed wrong too often.
                columns[kept] = j
                kept_slots[kept] = k[j]
                kept += _largest(q, j) >= threshold
            runs[token] = kept - before
            cell += height
            token += 1


@kernel
def select_kept(runs, columns, links, source_lengths, target_lengths, out):
    """The links of the cells that were kept: float32 [kept, columns], of all; see ``gather_sparse``."""
    cell = 0
    token = 0
    kept = 0
    for n in range(len(source_lengths)):
        height = target_lengths[n]
        for _ in range(source_lengths[n]):
            for k in range(kept, kept + runs[token]):
                for c in range(links.shape[1]):
                    out[k, c] = links[cell + columns[k], c]
            kept += runs[token]
            cell += height
            token += 1


@kernel
def mark(slots, used):
    """used[slot] = True, bool, for every slot there is."""
    for slot in slots:
        used[slot] = True


@kernel
def renumber(slots, numbers):
    """Replace every slot by its number, uint32, in place."""
    for k in range(len(slots)):
        slots[k] = numbers[slots[k]]
