"""Types of arguments that shells complete. A choice among names is completed by click itself."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from aligner.recipe.builtin import builtin_recipes


class _FileName(click.ParamType):
    """The name of a file, which shells complete. The verb checks it."""

    name = "file"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


class _RecipeName(click.ParamType):
    """The name of a built-in recipe or of a TOML file. Shells complete both."""

    name = "recipe"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        names = [CompletionItem(name) for name in builtin_recipes() if name.startswith(incomplete)]
        return names or FILE.shell_complete(ctx, param, incomplete)


FILE, RECIPE = _FileName(), _RecipeName()
