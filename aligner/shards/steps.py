"""The steps of a run, on the files of its folder. A step whose files are there is not taken again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

from aligner.errors import ConfigError, DataError
from aligner.models.storage import save
from aligner.recipe.config import Recipe
from aligner.shards.expect import expect
from aligner.shards.folder import Folder, Part
from aligner.shards.limits import check_recipe
from aligner.shards.loading import ShardCache
from aligner.shards.pairs import WordPairs
from aligner.shards.ranges import describe_shards
from aligner.shards.state import PAIRS_ROUND, WORDS_ROUND, State
from aligner.shards.text import EncodedShard, ReadShard
from aligner.shards.update import Total
from aligner.shards.words import MOST_SHARDS, lines_of, table_of
from aligner.text.bitext import Bitext
from aligner.training.packing import pack, unpack
from aligner.training.step import Step
from aligner.training.usable import check_pairs


def start(folder: Folder, recipe: Recipe, shards: int) -> bool:
    """Begin a run; return False if the same run has begun in the folder.

    Raises
    ------
    ConfigError
        If the recipe does not go with shards.
    DataError
        If another run has begun in the folder.
    """
    check_recipe(recipe)
    if not 1 <= shards < MOST_SHARDS:
        raise ConfigError(f"found {shards} shards; expected a number from 1 to {MOST_SHARDS - 1:,}")
    begun = State(recipe, shards)
    if folder.rounds():
        state = folder.state()
        if (state.recipe, state.shards) != (recipe, shards):
            raise DataError(
                f"{folder.path}: found a run with another recipe or of {state.shards} shards; expected no"
                f" run, or the same one; name another folder, or delete this one"
            )
        return False
    folder.path.mkdir(parents=True, exist_ok=True)
    _write_state(folder, begun, {"before": None, "texts": {}, "encoded": None, "pruned": None})
    return True


def read(folder: Folder, shard: int, bitext: Bitext, origin: Any) -> None:
    """Write the text of a shard.

    bitext: its lines, read as the recipe says; origin: plain data that tells files apart.
    """
    state = folder.state()
    _check_shard(state, shard)
    if state.round != WORDS_ROUND:
        raise DataError(
            f"{folder.path}: found round {state.round}, and texts are read before round {PAIRS_ROUND}; begin"
            f" another run for another text"
        )
    write_text(folder, shard, bitext, origin)


def write_text(folder: Folder, shard: int, bitext: Bitext, origin: Any) -> None:
    """Write the text of a shard, whether the run has begun or not."""
    text = ReadShard.of(bitext)
    check_pairs(len(text.usable))
    folder.write(f"read.{shard}", {"origin": origin}, text.report, text.arrays())


def _check_shard(state: State, shard: int) -> None:
    """Raise ConfigError if a run has no shard of this number."""
    if not 1 <= shard <= state.shards:
        raise ConfigError(f"found shard {shard}; expected a number from 1 to {state.shards}")


def is_read(folder: Folder, shard: int, origin: Any) -> bool:
    """Return True if the text of a shard was read from files that have not changed since."""
    name = f"read.{shard}"
    return folder.exists(name) and folder.made_from(name) == {"origin": origin}


def count(folder: Folder, shard: int, threads: int = 1, cache: ShardCache | None = None) -> bool:
    """Count a shard in the current round; return False if that was done before.

    cache: of a process that counts in several rounds.

    Raises
    ------
    DataError
        If the text of the shard has not been read, or has been replaced.
    """
    state = folder.outline()
    _check_shard(state, shard)
    if state.done:
        return False
    round = state.round
    name = folder.part_name(round, [shard])
    current = folder.identity(f"state.{round}")
    done = folder.exists(name) and folder.made_from(name)["state"] == current
    if done and (round > WORDS_ROUND or _is_of_text(folder, name)):
        return False
    if round == WORDS_ROUND:
        text, part = _count_words(folder, shard)
    elif round == PAIRS_ROUND:
        text, part = _count_pairs(folder, shard, current, threads)
    else:
        text, part = _count_links(folder, shard, current, threads, cache or ShardCache())
    _write_part(folder, name, part, current, {str(shard): text})
    return True


def merge(folder: Folder, shards: Iterable[int]) -> bool:
    """Add up the parts of some shards in the current round; return False if that was done before."""
    state, wanted = folder.outline(), frozenset(shards)
    round, parts = state.round, folder.parts(state.round)
    if state.done or wanted in parts:
        return False
    current = folder.identity(f"state.{round}")
    first, *others = _cover(folder, parts, wanted, round)
    merged, texts = folder.read_part(first, round, current)
    for name in others:
        part, own = folder.read_part(name, round, current)
        merged = merged.plus(part)  # type: ignore[arg-type]  # both are of the round's kind
        texts |= own
    _write_part(folder, folder.part_name(round, wanted), merged, current, texts)
    return True


def update(folder: Folder, threads: int = 1, state: State | None = None) -> tuple[State, Step | None]:
    """Update the state from the parts of all shards; return it, and the record of an iteration.

    state: the state of the current round, if it is at hand.

    The last update writes the model. The parts are deleted.

    Raises
    ------
    DataError
        If parts are missing.
    """
    round = folder.round()
    current = folder.identity(f"state.{round}")
    state = folder.state(round) if state is None or state.round != round else state
    if state.done:
        return state, None
    parts = folder.parts(round)
    total = Total(state)
    texts: dict[str, str] = {}
    for name in _cover(folder, parts, frozenset(range(1, state.shards + 1)), round):
        part, own = folder.read_part(name, round, current)
        texts |= own
        total.add(part)
        if round == WORDS_ROUND:
            for shard, text in own.items():
                folder.require(f"read.{shard}", text)
        del part  # as large as the lexicon
    after, step = total.update(threads)
    if after.done:
        save(after.trained(), folder.model)
    lineage = folder.made_from(f"state.{round}") | {"before": current, "texts": texts}
    if round == PAIRS_ROUND:
        lineage["encoded"] = current
    if after.pruned and not state.pruned:
        lineage["pruned"] = current
    _write_state(folder, after, lineage)
    _tidy(folder, round)
    return after, step


def _count_words(folder: Folder, shard: int) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its words."""
    text, identity = _read_text(folder, shard)
    return identity, text.words(shard)


