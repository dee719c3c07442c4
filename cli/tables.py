"""Results of analyses, as JSON or as text for people: tables of scores, errors, curves, tuning, health.

Columns are aligned by spaces, and ratios are in percent.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import click

from aligner.messages import counted

_COUNTS = {"links": "|A|", "sure": "|S|", "possible": "|P|"}

_MOST_ROWS = 10
"""The number of word pairs and lines that are shown. JSON has all of them."""

_STATUS = {True: "PROBLEM", False: "ok", None: "-"}
"""The words for the results of checks of a text."""

_INDENT, _COLUMNS = 8, 80

_MOST_LETTERS = 40
"""The number of letters of a sentence that are shown. JSON has all of them."""


def write_json(figures: Mapping[str, Any]) -> None:
    """Write figures to stdout as an object of JSON on a line, for ``--json``."""
    click.echo(json.dumps(figures))


def evaluation_text(results: Mapping[str, Any], alpha: float) -> str:
    """Return the scores, then the results of the analyses, if there are any, by their names in JSON."""
    parts = [score_table(results["scores"], alpha)]
    parts += [_curve_text(curve, alpha) for curve in results.get("curves", [])]
    parts += map(_reliability_text, results.get("reliabilities", []))
    for errors in results.get("errors", []):
        parts += _error_parts(errors)
    parts += map(_comparison_text, results.get("comparisons", []))
    return "\n\n".join(parts)


def _curve_text(curve: Mapping[str, Any], alpha: float) -> str:
    """Return the name of a curve, and a table with one line for each threshold."""
    scores = [{"name": f"{point['threshold']:g}", **point} for point in curve["points"]]
    least = curve["points"][0]["threshold"]
    note = f" (all links reach {least:g}; for more, decode with --threshold 0.05)" if least > 0.05 else ""
    return f"{curve['name']}: thresholds{note}\n{score_table(scores, alpha, 'threshold')}"


def _reliability_text(reliability: Mapping[str, Any]) -> str:
    """Return the name of a reliability, its error, and a table with one line for each range with links."""
    rows = [
        [f"{row['low']:g} to {row['high']:g}", row["links"]]
        + [percent(row[share]) for share in ("probability", "right")]
        for row in reliability["bins"]
        if row["links"]
    ]
    header = ["probability", "links", "mean, %", "right, %"]
    title = f"{reliability['name']}: expected calibration error {percent(reliability['error'])} %"
    return f"{title}\n{table(header, rows)}"


def _error_parts(errors: Mapping[str, Any]) -> list[str]:
    """Return the tables of the result of ``find_errors``: classes, word pairs and lines."""
    classes = [
        [
            f"{row['classification']}: {row['name']}",
            *(row["links"], row["wrong"], _complement(row["wrong"], row["links"])),
            *(row["sure"], row["missing"], _complement(row["missing"], row["sure"])),
        ]
        for row in errors["classes"]
    ]
    pairs = [
        table(
            [f"{kind} word pair", "links"],
            [[f"{row['source']} {row['target']}", row["count"]] for row in errors[kind][:_MOST_ROWS]],
        )
        for kind in ("wrong", "missing")
    ]
    worst = errors["lines"][:_MOST_ROWS]
    lines = _with_text(
        ["worst line", "AER", "wrong", "missing"],
        [[row["line"], percent(row["aer"]), len(row["wrong"]), len(row["missing"])] for row in worst],
        worst,
    )
    if worst:
        number = worst[0].get("number", worst[0]["line"])
        lines += f"\nto see one: align show {errors['name']} SOURCE TARGET --lines {number}"
    header = ["class", "|A|", "wrong", "P", "|S|", "missing", "R"]
    return [f"{errors['name']}: errors\n{table(header, classes)}", *pairs, lines]


def _comparison_text(comparison: Mapping[str, Any]) -> str:
    """Return the counts and the lines of the result of ``compare_lines``."""
    names = comparison["first"], comparison["second"]
    head = [
        f"{names[0]} has the lower AER on {counted(comparison['first_better'], 'line')}, {names[1]} on"
        f" {comparison['second_better']:,}; on {comparison['equal']:,} it is the same"
    ]
    for side, name in zip(("first", "second"), names, strict=True):
        only, possible = comparison[f"{side}_only"], comparison[f"{side}_only_possible"]
        head.append(f"links only in {name}: {only:,}, of which {possible:,} in the gold")
    rows = [
        [row["line"], percent(row["first_aer"]), percent(row["second_aer"])]
        + [_links(row[f"{side}_only"]) for side in ("first", "second")]
        for row in comparison["lines"][:_MOST_ROWS]
    ]
    header = ["line", *(f"AER {name}" for name in names), *(f"only {name}" for name in names)]
    return "\n".join([*head, "links with ! are not in the gold", table(header, rows)])


def _links(links: Sequence[tuple[tuple[int, int], bool]]) -> str:
    """Return links as i-j, with ! after links that are not in the gold."""
    return " ".join(f"{i}-{j}{'' if possible else '!'}" for (i, j), possible in links)


def _complement(part: int, whole: int) -> str:
    """Return 1 - part / whole in percent, or a dash for 0 / 0."""
    return percent(1 - part / whole) if whole else "-"


def tuning_text(trials: Sequence[Mapping[str, Any]], curve: Mapping[str, Any]) -> str:
    """Return a table of trials (see ``Trial.to_dict``) and a table of a curve."""
    best = score_table(trials, 0.5, "best threshold of each", ["links"])
    return f"{best}\n\n{_curve_text(curve, 0.5)}"


_KINDS_OF_WORDS = {"oov": "not in the vocabulary", "unlinked": "without a link"}


def health_text(health: Mapping[str, Any]) -> str:
    """Return the verdicts and the figures of the result of ``examine``."""
    sides = health["source"], health["target"]
    by_frequency = zip(*(side["by_frequency"] for side in sides), strict=True)
    rows = [
        ["words", *(f"{side['tokens']:,}" for side in sides)],
        *(
            [f"{title}, %", *(percent(side[name]) for side in sides)]
            for name, title in _KINDS_OF_WORDS.items()
        ),
        *([f"  frequency {both[0]['name']}", *map(_of_class, both)] for both in by_frequency),
        ["with several links, %", *(percent(side["several_links"]) for side in sides)],
        ["links found from both sides, %", *(percent(side["confirmed"]) for side in sides)],
        ["entropy, bits", *(f"{side['entropy']:.2f}" for side in sides)],
    ]
    quantiles = ", ".join(f"{float(level):.0%} {gain:.2f}" for level, gain in health["gain"].items())
    verdicts = [
        f"{_STATUS[check['found']]:<{_INDENT}}{check['verdict']}{_indented(check['details'])}"
        for check in health["checks"]
    ]
    figures = [table(["", "source", "target"], rows), f"gain quantiles in nats per word: {quantiles}"]
    lowest = [[line["line"], f"{line['gain']:.2f}"] for line in health["lowest"]]
    figures += [
        "",
        "lines of the lowest gain, which are perhaps no translations",
        _with_text(["line", "gain"], lowest, health["lowest"]),
    ]
    return "\n".join([*verdicts, "", *figures])


def _with_text(
    header: Sequence[str], rows: Sequence[Sequence[object]], lines: Sequence[Mapping[str, Any]]
) -> str:
    """Return a table whose rows are followed by the first letters of both sides of their line."""
    head, *body = table(header, rows).splitlines()
    sides = [[line[side][:_MOST_LETTERS] for side in ("source", "target")] for line in lines]
    texts = [f"{row}  {source} ||| {target}" for row, (source, target) in zip(body, sides, strict=True)]
    return "\n".join([head, *texts])


def _indented(details: str) -> str:
    """Return the figures of a check in lines below its verdict."""
    return (
        textwrap.indent("\n" + textwrap.fill(details, _COLUMNS - _INDENT), " " * _INDENT) if details else ""
    )


def _of_class(share: Mapping[str, Any]) -> str:
    """Return the unlinked share of a frequency class in percent, or a dash for a class without tokens."""
    return percent(share["unlinked"]) if share["tokens"] else "-"


def score_table(
    scores: Sequence[Mapping[str, Any]], alpha: float, title: str = "links", counts: Collection[str] = _COUNTS
) -> str:
    """Return a table with one line for each score: ratios, counts and, if there are, intervals.

    title: the header of the column of names; counts: the names of the counts.
    """
    f = "F1" if alpha == 0.5 else f"F({alpha:g})"
    header = [title, "AER", "P", "R", f, *(_COUNTS[count] for count in counts)]
    rows: list[list[object]] = [
        [score["name"], *(percent(score[ratio]) for ratio in ("aer", "precision", "recall", "f_alpha"))]
        + [score[count] for count in counts]
        for score in scores
    ]
    if scores and "interval" in scores[0]:
        header += ["AER interval", "p"]
        for row, score in zip(rows, scores, strict=True):
            row += [percent(*score["interval"]), f"{score['p']:.3f}"]
    return table(header, rows)


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return the lines of a table: the first column, names, flush left; the others, figures, flush right."""
    cells = [list(header), *([str(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for name, *figures in cells:
        right = (f"{figure:>{width}}" for figure, width in zip(figures, widths[1:], strict=True))
        lines.append("  ".join([f"{name:<{widths[0]}}", *right]).rstrip())
    return "\n".join(lines)


def percent(*ratios: float) -> str:
    """Return a ratio, or the two ends of an interval, in percent with 2 decimals."""
    return "-".join(f"{100 * ratio:.2f}" for ratio in ratios)
