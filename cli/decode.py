"""``align decode``: links of any text, by a trained model."""

from __future__ import annotations

from typing import Any

import click

from aligner.decoding.decoder import GREATEST_POWER, constraints
from aligner.decoding.methods import COMBINATIONS, LINK_METHODS, all_combinations
from aligner.links.formats import LINK_FORMATS
from aligner.links.symmetrize import SYMMETRIZATIONS

from . import options
from .commands import verb
from .options import as_one_argument, choice, describe, entry_of, finite
from .reporter import Reporter

_WITH_PROBABILITIES = "pharaoh-probabilities"


# Argument ``decoder_overrides``: keywords of ``decoder_of``. The choices are the entries of the registries at
# import. That is enough, since no verb registers others.
decoding = as_one_argument("decoder_overrides", dict, {
    "method": entry_of(
        LINK_METHODS, "--method", help="How links are chosen. {}  [default: the model's recipe]"),
    "combine": click.option(
        "--combine", type=choice(all_combinations()), metavar="NAME",
        help="How the two directions are combined. Of posteriors F and R,"
        f" {describe(COMBINATIONS)} With viterbi: {', '.join(SYMMETRIZATIONS)}."
        "  [default: the model's recipe]"),
    "threshold": click.option(
        "--threshold", type=click.FloatRange(0, 1, min_open=True), callback=finite,
        help="The least combined posterior of a link. Lower values give more links."
        "  [default: the model's recipe]"),
    "lexical_power": click.option(
        "--lexical-power", type=click.FloatRange(0, GREATEST_POWER, min_open=True), callback=finite,
        help="Exponent of the lexical probabilities. 2 is the decision rule of reconstruction training."),
    "constraint": click.option(
        "--constraint", type=choice([*constraints(), ""]), metavar=f"[{'|'.join(constraints())}]",
        help="Impose this constraint on the posteriors. It is soft: see --slack. '' imposes none."
        "  [default: the model's recipe]"),
    "slack": click.option(
        "--slack", type=click.FloatRange(0), callback=finite,
        help="With --constraint: a violation v costs v^2 / (2 slack) nats. 0 makes the constraint hard, and"
        " needs more --steps.  [default: the model's recipe, else 0.3]"),
    "learned": click.option(
        "--learned/--no-learned", default=None,
        help="Links as MODEL has learned them from corrected lines (see align learn), or those of its recipe."
        " If it has learned nothing, --learned decodes by the start that --start names."
        "  [default: learned, if it has learned and no other option of decoding but --threshold is given]"),
    "steps": click.option(
        "--steps", type=click.IntRange(0),
        help="With --constraint: the most gradient steps per pair, each as slow as decoding once."
        "  [default: the model's recipe, else 5]"),
    "punctuation_apart": click.option(
        "--punctuation-apart/--no-punctuation-apart", default=None,
        help="Drop links between punctuation and words, or keep them.  [default: the model's recipe]"),
    "attach": click.option(
        "--attach", is_flag=True, default=None,
        help="Let frequent words without links, such as articles, join the next linked word, as gold that"
        " links phrases has it. align learn finds from corrected lines which words do.  [default: the model's"
        " recipe]"),
})  # fmt: skip


@verb(
    "decode",
    "align decode model a.fr a.en -o links",
    "align decode model a.tsv --probabilities --threshold 0.3 > links",
    "align decode model a.fr a.en --method viterbi --combine grow-diag-final-and",
    "align decode model a.fr a.en -o links --scores scores.tsv",
    "align decode model a.fr a.en --start verses -o links",
    "paste a.fr a.en | align decode model - --scores -",
    headings={
        "Form of the output": "--links-format --groups",
        "Choice of links": "--method --combine --lexical-power --constraint --slack --steps"
        " --punctuation-apart --attach",
        "Learned links": "--learned --start",
        "Links of other aligners": "--with --with-weight",
        "Input": "--format --skip-bad",
    },
)
@options.model
@options.text
@options.output
@options.entry_of(LINK_FORMATS, "--links-format", help="How links are written. {}  [default: pharaoh]")
@click.option("--probabilities", is_flag=True, help=f"Short for --links-format {_WITH_PROBABILITIES}.")
@options.file(
    "--scores",
    help="Also write a line of scores for each pair, in nats per word: score TAB forward TAB reverse TAB"
    " gain. Higher is better. With -, they follow the links on the same line, after a TAB. In jsonl, each"
    " object has them.",
)
@click.option(
    "--groups",
    is_flag=True,
    help="Keep only links that form groups: each source word of a group is linked with each of its target"
    " words, and no word is in two groups. Of links that would join two groups, the most probable stay."
    " Aligned USFM and Scripture Burrito have such links.",
)
@options.known_links
@options.ids("Links of the formats jsonl and named have them. The file of --known-links has them, too.")
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
    groups: bool,
    known_links: str | None,
    ids: str | None,
    others: options.OtherFiles,
    decoder_overrides: dict[str, Any],
    start: str | None,
    reporter: Reporter,
    **reading: Any,
) -> None:
    """Align SOURCE and TARGET with MODEL, and write one line of links for each line of text.

    A link i-j joins source word i and target word j, both counted from 0. Without TARGET, each line of SOURCE
    holds both sides. The file - is standard input. The links of a line depend on that line alone. A pair with
    an empty side gets an empty line. Posteriors rank links well but are not calibrated probabilities,
    unless the model has learned from corrected lines (see align learn).

    As a co-process with input from a pipe, the links of each line are written, and flushed, before the next
    line is read.
    """
    from aligner import decode_file, load, read_bitext
    from aligner.decoding.learned import decoder_of
    from aligner.links.known_links import read_known_links
    from aligner.models.start import DEFAULT_START, NO_START, with_start
    from aligner.text.files import is_special

    if probabilities and links_format not in (None, _WITH_PROBABILITIES):
        raise click.UsageError(
            f"found --probabilities, which is --links-format {_WITH_PROBABILITIES}, and --links-format"
            f" {links_format}; leave one of them out"
        )
    chosen_format = links_format or (_WITH_PROBABILITIES if probabilities else "pharaoh")
    inputs = {"MODEL": model_path, "SOURCE": source, "TARGET": target}
    inputs |= {"--known-links": known_links, "--ids": ids} | others.inputs
    on_one_line = output == scores == "-"
    options.check_files(inputs, {"-o": output, "--scores": None if on_one_line else scores})
    has_ids = "names" in LINK_FORMATS[chosen_format].holds
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
        groups=groups,
        **reporter.watch("decoding", source),
        **reading,
    )
    reporter.conclude(summary.describe())
