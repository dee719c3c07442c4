"""``align configs``: the recipes that come with the program."""

from __future__ import annotations

import click

from .completion import RECIPE
from .help_texts import examples


@click.command(
    "configs",
    epilog=examples(
        "align configs", "align configs default > mine.toml", "align train a.fr a.en -m model -c mine.toml"
    ),
)
@click.argument("name", type=RECIPE, required=False)
def command(name: str | None) -> None:
    """List the built-in recipes for align train -c NAME, or show the recipe NAME.

    A recipe is a TOML file. Change a copy of a built-in recipe to write your own.
    """
    from aligner.recipe.builtin import builtin_recipes
    from aligner.recipe.extends import recipe_text

    if name is not None:
        click.echo(recipe_text(name), nl=False)
        return
    for name, summary in builtin_recipes().items():
        click.echo(f"{name:<28} {summary}")
