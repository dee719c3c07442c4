"""Options of ``align train`` that go together, each group passed as one argument."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from .commands import FILE, RECIPE, SETTING
from .options import as_one_argument, parse_memory, threads

if TYPE_CHECKING:
    from aligner import Prior, TrainedModel


def _dev_files(
    dev_source: str | None, dev_target: str | None, dev_gold: str | None
) -> tuple[str, str | None, str] | None:
    """Return the arguments of ``DevSet.read``, or None if no file is given."""
    if (dev_source is None) != (dev_gold is None) or (dev_target is not None and dev_source is None):
        raise click.UsageError(
            "--dev-source and --dev-gold need each other, and --dev-target needs both; name the missing file"
        )
    return None if dev_source is None or dev_gold is None else (dev_source, dev_target, dev_gold)


def _not_nan(context: click.Context, option: click.Parameter, seconds: float) -> float:
    """Return a number of seconds; raise a usage error for a NaN, which no range excludes."""
    if math.isnan(seconds):
        raise click.BadParameter("found nan; expected a number of seconds")
    return seconds


def _split_weight(
    context: click.Context, option: click.Parameter, value: str | None
) -> tuple[str | None, float | None]:
    """Return the file and the weight of MODEL[:WEIGHT]. Only a number is a weight."""
    if value is None:
        return None, None
    path, colon, number = value.rpartition(":")
    try:
        return (path, float(number)) if colon and path else (value, None)
    except ValueError:
        return value, None


def load_models(models: dict[str, Any]) -> tuple[Prior | None, TrainedModel | None]:
    """Return the prior and the model to continue from, of the values of the options ``models``."""
    from aligner import Prior, load

    (prior_path, weight), init_path = models["prior"], models["init"]
    prior = None if prior_path is None else Prior(load(prior_path), weight)
    return prior, None if init_path is None else load(init_path)


# Argument ``recipe_options``: keywords of ``load_recipe``.
recipe = as_one_argument("recipe_options", dict, {
    "name": click.option(
        "-c", "--config", "name", type=RECIPE, default="default", show_default=True,
        help="The recipe: the name of a built-in recipe (see align configs), or a TOML file."),
    "overrides": click.option(
        "--set", "overrides", type=SETTING, multiple=True, metavar="KEY=VALUE",
        help="Change a setting of the recipe, such as stage.2.iterations=10. May be repeated."),
})  # fmt: skip

# Argument ``resources``: keywords of ``train``.
resources = as_one_argument("resources", dict, {
    "threads": threads,
    "max_memory": click.option(
        "--max-memory", metavar="SIZE", callback=parse_memory,
        help="Refuse to train if it takes more memory than this, for example 2.5G.  [default: 90 % of what"
        " the process may use]"),
})  # fmt: skip

# Argument ``checkpoint_options``: keywords of ``Checkpoints.beside``.
checkpointing = as_one_argument("checkpoint_options", dict, {
    "every": click.option(
        "--checkpoint-every", "every", type=click.FloatRange(0), callback=_not_nan, default=60.0,
        show_default=True, metavar="SECONDS",
        help="Save progress to MODEL.checkpoint this often. The file is deleted when training is done. With"
        " --cluster, MODEL.shards is saved after each iteration."),
    "resume": click.option(
        "--resume", is_flag=True,
        help="Continue from MODEL.checkpoint (with --cluster, from MODEL.shards) if it exists."),
    "force": click.option(
        "--force", is_flag=True,
        help="Replace MODEL and MODEL.checkpoint even if they are of another text or no models."),
})  # fmt: skip

# Argument ``log_files``: keywords of ``TrainingLog``.
logging = as_one_argument("log_files", dict, {
    "path": click.option(
        "--log", "path", type=FILE,
        help="Write the figures of each iteration, an object of JSON on each line, at once. With --resume,"
        " FILE goes on."),
    "plot_path": click.option(
        "--plot", "plot_path", type=FILE,
        help="Draw perplexity, agreement and AER on the dev set by iteration, as PNG. Needs the extra"
        " plots."),
})  # fmt: skip

# Argument ``dev_files``: what ``DevSet.read`` takes, or None.
development = as_one_argument("dev_files", _dev_files, {
    "dev_source": click.option(
        "--dev-source", type=FILE, help="Report the AER on this text after each iteration."),
    "dev_target": click.option(
        "--dev-target", type=FILE, help="The target side, unless --dev-source holds both sides."),
    "dev_gold": click.option("--dev-gold", type=FILE, help="The gold links of this text."),
})  # fmt: skip

_DICTIONARY = {
    "dictionary": click.option(
        "--dictionary", type=FILE,
        help="Known translations, one a line: source TAB target, or source TAB target TAB weight. Or a"
        " file of CC-CEDICT, EDICT, FreeDict (TEI) or kaikki.org (JSON lines)."),
    "weight": click.option(
        "--dictionary-weight", "weight", type=float, default=1.0, show_default=True, metavar="W",
        help="Multiply the weight of each entry of the dictionary by W, or by 0 to leave it out."),
}  # fmt: skip

_KNOWN_LINKS = {
    "links": click.option(
        "--known-links", "links", type=FILE,
        help="Known links of the training text: i-j is a link, i!j is none, and = forbids all other"
        " links of its line. FILE has a line for each pair, or LINE TAB links for some lines, counted from 1."
        " They are in --links, too."),
    "ids": click.option(
        "--ids", type=FILE,
        help="With --known-links: the id of each line of the text. The file of links has ID TAB links,"
        " or is aligned USFM or Scripture Burrito."),
}  # fmt: skip

# Argument ``evidence_files``: keywords of ``Evidence.read``.
evidence = as_one_argument("evidence_files", dict, _DICTIONARY | _KNOWN_LINKS)

# Argument ``evidence_files``, without known links.
dictionary = as_one_argument("evidence_files", dict, _DICTIONARY)

# Argument ``models``: the file and the weight of --prior, and the file of --init.
models = as_one_argument("models", dict, {
    "prior": click.option(
        "--prior", type=FILE, metavar="MODEL[:WEIGHT]", callback=_split_weight,
        help="Draw the probabilities of words and jumps towards those of MODEL: good for a small text. They"
        " count as at most WEIGHT occurrences of a word (inf: as many as MODEL saw).  [default: WEIGHT is"
        " learned from the text]"),
    "init": click.option(
        "--init", type=FILE, metavar="MODEL",
        help="Continue from MODEL, as if its training text were part of this text. The new model has the"
        " words of both texts. May be combined with --prior."),
})  # fmt: skip
