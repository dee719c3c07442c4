"""``align``: the command group, loaded verb by verb so that help is instant."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from contextlib import suppress
from typing import NoReturn

import click

from aligner._version import __version__
from aligner.errors import AlignerError

from . import process

_VERBS = {
    "train": "Learn a model from a bitext.",
    "decode": "Align text with a trained model.",
    "eval": "Score links against gold sure and possible links.",
    "show": "Show links as words.",
    "remap": "Move links to other tokens of the same text, such as subwords.",
    "lexicon": "List the word translations that a model has learned.",
    "sample": "Write a small synthetic bitext with known gold.",
    "configs": "List or show the training recipes that come with the program.",
}


class _Verbs(click.Group):
    """Commands by name, each imported only when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            return None
        return importlib.import_module(f"{__package__}.{cmd_name}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_VERBS.items()))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="align")
def align() -> None:
    """Find which words translate which in a bitext."""


def main() -> None:
    """Run ``align``: exit status 0 if all is well, 1 on a problem with data or model, 2 on wrong usage."""
    # There is no linear algebra here that NumPy would have to keep a thread for each processor ready for.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Starting makes a few hundred thousand objects that stay: looking for garbage among them takes 0.15 s.
    gc.set_threshold(200_000)
    try:
        try:
            align.main(prog_name="align", standalone_mode=False)
            sys.stdout.flush()
        finally:
            if process.received:
                raise KeyboardInterrupt  # whatever has become of it
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except (AlignerError, click.ClickException) as error:
        _fail(str(error))
    except (KeyboardInterrupt, click.Abort):
        _fail("interrupted", process.stop())
    except BrokenPipeError:
        sys.exit(1)  # the reader of our output went away: there is nobody left to tell
    except OSError as error:  # an error of a file that has a name says it
        _fail(str(error) if error.filename else f"<stdout>: cannot be written ({error.strerror})")
    except MemoryError:
        _fail("out of memory; use fewer or shorter pairs (--set data.max_length=N)")


def _fail(message: str, status: int = 1) -> NoReturn:
    with suppress(OSError):  # the terminal may be gone
        click.echo(f"align: {message}", err=True)
    sys.exit(status)
