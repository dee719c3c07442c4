"""The count of a shard in a round, on the files of a run's folder."""

from __future__ import annotations

from contextlib import ExitStack

from numpy.typing import NDArray

from aligner.shards.expect import expect
from aligner.shards.folder import Folder
from aligner.shards.loading import ShardCache
from aligner.shards.pairs import LengthPairs, WordPairs
from aligner.shards.parts import Part
from aligner.shards.shard import EncodedShard, ReadShard
from aligner.shards.slices import divide
from aligner.shards.state import PAIRS_ROUND, State
from aligner.training.packing import pack, unpack


def count_words(folder: Folder, shard: int) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its words."""
    text, identity = _read_text(folder, shard)
    return identity, Part(text.words(shard))


def count_pairs(folder: Folder, shard: int, current: str, threads: int) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its word pairs; write the encoded text."""
    text, identity = _read_text(folder, shard)
    folder.require(f"read.{shard}", folder.made_from(f"state.{PAIRS_ROUND}")["texts"][str(shard)])
    state = State.rebuild(*folder.read(f"state.{PAIRS_ROUND}"))  # existing models are not needed
    assert state.vocabularies is not None, "words come first"
    encoded = EncodedShard.of(text.encoded(state.vocabularies, threads), threads)
    made_from = {"text": identity, "state": current}
    folder.write(f"encoded.{shard}", made_from, None, encoded.arrays())
    rows = divide(encoded.index, state.slice_of_word, state.slices)
    pairs = tuple(WordPairs.of(encoded.index, own) for own in rows)
    return identity, Part(LengthPairs.of(encoded.bitext), pairs)


def count_links(
    folder: Folder, shard: int, round: int, current: str, threads: int, cache: ShardCache
) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its expected counts; write what later rounds need of it.

    round, current: the number and the identity of the state to count under, even if another process updates
    it meanwhile.
    """
    with folder.opened(f"state.{round}") as file, ExitStack() as stack:
        state, lineage = State.outline(file.header["values"]), file.header["made_from"]
        slices = (folder.rows_file(round, number) for number in range(1, state.slices + 1))
        rows = [stack.enter_context(folder.opened(*of_slice)) for of_slice in slices]
        loaded = cache.load(folder, shard, lineage, file, rows)
        model = loaded.local_model(file, rows)
        stage, iteration = state.stage, state.stage_and_iteration[1]
        remembered = None
        if iteration > 1 and not stage.criterion.has_pair_state:
            remembered = unpack(file.header["values"]["remembered"], file)
    text = lineage["texts"][str(shard)]
    has_pair_state = stage.criterion.has_pair_state and len(loaded.shard.bitext) > 0
    if iteration > 1 and has_pair_state:
        made_before = {"text": text, "state": lineage["before"]}
        remembered = unpack(*folder.read(f"remembered.{round - 1}.{shard}", made_before))
    result = expect(loaded, model, stage, iteration, remembered, threads)
    made_from = {"text": text, "state": current}
    if result.shard is not None:
        folder.write(f"kept.{shard}", made_from, None, result.shard.pruned_arrays())
    if has_pair_state:
        arrays: dict[str, NDArray] = {}
        packed = pack(result.remembered, arrays)
        folder.write(f"remembered.{round}.{shard}", made_from, packed, arrays)
    return text, result.part


def _read_text(folder: Folder, shard: int) -> tuple[ReadShard, str]:
    """Return the text of a shard, and its identity."""
    name = f"read.{shard}"
    return ReadShard.rebuild(*folder.read(name)), folder.identity(name)


def is_of_text(folder: Folder, part: str) -> bool:
    """Return True if the texts of a part are still the same."""
    texts = folder.made_from(part)["texts"]
    return all(folder.identity(f"read.{shard}") == text for shard, text in texts.items())
