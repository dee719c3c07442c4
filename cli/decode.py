"""``align decode``: links of any text, by a trained model."""

from __future__ import annotations

from typing import Any

import click

from . import options


@click.command("decode")
@click.argument("model_path", metavar="MODEL")
@options.text
@click.option("-o", "--output", default="-", show_default=True, help="Where to write the links; - is stdout.")
@options.decoding
@click.option("--probabilities", is_flag=True, help="Write i-j:p, each link with its combined posterior.")
@click.option(
    "--scores",
    metavar="FILE",
    help="Also write each pair's scores here, nats a word: score TAB forward TAB reverse TAB gain.",
)
@options.threads
@options.reading
@options.quiet
def command(
    model_path: str,
    source: str,
    target: str | None,
    output: str,
    probabilities: bool,
    scores: str | None,
    threads: int,
    quiet: bool,
    changes: dict[str, Any],
    **reading: Any,
) -> None:
    """Align SOURCE and TARGET with MODEL: one line of 0-based source-target links i-j per input line.

    A line's links depend on that line alone. A pair with an empty side gets an empty line.
    """
    from aligner import Decoder, decode_file, load
    from aligner.text.files import check_files

    from .report import Reporter

    inputs = {"MODEL": model_path, "SOURCE": source, "TARGET": target}
    check_files(inputs, {"-o": output, "--scores": scores})
    model = load(model_path)
    reporter = Reporter(quiet)
    summary = decode_file(
        model,
        source,
        target,
        output,
        decoder=Decoder.of(model, **changes),
        probabilities=probabilities,
        scores=scores,
        threads=threads,
        progress=reporter.start("decoding"),
        report=reporter.bad,
        **reading,
    )
    reporter.finish()
    reporter.say(summary.describe())
    if scores is not None:
        for line in summary.scores.describe():
            reporter.say(line)
