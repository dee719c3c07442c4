"""``align compat``: the command lines of fast_align, atools and eflomal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from aligner.compat.atools import COMMANDS
from aligner.files.lines import lines_of
from aligner.system.resources import processors

from .commands import NamedGroup, examples, flag
from .files import CheckedCommand, NamedFile
from .options import Decorator, all_of, as_one_argument, file, finite


@click.group(
    "compat",
    cls=NamedGroup,
    kind="program",
    subcommand_metavar="PROGRAM ...",
    epilog=examples(
        "align compat fast_align -i a.fr-en -dov > forward.links",
        "align compat fast_align -i a.fr-en -dovr > reverse.links",
        "align compat atools -i forward.links -j reverse.links \\",
        "  -c grow-diag-final-and > links",
        "align compat eflomal -s a.fr -t a.en -f forward.links -r reverse.links",
        "align compat makepriors -s a.fr -t a.en -f forward.links \\",
        "  -r reverse.links -p priors",
    ),
)
def command() -> None:
    """Run a stand-in for another program: the same options, files and formats, by the models of align.

    Both directions are trained together by the recipe fast. Options that have no meaning for it, such as
    numbers of iterations, are accepted without effect, which a line on stderr says. Every line of the input,
    of any length, has its line of the output.
    """


def _program(
    name: str, summary: str, example: str, **settings: Any
) -> Callable[[Callable[..., None]], click.Command]:
    """Return a decorator that adds a program to the group, with an example for its help text."""
    settings |= {"short_help": summary, "epilog": examples(example)}
    return command.command(name, cls=CheckedCommand, **settings)


def _without_effect(*ignored: str, flag: bool = False) -> Decorator:
    """Return a decorator that adds options, each with its names, that are accepted without effect."""
    settings: dict[str, Any] = {"is_flag": True} if flag else {"metavar": "X"}
    settings |= {"expose_value": False, "help": "No effect.", "callback": _say_without_effect}
    return all_of(*(click.option(*names.split(), **settings) for names in ignored))


def _say_without_effect(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Say, at the end of the run, which of the options given have no effect."""
    if not value:
        return
    given = context.meta.setdefault(__name__, [])
    if not given:
        context.call_on_close(lambda: click.echo(f"without effect here: {', '.join(given)}", err=True))
    given.append(option.opts[0])


_known_links = file(
    "--known-links",
    help="Not in the original program: known links of the text, as for align train, which are in the links of"
    " both directions, and so of every symmetrisation.",
)


