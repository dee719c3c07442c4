"""``align filter``: the sentence pairs of a text that are translations, by their gain."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .completion import FILE
from .files import check_files
from .help_texts import examples


@click.command(
    "filter",
    epilog=examples(
        "align filter model a.fr a.en -o kept.tsv --dropped dropped.tsv",
        "align filter model a.fr a.en -o kept.fr --target-output kept.en --min-gain 0",
    ),
)
@options.model
@options.text
@options.output
@click.option(
    "--target-output", type=FILE, help="Write the target sides here, and only the source sides to -o."
)
@click.option("--dropped", type=FILE, help="Also write the dropped pairs, source TAB target.")
@click.option(
    "--min-gain",
    type=float,
    callback=options.finite,
    default=-0.5,
    show_default=True,
    metavar="NATS",
    help="Keep pairs with at least this gain. Higher values keep fewer pairs.",
)
@options.threads
@options.reading
@options.quiet
def command(
    model_path: str,
    source: str,
    target: str | None,
    output: str,
    target_output: str | None,
    dropped: str | None,
    quiet: bool,
    **settings: Any,
) -> None:
    """Keep the pairs of SOURCE and TARGET that are translations by MODEL, as source TAB target.

    The gain of a pair says how much more probable each side becomes by the other, in nats per word. Pairs
    with an empty side are dropped. A histogram of the gain is written to stderr: choose --min-gain by it.
    """
    from aligner import load
    from aligner.decoding.filter import filter_file

    from .reporter import Reporter

    inputs = {"MODEL": model_path, "SOURCE": source, "TARGET": target}
    check_files(inputs, {"-o": output, "--target-output": target_output, "--dropped": dropped})
    reporter = Reporter(quiet)
    summary = filter_file(
        load(model_path),
        source,
        target,
        output,
        target_output=target_output,
        dropped=dropped,
        **reporter.watch("filtering", source),
        **settings,
    )
    reporter.conclude(summary.describe())
