"""``align sample``: a small bitext with known links to try the program on."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from . import options
from .help_texts import examples


@click.command(
    "sample",
    epilog=examples(
        "align sample sample",
        "align train sample/train.src sample/train.tgt -m model",
        "align decode model sample/dev.src sample/dev.tgt -o links",
        "align eval sample/dev.gold links",
    ),
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
@click.option("--force", is_flag=True, help="Replace the sample in a directory that is not empty.")
@options.quiet
def command(directory: Path, pairs: int, seed: int, force: bool, quiet: bool) -> None:
    """Write a synthetic bitext with gold links to DIRECTORY.

    The two languages are invented. The files are a training text, a held-out text with gold links, and a
    README.
    """
    from aligner.sample.files import write_sample

    files = write_sample(directory, pairs=pairs, seed=seed, force=force)
    if quiet:
        return
    click.echo(f"wrote {directory}: {', '.join(file.name for file in files)}", err=True)
    train = " ".join(shlex.quote(str(directory / name)) for name in ("train.src", "train.tgt"))
    click.echo(f"next: align train {train} -m model", err=True)
