"""Types of arguments that shells complete. A choice among names is completed by click itself."""

from __future__ import annotations

from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from aligner.errors import AlignerError
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


class _Setting(click.ParamType):
    """A setting of the recipe, KEY=VALUE. Shells complete its key."""

    name = "setting"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from aligner.recipe.load import load_recipe, settings_of

        with suppress(AlignerError):
            keys = settings_of(load_recipe(ctx.params.get("name") or "default"))
            return [CompletionItem(f"{key}=") for key in keys if f"{key}=".startswith(incomplete)]
        return []


FILE, RECIPE, SETTING = _FileName(), _RecipeName(), _Setting()
