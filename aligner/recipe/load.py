"""Recipes from TOML: parsing, overrides, and checks of keys and types."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from aligner.criteria import CRITERIA, Independent
from aligner.decoding.decoder import Decoder
from aligner.errors import ConfigError
from aligner.recipe.config import Recipe, Stage
from aligner.recipe.extends import resolve_recipe
from aligner.recipe.settings import DataSettings, PieceSettings
from aligner.registry import check_known

_Settings = TypeVar("_Settings")

_INTEGER_LIMIT = 10**18
"""Integers from here on are refused: they might overflow 64 bits or a float."""

_TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}


def load_recipe(name: str | Path = "default", overrides: Iterable[str] = ()) -> Recipe:
    """Load a built-in recipe by name, or a recipe from a TOML file.

    Parameters
    ----------
    name
        The name of a built-in recipe (``align configs`` lists them), or the path of a TOML file.
    overrides
        Settings to change, each as "key=value". Keys are dotted, and stages count from 1, as in
        "stage.2.iterations=10" and "decode.threshold=0.3". Values are written as in TOML; a string needs no
        quotes.

    Returns
    -------
    Recipe
        The recipe, with all settings checked.

    Raises
    ------
    ConfigError
        If the recipe is unknown or cannot be read, if a key is unknown, or if a value has the wrong type or
        is out of range. The message names the key, and the nearest known name.
    """
    tables, where = resolve_recipe(name)
    applied = ""
    for override in overrides:
        _apply_override(tables, override)
        applied += f" --set {override}"
    try:
        return recipe_from_dict(tables)
    except ConfigError as error:
        raise ConfigError(f"{where}{applied}: {error}") from None


def recipe_from_dict(tables: Mapping[str, Any]) -> Recipe:
    """Build a recipe from plain data, as TOML files and ``Recipe.to_dict`` have it.

    Raises
    ------
    ConfigError
        If a key is unknown, or if a value has the wrong type or is out of range.
    """
    for key in tables:
        check_known(key, ("summary", "data", "split", "stage", "decode", "pieces", "start"), "table")
    stages = tables.get("stage", [])
    if not isinstance(stages, list):
        raise ConfigError("stage: expected an array of tables, written [[stage]]")
    return Recipe(
        stages=tuple(_build_stage(table, f"stage.{n}") for n, table in enumerate(stages, start=1)),
        data=_build(DataSettings, tables.get("data", {}), "data"),
        decode=_build(Decoder, tables.get("decode", {}), "decode"),
        pieces=_build(PieceSettings, tables["pieces"], "pieces") if "pieces" in tables else None,
        split=_checked(tables.get("split", "none"), str, "split"),
        start=_checked(tables.get("start", ""), str, "start"),
        summary=_checked(tables.get("summary", ""), str, "summary"),
    )


def decode_settings(overrides: Iterable[str]) -> dict[str, Any]:
    """Return settings of decoding by name, from overrides such as "decode.slack=0.1"."""
    tables: dict[str, Any] = {}
    for override in overrides:
        _apply_override(tables, override)
    for key in tables:
        check_known(key, ("decode",), "table")
    return _checked_values(Decoder, tables.get("decode", {}), "decode")


def settings_of(recipe: Recipe) -> list[str]:
    """Return the dotted keys of all settings that a recipe has or may be given, as for ``load_recipe``."""
    kinds: dict[str, list[type]] = {"data": [DataSettings], "decode": [Decoder]}
    kinds |= {} if recipe.pieces is None else {"pieces": [PieceSettings]}
    kinds |= {f"stage.{n}": [Stage, type(stage.criterion)] for n, stage in enumerate(recipe.stages, start=1)}
    keys = [f"{table}.{f.name}" for table, found in kinds.items() for kind in found for f in fields(kind)]
    return ["split", "start", *keys]


def _apply_override(tables: dict[str, Any], override: str) -> None:
    """Set the value of a "key=value" override in a recipe's tables."""
    key, equals, text = override.partition("=")
    if not equals:
        raise ConfigError(f"--set {override}: expected KEY=VALUE, such as stage.2.iterations=10")
    *path, last = key.strip().split(".")
    table: Any = tables
    for part in path:
        table = _entry(table, part, key)
    if not isinstance(table, dict):
        raise ConfigError(f"--set {key}: expected a key such as stage.1.iterations")
    table[last] = _parse_value(text)


def _entry(table: Any, part: str, key: str) -> Any:
    """Return the entry of a table or of the array of stages that one part of a dotted key names."""
    if isinstance(table, dict):
        return table.setdefault(part, {})
    if not isinstance(table, list):
        raise ConfigError(f"--set {key}: {part!r} is not a table; expected a key such as stage.1.iterations")
    stages = {str(number): stage for number, stage in enumerate(table, start=1)}
    if part not in stages:
        raise ConfigError(f"--set {key}: there is no stage {part}; expected a stage from 1 to {len(table)}")
    return stages[part]


def _parse_value(text: str) -> Any:
    """Parse a TOML value; return the text itself if it is none."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except (ValueError, RecursionError):
        return text.strip()


def _build_stage(table: Any, where: str) -> Stage:
    """Build a stage from a table that also has the options of its criterion."""
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: expected a table")
    for key in ("model", "iterations"):
        if key not in table:
            raise ConfigError(f"{where}: {key} is missing")
    table = dict(table)
    name = _checked(table.pop("criterion", Independent.name), str, f"{where}.criterion")
    check_known(name, CRITERIA, f"{where}.criterion")
    kind = CRITERIA[name]
    options = {f.name: table.pop(f.name) for f in fields(kind) if f.name in table}
    names = sorted({f.name for f in (*fields(Stage), *fields(kind))})
    for key in table:
        check_known(key, names, f"key in {where}")
    return _build(Stage, table, where, criterion=_build(kind, options, where))


def _build(kind: type[_Settings], table: Any, where: str, **built: Any) -> _Settings:
    """Build a dataclass from a table, whose types are checked, and from fields that are built already."""
    values = _checked_values(kind, table, where)
    try:
        return kind(**values, **built)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def _checked_values(kind: type, table: Any, where: str) -> dict[str, Any]:
    """Return the values of a table for fields of a dataclass; raise ConfigError for other keys and types."""
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where}: expected a table")
    types = get_type_hints(kind)
    names = [f.name for f in fields(kind)]
    for key in table:
        check_known(key, names, f"key in {where}")
    return {key: _checked(value, types[key], f"{where}.{key}") for key, value in table.items()}


def _checked(value: Any, expected: Any, where: str) -> Any:
    """Return a value of the expected type, an integer as a float if need be; raise ConfigError for others."""
    if get_args(expected):  # a number, or a word that stands for one
        expected = str if type(value) is str else float
    if type(value) is int and not -_INTEGER_LIMIT < value < _INTEGER_LIMIT:
        shown = value if abs(value) < 10**1000 else "..."  # Python does not print numbers of 4,300 digits
        raise ConfigError(f"{where} = {shown}: expected a number of at most 18 digits")
    if expected is float and type(value) is int:
        return float(value)
    if type(value) is not expected:
        raise ConfigError(f"{where} = {value!r:.60}: expected {_TYPE_NAMES[expected]}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where} = {value}: expected a finite number")
    return value
