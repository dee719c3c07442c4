"""``align SOURCE TARGET``: links without a verb, by a model of the text, trained now or kept from before."""

from __future__ import annotations

import os
from copy import copy
from typing import Any

import click
from click.core import ParameterSource

from aligner.errors import ConfigError

from . import train

_TRACES = {"dictionary": "dictionary_entries", "prior": "prior_source_tokens", "init": "init_source_tokens"}
"""Options of training, by name, and the figure that a model has if it was trained with them."""


@click.pass_context
def _align(context: click.Context, links_path: str, **values: Any) -> None:
    """Train on a text and write its links; if ``-m`` is a model already, align by it."""
    from . import decode
    from .reporter import Notices

    model_path = values["model_path"]
    goes_on = values["resume"] and os.path.exists(f"{model_path}.checkpoint")
    if model_path is None or not os.path.isfile(model_path) or values["force"] or goes_on:
        context.invoke(train.command, links_path=links_path, **values)
        return
    _check_trained_alike(context, model_path)
    found = f"found {model_path}: aligning by this model, without training; --force trains it anew"
    Notices(values["quiet"]).say(found)
    names = ("source", "target", "ids", "with_paths", "with_weight", "threads", "format", "skip_bad", "quiet")
    decoding = {name: values[name] for name in names} | {"known_links": values["links"], "output": links_path}
    context.invoke(decode.command, model_path=model_path, **decoding)


def _check_trained_alike(context: click.Context, model_path: str) -> None:
    """Raise ConfigError if options of training are given that the model was not trained with."""
    from aligner import load, load_recipe

    values, default = context.params, ParameterSource.DEFAULT
    given = {name for name in values if context.get_parameter_source(name) is not default}
    model = load(model_path)
    other = [
        f"without --{name}" for name, trace in _TRACES.items() if name in given and trace not in model.corpus
    ]
    if given & {"name", "overrides"}:
        recipe = load_recipe(values["name"], values["overrides"])
        other += ["by another recipe"] * (recipe.to_dict() != model.config)
    if other:
        raise ConfigError(
            f"{model_path}: found a model that was trained {' and '.join(other)}; name another model,"
            f" or train this one anew by --force"
        )


command = copy(train.command)
command.callback = _align
command.params = [*map(copy, command.params)]
for _parameter in command.params:
    if _parameter.name == "links_path":
        _parameter.default = "-"
