"""Options that several verbs share, each defined once."""

from __future__ import annotations

import os

import click


def default_threads() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


threads = click.option(
    "-j",
    "--threads",
    type=click.IntRange(1),
    default=default_threads,
    show_default="all processors",
    help="Threads; the result is the same bytes for any number.",
)
text_format = click.option(
    "--format",
    "text_format",
    type=click.Choice(["auto", "tsv", "bars"]),
    default="auto",
    show_default=True,
    help="How a single input file separates its two sides: a TAB or ' ||| '.",
)
skip_bad = click.option(
    "--skip-bad",
    is_flag=True,
    help="Treat a line with a wrong number of separators as an empty pair, and count it, instead of stopping.",
)
quiet = click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors.")
source = click.argument("source")
target = click.argument("target", required=False)
