"""The command group ``align``, and the exit status of errors. Each verb is imported when it is run."""

from __future__ import annotations

import errno
import importlib
import os
import sys
import warnings
from contextlib import suppress
from itertools import islice
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from aligner._version import __version__
from aligner.errors import AlignerError
from aligner.extensions import VARIABLE, import_extension, load_extensions

from . import signals
from .commands import NamedGroup
from .reporter import fit_terminal

GROUPS = {
    "Align": {
        "train": "Train a model on a bitext.",
        "decode": "Align text with a trained model.",
        "pivot": "Align several languages of one text, through each other.",
        "shard": "Train on parts of a text, step by step, on many machines.",
        "compat": "Stand in for fast_align, atools and eflomal.",
    },
    "Judge": {
        "eval": "Score links against gold links.",
        "report": "Report how well a model fits a text, without gold links.",
        "show": "Show links as words.",
        "find": "Find a word in context, by translation.",
        "tune": "Find the best settings of decoding on text with gold links.",
        "filter": "Keep the sentence pairs that are translations.",
    },
    "Correct": {
        "serve": "Correct links in a browser, and let the model learn.",
        "suggest": "Suggest lines to correct next.",
        "learn": "Learn from a few corrected lines what a link is.",
    },
    "Convert": {
        "symmetrize": "Combine the links of both directions, or convert links.",
        "remap": "Move links to other tokens of the same text, such as subwords.",
        "project": "Carry tags, spans or markup to the other side along links.",
        "lexicon": "Write the word translations of a model.",
        "verses": "Take the verses of two Bibles in USFM or USX as a text.",
    },
    "Set up": {
        "sample": "Write a small French - English bitext with gold links.",
        "warmup": "Compile the kernels, so that later runs start at once.",
        "configs": "List or show the training recipes that come with the program.",
    },
}
"""The verbs and their summaries, by what they are for."""

VERBS = {verb: summary for verbs in GROUPS.values() for verb, summary in verbs.items()}

_LONGEST = max(map(len, VERBS))

_SHARED_MODULES = {"suggest": "learn"} | dict.fromkeys(("sample", "warmup", "configs"), "first_steps")
"""The modules of verbs that have none of their own name. In it, the command has the name of the verb."""

_EPILOG = """\b
Examples:
  align sample sample
  align train sample/train.fr sample/train.en -m model
  align decode model sample/dev.fr sample/dev.en -o links
  align eval sample/dev.gold links

\b
Exit status:
  0      success
  1      bad data, model or settings
  2      bad command line
  128+N  ended by signal N, such as 130 by Ctrl-C, 141 by a closed pipe
"""


_PIPE_CLOSED = 128 + 13
"""The exit status, as by SIGPIPE, if the reader of stdout has closed it: ``align decode ... | head``."""


class _Verbs(NamedGroup):
    """The verbs by name, or a text. ``help`` and ``help VERB`` are understood, too."""

    also = ", and no such file"

    def summaries(self) -> dict[str, str]:
        return VERBS

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, verbs in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{verb:<{_LONGEST}}", summary) for verb, summary in verbs.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _imports_first(args))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would exit with 1, as if the data were bad
            sys.exit(_PIPE_CLOSED)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        load_extensions()  # options list the entries of registries when their verb is imported
        module = importlib.import_module(f"{__package__}.{_SHARED_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name if cmd_name in _SHARED_MODULES else "command")
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = super().shell_complete(ctx, incomplete)
        # First, since click's script of bash drops what comes before files.
        return found if incomplete.startswith("-") else [CompletionItem(incomplete, type="file"), *found]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] == "help":
            if set(args[1:]) <= {"-h", "--help"}:
                click.echo(ctx.get_help())
                ctx.exit()
            args = [*args[1:], "--help"]
        if args[0] not in VERBS:
            if args[0] == "-" or os.path.exists(args[0]):
                load_extensions()
                from .align import command

                return command.name, command, args
            if not ctx.resilient_parsing and (os.path.basename(args[0]) != args[0] or "." in args[0]):
                ctx.fail(f"{args[0]}: found no such file; expected a text, or a verb (see align --help)")
        return super().resolve_command(ctx, args)


