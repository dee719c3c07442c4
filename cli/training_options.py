"""Options of ``align train`` that go together, each group passed as one argument."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from .commands import RECIPE, SETTING, flag
from .files import FileName
from .options import Decorator, as_one_argument, file, parse_memory, threads

if TYPE_CHECKING:
    from aligner import Evidence, Prior, TrainedModel
    from aligner.links.linked_pairs import PairWords


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


@dataclass(frozen=True)
class EvidenceFiles:
    """The files of ``Evidence.read``: a dictionary and its weight, known links and the ids of their lines."""

    dictionary: str | None
    weight: float
    links: str | None = None
    ids: str | None = None

    def __post_init__(self) -> None:
        if self.ids is not None and self.links is None:
            raise click.UsageError("found --ids without --known-links; name a file of links, or leave it out")

    def read(self, words: Callable[[], Iterator[PairWords]] | None = None) -> Evidence:
        """Return what the files say. words: reads the words of the text again, if that is possible."""
        from aligner import Evidence

        return Evidence.read(**vars(self), words=words)


def _split_weight(prior: str) -> tuple[str, float | None]:
    """Return the file and the weight of MODEL[:WEIGHT]. Only a number is a weight."""
    path, colon, number = prior.rpartition(":")
    try:
        return (path, float(number)) if colon and path else (prior, None)
    except ValueError:
        return prior, None


class _PriorFile(FileName):
    """The name of a file with a weight, MODEL[:WEIGHT]."""

    def path(self, value: str) -> str:
        return _split_weight(value)[0]


@dataclass(frozen=True)
class ModelFiles:
    """Existing models: the file of the prior with its weight, and that of the model to continue from."""

    prior: str | None
    init: str | None

    def load(self) -> tuple[Prior | None, TrainedModel | None]:
        """Return the prior, and the model to continue from."""
        from aligner import Prior, load

        path, weight = (None, None) if self.prior is None else _split_weight(self.prior)
        prior = None if path is None else Prior(load(path), weight)
        return prior, None if self.init is None else load(self.init)


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
    "resume": flag(
        "--resume",
        help="Continue from MODEL.checkpoint (with --cluster, from MODEL.shards) if it exists."),
    "force": flag(
        "--force",
        help="Replace MODEL and MODEL.checkpoint even if they are of another text or no models."),
})  # fmt: skip

# Argument ``log_files``: keywords of ``TrainingLog``.
logging = as_one_argument("log_files", dict, {
    "path": file(
        "--log", "path", role="output",
        help="Write the figures of each iteration, an object of JSON on each line, at once. With --resume,"
        " FILE goes on."),
    "plot_path": file(
        "--plot", "plot_path", role="output",
        help="Draw perplexity, agreement and AER on the dev set by iteration, as PNG. Needs the extra"
        " plots."),
})  # fmt: skip

# Argument ``dev_files``: what ``DevSet.read`` takes, or None.
development = as_one_argument("dev_files", _dev_files, {
    "dev_source": file("--dev-source", help="Report the AER on this text after each iteration."),
    "dev_target": file("--dev-target", help="The target side, unless --dev-source holds both sides."),
    "dev_gold": file("--dev-gold", help="The gold links of this text."),
})  # fmt: skip

_DICTIONARY: dict[str, Decorator] = {
    "dictionary": file(
        "--dictionary",
        help="Known translations, one a line: source TAB target, or source TAB target TAB weight. Or a"
        " file of CC-CEDICT, EDICT, FreeDict (TEI) or kaikki.org (JSON lines)."),
    "weight": click.option(
        "--dictionary-weight", "weight", type=float, default=1.0, show_default=True, metavar="W",
        help="Multiply the weight of each entry of the dictionary by W, or by 0 to leave it out."),
}  # fmt: skip

_KNOWN_LINKS: dict[str, Decorator] = {
    "links": file(
        "--known-links", "links",
        help="Known links of the training text: i-j is a link, i!j is none, and = forbids all other"
        " links of its line. FILE has a line for each pair, or LINE TAB links for some lines, counted from 1."
        " They are in --links, too."),
    "ids": file(
        "--ids",
        help="With --known-links: the id of each line of the text. The file of links has ID TAB links,"
        " or is aligned USFM or Scripture Burrito."),
}  # fmt: skip

# Argument ``evidence_files``.
evidence = as_one_argument("evidence_files", EvidenceFiles, _DICTIONARY | _KNOWN_LINKS)

# Argument ``evidence_files``, without known links.
dictionary = as_one_argument("evidence_files", EvidenceFiles, _DICTIONARY)

# Argument ``models``.
models = as_one_argument("models", ModelFiles, {
    "prior": click.option(
        "--prior", type=_PriorFile(), metavar="MODEL[:WEIGHT]",
        help="Draw the probabilities of words and jumps towards those of MODEL: good for a small text. They"
        " count as at most WEIGHT occurrences of a word (inf: as many as MODEL saw).  [default: WEIGHT is"
        " learned from the text]"),
    "init": file(
        "--init", metavar="MODEL",
        help="Continue from MODEL, as if its training text were part of this text. The new model has the"
        " words of both texts. May be combined with --prior."),
})  # fmt: skip
