"""Options that change how a model's links are chosen."""

from __future__ import annotations

import click

from aligner.decoding.decoder import GREATEST_POWER, constraints
from aligner.decoding.methods import COMBINATIONS, LINK_METHODS, all_combinations
from aligner.links.symmetrize import SYMMETRIZATIONS

from .help_texts import describe
from .options import as_one_argument, choice, entry_of, finite

# Argument ``decoder_overrides``: keywords of ``decoder_of``. The choices are the entries of the registries at
# import. That is enough, since no verb registers others.
decoding = as_one_argument("decoder_overrides", dict, {
    "method": entry_of(
        LINK_METHODS, "--method", help="How links are chosen. {}  [default: the model's recipe]"),
    "combine": click.option(
        "--combine", type=choice(all_combinations()), metavar="NAME",
        help="How the two directions are combined. Of posteriors F and R,"
        f" {describe(COMBINATIONS)} With viterbi: {', '.join(SYMMETRIZATIONS)}."
        "  [default: the model's recipe]"),
    "threshold": click.option(
        "--threshold", type=click.FloatRange(0, 1, min_open=True), callback=finite,
        help="The least combined posterior of a link. Lower values give more links."
        "  [default: the model's recipe]"),
    "lexical_power": click.option(
        "--lexical-power", type=click.FloatRange(0, GREATEST_POWER, min_open=True), callback=finite,
        help="Exponent of the lexical probabilities. 2 is the decision rule of reconstruction training."),
    "constraint": click.option(
        "--constraint", type=choice([*constraints(), ""]), metavar=f"[{'|'.join(constraints())}]",
        help="Impose this constraint on the posteriors. It is soft: see --slack. '' imposes none."
        "  [default: the model's recipe]"),
    "slack": click.option(
        "--slack", type=click.FloatRange(0), callback=finite,
        help="With --constraint: a violation v costs v^2 / (2 slack) nats. 0 makes the constraint hard, and"
        " needs more --steps.  [default: the model's recipe, else 0.3]"),
    "learned": click.option(
        "--learned/--no-learned", default=None,
        help="Links as MODEL has learned them from corrected lines (see align learn), or those of its recipe."
        " If it has learned nothing, --learned reads the text twice: for statistics, which the start that"
        " ships with the program looks at, then to align it."
        "  [default: learned, if it has learned and no other option of decoding but --threshold is given]"),
    "steps": click.option(
        "--steps", type=click.IntRange(0),
        help="With --constraint: the most gradient steps per pair, each as slow as decoding once."
        "  [default: the model's recipe, else 5]"),
})  # fmt: skip