def _imports_first(args: list[str]) -> list[str]:
    """Return the arguments with all ``--import MODULE`` before the verb, so that they may stand after it."""
    imports, others, remaining = [], [], iter(args)
    for argument in remaining:
        if argument == "--import":
            module = list(islice(remaining, 1))
            if not module:
                return [argument]  # which needs a module
            imports += [argument, *module]
        elif argument.startswith("--import="):
            imports.append(argument)
        elif argument == "--":
            others += [argument, *remaining]
        else:
            others.append(argument)
    return imports + others


def _import(context: click.Context, option: click.Parameter, modules: tuple[str, ...]) -> None:
    """Import extensions in this process and, by the environment, in the processes that it starts."""
    for module in modules:
        import_extension(module)
    if modules:
        os.environ[VARIABLE] = " ".join(dict.fromkeys([*os.environ.get(VARIABLE, "").split(), *modules]))


@click.group(
    cls=_Verbs,
    kind="verb",
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="SOURCE [TARGET] | VERB ...",
    epilog=_EPILOG,
)
@click.option(
    "--import",
    multiple=True,
    metavar="MODULE",
    expose_value=False,
    callback=_import,
    help="Import an extension, a Python module that registers models, criteria, priors, link methods or"
    " formats. May be repeated, and may stand after the verb.  [env var: ALIGN_IMPORT]",
)
@click.version_option(__version__, prog_name="align", help="Show the version.")
def align() -> None:
    """Align the words of a bitext: find which words are translations of each other.

    \b
      align text.fr text.en > links

    This trains on two files with one sentence a line, and writes a line of links i-j for each: of words i and
    j, counted from 0. Its options, such as -o and -m, are those of align train. Verbs do all else: run align
    VERB --help for the options of a verb.
    """  # noqa: D301


def main() -> None:
    """Run ``align``. Raises SystemExit: status 1 for bad data or settings, 2 for a bad command line."""
    # NumPy starts a thread for each processor for linear algebra, which this program does not use.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    warnings.formatwarning = lambda message, *_: f"align: {message}\n"
    try:
        try:
            align.main(prog_name="align", standalone_mode=False)
            sys.stdout.flush()
        finally:
            if signals.received:
                raise KeyboardInterrupt  # any other exception follows from the signal
    except click.UsageError as error:
        message = fit_terminal(f"Error: {error.format_message()}").removeprefix("Error: ")
        click.UsageError(message, error.ctx).show()
        sys.exit(2)
    except (AlignerError, click.ClickException) as error:
        _fail(str(error))
    except (KeyboardInterrupt, click.Abort):
        _fail("interrupted", signals.ignore())
    except BrokenPipeError:
        sys.exit(_PIPE_CLOSED)
    except OSError as error:  # errors of a named file are reported with the name
        # An error of the system has a number. Other errors, as of loading a library, say what is wrong.
        if error.filename:
            _fail(f"{error.filename}: cannot be used ({error.strerror}); check the name and the permissions")
        from_stdout = error.errno not in (None, errno.ENOENT)
        _fail(f"<stdout>: cannot be written ({error.strerror})" if from_stdout else str(error))
    except (MemoryError, SystemError) as error:  # C code may raise a SystemError without memory
        cause = f"{error}, as without memory" if isinstance(error, SystemError) else "out of memory"
        _fail(f"{cause}; allow more, use fewer threads (-j 1), or train on fewer or shorter pairs")


def _fail(message: str, status: int = 1) -> NoReturn:
    """Write an error message to stderr, and exit."""
    with suppress(OSError):  # the terminal may be closed
        click.echo(fit_terminal(f"align: {message}"), err=True)
    sys.exit(status)
