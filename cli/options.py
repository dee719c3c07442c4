"""Options that several verbs share, each defined once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, reduce, wraps
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from aligner.errors import ConfigError, DataError
from aligner.links.formats import LINK_FORMATS
from aligner.registry import Registry
from aligner.system.resources import PROGRAM, format_size, parse_size, processors
from aligner.system.threads import MOST_THREADS
from aligner.text.pairs import BITEXT_FORMATS

from .commands import flag as flag
from .commands import quiet as quiet
from .files import FILE, FileName
from .reporter import Notices, Reporter

if TYPE_CHECKING:
    from aligner.links.alignments import Alignments
    from aligner.links.linked_pairs import PairWords
    from aligner.links.named_links import NamedText
    from aligner.models.trained import TrainedModel
    from aligner.text.bitext import Bitext
    from aligner.text.line_ids import LineIds

_Command = Callable[..., None]
Decorator = Callable[[_Command], _Command]


def all_of(*options: Decorator) -> Decorator:
    """Return a decorator that adds several options, in this order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


def as_one_argument(argument: str, build: Callable[..., Any], options: Mapping[str, Decorator]) -> Decorator:
    """Return a decorator that adds options and passes ``build(**values)`` to the command as one argument.

    options: by the parameter name of ``build``.
    """

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def collect(**values: Any) -> None:
            own = {name: values.pop(name) for name in options}
            command(**values, **{argument: build(**own)})

        return all_of(*options.values())(collect)

    return decorate


