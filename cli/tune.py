"""``align tune``: the best settings of decoding on a dev set."""

from __future__ import annotations

import click

from . import options
from .commands import verb
from .files import FILE
from .reporter import Reporter


@verb(
    "tune",
    "align tune model dev.fr dev.en dev.gold",
    "align tune model dev.fr dev.en dev.gold -q > decode.toml",
    "align tune model dev.fr dev.en dev.gold --plot curve.png",
)
@options.model
@click.argument("source", type=FILE)
@click.argument("target", type=FILE)
@click.argument("gold_path", metavar="GOLD", type=FILE)
@options.file(
    "--plot",
    role="output",
    help="Draw precision over recall at thresholds 0.05 to 0.95 as PNG. Needs the plots extra.",
)
@options.as_json
@options.skip_bad
@options.threads
@options.reporter
def command(
    model_path: str,
    source: str,
    target: str,
    gold_path: str,
    plot: str | None,
    as_json: bool,
    skip_bad: bool,
    threads: int,
    reporter: Reporter,
) -> None:
    """Find the method, combination and threshold with the lowest AER on SOURCE, TARGET and GOLD.

    They are written as the table [decode] of a recipe. The other settings of decoding are taken from MODEL.
    stderr shows the best threshold of each method and combination, then all thresholds of the best one. AER
    on other text will be higher, because the best of many trials is chosen.
    """
    from aligner import DevSet, load
    from aligner.analysis.plot import write_curves
    from aligner.analysis.tuning import tune

    from .tables import tuning_text, write_json

    model = load(model_path)
    dev = DevSet.read(source, target, gold_path, skip_bad=skip_bad, report=reporter.bad_line)
    tuning = tune(model, model.encode(dev.pairs), dev.gold, threads=threads)
    if plot is not None:
        name, points = tuning.curve()
        marked = (point for point in points if point.score == tuning.best.score)
        write_curves(plot, [(name, points)], chosen=next(marked, None))  # the best may have no curve
    if as_json:
        return write_json(tuning.to_dict())
    reporter.say(dev.scored(model)[1])
    reporter.say(tuning_text([trial.to_dict() for trial in tuning.best_of_each()], tuning.to_dict()["curve"]))
    click.echo("\n".join(tuning.recipe_lines()))
    best = tuning.best.decoder
    threshold = f" --threshold {best.threshold:g}" if best.has_probabilities else ""
    chosen = f"--method {best.method} --combine {best.combine}{threshold}"
    click.echo(f"# use now: align decode MODEL SOURCE TARGET {chosen}")
