"""``align sample``, ``align warmup`` and ``align configs``: what a new user may run before training."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from .commands import RECIPE, flag, quiet, verb


@verb(
    "sample",
    "align sample sample",
    "align train sample/train.fr sample/train.en -m model",
    "align decode model sample/dev.fr sample/dev.en -o links",
    "align eval sample/dev.gold links",
)
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--pairs",
    type=click.IntRange(min=1),
    default=5000,
    show_default=True,
    help="Number of sentence pairs to train on.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Number of the sample. The same number gives the same files on every computer.",
)
@flag("--raw", help="Write marks at words, as people do, in place of separate tokens.")
@flag("--force", help="Replace files of the same names, such as those of another sample.")
@quiet
def sample(directory: Path, pairs: int, seed: int, raw: bool, force: bool, quiet: bool) -> None:
    """Write a small French - English bitext with gold links to DIRECTORY.

    A grammar writes both languages. The files are a training text, a held-out text with gold links, and a
    README.
    """
    from aligner.sample.files import write_sample

    files = write_sample(directory, pairs=pairs, seed=seed, raw=raw, force=force)
    if quiet:
        return
    click.echo(f"wrote {directory}: {', '.join(file.name for file in files)}", err=True)
    train = " ".join(shlex.quote(str(directory / name)) for name in ("train.fr", "train.en"))
    click.echo(f"next: align train {train} -m model", err=True)


@verb("warmup", "align warmup", "align warmup -c fast -c liang2006-joint")
@click.option(
    "-c",
    "--config",
    "recipes",
    type=RECIPE,
    multiple=True,
    default=("default",),
    show_default=True,
    help="Compile what this recipe needs: one that comes with the program, or a TOML file. May be repeated.",
)
@quiet
def warmup(recipes: tuple[str, ...], quiet: bool) -> None:
    """Compile what training and decoding need, so that later runs start at once.

    Machine code is kept for this user and this machine. It is compiled again by a new version, and for
    another processor. The verb trains on a small sample and aligns it.
    """
    from aligner import Aligner, load, load_recipe, read_bitext, save, train
    from aligner.decoding.stream import decode_file
    from aligner.sample.files import write_sample

    from .reporter import Reporter

    reporter = Reporter(quiet)
    chosen = [load_recipe(recipe) for recipe in recipes]
    reporter.compile_ahead()
    with TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        training, new = (
            [os.path.join(folder, "sample", f"{part}.{side}") for side in ("fr", "en")]
            for part in ("train", "dev")
        )
        write_sample(os.path.join(folder, "sample"), pairs=300, dev=20)
        for recipe in chosen:
            *_, last = train(read_bitext(*training, **vars(recipe.data)), recipe)
            save(last.model, model)
            decode_file(load(model), new[0], new[1], os.path.join(folder, "links"))
            Aligner(model).align("a", "b")  # a few cells are looked up by a kernel of their own
    reporter.say("all kernels of these recipes are compiled")


_PAPERS = "liang2006-joint", "liang2008-parameter", "graca2007-agreement-hmm", "cheng2017-mre-ibm2"
_FIRST_RECIPES = "default", "fast", *_PAPERS
"""The recipes that are listed first: the two for use, then the main one of each paper."""


@verb(
    "configs",
    "align configs",
    "align configs --all",
    "align configs default > mine.toml",
    "align train a.fr a.en -m model -c mine.toml",
)
@click.argument("name", type=RECIPE, required=False)
@flag("--all", "lists_all", help="List all recipes, also those for comparison.")
def configs(name: str | None, lists_all: bool) -> None:
    """List the built-in recipes for align train -c NAME, or show the recipe NAME.

    A recipe is a TOML file. Change a copy of a built-in recipe to write your own.
    """
    from aligner.recipe.builtin import builtin_recipes
    from aligner.recipe.extends import recipe_text

    if name is not None:
        click.echo(recipe_text(name), nl=False)
        return
    recipes = builtin_recipes()
    for name in recipes if lists_all else _FIRST_RECIPES:
        click.echo(f"{name:<28} {recipes[name]}")
    if not lists_all:
        click.echo(f"align configs --all lists all {len(recipes)} recipes", err=True)
