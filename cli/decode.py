"""``align decode``: links of any text, by a trained model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aligner.links.formats import LINK_FORMATS

from . import options
from .completion import FILE
from .decoder_options import decoding
from .files import check_files
from .help_texts import examples

if TYPE_CHECKING:
    from aligner.models.trained import TrainedModel

    from .reporter import Reporter

_WITH_PROBABILITIES = "pharaoh-probabilities"


def _links_format(links_format: str | None, probabilities: bool) -> str:
    """Return the link format that two options choose together."""
    if probabilities and links_format not in (None, _WITH_PROBABILITIES):
        raise click.UsageError(
            f"found --probabilities, which is --links-format {_WITH_PROBABILITIES}, and --links-format"
            f" {links_format}; leave one of them out"
        )
    return links_format or (_WITH_PROBABILITIES if probabilities else "pharaoh")


def _with_start(
    model: TrainedModel,
    source: str,
    target: str | None,
    threads: int,
    reporter: Reporter,
    reading: dict[str, Any],
) -> TrainedModel:
    """Return the model with the links of the start that ships, and statistics of the text."""
    from aligner import learn, read_bitext
    from aligner.decoding.learned import learned_of
    from aligner.text.files import is_special

    if any(path is not None and is_special(path) for path in (source, target)):
        learned_of(model)  # raises: such text can be read once only
    text = read_bitext(
        source, target, lowercase=model.lowercase, max_length=model.config["data"]["max_length"],
        threads=threads, **reading
    )  # fmt: skip
    learning = learn(model, text, threads=threads)
    for message in learning.describe():
        reporter.say(message)
    return learning.model


@click.command(
    "decode",
    epilog=examples(
        "align decode model a.fr a.en -o links",
        "align decode model a.tsv --probabilities --threshold 0.3 > links",
        "align decode model a.fr a.en --method viterbi --combine grow-diag-final-and",
        "align decode model a.fr a.en -o links --scores scores.tsv",
        "align decode model a.fr a.en --learned -o links",
        "paste a.fr a.en | align decode model - --scores -",
    ),
)
@options.model
@options.text
@options.output
@options.entry_of(LINK_FORMATS, "--links-format", help="How links are written. {}  [default: pharaoh]")
@click.option("--probabilities", is_flag=True, help=f"Short for --links-format {_WITH_PROBABILITIES}.")
@click.option(
    "--scores",
    type=FILE,
    help="Also write a line of scores for each pair, in nats per word: score TAB forward TAB reverse TAB"
    " gain. Higher is better. With -, they follow the links on the same line, after a TAB. In jsonl, each"
    " object has them.",
)
@options.known_links
@options.ids("Links of the formats jsonl and named have them. The file of --known-links has ID TAB links.")
@decoding
@options.threads
@options.reading
@options.quiet
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
    decoder_overrides: dict[str, Any],
    threads: int,
    quiet: bool,
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
    from aligner import decode_file, load
    from aligner.decoding.learned import decoder_of
    from aligner.links.known_links import read_known_links

    from .reporter import Reporter

    chosen_format = _links_format(links_format, probabilities)
    inputs = {"MODEL": model_path, "SOURCE": source, "TARGET": target}
    inputs |= {"--known-links": known_links, "--ids": ids}
    on_one_line = output == scores == "-"
    check_files(inputs, {"-o": output, "--scores": None if on_one_line else scores})
    has_ids = "names" in LINK_FORMATS[chosen_format].holds
    if ids is not None and known_links is None and not has_ids:
        raise click.UsageError(
            f"found --ids without --known-links, and links in {chosen_format}, which has no ids; name known"
            f" links, or choose --links-format jsonl or named"
        )
    line_ids = options.read_ids(ids)
    model = load(model_path)
    reporter = Reporter(quiet)
    if decoder_overrides.get("learned") and model.learned is None:
        model = _with_start(model, source, target, threads, reporter, reading)
    summary = decode_file(
        model,
        source,
        target,
        output,
        decoder=decoder_of(model, **decoder_overrides),
        links_format=chosen_format,
        known=None if known_links is None else read_known_links(known_links, line_ids),
        ids=line_ids if has_ids else None,
        scores=scores,
        threads=threads,
        **reporter.watch("decoding", source),
        **reading,
    )
    reporter.conclude(summary.describe())
