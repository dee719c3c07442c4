"""``align shard``: training by shards, one step at a time."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .commands import FILE, NamedGroup, examples
from .training_options import dictionary, load_models, models, recipe

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
@click.option(
    "--slices",
    type=click.IntRange(1),
    help="Update the lexicon in this many slices, one after another, which needs less memory.  "
    "[default: one for each 8 shards]",
)
@recipe
@dictionary
@models
@options.quiet
def _start(
    run: str,
    shards: int,
    slices: int | None,
    recipe_options: tuple[str, tuple[str, ...]],
    dictionary_file: tuple[str | None, float],
    models: dict[str, Any],
    quiet: bool,
) -> None:
    """Begin a run in the folder RUN, and report its number of rounds."""
    from aligner import Evidence, load_recipe
    from aligner.messages import counted
    from aligner.priors.knowledge import Knowledge
    from aligner.shards import steps
    from aligner.shards.folder import Folder

    from .reporter import Notices

    folder = Folder(run)
    knowledge = Knowledge(Evidence.read(*dictionary_file), *load_models(models))
    begun = steps.start(folder, load_recipe(*recipe_options), shards, slices, knowledge)
    state = folder.outline()
    done = "" if begun else f"; {state.round} of them are done"
    shards_of_run = counted(state.shards, "shard")
    Notices(quiet).say(f"{shards_of_run}, {state.rounds} rounds: words, word pairs, iterations{done}")


@command.command("read", epilog=examples("align shard read run 3 part3.fr part3.en"))
@_run
@click.argument("shard", type=click.IntRange(1))
@options.text
@options.threads
@options.reading
@options.quiet
def _read(
    run: str, shard: int, source: str, target: str | None, threads: int, quiet: bool, **reading: Any
) -> None:
    """Read the text of one SHARD, numbered from 1 in the order of the whole text."""
    from aligner import read_bitext
    from aligner.shards import steps
    from aligner.shards.folder import Folder
    from aligner.shards.text import stamp

    from .reporter import Reporter

    folder, reporter = Folder(run), Reporter(quiet)
    origin = [dict(reading), *(stamp(path) for path in (source, target) if path is not None)]
    if steps.is_read(folder, shard, origin):
        return reporter.say(f"shard {shard} was read before")
    recipe = steps.check_reading(folder, shard)
    reading |= reporter.watch("reading", source)
    bitext = read_bitext(source, target, **vars(recipe.data), **reading, threads=threads)
    reporter.text(bitext)
    steps.read(folder, shard, bitext, origin)
    return None


@command.command("count", epilog=examples("align shard count run 3", "align shard count run 1-8"))
@_run
@_shards
@options.threads
@options.quiet
def _count(run: str, shards: str, threads: int, quiet: bool) -> None:
    """Count SHARDS, one or several such as 1-4,7, in the current round."""
    from aligner.shards import steps
    from aligner.shards.folder import Folder
    from aligner.shards.pieces import current
    from aligner.shards.ranges import parse_shards

    from .reporter import Reporter

    folder, reporter = current(Folder(run)), Reporter(quiet)
    state = folder.outline()
    if state.done:
        return reporter.say(f"{Folder(run).model}: the model is trained")
    for shard in parse_shards(shards):
        new = steps.count(folder, shard, threads)
        reporter.say(f"round {state.round}: shard {shard} {'counted' if new else 'was counted before'}")
    return None


@command.command("merge", epilog=examples("align shard merge run 1-8", "align shard merge run 1-32"))
@_run
@_shards
@options.quiet
def _merge(run: str, shards: str, quiet: bool) -> None:
    """Add up the counts of SHARDS, such as 1-4,7, before the update.

    The update then reads fewer files. Merges may take place in any order, at the same time, and of merged
    shards again.
    """
    from aligner.shards import steps
    from aligner.shards.folder import Folder
    from aligner.shards.pieces import current
    from aligner.shards.ranges import parse_shards

    from .reporter import Reporter

    folder, reporter = current(Folder(run)), Reporter(quiet)
    if folder.outline().done:
        return reporter.say(f"{Folder(run).model}: the model is trained")
    new = steps.merge(folder, parse_shards(shards))
    return reporter.say(f"shards {shards} {'merged' if new else 'were merged before'}")


@command.command("update", epilog=examples("align shard update run"))
@_run
@options.threads
@options.quiet
def _update(run: str, threads: int, quiet: bool) -> None:
    """Update the model from the counts of all shards, and begin the next round.

    The last update writes RUN/model. Updates at the same time do no harm: they write the same bytes.
    """
    from aligner.shards import steps
    from aligner.shards.folder import Folder
    from aligner.shards.pieces import current, is_of_pieces

    from .reporter import Reporter

    folder, reporter = current(Folder(run)), Reporter(quiet)
    state, step = steps.update(folder, threads)
    if step is not None:
        reporter.step(step)
    if Folder(run).exists("model"):
        reporter.say(str(Folder(run).model))
    else:
        of = " on pieces" if is_of_pieces(folder) else ""
        then = "; the rounds on pieces follow" if state.done else ""
        reporter.say(f"{state.round} of {state.rounds} rounds{of}{then}")
