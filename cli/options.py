"""Options that several verbs share, each defined once."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

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
_dev_source = click.option("--dev-source", help="Report AER per iteration on this text ...")
_dev_target = click.option("--dev-target", help="... with this other side ...")
_dev_gold = click.option("--dev-gold", help="... and these gold links.")
_dictionary = click.option(
    "--dictionary",
    help="Observed translations, a line each: source TAB target, or source TAB target TAB weight.",
)
_dictionary_weight = click.option(
    "--dictionary-weight",
    type=float,
    default=1.0,
    show_default=True,
    metavar="W",
    help="Count each entry of the dictionary so many times, besides its own weight.",
)
_known_links = click.option(
    "--known-links",
    help="Links of the training text to train with, a line per pair: i-j is one, i!j is none.",
)


def text(command: Callable[..., None]) -> Callable[..., None]:
    """The text: arguments ``source`` and, if it does not hold both sides, ``target``."""
    return click.argument("source")(click.argument("target", required=False)(command))


def development(command: Callable[..., None]) -> Callable[..., None]:
    """Text with gold links to report on: argument ``dev_files``, what ``DevSet.read`` takes, or None."""

    @wraps(command)
    def collect(
        *, dev_source: str | None, dev_target: str | None, dev_gold: str | None, **others: Any
    ) -> None:
        if (dev_source is None) != (dev_gold is None) or (dev_target is not None and dev_source is None):
            raise click.UsageError("--dev-source and --dev-gold go together, --dev-target with them")
        command(**others, dev_files=None if dev_source is None else (dev_source, dev_target, dev_gold))

    return _dev_source(_dev_target(_dev_gold(collect)))


def evidence(command: Callable[..., None]) -> Callable[..., None]:
    """What is known beforehand: argument ``evidence_files``, what ``Evidence.read`` takes."""

    @wraps(command)
    def collect(
        *, dictionary: str | None, dictionary_weight: float, known_links: str | None, **others: Any
    ) -> None:
        command(**others, evidence_files=(dictionary, dictionary_weight, known_links))

    return _dictionary(_dictionary_weight(_known_links(collect)))


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """How the text is read: arguments ``format`` and ``skip_bad``."""
    return _text_format(_skip_bad(command))


quiet = click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors.")
