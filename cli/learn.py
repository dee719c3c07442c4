"""``align learn``: a model that has learned from corrected lines."""

from __future__ import annotations

import click

from aligner.links.formats import LINK_FORMATS

from . import options
from .completion import FILE
from .files import check_files
from .help_texts import examples


@click.command(
    "learn",
    epilog=examples(
        "align learn model a.fr a.en corrected -m new",
        "align learn model dev.fr dev.en dev.gold -m new \\",
        "  --text-source a.fr --text-target a.en",
        "align learn model a.fr a.en -m new",
    ),
)
@options.model
@click.argument("source", type=FILE)
@click.argument("target", type=FILE)
@click.argument("gold_path", metavar="[GOLD]", type=FILE, required=False)
@click.option(
    "-m", "--model", "new_path", metavar="NEW", type=FILE, required=True, help="The model to write."
)
@options.format_of(
    "gold",
    LINK_FORMATS,
    type=options.choice(["auto", *LINK_FORMATS]),
    default="auto",
    show_default=True,
    help="The format of GOLD, unless it has a line LINE TAB links for each corrected line. {} auto decides by"
    " the first line.",
)
@click.option("--one-based", is_flag=True, help="Positions in GOLD count from 1. In wa they always do.")
@click.option("--reversed", is_flag=True, help="GOLD has the target position before the source position.")
@click.option(
    "--text-source",
    type=FILE,
    help="The text that MODEL was trained on, for statistics.  [default: SOURCE and TARGET]",
)
@click.option("--text-target", type=FILE, help="The target side of this text.")
@click.option(
    "--start",
    type=options.choice(["shipped", "none"]),
    default="shipped",
    show_default=True,
    help="Trees that the corrected lines add to: those that ship with the program, trained on openly licensed"
    " gold of other texts (see scripts/learn_start), or none.",
)
@options.threads
@options.quiet
def command(
    model_path: str,
    source: str,
    target: str,
    gold_path: str | None,
    new_path: str,
    format: str,
    one_based: bool,
    reversed: bool,
    text_source: str | None,
    text_target: str | None,
    start: str,
    threads: int,
    quiet: bool,
) -> None:
    """Learn what a link is from corrected lines of SOURCE and TARGET.

    NEW is MODEL, and has learned: decode, show, report and filter use it without an option. Five to fifty
    corrected lines are enough. GOLD has a line of links for each line of SOURCE, blank where nothing is
    corrected, or LINE TAB links for each corrected line, from 1. Without GOLD, NEW has the start alone.

    Cross-validation over the corrected lines says what the AER was and will be. If it would be higher, and
    not by chance (p < 0.01), NEW decodes as MODEL does. Learning needs the extra learn; decoding does not.
    """
    from aligner import learn, load, read_bitext, save
    from aligner.learning.gold import read_corrections

    from .reporter import Reporter

    if (text_source is None) != (text_target is None):
        raise click.UsageError("expected --text-source and --text-target together; name both, or neither")
    inputs = {"MODEL": model_path, "SOURCE": source, "TARGET": target, "GOLD": gold_path}
    inputs |= {"--text-source": text_source, "--text-target": text_target}
    check_files(inputs, {"-m": new_path}, models=("-m",))
    reporter = Reporter(quiet)
    model = load(model_path)
    data = {name: model.config["data"][name] for name in ("lowercase", "max_length")}
    lines = read_bitext(source, target, **data, threads=threads)
    text = lines if text_source is None else read_bitext(text_source, text_target, **data, threads=threads)
    gold = None
    if gold_path is not None:
        gold = read_corrections(gold_path, len(lines), format=format, one_based=one_based, reversed=reversed)
    learning = learn(
        model, text, gold, lines=lines, start="shipped" if start == "shipped" else None, threads=threads
    )
    for message in learning.describe():
        reporter.say(message)
    save(learning.model, new_path)
    reporter.say(f"wrote {new_path}")
