"""``align train``: learn a model from a bitext."""

from __future__ import annotations

from typing import Any

import click

from . import options


@click.command("train")
@options.text
@click.option("-m", "--model", "model_path", required=True, help="Where to write the model.")
@click.option("-c", "--config", default="default", show_default=True, help="A recipe's name, or a TOML file.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting in it.")
@click.option("--links", "links_path", help="Also write the training text's own links here.")
@options.evidence
@options.development
@options.resources
@options.checkpointing
@options.reading
@options.quiet
def command(
    source: str,
    target: str | None,
    model_path: str,
    config: str,
    overrides: tuple[str, ...],
    links_path: str | None,
    evidence_files: tuple[str | None, float, str | None],
    dev_files: tuple[str, str | None, str] | None,
    resources: dict[str, Any],
    care: dict[str, Any],
    quiet: bool,
    **reading: Any,
) -> None:
    """Learn a model from SOURCE and TARGET, two files of one sentence a line, or from one file with both.

    Files may be compressed (.gz, .bz2, .xz, .zst); - is standard input. By default, words are lowercased, and
    no pair is trained on with a side of over 100 words: see --set data.lowercase=false, data.max_length=200.
    """
    import aligner
    from aligner import Checkpoints, Evidence, decode_bitext, load_recipe, read_bitext, save, train
    from aligner.recipe.builtin import recipe_file
    from aligner.text.files import check_files, check_output

    from .report import Reporter

    reporter = Reporter(quiet)
    checkpoints = Checkpoints.beside(model_path, **care, warn=reporter.say)
    inputs = {"SOURCE": source, "TARGET": target, "-c": recipe_file(config)}
    inputs |= dict(zip(("--dictionary", "--known-links"), evidence_files[::2], strict=True))
    inputs |= dict(zip(("--dev-source", "--dev-target", "--dev-gold"), dev_files or (), strict=False))
    check_files(inputs, {"-m": model_path, "--links": links_path, "the checkpoint": checkpoints.path})
    check_output(model_path, compress=False)
    check_output("-" if links_path is None else links_path)
    recipe = load_recipe(config, overrides)
    dev = aligner.DevSet.read(*dev_files) if dev_files else None
    evidence = Evidence.read(*evidence_files)
    reading |= {"progress": reporter.start("reading"), "report": reporter.bad}
    bitext = read_bitext(source, target, **vars(recipe.data), **reading, threads=resources["threads"])
    reporter.read(bitext)
    for step in train(
        bitext,
        recipe,
        evidence=evidence,
        checkpoints=checkpoints,
        progress=reporter.start("training"),
        announce=reporter.plan,
        **resources,
    ):
        reporter.step(step, dev.describe(step.model) if dev else "")
        if step.last:
            model = step.model
        del step  # or its model would stay until the next one is there
    reporter.finish()
    save(model, model_path)
    if links_path is not None:
        decode_bitext(model, bitext, links_path, threads=resources["threads"])
    checkpoints.discard()
