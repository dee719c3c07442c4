"""Options that several verbs share, or that go together, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from aligner.system.resources import parse_size, processors

_Command = Callable[..., None]


def _group(
    argument: str, make: Callable[..., Any], options: dict[str, Any]
) -> Callable[[_Command], _Command]:
    """Options, by parameter name, that a command gets as one argument: what ``make`` makes of them."""

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def collect(**given: Any) -> None:
            own = {name: given.pop(name) for name in options}
            command(**given, **{argument: make(**own)})

        decorated = collect
        for option in reversed(options.values()):
            decorated = option(decorated)
        return decorated

    return decorate


def _dev_files(
    dev_source: str | None, dev_target: str | None, dev_gold: str | None
) -> tuple[str, str | None, str] | None:
    if (dev_source is None) != (dev_gold is None) or (dev_target is not None and dev_source is None):
        raise click.UsageError("--dev-source and --dev-gold go together, --dev-target with them")
    return None if dev_source is None or dev_gold is None else (dev_source, dev_target, dev_gold)


def _evidence_files(**given: Any) -> tuple[Any, ...]:
    return tuple(given.values())


threads = click.option(
    "-j", "--threads", type=click.IntRange(1), default=processors, show_default="all that it may use",
    help="Threads; the result is the same bytes for any number.",
)  # fmt: skip
quiet = click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors.")
_text_format = click.option(
    "--format", type=click.Choice(["auto", "tsv", "bars"]), default="auto", show_default=True,
    help="How a single input file separates its two sides: a TAB or ' ||| '.",
)  # fmt: skip
_skip_bad = click.option(
    "--skip-bad", is_flag=True,
    help="Treat a line with a wrong number of separators as an empty pair, and say so, instead of stopping.",
)  # fmt: skip

# What training may take: argument ``resources``, keywords of ``train``.
resources = _group("resources", dict, {
    "threads": threads,
    "max_memory": click.option(
        "--max-memory", metavar="SIZE", callback=lambda context, option, size: size and parse_size(size),
        help="At most about so much, such as 2.5G, at some cost in time.  [default: 90% of what there is]"),
})  # fmt: skip

# What is left behind on the way: argument ``care``, keywords of ``Checkpoints.beside``.
checkpointing = _group("care", dict, {
    "every": click.option(
        "--checkpoint-every", "every", type=click.FloatRange(0), default=60.0, show_default=True,
        metavar="SECONDS", help="Note how far training is in MODEL.checkpoint, which goes when it is done."),
    "resume": click.option("--resume", is_flag=True, help="Go on from MODEL.checkpoint, if there is one."),
})  # fmt: skip

# Text with gold links to report on: argument ``dev_files``, what ``DevSet.read`` takes, or None.
development = _group("dev_files", _dev_files, {
    "dev_source": click.option("--dev-source", help="Report AER per iteration on this text ..."),
    "dev_target": click.option("--dev-target", help="... with this other side ..."),
    "dev_gold": click.option("--dev-gold", help="... and these gold links."),
})  # fmt: skip

# What is known beforehand: argument ``evidence_files``, what ``Evidence.read`` takes.
evidence = _group("evidence_files", _evidence_files, {
    "dictionary": click.option(
        "--dictionary",
        help="Observed translations, a line each: source TAB target, or source TAB target TAB weight."),
    "dictionary_weight": click.option(
        "--dictionary-weight", type=float, default=1.0, show_default=True, metavar="W",
        help="Count each entry of the dictionary so many times, besides its own weight."),
    "known_links": click.option(
        "--known-links",
        help="Links of the training text to train with, a line per pair: i-j is one, i!j is none."),
})  # fmt: skip

# What is changed of the recipe's decoding: argument ``changes``, keywords of ``Decoder.of``.
decoding = _group("changes", dict, {
    "method": click.option(
        "--method", help="posterior, competitive or viterbi  [default: the model's recipe]"),
    "combine": click.option(
        "--combine",
        help="How the two directions' answers become one: of posteriors product, average, geometric, forward,"
        " reverse, intersection or union; by viterbi forward, reverse, intersection, union, grow,"
        " grow-diag, grow-diag-final or grow-diag-final-and."),
    "threshold": click.option(
        "--threshold", type=float,
        help="Least combined posterior of a link.  [default: the model's recipe's]"),
    "lexical_power": click.option(
        "--lexical-power", type=float, help="2 is the decision rule of reconstruction training."),
    "constraint": click.option(
        "--constraint", help="Impose on the posteriors: substochastic or symmetric, or '' for none."),
})  # fmt: skip


def text(command: _Command) -> _Command:
    """The text: arguments ``source`` and, if it does not hold both sides, ``target``."""
    return click.argument("source")(click.argument("target", required=False)(command))


def reading(command: _Command) -> _Command:
    """How the text is read: arguments ``format`` and ``skip_bad``."""
    return _text_format(_skip_bad(command))