def _count_pairs(folder: Folder, shard: int, current: str, threads: int) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its word pairs; write the encoded text."""
    text, identity = _read_text(folder, shard)
    folder.require(f"read.{shard}", folder.made_from(f"state.{PAIRS_ROUND}")["texts"][str(shard)])
    vocabularies = folder.state(PAIRS_ROUND).vocabularies
    assert vocabularies is not None, "words come first"
    source, target = (table_of(lines_of(words), len(words)) for words in vocabularies)
    encoded = EncodedShard.of(text.encoded((source, target), threads), threads)
    made_from = {"text": identity, "state": current}
    folder.write(f"encoded.{shard}", made_from, None, encoded.arrays())
    return identity, WordPairs.of(encoded.bitext, encoded.index)


def _count_links(
    folder: Folder, shard: int, current: str, threads: int, cache: ShardCache
) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its expected counts."""
    round = folder.round()
    with folder.opened(f"state.{round}") as file:
        state, lineage = State.outline(file.header["values"]), file.header["made_from"]
        loaded = cache.load(folder, shard, lineage, file)
        model = loaded.local_model(file)
    text = lineage["texts"][str(shard)]
    stage, iteration = state.stage, state.step[1]
    remembered = None
    previous = f"remembered.{round - 1}.{shard}"
    if iteration > 1 and folder.exists(previous):
        remembered = unpack(*folder.read(previous, {"text": text, "state": lineage["before"]}))
    result = expect(loaded, model, stage, iteration, remembered, threads)
    made_from = {"text": text, "state": current}
    if result.shard is not None:
        folder.write(f"kept.{shard}", made_from, None, result.shard.pruned_arrays())
    arrays: dict[str, NDArray] = {}
    packed = pack(result.remembered, arrays)
    if arrays:
        folder.write(f"remembered.{round}.{shard}", made_from, packed, arrays)
    return text, result.counts


def _read_text(folder: Folder, shard: int) -> tuple[ReadShard, str]:
    """Return the text of a shard, and its identity."""
    name = f"read.{shard}"
    return ReadShard.rebuild(*folder.read(name)), folder.identity(name)


def _is_of_text(folder: Folder, part: str) -> bool:
    """Return True if the texts of a part are still the same."""
    texts = folder.made_from(part)["texts"]
    return all(folder.identity(f"read.{shard}") == text for shard, text in texts.items())


def _write_part(folder: Folder, name: str, part: Part, state: str, texts: dict[str, str]) -> None:
    """Write a part that was counted under a state. If the machine fails, its step is taken again."""
    made_from = {"state": state, "texts": dict(sorted(texts.items()))}
    folder.write(name, made_from, part.values(), part.arrays(), durable=False)


def _write_state(folder: Folder, state: State, made_from: dict[str, Any]) -> None:
    """Write a state."""
    folder.write(f"state.{state.round}", made_from, *state.describe())


def _cover(folder: Folder, parts: dict[frozenset[int], str], wanted: frozenset[int], round: int) -> list[str]:
    """Return the names of parts that have each of these shards once, large parts first."""
    names: list[str] = []
    missing = wanted
    for shards in sorted(parts, key=len, reverse=True):
        if shards <= missing:
            names.append(parts[shards])
            missing -= shards
    if missing:
        raise DataError(
            f"{folder.path}: found no part of the shards {describe_shards(missing)} in round {round};"
            f" expected one of each; count them first"
        )
    return names


def _tidy(folder: Folder, round: int) -> None:
    """Delete the files of a round that no later step reads, finished or not."""
    patterns = f"part.{round}.*", f"remembered.{round - 1}.*", f"state.{round - 1}"
    folder.remove(path.name for pattern in patterns for path in folder.path.glob(pattern))
