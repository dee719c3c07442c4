"""``align filter``: the sentence pairs of a text that are translations, by their gain."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .commands import verb
from .reporter import Reporter
from .tables import write_json


@verb(
    "filter",
    "align filter model a.fr a.en -o kept.tsv --dropped dropped.tsv",
    "align filter model a.fr a.en -o kept.fr --target-output kept.en --min-gain 0",
)
@options.model
@options.text
@options.output
@options.file(
    "--target-output", role="output", help="Write the target sides here, and only the source sides to -o."
)
@options.file("--dropped", role="output", help="Also write the dropped pairs, source TAB target.")
@click.option(
    "--min-gain",
    type=float,
    callback=options.finite,
    default=-0.5,
    show_default=True,
    metavar="NATS",
    help="Keep pairs with at least this gain. Higher values keep fewer pairs.",
)
@options.as_json
@options.ids("Each line of the output begins with its id and a TAB.")
@options.threads
@options.reading
@options.reporter
def command(
    model_path: str, source: str, target: str | None, output: str, reporter: Reporter, **settings: Any
) -> None:
    """Keep the pairs of SOURCE and TARGET that are translations by MODEL, as source TAB target.

    The gain of a pair says how much more probable each side becomes by the other, in nats per word. Pairs
    with an empty side are dropped. A histogram of the gain is written to stderr: choose --min-gain by it.
    """
    from aligner import load
    from aligner.decoding.filter import filter_file

    as_json = settings.pop("as_json")
    if as_json and output == "-":
        raise click.UsageError("found --json, and pairs on stdout, too; name a file for the pairs by -o")
    settings["ids"] = options.read_ids(settings["ids"])
    model = load(model_path)
    settings |= reporter.watch("filtering", source)
    summary = filter_file(model, source, target, output, **settings)
    reporter.conclude([] if as_json else summary.describe())
    if as_json:
        write_json(summary.to_dict())
