"""Options that several verbs share, each defined once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from aligner.errors import ConfigError
from aligner.registry import Registry
from aligner.system.resources import parse_size, processors
from aligner.system.threads import MOST_THREADS
from aligner.text.pairs import BITEXT_FORMATS

from .completion import FILE
from .help_texts import describe

if TYPE_CHECKING:
    from aligner.text.line_ids import LineIds

_Command = Callable[..., None]
_Decorator = Callable[[_Command], _Command]


def as_one_argument(
    argument: str, build: Callable[..., Any], options: Mapping[str, _Decorator]
) -> _Decorator:
    """Return a decorator that adds options and passes ``build(**values)`` to the command as one argument.

    options: by the parameter name of ``build``.
    """

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def collect(**values: Any) -> None:
            own = {name: values.pop(name) for name in options}
            command(**values, **{argument: build(**own)})

        decorated: _Command = collect
        for option in reversed(list(options.values())):
            decorated = option(decorated)
        return decorated

    return decorate


class _Renamed(click.Option):
    """An option of several names. The first is shown, and the others, of earlier versions, are accepted."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        names, self.opts = self.opts, self.opts[:1]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = names


def entry_of(registry: Registry[Any], *flags: str, help: str, **settings: Any) -> _Decorator:
    """Return an option for the name of an entry. In its help, ``{}`` stands for a description of all."""
    settings.setdefault("type", choice(registry))
    settings.setdefault("metavar", "NAME")
    return click.option(*flags, help=help.replace("{}", describe(registry)), **settings)


def format_of(noun: str, registry: Registry[Any], **settings: Any) -> _Decorator:
    """Return the option ``format`` for the format of a file: --NOUN-format, or --format as it once was."""
    return entry_of(registry, f"--{noun}-format", "--format", "format", cls=_Renamed, **settings)


def finite(context: click.Context, option: click.Parameter, number: float | None) -> float | None:
    """Return a number; a usage error for nan and infinity."""
    if number is not None and not isfinite(number):
        raise click.BadParameter(f"found {number}; expected a finite number")
    return number


def choice(names: Iterable[str]) -> click.Choice:
    """Return the option type of a name. Any other name is a usage error."""
    return click.Choice(list(names))


model = click.argument("model_path", metavar="MODEL", type=FILE)
threads = click.option(
    "-j", "--threads", type=click.IntRange(1, MOST_THREADS), default=processors,
    show_default="all processors",
    help="Number of threads. The result is the same bytes for any number.",
)  # fmt: skip
quiet = click.option("-q", "--quiet", is_flag=True, help="Write only errors to stderr.")
output = click.option(
    "-o", "--output", type=FILE, default="-", show_default=True,
    help="The file to write, compressed if its name ends in .gz, .bz2, .xz or .zst. - is standard output.",
)  # fmt: skip
known_links = click.option(
    "--known-links", type=FILE,
    help="Known links of the text, which are in the output, with probability 1: i-j is a link, i!j is none,"
    " and = forbids all other links of its line. FILE has a line for each pair, or LINE TAB links for"
    " some lines, counted from 1.",
)  # fmt: skip


def ids(use: str) -> _Decorator:
    """Return the option ``ids`` for the ids of the lines of a text. use: what has them, for its help."""
    help = f"A file with the id of each line of the text, such as a verse, before any TAB. {use}"
    return click.option("--ids", type=FILE, help=help)


_text_format = click.option(
    "--format", type=choice(BITEXT_FORMATS), default="auto", show_default=True,
    help="How one file separates its two sides: by a TAB (tsv) or by ' ||| ' (bars).",
)  # fmt: skip
_skip_bad = click.option(
    "--skip-bad", is_flag=True,
    help="Treat a line without exactly one separator as an empty pair, instead of stopping.",
)  # fmt: skip


def text(command: _Command) -> _Command:
    """Add the arguments ``source`` and, unless it holds both sides, ``target``."""
    source, target = click.argument("source", type=FILE), click.argument("target", type=FILE, required=False)
    return source(target(command))


def read_ids(path: str | None) -> LineIds | None:
    """Return the ids of a file, or None."""
    from aligner.text.line_ids import LineIds

    return None if path is None else LineIds.read(path)


def reading(command: _Command) -> _Command:
    """Add the options for reading text, ``format`` and ``skip_bad``."""
    return _text_format(_skip_bad(command))


def parse_memory(context: click.Context, option: click.Parameter, size: str | None) -> int | None:
    """Return a number of bytes for a size such as 2.5G."""
    try:
        return parse_size(size) if size else None
    except ConfigError as error:
        raise click.BadParameter(str(error)) from None
