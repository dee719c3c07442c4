"""``align eval``: links scored against gold links."""

from __future__ import annotations

import json
from typing import Any

import click

from aligner.links.formats import LINK_FORMATS

from . import options
from .completion import FILE
from .eval_analyses import Analyses, analysing
from .files import check_files
from .help_texts import examples


@click.command(
    "eval",
    epilog=examples(
        "align eval dev.gold links",
        "align eval dev.gold links other.links --bootstrap 1000",
        "align eval test.wa links --sentences 447 --json",
        "align eval dev.gold links --errors --source dev.tsv --model model",
        "align eval dev.gold links other.links --curve --plot curve.png",
    ),
)
@click.argument("gold_path", metavar="GOLD", type=FILE)
@click.argument("links_paths", metavar="LINKS...", type=FILE, nargs=-1, required=True)
@options.format_of(
    "gold",
    LINK_FORMATS,
    type=options.choice(["auto", *LINK_FORMATS]),
    default="auto",
    show_default=True,
    help="The format of GOLD. {} auto decides by the first line.",
)
@click.option("--one-based", is_flag=True, help="Positions in GOLD count from 1. In wa they always do.")
@click.option("--reversed", is_flag=True, help="GOLD has the target position before the source position.")
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
@click.option(
    "--force", is_flag=True, help="Score even if GOLD seems to count from another base, or to be reversed."
)
@click.option(
    "--bootstrap",
    type=click.IntRange(1),
    metavar="N",
    help="Add the 95 % interval of each AER, and the p-value of its difference from the first AER, from N"
    " samples each.",
)
@analysing
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with ratios from 0 to 1.")
@options.quiet
def command(
    gold_path: str,
    links_paths: tuple[str, ...],
    sentences: int | None,
    alpha: float,
    force: bool,
    bootstrap: int | None,
    analyses: Analyses,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Score one or more files of LINKS against the sure and possible links of GOLD.

    The measures are over the whole corpus, in percent: AER, precision |A & P| / |A|, recall |A & S| / |S|,
    and F. LINKS are i-j, counted from 0, one line for each sentence pair.

    The line on stderr is a signature, as of sacrebleu: everything besides LINKS that determines the scores.
    Quote it with them. If it says nothing else, GOLD counts from 0, source before target, and has no links to
    NULL and no sentence pairs without links.
    """
    from aligner.links.evaluation import compare, signature
    from aligner.links.formats.plain import read_links
    from aligner.links.gold import read_gold
    from aligner.links.gold_check import check_gold, check_reading, check_sentences, first_sentences

    from .analysis_tables import evaluation_text

    inputs: dict[str, str | None] = {f"LINKS {number}": path for number, path in enumerate(links_paths, 1)}
    check_files({"GOLD": gold_path} | inputs | analyses.inputs(), {"--plot": analyses.plot})
    named = [(path, first_sentences(read_links(path), sentences, path)) for path in links_paths]
    gold = read_gold(gold_path, sentences=sentences, **reading)
    check_gold(gold, gold_path, sentences)
    for path, links in named:
        check_sentences(links, gold, f"{path} and {gold_path}")
        if not force:
            check_reading(links, gold, path)
    sampling = {"samples": bootstrap, "seed": 1} if bootstrap else {}
    scores = compare(named, gold, alpha=alpha, **sampling)
    how = signature(gold, {"alpha": alpha} | (sampling | {"level": 0.95} if bootstrap else {}))
    results = {"signature": how, "scores": scores} | analyses.run(named, gold, alpha, sentences)
    click.echo(json.dumps(results) if as_json else evaluation_text(results, alpha))
    if not (as_json or quiet):
        click.echo(how, err=True)
