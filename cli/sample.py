"""`align sample`: write a small bitext with known links to try things on."""

import shlex
from pathlib import Path

import click

from aligner.sample.files import write_sample

from . import options


@click.command("sample")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--pairs", type=click.IntRange(min=1), default=5000, show_default=True, help="Sentence pairs to train on."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Which sample: the same number gives the same files everywhere.",
)
@click.option("--force", is_flag=True, help="Replace the sample in a directory that is not empty.")
@options.quiet
def command(directory: Path, pairs: int, seed: int, force: bool, quiet: bool) -> None:
    """Write a synthetic bitext with known links to DIRECTORY.

    Two invented languages: training text, a held-out text and its gold links, and a README that says more.
    """
    files = write_sample(directory, pairs=pairs, seed=seed, force=force)
    if quiet:
        return
    click.echo(f"wrote {directory}: {', '.join(file.name for file in files)}", err=True)
    train = " ".join(shlex.quote(str(directory / name)) for name in ("train.src", "train.tgt"))
    click.echo(f"next: align train {train} -m model", err=True)
