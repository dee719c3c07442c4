"""Groups of commands that are named by their first argument: verbs, and programs to stand in for."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import click


class NamedGroup(click.Group):
    """A group whose commands are of one kind. A message about an unknown name has the nearest known name.

    kind: the kind of the commands, for messages and for the help text.
    """

    def __init__(self, *arguments: Any, kind: str, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.kind = kind

    def summaries(self) -> Mapping[str, str]:
        """Return the one-line help of each command by name."""
        return {name: command.get_short_help_str(80) for name, command in self.commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries())

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args[0] not in names:
            nearest = get_close_matches(args[0], names, n=1)
            hint = f"did you mean {nearest[0]!r}?" if nearest else f"expected one of {', '.join(names)}"
            ctx.fail(f"unknown {self.kind} {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(f"{self.kind.capitalize()}s"):
            formatter.write_dl(list(self.summaries().items()))
