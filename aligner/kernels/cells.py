"""Operations on cells: gather potentials, combine the two directions' posteriors, scatter expected counts."""

import numpy as np

from aligner.kernels._jit import kernel
from aligner.kernels.fixed import to_fixed
from aligner.kernels.simd import prefetch

# Rows of the lexicon and of the counts are fetched this many cells before they are needed.
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


@kernel
def transpose(forward, source_lengths, target_lengths, out):
    """Copy target-major cells (float32, [J, I] per pair) to source-major order ([I, J] per pair)."""
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        for i in range(width):
            row = out[cell + i * height : cell + (i + 1) * height]
            for j in range(height):
                row[j] = f[j * width + i]
        cell += size


@kernel
def multiply(forward, reverse, source_lengths, target_lengths, out, sums):
    """out = F R, source-major: float32 [cells]; sums: float64 [pairs], of each pair's products.

    forward: float32, [J, I] per pair; reverse: float32, [I, J] per pair.
    """
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        f = forward[cell : cell + size]
        total = 0.0
        for i in range(width):
            r = reverse[cell + i * height : cell + (i + 1) * height]
            q = out[cell + i * height : cell + (i + 1) * height]
            row = np.float32(0.0)
            for j in range(height):
                both = f[j * width + i] * r[j]
                q[j] = both
                row += both
            total += row
        sums[n] = total
        cell += size


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


@kernel
def count_kept(links, threshold):
    """How many cells, of links: float32 [cells, columns], have one of at least ``threshold``."""
    kept = 0
    if links.shape[1] == 1:
        for k in range(len(links)):
            kept += links[k, 0] >= threshold
        return kept
    for k in range(len(links)):
        kept += links[k].max() >= threshold
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
    single = links.shape[1] == 1
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
                kept += (q[j, 0] if single else q[j].max()) >= threshold
            runs[token] = kept - before
            cell += height
            token += 1


@kernel
def _own_runs(source, sizes, owners, me):
    """Where the cells of a worker's own words begin and end, int64 [runs + 1]; the last run is empty.

    sizes: how many cells each source token has, [source tokens].
    """
    starts = np.zeros(len(source) + 1, np.int64)
    ends = np.zeros(len(source) + 1, np.int64)
    runs = 0
    start = 0
    for token in range(len(source)):
        end = start + sizes[token]
        if owners[source[token]] == me and end > start:
            if runs > 0 and ends[runs - 1] == start:
                ends[runs - 1] = end
            else:
                starts[runs] = start
                ends[runs] = end
                runs += 1
        start = end
    return starts[: runs + 1], ends[: runs + 1]


@kernel
def _add(slots, links, counts, coming):
    """Add one run of cells, while the counts of as many other cells are fetched."""
    columns = counts.shape[1]
    if columns == 1:
        for j in range(len(slots)):
            prefetch(counts, np.int64(coming[j]))
            counts[slots[j], 0] += to_fixed(links[j, 0])
    elif columns == 2:
        for j in range(len(slots)):
            prefetch(counts, np.int64(coming[j]))
            entry = counts[slots[j]]
            entry[0] += to_fixed(links[j, 0])
            entry[1] += to_fixed(links[j, 1])
    else:
        for j in range(len(slots)):
            prefetch(counts, np.int64(coming[j]))
            entry = counts[slots[j]]
            entry[0] += to_fixed(links[j, 0])
            entry[1] += to_fixed(links[j, 1])
            entry[2] += to_fixed(links[j, 2])
            entry[3] += to_fixed(links[j, 3])


@kernel
def scatter(slots, links, source, source_lengths, target_lengths, owners, me, counts):
    """Add a block's posteriors to the counts of the word pairs whose source type this worker owns.

    links: float32 [cells, 1, 2 or 4]; counts: int64 fixed point, [slots + 1] of as many; owners: int32 [types
    + 1]. Ownership makes plain additions safe: no two workers ever touch the same row, or fetch it.
    """
    starts, ends = _own_runs(source, np.repeat(target_lengths, source_lengths), owners, me)
    # ``ahead``, in the run ``far``, is _AHEAD of one's own cells before k.
    far = 0
    ahead = starts[0]
    lead = 0
    while lead < _AHEAD and ahead < ends[far]:
        size = min(_AHEAD - lead, ends[far] - ahead)
        lead += size
        ahead += size
        if ahead == ends[far]:
            far += 1
            ahead = starts[far]
    for run in range(len(starts)):
        k = starts[run]
        while k < ends[run]:
            left = ends[far] - ahead
            size = min(ends[run] - k, left) if left > 0 else ends[run] - k
            mine = slots[k : k + size]
            coming = slots[ahead : ahead + size] if left > 0 else mine
            _add(mine, links[k : k + size], counts, coming)
            k += size
            if left > 0:
                ahead += size
                if ahead == ends[far]:
                    far += 1
                    ahead = starts[far]


@kernel
def scatter_sparse(slots, runs, columns, links, source, source_lengths, target_lengths, owners, me, counts):
    """``scatter`` of the kept cells only."""
    starts, ends = _own_runs(source, runs, owners, me)
    far = 0
    ahead = starts[0]
    fetched = 0
    added = 0
    cell = 0
    token = 0
    kept = 0
    for n in range(len(source_lengths)):
        for _ in range(source_lengths[n]):
            end = kept + runs[token]
            if owners[source[token]] == me:
                while ahead < ends[far] and fetched < added + _AHEAD + end - kept:
                    prefetch(counts, np.int64(slots[ahead]))
                    fetched += 1
                    ahead += 1
                    if ahead == ends[far]:
                        far += 1
                        ahead = starts[far]
                for k in range(kept, end):
                    entry = counts[slots[k]]
                    for c in range(counts.shape[1]):
                        entry[c] += to_fixed(links[cell + columns[k], c])
                added += end - kept
            kept = end
            cell += target_lengths[n]
            token += 1


@kernel
def scatter_words(tokens, posteriors, owners, me, counts):
    """Add NULL posteriors to the counts, int64 fixed point [types + 1], of the words this worker owns."""
    for k in range(len(tokens)):
        if owners[tokens[k]] == me:
            counts[tokens[k]] += to_fixed(posteriors[k])
