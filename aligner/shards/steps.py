"""The steps of a run: start, read, count, update.

Each reads and writes files of the folder of the run. A step whose files are there is not taken again.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from aligner.arrays import Int64s
from aligner.criteria import Counts
from aligner.errors import ConfigError, DataError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.models.model_file import load, save
from aligner.priors.dictionary_text import entry_pairs
from aligner.priors.knowledge import Knowledge
from aligner.priors.source import prior_names
from aligner.recipe.config import Recipe
from aligner.shards.counting import count_shard
from aligner.shards.folder import ENCODED, ENTRIES, KNOWLEDGE, MODEL, PART, READ, STATE, Folder
from aligner.shards.piece_run import is_of_pieces, join, text_of_shard, write_segmenters
from aligner.shards.run_state import PAIRS_ROUND, WORDS_ROUND, Run, RunState
from aligner.shards.shard import EncodedShard, ReadShard, SideWords
from aligner.shards.shard_counts import ShardCounts, no_counts
from aligner.storage.checks import require
from aligner.text.bitext import Bitext
from aligner.text.edges import Edges
from aligner.text.facts import TextFacts, length_pairs_of
from aligner.training.loop import first_lexicon
from aligner.training.piece_task import knowledge_of_pieces, segmenters
from aligner.training.state import TrainingState
from aligner.training.step import Step
from aligner.training.usable import check_pairs, check_tokens, check_usable, check_word_counts


def start(folder: Folder, recipe: Recipe, shards: int, knowledge: Knowledge | None = None) -> bool:
    """Begin a run; return False if the same run has begun in the folder.

    Parameters
    ----------
    folder, recipe, shards
        The folder, the recipe, and the number of shards.
    knowledge
        A dictionary, and existing models; none by default.

    Raises
    ------
    ConfigError
        If the recipe does not go with shards, or with the dictionary or the existing models.
    DataError
        If another run has begun in the folder.
    """
    knowledge = knowledge or Knowledge()
    check_run(recipe, knowledge)
    if shards < 1:
        raise ConfigError(f"found {shards} shards; expected at least 1")
    if folder.rounds():
        if not is_run_of(folder, recipe, shards, knowledge):
            raise DataError(
                f"{folder.path}: found a run with another recipe, dictionary or model, or with another number"
                f" of shards; expected no run, or the same one; name another folder, or delete this one"
            )
        if not folder.exists(KNOWLEDGE()):
            _write_knowledge(folder, knowledge)
        return False
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"{folder.path}: no run can begin here ({error.strerror}); expected a folder, or a new name in a"
            f" folder; name another one, or check its permissions"
        ) from None
    _write_knowledge(folder, knowledge)
    RunState(Run(recipe.to_dict(), shards), knowledge).write(folder)
    return True


def check_run(recipe: Recipe, knowledge: Knowledge) -> None:
    """Raise ConfigError if shards cannot train a recipe with what is known."""
    if knowledge.evidence.links is not None:
        raise ConfigError(
            "known links do not go with shards: they are of the lines of one text; leave them out, or"
            " train on one machine"
        )
    knowledge.check(recipe)
    for number, stage in enumerate(recipe.stages, start=1):
        for name, used, reason in (
            ("batch_pairs", stage.batch_pairs > 0, "the model changes within the text, from pair to pair"),
            ("restarts", stage.restarts > 1, "each start would be a run of its own"),
        ):
            if used:
                raise ConfigError(
                    f"stage.{number}.{name} = {getattr(stage, name)} does not go with shards: {reason}; leave"
                    f" it out, or train on one machine"
                )


def is_run_of(folder: Folder, recipe: Recipe, shards: int, knowledge: Knowledge) -> bool:
    """Return True if the run in a folder has this recipe and number of shards, and was given the same."""
    with folder.opened(STATE(folder.round())) as file:
        run = file.take("run", Run)
        return (run.recipe, run.shards, file.made_from) == (recipe, shards, knowledge.identity)


def _write_knowledge(folder: Folder, knowledge: Knowledge) -> None:
    """Write what a run knows besides its text, if there is anything."""
    if knowledge.identity:
        folder.write(KNOWLEDGE(), knowledge.identity, {"knowledge": knowledge})


def read(folder: Folder, shard: int, bitext: Bitext, origin: Any) -> None:
    """Write the text of a shard.

    bitext: its lines, read as the recipe says; origin: plain data that changes when the shard has other
    files, or if they are read in another way. Raises DataError if the run goes on with another text.
    """
    check_reading(folder, shard)
    write_text(folder, shard, bitext, origin)
    run, name = Run.current(folder), READ(shard)
    if run.round > WORDS_ROUND and folder.identity(name) != run.texts[shard - 1]:
        raise folder.foreign(name)


def check_reading(folder: Folder, shard: int) -> Recipe:
    """Return the recipe of a run whose shard may be read; raise ConfigError or DataError if it may not.

    After round 0, only a text whose file was lost may be read, and must be the same.
    """
    run = Run.current(folder)
    _check_shard(run, shard)
    if run.round != WORDS_ROUND and folder.exists(READ(shard)):
        raise DataError(
            f"{folder.path}: found round {run.round}, and texts are read before round {PAIRS_ROUND}; begin"
            f" another run for another text"
        )
    return run.recipe


def _check_shard(run: Run, shard: int) -> None:
    """Raise ConfigError if a run has no shard of this number."""
    if shard not in run.numbers:
        raise ConfigError(f"found shard {shard}; expected a number from 1 to {run.shards}")


def write_text(folder: Folder, shard: int, bitext: Bitext, origin: Any) -> None:
    """Write the text of a shard, whether the run has begun or not."""
    text = ReadShard.of(bitext)
    check_pairs(len(text.source))
    folder.write(READ(shard), origin, {"text": text, "pairs": len(text.source)})


def count(folder: Folder, shard: int, threads: int = 1) -> bool:
    """Count a shard in the current round; return False if that was done before, or if the model is trained.

    The words of a text, round 0, are counted as it is read: only the text of pieces is still to be made.

    Raises DataError if the text of the shard has not been read, or has been replaced.
    """
    run, name = Run.current(folder), READ(shard)
    _check_shard(run, shard)
    if run.done:
        return False
    new = is_of_pieces(folder) and not folder.exists(name)
    if new:
        write_text(folder, shard, *text_of_shard(folder, shard))
    text = folder.identity(name)
    if run.round == WORDS_ROUND:
        return new
    made_from = [folder.identity(STATE(run.round)), text]
    counts = counts_name(run.round, shard)
    if folder.is_made_from(counts, made_from):
        return False
    if text != run.texts[shard - 1]:
        raise folder.foreign(name)
    if run.round == PAIRS_ROUND:
        EncodedShard.write(folder, shard, made_from, threads)
    else:
        values = {"counts": count_shard(folder, shard, run.round, made_from, threads)}
        folder.write(counts, made_from, values, durable=False)
    return True


def counts_name(round: int, shard: int) -> str:
    """Return the name of the file that has the counts of a shard in a round."""
    return {WORDS_ROUND: READ(shard), PAIRS_ROUND: ENCODED(shard)}.get(round, PART(round, shard))


def update(folder: Folder, threads: int = 1, state: RunState | None = None) -> tuple[RunState, Step | None]:
    """Update the state from the counts of all shards; return it, and the record of an iteration.

    The update holds the whole lexicon in memory. The last one writes the model. The parts are deleted.

    Parameters
    ----------
    folder
        The folder of the run.
    threads
        Number of threads.
    state
        The state of the current round, if it is at hand from the last update. It is changed.

    Raises
    ------
    DataError
        If a shard has not been counted.
    """
    round = folder.round()
    if state is None or state.run.round != round:
        state = RunState.read(folder, threads)
    run, step = state.run, None
    if run.done:
        _conclude(folder, state)
        return state, None
    _check_priors(folder, run)
    current = folder.identity(STATE(round))
    try:
        if round == WORDS_ROUND:
            state = _after_words(folder, state)
        elif round == PAIRS_ROUND:
            state = _after_pairs(folder, state, current)
        else:
            state, step = _after_iteration(folder, state, current)
    except DataError:
        if folder.round() == round:
            raise
        return RunState.read(folder, threads), None  # another process has updated, and deleted the counts
    state = replace(state, run=replace(state.run, round=round + 1, before=current))
    state.write(folder)
    folder.tidy(round)
    if state.run.done:
        _conclude(folder, state)
    return state, step


def _check_priors(folder: Folder, run: Run) -> None:
    """Raise ConfigError if a run began with other priors than those known here."""
    if run.priors != prior_names():
        raise ConfigError(
            f"{folder.path}: found a run that began with the priors {', '.join(run.priors)}; expected"
            f" {', '.join(prior_names())}; import the extensions with which it began (align --import)"
        )


def _after_words(folder: Folder, state: RunState) -> RunState:
    """Return the state after round 0, which has facts about the text."""
    run, texts, sides = state.run, list[str](), (SideWords(), SideWords())
    report: Counter[str] = Counter()
    for shard in run.numbers:
        texts.append(folder.identity(READ(shard)))
        text: ReadShard = folder.take(READ(shard), "text", ReadShard)
        report.update(text.report)
        for words, side in zip(sides, text.sides, strict=True):
            words.add(side)
    check_usable(report["trainable"], report["lines"], run.recipe)
    check_tokens(report["source_tokens"], report["target_tokens"])
    source, target = (words.vocabulary() for words in sides)
    folder.remove([ENTRIES()])
    evidence, reading = state.knowledge.evidence, vars(run.recipe.data)
    if evidence.dictionary is not None:
        parts = (ReadShard.take(folder, shard).encoded((source, target)) for shard in run.numbers)
        entries, figures = entry_pairs(evidence, (source, target), parts, reading)
        folder.write(ENTRIES(), texts, {"text": ReadShard.of(entries)})
        source = source.joined_with(entries.source.vocabulary)
        target = target.joined_with(entries.target.vocabulary)
        report.update(figures)
    facts = state.knowledge.split(TextFacts(source, target, dict(report), reading), run.recipe.split)
    source_tokens, target_tokens = (int(words.counts.sum()) for words in facts.vocabularies)
    facts = replace(facts, source_tokens=source_tokens, target_tokens=target_tokens)
    facts = state.knowledge.about(facts)
    check_word_counts(*facts.vocabularies)
    return replace(state, run=replace(run, texts=texts), facts=facts)


def _after_pairs(folder: Folder, state: RunState, current: str) -> RunState:
    """Return the state after round 1, which has the first state of training."""
    run, facts = state.run, state.facts
    assert facts is not None
    unchanged = [np.arange(len(words) + 1, dtype=np.int32) for words in facts.vocabularies]
    index: CooccurrenceIndex | None = None
    lengths = np.empty(0, np.int64)
    edges = [np.zeros((len(words) + 1, 3), np.int64) for words in facts.vocabularies]
    for shard, text in zip(run.numbers, run.texts, strict=True):
        with folder.opened(ENCODED(shard), [current, text]) as file:
            encoded = file.take("shard", EncodedShard)
            counts = file.take("edges", tuple[Int64s, Int64s])
            types = encoded.pairs.source_types, encoded.pairs.target_types
            require(types == tuple(map(len, facts.vocabularies)), "it has other words")
            for whole, part in zip(edges, counts, strict=True):
                require(part.shape == whole.shape, "it has edges of other words")
                whole += part
        index = encoded.index if index is None else index.joined_with(encoded.index, *unchanged)
        own_lengths = length_pairs_of(encoded.pairs.source.lengths, encoded.pairs.target.lengths)
        lengths = np.union1d(lengths, own_lengths)
    facts = replace(facts, length_pairs=lengths, edges=(Edges.of(edges[0]), Edges.of(edges[1])))
    state = replace(state, run=replace(run, encoded=current), facts=facts)
    task = state.task
    assert index is not None
    training = TrainingState.first(task, run.recipe, *first_lexicon(task, index))
    training.enter()
    return replace(state, training=training)


def _after_iteration(folder: Folder, state: RunState, current: str) -> tuple[RunState, Step]:
    """Return the state after an iteration, and its record. The state of training is changed."""
    begin = time.perf_counter()
    run, training = state.run, state.training
    assert training is not None
    pruned = current if training.prunes else run.pruned
    training.update(_sum(folder, state, current))
    training.complete()
    step = Step.of(training, time.perf_counter() - begin)
    training.enter()
    return replace(state, run=replace(run, pruned=pruned)), step


def _sum(folder: Folder, state: RunState, current: str) -> Counts:
    """Return the sum of the expected counts of all shards in the current round."""
    run, training = state.run, state.training
    assert training is not None
    counts = no_counts(training)
    for shard, text in zip(run.numbers, run.texts, strict=True):
        with folder.opened(PART(run.round, shard), [current, text]) as file:
            counts = file.take("counts", ShardCounts).add_to(counts, state.threads)
    return counts


def _conclude(folder: Folder, state: RunState) -> None:
    """Write the model of a run that has ended, and what follows from it, unless it is there."""
    recipe, pieces_follow = state.run.recipe, state.run.recipe.pieces is not None
    path = folder.model_of_words if pieces_follow else folder.model
    if not folder.exists(path.name):
        assert state.training is not None
        save(state.training.trained, path, follow_links=False)
    if pieces_follow and not folder.of_pieces.rounds():
        words = load(folder.model_of_words, follow_links=False)
        learned = segmenters(words.vocabularies, state.knowledge, state.threads)
        write_segmenters(folder.of_pieces, learned)
        start(folder.of_pieces, recipe.of_pieces, state.run.shards, knowledge_of_pieces(state.knowledge))
    if is_of_pieces(folder) and not folder.of_words.exists(MODEL()):
        run, pieces = folder.of_words, load(folder.model, follow_links=False)
        save(join(folder, Run.current(run).recipe, pieces), run.model, follow_links=False)
