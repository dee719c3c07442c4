"""``align pivot``: links of languages of one text, through all its other languages."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aligner.links.formats import LINK_FORMATS
from aligner.messages import counted

from . import options
from .commands import verb
from .files import FILE, NamedFile
from .reporter import Reporter
from .training_options import recipe, resources

if TYPE_CHECKING:
    from aligner import Step
    from aligner.pivots.models import LanguagePair


def _named(context: click.Context, parameter: click.Parameter, arguments: tuple[str, ...]) -> dict[str, str]:
    """Return the files of arguments NAME=FILE by name; a usage error for any other argument."""
    named: dict[str, str] = {}
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not (name and equals and path):
            raise click.BadParameter(f"found {argument}; expected {parameter.make_metavar(context)}")
        if name in named:
            raise click.BadParameter(f"found {name} twice; expected one file for each name")
        named[name] = path
    return named


def _pair(name: str) -> LanguagePair:
    """Return the languages of a pair A-B; a usage error for any other name."""
    source, _, target = name.partition("-")
    if not (source and target) or "-" in target:
        raise click.UsageError(f"found the pair {name}; expected two languages, such as en-ar")
    return source, target


def _chosen(pairs: tuple[str, ...], texts: Iterable[str]) -> list[LanguagePair]:
    """Return the pairs of languages to align: by default, all."""
    return [_pair(name) for name in pairs] or list(combinations(texts, 2))


def _output(folder: str, pair: LanguagePair) -> str:
    return os.path.join(folder, f"{'-'.join(pair)}.links")


@verb(
    "pivot",
    "align pivot en=text.en ar=text.ar fr=text.fr ja=text.ja -o links",
    "align pivot en=text.en ar=text.ar fr=text.fr --pair en-ar -o links",
    "align pivot grc=nt.grc fi=nt.fi en=nt.en --ids --pair grc-fi -o verses",
    "align pivot en=a.en ar=a.ar fr=a.fr --model en-ar=big.model -o links",
    derived=lambda values: [
        NamedFile("-".join(pair), _output(values["folder"], pair))
        for pair in _chosen(values["pairs"], values["texts"])
    ],
)
@click.argument("texts", metavar="LANGUAGE=FILE...", nargs=-1, required=True, type=FILE, callback=_named)
@options.file(
    "-o", "--output", "folder", role="place", metavar="FOLDER", required=True,
    help="The folder for the links, such as en-ar.links, and for the models, such as en-ar.model. It is made"
    " if there is none.",
)  # fmt: skip
@click.option(
    "--pair", "pairs", metavar="A-B", multiple=True,
    help="Align A and B, through all other languages. May be repeated.  [default: all pairs]",
)  # fmt: skip
@options.flag(
    "--ids",
    help="Each line of the texts is ID TAB text, such as a verse. Lines of one id belong together, any may be"
    " missing. Verses that one text joins, such as GAL 1:1-2, are joined in all. The output"
    " has the ids, in the format named or jsonl.",
)  # fmt: skip
@click.option(
    "--model", "models", metavar="A-B=MODEL", multiple=True, type=FILE, callback=_named,
    help="Use this model of A and B, such as one of more text, as it is. May be repeated.",
)  # fmt: skip
@recipe
@options.entry_of(
    LINK_FORMATS, "--links-format", help="How links are written. {}  [default: pharaoh; with --ids, named]"
)
@resources
@options.skip_bad
@options.flag("--force", help="Train all models anew, and replace those in FOLDER.")
@options.reporter
def command(
    texts: dict[str, str],
    folder: str,
    pairs: tuple[str, ...],
    ids: bool,
    models: dict[str, str],
    recipe_options: dict[str, Any],
    links_format: str | None,
    resources: dict[str, Any],
    skip_bad: bool,
    force: bool,
    reporter: Reporter,
) -> None:
    """Align languages of one text, such as books of the Bible, each pair through all the other languages.

    Texts of at least three languages have the same lines. A line that a language lacks is empty, and so is
    its line of links. A model is trained for each pair of languages, unless FOLDER has it, and serves both
    directions. The posteriors of a pair are mixed with the posteriors of paths through each other language.
    The weights follow the agreement of the models: they need no gold links. Settings of decoding, such as
    --set decode.threshold=0.4, may be others than the models in FOLDER have.

    One language to align through is worth it, and five are better.
    """
    from aligner import load, load_recipe
    from aligner.pivots.align import check_method, check_pairs
    from aligner.pivots.files import format_of, write_aligned
    from aligner.pivots.model_folder import ModelFolder, train_pairs
    from aligner.pivots.models import pairs_needed
    from aligner.scripture.verses import name_some
    from aligner.text.parallel import read_parallel_texts

    chosen = _chosen(pairs, texts)
    model_files = {_pair(name): path for name, path in models.items()}
    outputs = {pair: _output(folder, pair) for pair in chosen}
    settings = load_recipe(**recipe_options)
    parallel = read_parallel_texts(texts, ids=ids, skip_bad=skip_bad, report=reporter.bad_line)
    check_pairs(parallel, [*chosen, *model_files])
    check_method(settings.decode)
    links_format = format_of(parallel, links_format)
    reporter.say(f"{len(parallel):,} lines of {len(texts)} languages")
    for name, alone in parallel.unpaired().items() if ids else ():
        if alone:
            reporter.say(f"{name}: found ids that no other language has: {name_some(alone)}")
    given = {pair: load(path) for pair, path in model_files.items()}
    reporter.compile_ahead()
    Path(folder).mkdir(parents=True, exist_ok=True)
    trained = train_pairs(
        ModelFolder(Path(folder)),
        parallel,
        pairs_needed(chosen, texts),
        settings,
        given=given,
        force=force,
        announce=lambda pair: reporter.start_bar(f"training {'-'.join(pair)}"),
        report=lambda pair, step: _report(reporter, pair, step),
        **resources,
    )
    progress = reporter.start_bar("aligning", len(parallel), " lines")
    how = {"links_format": links_format, "threads": resources["threads"], "progress": progress}
    links = write_aligned(trained, parallel, outputs, settings.decode, **how)
    reporter.remove_bar()
    for pair, path in outputs.items():
        members = trained.members(pair, texts)
        weights = ", ".join(f"{name or 'direct'} {weight:.2f}" for name, weight in members.items())
        reporter.say(
            f"{path}: {counted(links[pair], 'link')}; weights: {weights or 'no line in both languages'}"
        )


def _report(reporter: Reporter, pair: LanguagePair, step: Step | None) -> None:
    """Report a model that was trained, or that a pair without common lines has none."""
    reporter.remove_bar()
    name = "-".join(pair)
    if step is None:
        reporter.say(f"{name}: no line to train on in both languages")
        return
    agreed = "" if step.agreed_share is None else f", agreed {step.agreed_share:.1%}"
    reporter.say(f"{name}: trained on {counted(step.pairs, 'pair')}{agreed}")
