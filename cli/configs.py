"""``align configs``: the recipes that come with the program."""

from __future__ import annotations

import click


@click.command("configs")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the installed recipes, for align train -c NAME, with one line each; or show the one of a NAME.

    A recipe is a TOML file: align configs default > mine.toml is one to begin with.
    """
    from aligner.recipe.builtin import builtin_recipes, read_recipe

    if name is not None:
        click.echo(read_recipe(name)[0], nl=False)
        return
    for name, summary in builtin_recipes().items():
        click.echo(f"{name:<28} {summary}")
