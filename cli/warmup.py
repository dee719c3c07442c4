"""``align warmup``: compile the kernels before they are needed."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

import click

from . import options
from .completion import RECIPE
from .help_texts import examples


@click.command("warmup", epilog=examples("align warmup", "align warmup -c default -c liang2006-joint"))
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
@options.quiet
def command(recipes: tuple[str, ...], quiet: bool) -> None:
    """Compile what training and decoding need, so that later runs start at once.

    Machine code is kept for this user and this machine. It is compiled again by a new version, and for
    another processor. The verb trains on a small sample and aligns it.
    """
    from aligner import load, load_recipe, read_bitext, save, train
    from aligner.decoding.stream import decode_file
    from aligner.sample.files import write_sample

    from .reporter import Reporter

    reporter = Reporter(quiet)
    chosen = [load_recipe(recipe) for recipe in recipes]
    reporter.compile_ahead()
    with TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        training, new = (
            [os.path.join(folder, "sample", f"{part}.{side}") for side in ("src", "tgt")]
            for part in ("train", "dev")
        )
        write_sample(os.path.join(folder, "sample"), pairs=300, dev=20)
        for recipe in chosen:
            *_, last = train(read_bitext(*training, **vars(recipe.data)), recipe)
            save(last.model, model)
            decode_file(load(model), new[0], new[1], os.path.join(folder, "links"))
    reporter.say("all kernels of these recipes are compiled")
