"""``align decode``: links of any text, by a trained model."""

from __future__ import annotations

from typing import Any

import click

from cli import options


@click.command("decode")
@click.argument("model_path", metavar="MODEL")
@options.text
@click.option("-o", "--output", default="-", show_default=True, help="Where to write the links; - is stdout.")
@click.option("--method", help="posterior or viterbi  [default: the model's recipe]")
@click.option("--combine", help="How the two directions' answers become one: product, average, forward, ...")
@click.option("--threshold", type=float, help="Least combined posterior of a link.")
@click.option("--lexical-power", type=float, help="2 is the decision rule of reconstruction training.")
@click.option("--probabilities", is_flag=True, help="Write i-j:p, each link with its combined posterior.")
@options.threads
@options.reading
@options.quiet
def command(
    model_path: str,
    source: str,
    target: str | None,
    output: str,
    method: str | None,
    combine: str | None,
    threshold: float | None,
    lexical_power: float | None,
    probabilities: bool,
    threads: int,
    quiet: bool,
    **reading: Any,
) -> None:
    """Align SOURCE and TARGET with MODEL: one line of 0-based source-target links i-j per input line.

    A line's links depend on that line alone. A pair with an empty side gets an empty line.
    """
    from aligner import Decoder, decode_file, load
    from cli.report import Reporter

    model = load(model_path)
    reporter = Reporter(quiet)
    summary = decode_file(
        model,
        source,
        target,
        output,
        decoder=Decoder.of(model, method, combine, threshold, lexical_power),
        probabilities=probabilities,
        threads=threads,
        progress=reporter.start("decoding"),
        **reading,
    )
    reporter.finish()
    reporter.say(summary.describe())
