"""Expected memory of the steps of a run in bytes, from the sizes of files (docs/measurements/cost.md)."""

from __future__ import annotations

from aligner.shards.folder import ENCODED, KEPT, PART, READ, STATE, Folder
from aligner.shards.run_state import PAIRS_ROUND, WORDS_ROUND, Run
from aligner.system.resources import PROGRAM
from aligner.training.model1_estep import is_model1_alone

_READ, _MERGED, _COUNTED, _ENCODED, _SEGMENTED = 3.5, 2.6, 4.7, 6.0, 3.5
"""For a byte of plain text that is read, or of a part that is merged, counted, encoded or segmented."""

_BLOCKS, _THREAD, _JUMPS = 32 << 20, 160 << 20, 48 << 20
"""Of a thread; of a further thread of the HMM for a text of at least this size; and in an update."""

GROWTH = 0.64
"""Word pairs grow as this power of the number of sentence pairs."""


def of_read(text: float) -> int:
    """Return the expected peak of reading plain text of this size."""
    return int(PROGRAM + _READ * text)


def of_iteration(text: float, word_pairs: float, columns: int, threads: int = 1) -> int:
    """Return the expected peak of counting a shard; text: bytes of its file; columns: of the counts."""
    blocks = _BLOCKS + (threads - 1) * min(_THREAD, text)
    return int(PROGRAM + blocks + _COUNTED * text + (22 + 16 * columns) * word_pairs)


def of_mstep(word_pairs: float, columns: int, part: float) -> int:
    """Return the expected peak of an update; word_pairs: of the run; part: bytes of the largest part."""
    return int(PROGRAM + _JUMPS + (14 + 8 * columns) * word_pairs + max(8 * word_pairs, part))


def of_count(folder: Folder, run: Run, shard: int, threads: int) -> int:
    """Return the expected peak of counting a shard in the current round."""
    if run.round == WORDS_ROUND:
        return int(PROGRAM + _SEGMENTED * folder.of_words.size(READ(shard)))
    text = folder.size(READ(shard))
    if run.round == PAIRS_ROUND:
        return int(PROGRAM + _ENCODED * text)
    word_pairs = max(folder.size(ENCODED(shard)) - text, 0) // 4
    if folder.exists(KEPT(shard)):
        return int(PROGRAM + _COUNTED * text + 8 * word_pairs)
    threads = 1 if is_model1_alone(run.stage, restricted=False) else threads
    return of_iteration(text, word_pairs, run.stage.criterion.columns, threads)


def of_update(folder: Folder, run: Run) -> int:
    """Return the expected peak of the update after the current round."""
    texts, encoded = ([folder.size(kind(shard)) for shard in run.numbers] for kind in (READ, ENCODED))
    parts = [folder.size(PART(run.round, shard)) for shard in run.numbers]
    if run.round == WORDS_ROUND:
        return int(PROGRAM + _MERGED * max(texts))
    if run.round == PAIRS_ROUND:
        return int(PROGRAM + 18 * (sum(encoded) - sum(texts)) / 4 * run.shards ** (GROWTH - 1))
    return of_mstep(folder.size(STATE(run.round)) / 12, run.stage.criterion.columns, max(parts))
