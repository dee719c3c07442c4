"""``align report``: whether a model works on a text, without gold."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from . import options
from .commands import verb
from .reporter import Reporter


@verb("report", "align report model a.fr a.en", "align report model a.tsv --json > report.json")
@options.model
@options.text
@options.ids("The lines of the lowest gain have them.")
@options.as_json
@options.file(
    "--with",
    "with_paths",
    multiple=True,
    metavar="LINKS",
    help="Also compare the links of another aligner of the text with MODEL. Repeatable.",
)
@options.threads
@options.reading
@options.reporter
def command(
    model_path: str,
    source: str,
    target: str | None,
    as_json: bool,
    with_paths: tuple[str, ...],
    reporter: Reporter,
    **reading: Any,
) -> None:
    """Report how well MODEL fits SOURCE and TARGET, its training text or another, without gold.

    The report has checks for swapped sides and for shifted or shuffled lines, figures, and the lines of the
    lowest gain. Links are found from both sides if both directions have them, with a posterior of at least
    0.5. Source figures use the reverse direction, target figures the forward
    direction. The entropy is of the posterior of a word's links; 0 is certainty. The gain says how much
    more probable each side becomes by the other. Figures are of at most 100,000 pairs, spread evenly.

    The exit status is 0 also if a check finds a PROBLEM; see "found" with --json.
    """
    from aligner import load, read_bitext
    from aligner.analysis.health import examine
    from aligner.decoding.gate import measure_agreement
    from aligner.links.formats.plain import read_links
    from aligner.models.learned_links import describe_joining
    from aligner.text.word_boundaries import describe_tokens

    from .tables import health_text, write_json

    ids = reading.pop("ids")
    model = load(model_path)
    reading |= reporter.watch("reading", source)
    text = read_bitext(source, target, **model.reading, **reading)
    reporter.conclude(describe_tokens(text))
    line_ids = options.read_ids(ids, len(text))
    health = examine(model, text, threads=reading["threads"])
    options.name_lines(health["lowest"], line_ids)
    reporter.splits(model)
    if model.learned is not None:
        reporter.conclude(
            [f"the model has {model.learned.describe()}", *describe_joining(model.learned.joining)]
        )
        health["learned"] = model.learned.record | {"joining": model.learned.joining}
    if with_paths:
        health["others"] = {}
    for path in with_paths:
        found = measure_agreement(model, text, read_links(path), reading["threads"])
        health["others"][path] = asdict(found)
        reporter.say(f"{path}: {found.describe()}")
    write_json(health) if as_json else click.echo(health_text(health))
