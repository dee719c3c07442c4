"""``align train``: learn a model from a bitext."""

from __future__ import annotations

from typing import Any

import click

from cli import options


@click.command("train")
@options.text
@click.option("-m", "--model", "model_path", required=True, help="Where to write the model.")
@click.option("-c", "--config", default="default", show_default=True, help="A recipe's name, or a TOML file.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting in it.")
@click.option("--links", "links_path", help="Also write the training text's own links here.")
@click.option("--dev-source", help="Report AER per iteration on this text ...")
@click.option("--dev-target", help="... with this other side ...")
@click.option("--dev-gold", help="... and these gold links.")
@options.threads
@options.reading
@options.quiet
def command(
    source: str,
    target: str | None,
    model_path: str,
    config: str,
    overrides: tuple[str, ...],
    links_path: str | None,
    dev_source: str | None,
    dev_target: str | None,
    dev_gold: str | None,
    threads: int,
    quiet: bool,
    **reading: Any,
) -> None:
    """Learn a model from SOURCE and TARGET, two files of one sentence a line, or from one file with both.

    Files may be compressed (.gz, .bz2, .xz, .zst); - is standard input.
    """
    from aligner import DevSet, decode, load_config, read_bitext, save, train, write_links
    from aligner.textio import check_output
    from cli.report import Reporter

    if (dev_source is None) != (dev_gold is None) or (dev_target is not None and dev_source is None):
        raise click.UsageError("--dev-source and --dev-gold go together, --dev-target with them")
    check_output(model_path, compress=False)
    check_output(links_path or "-")
    recipe = load_config(config, overrides)
    dev = DevSet.read(dev_source, dev_target, dev_gold) if dev_source and dev_gold else None
    reporter = Reporter(quiet)
    bitext = read_bitext(source, target, **vars(recipe.data), **reading, progress=reporter.start("reading"))
    reporter.read(bitext.report)
    for step in train(bitext, recipe, threads=threads, progress=reporter.start("training")):
        reporter.step(step, dev.score(step.model) if dev else None)
    reporter.finish()
    save(step.model, model_path)
    if links_path is not None:
        write_links(links_path, decode(step.model, bitext, threads=threads))
