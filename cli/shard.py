"""``align shard``: training by shards, one step at a time."""

from __future__ import annotations

import re
from typing import Any

import click

from . import options
from .commands import NamedGroup, examples
from .files import FILE
from .reporter import Reporter
from .training_options import EvidenceFiles, ModelFiles, dictionary, models, recipe

_run = click.argument("run", type=FILE)
_shards = click.argument("shards")


@click.group(
    "shard",
    cls=NamedGroup,
    kind="step",
    subcommand_metavar="STEP ...",
    epilog=examples(
        "align shard start run --shards 2",
        "align shard read run 1 a1.fr a1.en",
        "align shard read run 2 a2.fr a2.en",
        "while [ ! -e run/model ]; do",
        "  align shard count run 1",
        "  align shard count run 2",
        "  align shard update run",
        "done",
    ),
)
def command() -> None:
    """Train on the parts of a text, on any number of machines with a common folder RUN.

    The model, RUN/model, is the same bytes as from align train on the whole text. Training goes round by
    round: a round counts each shard, in any order and at the same time, and then updates the model. A step
    that was done is not done again, so that an interrupted script may run anew.
    """


@command.command("start", epilog=examples("align shard start run --shards 100"))
@_run
@click.option("--shards", type=click.IntRange(1), required=True, help="The number of shards.")
@recipe
@dictionary
@models
@options.reporter
def _start(
    run: str,
    shards: int,
    recipe_options: dict[str, Any],
    evidence_files: EvidenceFiles,
    models: ModelFiles,
    reporter: Reporter,
) -> None:
    """Begin a run in the folder RUN, and report its number of rounds."""
    from aligner import load_recipe
    from aligner.messages import counted
    from aligner.priors.knowledge import Knowledge
    from aligner.shards import steps
    from aligner.shards.folder import Folder
    from aligner.shards.piece_run import rounds

    folder = Folder(run)
    knowledge = Knowledge(evidence_files.read(), *models.load())
    begun = steps.start(folder, load_recipe(**recipe_options), shards, knowledge)
    done, total = rounds(folder)
    number = counted(shards, "shard")
    reporter.say(f"{number}, {total} rounds" + ("" if begun else f"; {done} of them are done"))


@command.command("read", epilog=examples("align shard read run 3 part3.fr part3.en"))
@_run
@click.argument("shard", type=click.IntRange(1))
@options.text
@options.threads
@options.reading
@options.reporter
def _read(
    run: str, shard: int, source: str, target: str | None, threads: int, reporter: Reporter, **reading: Any
) -> None:
    """Read the text of one SHARD, numbered from 1 in the order of the whole text."""
    from aligner import read_bitext
    from aligner.shards import memory, steps
    from aligner.shards.folder import READ, Folder
    from aligner.shards.text_files import size_of_text, stamp

    folder = Folder(run)
    origin = [dict(reading), *(stamp(path) for path in (source, target) if path is not None)]
    if folder.is_made_from(READ(shard), origin):
        return reporter.say(f"shard {shard} was read before")
    recipe = steps.check_reading(folder, shard)
    size = size_of_text(path for path in (source, target) if path is not None)
    if size:
        reporter.memory(memory.of_read(size))
    reading |= reporter.watch("reading", source)
    bitext = read_bitext(source, target, **vars(recipe.data), **reading, threads=threads)
    reporter.text(bitext)
    steps.read(folder, shard, bitext, origin)
    return None


@command.command("count", epilog=examples("align shard count run 3", "align shard count run 1-8"))
@_run
@_shards
@options.threads
@options.reporter
def _count(run: str, shards: str, threads: int, reporter: Reporter) -> None:
    """Count SHARDS, one or several such as 1-4,7, in the current round."""
    from aligner.shards import memory, steps
    from aligner.shards.folder import Folder
    from aligner.shards.piece_run import current, rounds
    from aligner.shards.run_state import WORDS_ROUND, Run

    folder = current(Folder(run))
    found = Run.current(folder)
    if found.done:
        return reporter.say(f"{Folder(run).model}: the model is trained")
    before = "counted as it was read" if found.round == WORDS_ROUND else "was counted before"
    number, chosen = rounds(Folder(run))[0], _parse(shards)
    reporter.memory(max(memory.of_count(folder, found, shard, threads) for shard in chosen))
    for shard in chosen:
        new = steps.count(folder, shard, threads)
        reporter.say(f"round {number}: shard {shard} {'counted' if new else before}")
    return None


@command.command("update", epilog=examples("align shard update run"))
@_run
@options.threads
@options.reporter
def _update(run: str, threads: int, reporter: Reporter) -> None:
    """Update the model from the counts of all shards, and begin the next round.

    The last update writes RUN/model. Updates at the same time do no harm: they write the same bytes.
    """
    from aligner.shards import memory, steps
    from aligner.shards.folder import MODEL, Folder
    from aligner.shards.piece_run import current, rounds
    from aligner.shards.run_state import Run

    folder = current(Folder(run))
    found = Run.current(folder)
    if not found.done:
        reporter.memory(memory.of_update(folder, found))
    _, step = steps.update(folder, threads)
    if step is not None:
        reporter.step(step)
    if Folder(run).exists(MODEL()):
        reporter.say(str(Folder(run).model))
    else:
        reporter.say("{} of {} rounds".format(*rounds(Folder(run))))


def _parse(text: str) -> list[int]:
    """Return the shards that a text such as 1-4,7 names, ascending; raise ConfigError for another text."""
    from aligner.errors import ConfigError

    shards: list[int] = []
    for item in text.split(","):
        found = re.fullmatch(r"([0-9]{1,7})(?:-([0-9]{1,7}))?", item)
        shards += range(int(found[1]), int(found[2] or found[1]) + 1) if found else []
        if found is None or not 1 <= int(found[1]) <= int(found[2] or found[1]):
            raise ConfigError(f"found shards {text!r}; expected numbers from 1 and ranges, such as 1-4,7")
    return sorted(set(shards))
