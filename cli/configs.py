"""``align configs``: the recipes that come with the program."""

from __future__ import annotations

import click


@click.command("configs")
def command() -> None:
    """List the installed recipes, for align train -c NAME, with one line each."""
    from aligner.recipes import installed_configs

    for name, summary in installed_configs().items():
        click.echo(f"{name:<28} {summary}")
