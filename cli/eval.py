"""``align eval``: links scored against gold links, and analyses beyond a score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from . import options
from .commands import verb
from .files import FILE
from .reporter import Notices

if TYPE_CHECKING:
    from aligner.links.alignments import Alignments
    from aligner.links.gold import Gold


Named = Sequence[tuple[str, "Alignments"]]
"""Alignments of one text, each with the name of its file."""


def _check_analyses(**values: Any) -> dict[str, Any]:
    """Return the options of analyses; UsageError if ``--errors`` and its files do not come together."""
    if values["errors"] and values["source"] is None:
        raise click.UsageError("found --errors without --source; name the text of LINKS")
    for name in ("source", "target", "model"):
        if values[name] is not None and not (values["errors"] or (values["ids"] and name != "model")):
            raise click.UsageError(f"found --{name} without --errors; add --errors, or leave it out")
    return values


def _draw_curves(named: Named, gold: Gold, alpha: float, curve: bool, plot: str | None) -> dict[str, Any]:
    """Return the points and the reliability of each alignment with ``curve``, and draw them to ``plot``."""
    from aligner.analysis.curve import compute_curve, distinct_thresholds
    from aligner.analysis.plot import write_curves
    from aligner.analysis.reliability import measure_reliability

    curves = [(name, compute_curve(links, gold, distinct_thresholds(links))) for name, links in named]
    reliabilities = [(name, measure_reliability(links, gold)) for name, links in named]
    if plot is not None:
        write_curves(plot, curves, reliabilities)
    if not curve:
        return {}
    return {
        "curves": [
            {"name": name, "points": [point.figures(alpha) for point in points]} for name, points in curves
        ],
        "reliabilities": [{"name": name} | found for name, found in reliabilities],
    }


def _find_errors(
    named: Named, gold: Gold, sentences: int | None, model_path: str | None, **reading: Any
) -> dict[str, Any]:
    """Return the errors of each alignment, and the comparisons of the others with the first.

    sentences: the number of lines of the text that the alignments cover; None for all. reading: the
    text, and how it is read.
    """
    from aligner import load, read_bitext
    from aligner.analysis.comparison import compare_lines
    from aligner.analysis.link_errors import find_errors
    from aligner.links.gold_check import check_positions
    from aligner.links.link_sets import check_lengths

    model = load(model_path) if model_path is not None else None
    text = read_bitext(**reading, **({} if model is None else model.reading))
    text = text if model is None else model.encode(text)
    text = text if sentences is None else text.slice(0, sentences)
    for name, links in [*named, ("GOLD", gold.possible)]:
        check_lengths(links, text, f"{name} and {reading['source']}")
    for path, links in named:
        check_positions(links, text, path, by_line=True)
    check_positions(gold.possible, text, "GOLD")
    (first_name, first), *others = named
    return {
        "errors": [
            {"name": name} | find_errors(links, gold, text, by_frequency=model is not None)
            for name, links in named
        ],
        "comparisons": [
            {"first": first_name, "second": name} | compare_lines(first, links, gold)
            for name, links in others
        ],
    }


# Argument ``analyses``: the values of these options by name.
analysing = options.as_one_argument("analyses", _check_analyses, {
    "errors": options.flag(
        "--errors",
        help="List the wrong and the missing links by word pair, class and line. 1-n: the source word has"
        " several links, the target word only this one. A jump is the target position less that of the"
        " preceding link. Length is that of the longer side. Further files of LINKS are compared with the"
        " first. Needs --source."),
    "source": options.file("--source", help="With --errors, and for GOLD in USFM: the text of LINKS."),
    "target": options.file("--target", help="The target side, unless --source holds both sides."),
    "ids": options.ids(
        "GOLD may then have ID TAB links for some lines, or be aligned USFM or Scripture Burrito. Only lines"
        " with gold links are scored. Errors have the ids."),
    "model": options.file(
        "--model",
        help="With --errors: also classify by the words' frequency in the training text of this model."),
    "curve": options.flag(
        "--curve",
        help="Score the links that reach each threshold from 0.05 to 0.95, and count the right links of each"
        " range of probability. LINKS are i-j:p. Thresholds below that of decoding are left out: decode with"
        " --threshold 0.05 for the full curve. Decoding at a threshold may give other links, since links"
        " compete, and some are attached to others."),
    "plot": options.file(
        "--plot", role="output",
        help="Draw precision over recall at thresholds 0.05 to 0.95, and the reliability of probabilities, as"
        " PNG. Needs the plots extra."),
})  # fmt: skip


@verb(
    "eval",
    "align eval dev.gold links",
    "align eval dev.gold links other.links --bootstrap 1000",
    "align eval test.wa links --sentences 447 --json",
    "align eval dev.gold links --errors --source dev.tsv --model model",
    "align eval dev.gold links other.links --curve --plot curve.png",
    "align eval MAT.usfm links --ids verses --source a.grc --target a.en",
)
@click.argument("gold_path", metavar="GOLD", type=FILE)
@click.argument("links_paths", metavar="LINKS...", type=FILE, nargs=-1, required=True)
@options.gold("The format of GOLD. {} auto decides by the first line.")
@click.option(
    "--sentences", type=click.IntRange(1), metavar="N", help="GOLD covers only the first N lines of LINKS."
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    callback=options.finite,
    default=0.5,
    show_default=True,
    help="Weight of precision in F.",
)
@options.flag("--force", help="Score even if GOLD seems to count from another base, or to be reversed.")
@click.option(
    "--bootstrap",
    type=click.IntRange(1),
    metavar="N",
    help="Add the 95 % interval of each AER, and the p-value of its difference from the first AER, from N"
    " samples each.",
)
@analysing
@options.skip_bad
@options.as_json
@options.notices
def command(
    gold_path: str,
    links_paths: tuple[str, ...],
    sentences: int | None,
    alpha: float,
    force: bool,
    bootstrap: int | None,
    analyses: dict[str, Any],
    skip_bad: bool,
    as_json: bool,
    notices: Notices,
    **reading: Any,
) -> None:
    """Score one or more files of LINKS against the sure and possible links of GOLD.

    The measures are over the whole corpus, in percent: AER, precision |A & P| / |A|, recall |A & S| / |S|,
    and F. LINKS are i-j, counted from 0, one line for each sentence pair.

    The line on stderr is a signature, as of sacrebleu: everything besides LINKS that determines the scores.
    Quote it with them. If it says nothing else, GOLD counts from 0, source before target, and has no links to
    NULL and no sentence pairs without links.
    """
    from aligner.learning.corrections import read_corrections
    from aligner.links.evaluation import compare, signature
    from aligner.links.formats.plain import read_links
    from aligner.links.gold import read_gold
    from aligner.links.gold_check import (
        check_gold,
        check_reading,
        check_sentences,
        first_sentences,
        in_named_lines,
    )
    from aligner.links.link_sets import probabilities_of

    from .tables import evaluation_text, write_json

    source, target, model_path, plot = (analyses[name] for name in ("source", "target", "model", "plot"))
    named = [(path, first_sentences(read_links(path), sentences, path)) for path in links_paths]
    skipping = {"skip_bad": skip_bad, "report": notices.bad_line}
    text = options.named_text(analyses["ids"], source, target, notices, **skipping)
    if text is None:
        gold = read_gold(gold_path, sentences=sentences, **reading)
    else:
        text.ids.check(len(named[0][1]))
        gold = read_corrections(gold_path, len(text.ids.ids), text=text, **reading)
        named = [(path, in_named_lines(links, gold)) for path, links in named]
    check_gold(gold, gold_path, sentences)
    for path, links in named:
        check_sentences(links, gold, f"{path} and {gold_path}")
        if analyses["curve"] or plot is not None:
            probabilities_of(links, path)
        if not force:
            check_reading(links, gold, path)
    sampling = {"samples": bootstrap, "seed": 1} if bootstrap else {}
    scores = compare(named, gold, alpha=alpha, **sampling)
    how = signature(gold, {"alpha": alpha} | (sampling | {"level": 0.95} if bootstrap else {}))
    results: dict[str, Any] = {"signature": how, "scores": scores}
    if analyses["curve"] or plot is not None:
        results |= _draw_curves(named, gold, alpha, analyses["curve"], plot)
    if analyses["errors"]:
        results |= _find_errors(named, gold, sentences, model_path, source=source, target=target, **skipping)
        for found in results["errors"] + results["comparisons"]:
            options.name_lines(found["lines"], None if text is None else text.ids)
    if as_json:
        return write_json(results)
    click.echo(evaluation_text(results, alpha))
    notices.say(how)
