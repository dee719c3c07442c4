"""``align eval``: links against gold."""

from __future__ import annotations

import json
from typing import Any

import click

from . import options


@click.command("eval")
@click.argument("gold_path", metavar="GOLD")
@click.argument("links_paths", metavar="LINKS...", nargs=-1, required=True)
@click.option(
    "--format", type=click.Choice(["auto", "pharaoh", "wa"]), default="auto", help="How GOLD is written."
)
@click.option("--one-based", is_flag=True, help="GOLD counts positions from 1; known if it is wa.")
@click.option("--reversed", is_flag=True, help="GOLD has target before source.")
@click.option(
    "--sentences", type=click.IntRange(1), metavar="N", help="GOLD is of the first N lines of LINKS, no more."
)
@click.option("--alpha", type=float, default=0.5, show_default=True, help="Weight of precision in F.")
@click.option("--force", is_flag=True, help="Score even if GOLD seems to have another base or direction.")
@click.option("--bootstrap", type=click.IntRange(1), metavar="N", help="Draw N samples for intervals and p.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with ratios in 0..1.")
@options.quiet
def command(
    gold_path: str,
    links_paths: tuple[str, ...],
    sentences: int | None,
    alpha: float,
    force: bool,
    bootstrap: int | None,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Score files of 0-based source-target LINKS, i-j, against GOLD: i-j sure and i?j or ipj possible, or wa.

    AER, precision |A & P|/|A|, recall |A & S|/|S| and F, over the corpus. --bootstrap adds a 95% interval of
    the AER, and the probability p of so large a difference from the first file's AER by chance.
    """
    from aligner.links.evaluation import compare, signature
    from aligner.links.gold import read_gold
    from aligner.links.gold_check import check_gold, check_reading, check_sentences, first_sentences
    from aligner.links.pharaoh import read_links
    from aligner.text.files import check_files

    from .table import score_table

    names = {f"LINKS {number}": path for number, path in enumerate(links_paths, 1)}
    check_files({"GOLD": gold_path} | names, {})
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
    click.echo(json.dumps({"signature": how, "scores": scores}) if as_json else score_table(scores, alpha))
    if not (as_json or quiet):
        click.echo(how, err=True)
