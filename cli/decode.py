"""``align decode``: links of any text, by a trained model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from aligner.decoding.methods import COMBINATIONS, LINK_METHODS, all_combinations
from aligner.links.formats import LINK_FORMATS
from aligner.recipe.load import decode_settings

from . import options
from .commands import DECODE_SETTING, verb
from .files import NamedFile
from .options import as_one_argument, choice, describe, entry_of, finite
from .reporter import Reporter

_WITH_PROBABILITIES = "pharaoh-probabilities"


# Argument ``decoder_overrides``: keywords of ``decoder_of``, among them the settings of --set. The choices
# are the entries of the registries at import. That is enough, since no verb registers others.
decoding = as_one_argument("decoder_overrides", lambda overrides, **own: own | decode_settings(overrides), {
    "method": entry_of(LINK_METHODS, "--method", help="How links are chosen. {}"),
    "combine": click.option(
        "--combine", type=choice(all_combinations()), metavar="NAME",
        help="How the two directions are combined. Of posteriors F and R,"
        f" {describe(COMBINATIONS)} With viterbi, as of align symmetrize."),
    "threshold": click.option(
        "--threshold", type=click.FloatRange(0, 1, min_open=True), callback=finite, metavar="P",
        help="The least posterior of a link. Less gives more links."),
    "overrides": click.option(
        "--set", "overrides", type=DECODE_SETTING, multiple=True, metavar="KEY=VALUE",
        help="Change a setting of the table [decode], such as decode.constraint=symmetric. Repeatable."),
    "learned": click.option(
        "--learned/--no-learned", default=None,
        help="As MODEL has learned (default), or by its recipe."),
    "attach": click.option(
        "--attach", is_flag=True, default=None,
        help="Let frequent words join the next linked word, as in gold of phrases."),
    "groups": click.option(
        "--groups/--no-groups", default=None,
        help="Keep links of groups of words only, each linked with each; default: as MODEL has learned."),
})  # fmt: skip


def _scores_on_lines(values: Mapping[str, Any]) -> list[NamedFile]:
    """Return --scores as no file of its own if each score is on the line of its links."""
    return [NamedFile("--scores", None)] if values["output"] == values["scores"] == "-" else []


@verb(
    "decode",
    "align decode model a.fr a.en -o links",
    "align decode model a.tsv --probabilities --threshold 0.3 > links",
    "align decode model a.fr a.en --method viterbi --combine grow-diag-final-and",
    "align decode model a.fr a.en --start verses -o links",
    "paste a.fr a.en | align decode model - --scores -",
    headings={
        "Choice of links, by default as in the recipe": "--method --combine --groups --set --attach --learned"
        " --start",
        "Known links, and links of other aligners": "--known-links --ids --with --with-weight",
    },
    derived=_scores_on_lines,
)
@options.model
@options.text
@options.output
@options.links_format
@options.flag("--probabilities", help=f"Short for --links-format {_WITH_PROBABILITIES}.")
@options.file(
    "--scores",
    role="output",
    help="Also write score, forward, reverse and gain of each pair, in nats per word; - is after the links.",
)
@options.known_links
@options.ids("For jsonl, named and --known-links.")
@options.others
@decoding
@options.start
@options.threads
@options.reading
@options.reporter
def command(
    model_path: str,
    source: str,
    target: str | None,
    output: str,
    links_format: str | None,
    probabilities: bool,
    scores: str | None,
    known_links: str | None,
    ids: str | None,
    others: options.OtherFiles,
    decoder_overrides: dict[str, Any],
    start: str | None,
    reporter: Reporter,
    **reading: Any,
) -> None:
    """Align SOURCE and TARGET with MODEL, and write one line of links for each line of text.

    A link i-j joins words i and j, counted from 0. Without TARGET, each line of SOURCE holds both sides; - is
    stdin, whose lines are each answered before the next is read. A pair with an empty side gets an empty
    line. Probabilities are calibrated only if MODEL has learned from corrected lines.
    """
    from aligner import decode_file, load, read_bitext
    from aligner.decoding.learned_decoder import decoder_of
    from aligner.files.opening import is_special
    from aligner.links.known_links import read_known_links
    from aligner.models.start import DEFAULT_START, NO_START, with_start

    if probabilities and links_format not in (None, _WITH_PROBABILITIES):
        raise click.UsageError(
            f"found --probabilities, which is --links-format {_WITH_PROBABILITIES}, and --links-format"
            f" {links_format}; leave one of them out"
        )
    chosen_format = links_format or (_WITH_PROBABILITIES if probabilities else "pharaoh")
    has_ids = "ids" in LINK_FORMATS[chosen_format].may_hold
    if ids is not None and known_links is None and not has_ids:
        raise click.UsageError(
            f"found --ids without --known-links, and links in {chosen_format}, which has no ids; name known"
            f" links, or choose --links-format jsonl or named"
        )
    lines = {name: reading[name] for name in ("format", "skip_bad")}
    named = options.named_text(ids, source, target, reporter, **lines)
    known = None if known_links is None else read_known_links(known_links, named)
    model = load(model_path)
    if start and model.learned is not None:
        raise click.UsageError(f"found --start and a model that has learned; leave out --start {start}")
    if start == NO_START:
        decoder_overrides["learned"] = False
    elif start or (decoder_overrides.get("learned") and model.learned is None):
        model = with_start(model, start or DEFAULT_START)
    if model.learned is None and named is not None:
        options.advise_on_verses(named.ids, model.config, reporter)
    mixed = None
    if others.paths:
        if any(path is not None and is_special(path) for path in (source, target)):
            raise click.UsageError("found --with, and a text that can be read once only; expected files")
        text = read_bitext(source, target, **model.reading, **reading)
        mixed = others.mixed(model, text, reporter, reading["threads"]).others
        if mixed is not None and decoder_overrides.get("learned") is None and model.learned is None:
            model = with_start(model)
    elif model.learned is not None and model.learned.record.get("others"):
        reporter.say("the model has learned with links of another aligner; name those of this text by --with")
    summary = decode_file(
        model,
        source,
        target,
        output,
        decoder=decoder_of(model, **decoder_overrides),
        links_format=chosen_format,
        others=mixed,
        known=known,
        ids=named.ids if named is not None and has_ids else None,
        scores=scores,
        **reporter.watch("decoding", source),
        **reading,
    )
    reporter.conclude(summary.describe())