@_program(
    "fast_align",
    "Align one direction, as fast_align does.",
    "align compat fast_align -i a.fr-en -d -o -v > links",
    derived=lambda values: [
        NamedFile("the model", values["written"] and f"{values['written']}.model", "model")
    ],
)
@file("-i", "--input", "path", required=True, help="The text, lines of source ||| target. - is stdin.")
@flag("-r", "--reverse", help="Write the links of the reverse model.")
@file(
    "-p",
    "--conditional_probabilities",
    "written",
    role="output",
    help="Write the lexical table, lines of word TAB word TAB log probability, and the model beside it, as"
    " FILE.model, for -f and align decode.",
)
@file(
    "-f",
    "--force_align",
    "read",
    help="Do not train. Align by the model beside this table, or by the"
    " table if there is none, or by a model, and write 4 fields a line.",
)
@_known_links
@flag("-s", "scores", help="Add ||| and the log probability to each line.")
@click.option(
    "-m",
    "--mean_srclen_multiplier",
    "ratio",
    type=click.FloatRange(0),
    callback=finite,
    default=1.0,
    help="With -f: the expected target length, divided by the source length, for the log probability.",
)
@click.option(
    "-T",
    "--diagonal_tension",
    "tension",
    type=float,
    default=4.0,
    help="With -f and a table without a model: how much to prefer the diagonal. Otherwise without effect, and"
    " repeated on stderr as the final tension.",
)
@click.option(
    "-t",
    "--beam_threshold",
    "beam",
    type=click.FloatRange(max=0),
    callback=finite,
    default=-4.0,
    help="With -p: keep pairs whose log probability is at least -X times that of the best of the word.",
)
@_without_effect(
    "-d --favor_diagonal", "-o --optimize_tension", "-v --variational_bayes", "-N --no_null_word", flag=True
)
@_without_effect("-I --iterations", "-q --p0", "-a --alpha", "-b --thread_buffer_size")
def _fast_align(
    path: str,
    reverse: bool,
    written: str | None,
    read: str | None,
    scores: bool,
    ratio: float,
    tension: float,
    beam: float,
    known_links: str | None,
) -> None:
    """Align a text as fast_align does: train on it, and write a line of links for each line.

    Forward links give each target word at most one source word; reverse links, -r, each source word at most
    one target word. With -f, a line holds source ||| target ||| links ||| log probability, and is written
    at once.
    """
    from aligner.compat.fast_align import force_align, train_and_align

    from .reporter import Reporter

    if read is not None and known_links is not None:
        raise click.UsageError("found --known-links with -f; use align decode --known-links")
    reporter = Reporter(False)
    common: dict[str, Any] = {"reverse": reverse, "tension": tension, "threads": processors()}
    common |= {"say": reporter.say, "report": reporter.bad_line}
    if read is not None:
        force_align(read, path, ratio=ratio, **common)
    else:
        common |= {"known_links": known_links, "scores": scores, "beam": beam}
        train_and_align(path, table_path=written, **common)


@_program(
    "atools",
    "Combine, invert or compare links, as atools does.",
    "align compat atools -i forward.links -j reverse.links -c union",
)
@file("-i", "--input_1", "first", required=True, help="Links i-j, one line per pair. - is stdin.")
# Not checked against -i: both may be stdin, whose lines then belong to both in turn.
@file("-j", "--input_2", "second", role="place", help="The links of the other direction. - is stdin.")
@click.option(
    "-c",
    "--command",
    "name",
    type=click.Choice(COMMANDS),
    metavar="COMMAND",
    required=True,
    help="convert or invert (of -i alone); intersect, union, grow-diag, grow-diag-final,"
    " grow-diag-final-and; or fmeasure, of -i by -j. Instead of display, use align show --as matrix.",
)
def _atools(first: str, second: str | None, name: str) -> None:
    """Combine, invert or compare links exactly as atools does, and write each line at once."""
    from aligner.compat.atools import atools

    atools(name, first, second)


# Argument ``texts``: keywords of ``open_sides``.
_texts = as_one_argument("texts", dict, {
    "joint": file(
        "-i", "--input", "joint", help="Both texts, lines of source ||| target, instead of -s and -t."),
    "source": file("-s", "--source", help="The source text."),
    "target": file("-t", "--target", help="The target text."),
})  # fmt: skip


def _output(flag: str, noun: str, name: str) -> Decorator:
    """Return the option for a file of links or scores."""
    return file(flag, f"--{noun.replace(' ', '-')}", name, role="output", help=f"Write the {noun}.")


# Argument ``outputs``: the links and scores of both directions, keywords of ``Aligner.align``.
_outputs = as_one_argument("outputs", dict, {
    name: _output(flag, noun, name)
    for flag, noun, name in (
        ("-f", "forward links", "links_filename_fwd"),
        ("-r", "reverse links", "links_filename_rev"),
        ("-F", "forward scores", "scores_filename_fwd"),
        ("-R", "reverse scores", "scores_filename_rev"),
    )
})  # fmt: skip


def _letters(side: str, end: str, where: str = "") -> Decorator:
    """Return the option for the number of letters of a word that stand for it."""
    help = f"Letters kept {where}of each word."
    return click.option(f"--{side}-{end}", f"{side}_{end}_len", type=int, default=0, help=help)


_model = click.option(
    "-m", "--model", type=click.IntRange(1, 3), default=3, show_default=True, help="1: Model 1; 2 or 3: HMM."
)

