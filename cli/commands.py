"""Commands: verbs with their examples, groups of verbs, and types of arguments that shells complete."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

from aligner.errors import AlignerError
from aligner.files.opening import PathLike
from aligner.recipe.builtin import builtin_recipes, recipe_file

from .files import CheckedCommand, FileName


def examples(*commands: str) -> str:
    """Return examples for the end of the help text of a verb. Click does not wrap them."""
    return "\n".join(["\b", "Examples:", *(f"  {command}" for command in commands)])


class Verb(CheckedCommand):
    """A verb whose options stand under headings in its help text; first come those under no heading.

    headings: the names of options, separated by spaces, by heading.
    """

    def __init__(self, *arguments: Any, headings: Mapping[str, str], **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.headings = headings

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.removeprefix("--").removeprefix("no-").replace("-", "_")
            kinds = [parameter.type for parameter in self.params if isinstance(parameter.type, _Setting)]
            for key in (key for kind in kinds for key in kind.find() if key.endswith(f".{name}")):
                ctx.fail(f"no option {error.option_name}; it is a setting: --set {key}=VALUE")
            raise

    def options_by_heading(self, ctx: click.Context) -> dict[str, list[click.Option]]:
        """Return the options under each heading."""
        found: dict[str, list[click.Option]] = {heading: [] for heading in ("Options", *self.headings)}
        heading_of = {name: heading for heading, names in self.headings.items() for name in names.split()}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option):
                named = [heading_of[name] for name in option.opts if name in heading_of]
                found[named[0] if named else "Options"].append(option)
        return found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, options in self.options_by_heading(ctx).items():
            with formatter.section(heading):
                formatter.write_dl([*filter(None, (option.get_help_record(ctx) for option in options))])


def verb(
    name: str, *commands: str, headings: Mapping[str, str] | None = None, **attributes: Any
) -> Callable[[Callable[..., Any]], Verb]:
    """Return a decorator that makes a function a verb, with example commands at the end of its help text."""
    return click.command(name, cls=Verb, epilog=examples(*commands), headings=headings or {}, **attributes)


def flag(*names: str, help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return an option without a value: False unless it is given."""
    return click.option(*names, is_flag=True, help=help)


quiet = click.option(
    "-q", "--quiet", is_flag=True, envvar="ALIGN_QUIET", show_envvar=True, help="Write only errors to stderr."
)


class NamedGroup(click.Group):
    """A group whose commands are of one kind.

    A message about an unknown name has the nearest known name, or else the name whose help has the word.

    kind: the kind of the commands, for messages and for the help text.
    """

    also = ""
    """What else a name is not, for messages."""

    def __init__(self, *arguments: Any, kind: str, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.kind = kind

    def summaries(self) -> Mapping[str, str]:
        """Return the one-line help of each command by name."""
        return {name: command.get_short_help_str(80) for name, command in self.commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        show_help = [] if ctx.resilient_parsing else ["--help"]  # a shell that completes asks for nothing
        return super().parse_args(ctx, args or show_help)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:  # as when a shell completes
            words = {name: re.findall(r"\w+", text) for name, text in self.summaries().items()}
            doing = [name for name in names if words[name][0].lower() == args[0]]
            about = [name for name in names if args[0] in words[name]]
            nearest = doing or get_close_matches(args[0], names, n=1) or about
            one = f"did you mean {nearest[0]!r}?" if len(nearest) == 1 else None
            hint = one or f"expected one of {', '.join(names)}"
            ctx.fail(f"unknown {self.kind} {args[0]!r}{self.also}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(f"{self.kind.capitalize()}s"):
            formatter.write_dl(list(self.summaries().items()))


class _RecipeName(FileName):
    """The name of a built-in recipe or of a TOML file. Shells complete both."""

    name = "recipe"

    def path(self, value: Any) -> PathLike | None:
        return recipe_file(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        names = [CompletionItem(name) for name in builtin_recipes() if name.startswith(incomplete)]
        return names or super().shell_complete(ctx, param, incomplete)


class _Setting(click.ParamType):
    """A setting of the recipe, KEY=VALUE. Shells complete its key.

    table: what the keys begin with.
    """

    name = "setting"

    def __init__(self, table: str = "") -> None:
        self.table = table

    def find(self, recipe: str = "default") -> list[str]:
        """Return the keys for a recipe; none for an unknown recipe."""
        from aligner.recipe.load import load_recipe, settings_of

        with suppress(AlignerError):
            return [key for key in settings_of(load_recipe(recipe)) if key.startswith(self.table)]
        return []

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        keys = (f"{key}=" for key in self.find(ctx.params.get("name") or "default"))
        return [CompletionItem(key) for key in keys if key.startswith(incomplete)]


RECIPE, SETTING, DECODE_SETTING = _RecipeName(), _Setting(), _Setting("decode.")