class Renamed(click.Option):
    """An option of several names. The first is shown, and the others, of earlier versions, are accepted."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        names, self.opts = self.opts, self.opts[:1]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = names


def describe(registry: Registry[Any]) -> str:
    """Return the names and summaries of a registry, for the help text of an option."""
    return f"{registry.describe()}.".replace("`", "")


def file(*names: str, role: str = "input", **settings: Any) -> Decorator:
    """Return an option for the name of a file of a role (see ``FileName``)."""
    return click.option(*names, type=FileName(role), **settings)


def entry_of(registry: Registry[Any], *flags: str, help: str, **settings: Any) -> Decorator:
    """Return an option for the name of an entry. In its help, ``{}`` stands for a description of all."""
    settings.setdefault("type", choice(registry))
    settings.setdefault("metavar", "NAME")
    settings.setdefault("show_default", "default" in settings)
    return click.option(*flags, help=help.replace("{}", describe(registry)), **settings)


def format_of(noun: str, registry: Registry[Any], **settings: Any) -> Decorator:
    """Return the option ``format`` for the format of a file: --NOUN-format, or --format as it once was."""
    return entry_of(registry, f"--{noun}-format", "--format", "format", cls=Renamed, **settings)


def finite(context: click.Context, option: click.Parameter, number: float | None) -> float | None:
    """Return a number; a usage error for nan and infinity."""
    if number is not None and not isfinite(number):
        raise click.BadParameter(f"found {number}; expected a finite number")
    return number


def choice(names: Iterable[str]) -> click.Choice:
    """Return the option type of a name. Any other name is a usage error."""
    return click.Choice(list(names))


# Arguments ``notices`` and ``reporter``, by the option ``--quiet``.
notices = as_one_argument("notices", Notices, {"quiet": quiet})
reporter = as_one_argument("reporter", Reporter, {"quiet": quiet})


def _finished_model(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """Return the path of a model; raise DataError if it belongs to a run by shards with rounds left."""
    if path is not None and not os.path.exists(path):
        from aligner.shards.folder import Folder
        from aligner.shards.piece_run import rounds

        folder = Folder(os.path.dirname(path))
        if os.path.basename(path) == folder.model.name and folder.rounds():
            done = "{} of {} rounds".format(*rounds(folder))
            raise DataError(f"{path}: found {done}; expected all; go on by align shard count and update")
    return path


links_format = click.option(
    "--links-format", type=choice(LINK_FORMATS), metavar="NAME",
    help=f"{', '.join(LINK_FORMATS)} (see align symmetrize).  [default: pharaoh]",
)  # fmt: skip
model = click.argument("model_path", metavar="MODEL", type=FILE, callback=_finished_model)
optional_model = click.argument(
    "model_path", metavar="[MODEL]", type=FILE, required=False, callback=_finished_model
)
links = click.argument("links_path", metavar="LINKS", type=FILE)
threads = click.option(
    "-j", "--threads", type=click.IntRange(1, MOST_THREADS), default=processors, metavar="N",
    envvar="ALIGN_THREADS", show_envvar=True, show_default="all processors",
    help="Number of threads, which changes no result.",
)  # fmt: skip
output = file(
    "-o", "--output", role="output", default="-", show_default=True,
    help="The file to write, compressed if it ends in .gz, .bz2, .xz or .zst. - is stdout.",
)  # fmt: skip
as_json = flag("--json", "as_json", help="Write the figures to stdout as JSON, with ratios from 0 to 1.")
start = click.option(
    "--start", type=choice(["general", "verses", "none"]), metavar="NAME",
    help="What learning starts from: trees of other texts, general or verses (of Bibles); or none.",
)  # fmt: skip
known_links = file(
    "--known-links",
    help="Known links i-j; i!j forbids one, = all others of the line. A line for each pair, or LINE TAB"
    " links; with --ids, ID TAB links, aligned USFM or Scripture Burrito.",
)  # fmt: skip


def ids(use: str) -> Decorator:
    """Return the option ``ids`` for the ids of the lines of a text. use: what has them, for its help."""
    help = f"The id of each line of the text, such as a verse, before any TAB. {use}"
    return file("--ids", help=help)


class OtherFiles:
    """Files of links of other aligners of a text, and their weight; None for the gate."""

    def __init__(self, with_paths: tuple[str, ...], with_weight: float | None) -> None:
        if with_weight is not None and not with_paths:
            raise click.UsageError("found --with-weight without --with; name the links")
        self.paths, self.weight = with_paths, with_weight

    @cached_property
    def _links(self) -> list[tuple[str, Alignments]]:
        """The names of the files, and their links."""
        from aligner.links.formats.plain import read_links
        from aligner.messages import display_name

        return [(display_name(path), read_links(path)) for path in self.paths]

    def check(self, text: Bitext) -> None:
        """Raise DataError for links that do not fit a text."""
        from aligner.decoding.gate import check_others

        check_others(text, self._links)

    def mixed(self, model: TrainedModel, text: Bitext, reporter: Reporter, threads: int) -> Bitext:
        """Return a text with the links that agree with a model, and say which; DataError as ``check``."""
        from aligner.decoding.gate import choose_others

        self.check(text)
        found, said = choose_others(model, text, self._links, self.weight, threads)
        reporter.conclude(said)
        return replace(text, others=found)


others = as_one_argument("others", OtherFiles, {
    "with_paths": file(
        "--with", "with_paths", multiple=True, metavar="LINKS",
        help="Links of another aligner, such as a neural one: i-j or i-j:p, a line for each pair. Used if"
        " they agree with MODEL. Repeatable."),
    "with_weight": click.option(
        "--with-weight", type=click.FloatRange(0, 1000, min_open=True), metavar="W",
        help="Use them in any case, with this weight; those that agree have 2, or 1 for each direction."),
})  # fmt: skip


def gold(help: str) -> Decorator:
    """Return the options for reading gold links: ``format``, ``one_based`` and ``reversed``."""
    names = choice(["auto", *LINK_FORMATS])
    return all_of(
        format_of("gold", LINK_FORMATS, type=names, default="auto", help=help),
        flag("--one-based", help="Positions in GOLD count from 1. In wa they always do."),
        flag("--reversed", help="GOLD has the target position before the source position."),
    )


# Arguments ``source`` and, unless it holds both sides, ``target``.
text = all_of(click.argument("source", type=FILE), click.argument("target", type=FILE, required=False))

skip_bad = flag(
    "--skip-bad",
    help="Read bad lines (not UTF-8, a NUL, or not one separator) as empty pairs, and count them.",
)  # fmt: skip
# Arguments ``format`` and ``skip_bad``: keywords of the functions that read a text.
reading = all_of(
    click.option(
        "--format", type=choice(BITEXT_FORMATS), default="auto", show_default=True, metavar="NAME",
        help="What separates the sides of one file: tsv (a TAB), bars (' ||| ') or auto."),
    skip_bad,
)  # fmt: skip


def name_lines(rows: Iterable[dict[str, Any]], ids: LineIds | None) -> None:
    """Put the ids of lines, if there are any, in place of their numbers, which rows then have, too."""
    if ids is not None:
        for row in rows:
            row |= {"number": row["line"], "line": ids.ids[row["line"] - 1]}


def named_text(
    ids: str | None, source: str | None, target: str | None, notices: Notices, **reading: Any
) -> NamedText | None:
    """Return the text whose lines have these ids, or None. Text that can be read once only has no words."""
    from aligner.links.named_links import NamedText
    from aligner.text.line_ids import LineIds

    if ids is None:
        return None
    return NamedText(LineIds.read(ids), reader_of_words(source, target, **reading), notices.say)


def advise_on_verses(ids: LineIds | None, config: Mapping[str, Any], notices: Notices) -> None:
    """Name the recipe for verses if lines are verses, and the recipe, plain data, is none for them."""
    if ids is not None and ids.are_verses and not config.get("start"):
        notices.say(
            "the lines are verses: train with -c verses, whose links join phrases as those of Bibles do"
        )


def reader_of_words(
    source: str | None, target: str | None, **reading: Any
) -> Callable[[], Iterator[PairWords]] | None:
    """Return a function that reads the words of a text, or None for text that can be read once only."""
    from aligner.files.opening import is_special
    from aligner.text.pairs import read_words

    if source is None or any(path is not None and is_special(path) for path in (source, target)):
        return None
    return lambda: read_words(source, target, **reading)


def read_ids(path: str | None, lines: int | None = None) -> LineIds | None:
    """Return the ids of a file, or None; DataError unless there is one for each of ``lines``, if given."""
    from aligner.text.line_ids import LineIds

    ids = None if path is None else LineIds.read(path)
    if ids is not None and lines is not None:
        ids.check(lines)
    return ids


def parse_memory(context: click.Context, option: click.Parameter, size: str | None) -> int | None:
    """Return a number of bytes for a size such as 2.5G, which the program alone must fit in."""
    try:
        limit = parse_size(size) if size else None
    except ConfigError as error:
        raise click.BadParameter(str(error)) from None
    if limit is not None and limit < PROGRAM:
        raise click.BadParameter(f"found {size}; the program alone needs {format_size(PROGRAM)}; allow more")
    return limit