_score_model = click.option(
    "-M",
    "--score-model",
    type=click.IntRange(0, 3),
    default=0,
    help="The model of scores: 1 for word pairs, 2 for jumps, too, 3 for fertilities, too; 0 for that of -m.",
)


@_program(
    "eflomal",
    "Align both directions, as eflomal-align does.",
    "align compat eflomal -i a.fr-en -f forward.links -r reverse.links -v",
)
@_texts
@_outputs
@file("-p", "--priors", help="Add the counts of these priors' word pairs in training.")
@_known_links
@_model
@flag("--overwrite", help="Replace the files of -f and -r if they exist.")
@flag("-v", "--verbose", help="Report on stderr.")
@_letters("source", "prefix")
@_letters("source", "suffix", "at the end ")
@_letters("target", "prefix")
@_letters("target", "suffix", "at the end ")
@_without_effect("--debug", flag=True)
@_score_model
@_without_effect("--null-prior", "-l --length")
@_without_effect("-1 --ibm1-iters", "-2 --hmm-iters", "-3 --fert-iters", "--n-samplers")
def _eflomal(
    texts: dict[str, Any],
    outputs: dict[str, Any],
    priors: str | None,
    known_links: str | None,
    overwrite: bool,
    verbose: bool,
    **settings: Any,
) -> None:
    """Align a text as eflomal-align does: train on it, and write links and scores of both directions.

    Scores are on the scale of eflomal: lower is better, and those of the best pairs are negative.
    """
    from aligner.compat.eflomal import Aligner, check_new
    from aligner.compat.texts import open_sides

    if not overwrite:
        check_new([outputs["links_filename_fwd"], outputs["links_filename_rev"]])
    priors_input = None if priors is None else lines_of(priors)
    outputs |= {"known_links": known_links}
    aligner, sides = Aligner(**settings), open_sides(**texts)
    aligner.align(*sides, priors_input=priors_input, quiet=not verbose, **outputs)


@_program(
    "eflomal-binary",
    "Align numbers, as the program inside eflomal does.",
    "align compat eflomal-binary -s a -t b -f forward -r reverse -m 3 -q",
)
@file("-s", "source", required=True, help="The source text in numbers.")
@file("-t", "target", required=True, help="The target text in numbers.")
@_outputs
@_model
@flag("-q", "quiet", help="Write nothing to stderr.")
@_score_model
@_without_effect("-n", "-N", "-1", "-2", "-3")
def _eflomal_binary(
    source: str, target: str, model: int, score_model: int, quiet: bool, outputs: dict[str, Any]
) -> None:
    """Align a text as the program inside eflomal's package does, whose words are numbers."""
    from aligner.compat.eflomal import Aligner
    from aligner.compat.texts import read_numbered

    aligner = Aligner(model=model, score_model=score_model)
    aligner.ignore_spelling()
    aligner.align(read_numbered(source), read_numbered(target), quiet=quiet, **outputs)


@_program(
    "makepriors",
    "Count links, as eflomal-makepriors does.",
    "align compat makepriors -i a.fr-en -f links -r links -p priors",
)
@_texts
@file("-f", "--forward-alignments", "forward", required=True, help="Forward or symmetrised links.")
@file("-r", "--reverse-alignments", "reverse", required=True, help="Reverse or symmetrised links.")
@flag("--reverse-priors", help="Make priors for source and target exchanged.")
@file("-p", "--priors", role="output", default="-", help="The file to write.  [default: stdout]")
@_without_effect("-v --verbose", flag=True)
def _makepriors(texts: dict[str, Any], forward: str, reverse: str, reverse_priors: bool, priors: str) -> None:
    """Count the word pairs, jumps and fertilities of links, as eflomal-makepriors does."""
    from aligner.compat.priors import make_priors
    from aligner.compat.texts import open_sides

    make_priors(*open_sides(**texts), lines_of(forward), lines_of(reverse), priors, reverse=reverse_priors)
