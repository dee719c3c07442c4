"""Options that several verbs share, each defined once."""

from __future__ import annotations

import os
from collections.abc import Callable

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
_text_format = click.option(
    "--format",
    type=click.Choice(["auto", "tsv", "bars"]),
    default="auto",
    show_default=True,
    help="How a single input file separates its two sides: a TAB or ' ||| '.",
)
_skip_bad = click.option(
    "--skip-bad",
    is_flag=True,
    help="Count a line with a wrong number of separators and treat it as an empty pair, instead of stopping.",
)


def text(command: Callable[..., None]) -> Callable[..., None]:
    """The text: arguments ``source`` and, if it does not hold both sides, ``target``."""
    return click.argument("source")(click.argument("target", required=False)(command))


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """How the text is read: arguments ``format`` and ``skip_bad``."""
    return _text_format(_skip_bad(command))


quiet = click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors.")
