"""Recipes that extend another recipe: the tables of both as one."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

from aligner.errors import ConfigError
from aligner.recipe.builtin import builtin_files, read_recipe, recipe_file
from aligner.registry import check_known


def resolve_recipe(name: str | Path, seen: tuple[str, ...] = ()) -> tuple[dict[str, Any], str]:
    """Read a recipe and the recipes that it extends; return its tables, and its name for messages.

    ``extends`` is the name of a built-in recipe, or of a file beside the recipe. Keys of the recipe replace
    those of the extended recipe. An array ``[[stage]]`` replaces all stages; a table ``[stage.N]`` changes
    keys of stage N, or is a new last stage.

    Parameters
    ----------
    name
        The path of a recipe, or the name of a built-in one.
    seen
        The recipes that lead to this one by ``extends``, by the names for messages.

    Raises
    ------
    ConfigError
        If a file cannot be read or is no TOML, if there is no such recipe, or if a recipe extends itself.
    """
    text, where = read_recipe(name)
    if where in seen:
        raise ConfigError(
            f"found a circle, {' -> '.join([*seen, where])}; expected recipes that end at one without"
            f" extends; take extends out of one of them"
        )
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from None
    if "extends" not in tables:
        return tables, where
    base = tables.pop("extends")
    if type(base) is not str:
        raise ConfigError(f"{where}: extends = {base!r:.60}: expected the name of a recipe, or of a file")
    beside = os.path.normpath(os.path.join(os.path.dirname(recipe_file(name) or ""), base))
    try:
        if not os.path.isfile(beside):
            check_known(base, builtin_files(), "recipe")
        extended, _ = resolve_recipe(base if base in builtin_files() else beside, (*seen, where))
        return _extend(extended, tables), where
    except ConfigError as error:
        raise ConfigError(f"{where}: extends = {base!r}: {error}") from None


def recipe_text(name: str | Path) -> str:
    """Return a recipe as TOML that does not extend another: the text of its file, or its resolved tables."""
    text, _ = read_recipe(name)
    tables, where = resolve_recipe(name)
    if "extends" not in tomllib.loads(text):
        return text
    lines = [f"# The recipe {where}, with the settings of the recipes that it extends."]
    for key, value in tables.items():
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, dict) for part in parts):
            lines.insert(1, f"{key} = {_toml(value)}")
            continue
        heading = f"[[{key}]]" if isinstance(value, list) else f"[{key}]"
        for part in parts:
            lines += ["", heading, *(f"{name} = {_toml(setting)}" for name, setting in part.items())]
    return "\n".join([*lines, ""])


def _toml(value: Any) -> str:
    """Return a string, a number or a truth value as TOML, which writes them as JSON does."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _extend(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return the tables of a recipe with the keys of another recipe that extends it."""
    merged = dict(base)
    for key, value in own.items():
        if key == "stage" and isinstance(value, dict) and isinstance(base.get(key), list):
            merged[key] = _change_stages(base[key], value)
        else:
            merged[key] = _join(base.get(key), value)
    return merged


def _join(base: Any, own: Any) -> Any:
    """Return a value of a recipe with that of another recipe that extends it: tables are joined."""
    return base | own if isinstance(base, dict) and isinstance(own, dict) else own


def _change_stages(stages: list[Any], changes: dict[str, Any]) -> list[Any]:
    """Return stages with the changes of the tables [stage.N]."""
    changed = list(stages)
    for number in sorted(changes, key=lambda number: (len(number), number)):
        if number == str(len(changed) + 1):
            changed.append(None)
        indices = {str(index): index - 1 for index in range(1, len(changed) + 1)}
        if number not in indices:
            raise ConfigError(
                f"[stage.{number}]: expected a stage from 1 to {len(changed)}, or {len(changed) + 1} for a"
                f" new one; or write all stages, each as [[stage]]"
            )
        changed[indices[number]] = _join(changed[indices[number]], changes[number])
    return changed
