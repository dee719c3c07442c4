"""Recipes from TOML: parsing, overrides, and errors that name the nearest known key."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from aligner.criteria import CRITERIA, Independent
from aligner.decoding.decoder import Decoder
from aligner.errors import ConfigError
from aligner.recipe.builtin import read_recipe
from aligner.recipe.config import DataSettings, Recipe, Stage
from aligner.registry import check_known

_T = TypeVar("_T")


_HUGE = 10**18


_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}


def load_recipe(name: str | Path = "default", overrides: Iterable[str] = ()) -> Recipe:
    """A recipe by the name of an installed one or by path, with ``key=value`` overrides applied.

    Keys are dotted, stages count from 1: ``stage.2.iterations=10``, ``decode.threshold=0.3``.
    """
    text, where = read_recipe(name)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from None
    for override in overrides:
        _override(tables, override)
    try:
        return recipe_from_dict(tables)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def recipe_from_dict(tables: Mapping[str, Any]) -> Recipe:
    """Check and build a recipe from plain data.

    Raises
    ------
    ConfigError
        If a key is unknown, or a value has the wrong type or no meaning.
    """
    for key in tables:
        check_known(key, ("summary", "data", "stage", "decode"), "table")
    stages = tables.get("stage", [])
    if not isinstance(stages, list):
        raise ConfigError("stage: expected an array of tables, written [[stage]]")
    return Recipe(
        stages=tuple(_stage(table, f"stage.{n}") for n, table in enumerate(stages, start=1)),
        data=_build(DataSettings, tables.get("data", {}), "data"),
        decode=_build(Decoder, tables.get("decode", {}), "decode"),
        summary=_checked(tables.get("summary", ""), str, "summary"),
    )


def _override(tables: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals:
        raise ConfigError(f"--set {override}: expected KEY=VALUE, such as stage.2.iterations=10")
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    *path, last = key.strip().split(".")
    place: Any = tables
    for part in path:
        if isinstance(place, list):
            if not part.isdigit() or not 1 <= int(part) <= len(place):
                raise ConfigError(f"--set {key}: there is no stage {part} (stages are 1 to {len(place)})")
            place = place[int(part) - 1]
        elif isinstance(place, dict):
            place = place.setdefault(part, {})
        else:
            raise ConfigError(f"--set {key}: {part!r} is not a table")
    if not isinstance(place, dict):
        raise ConfigError(f"--set {key}: expected a key such as stage.1.iterations")
    place[last] = value


def _stage(table: Any, where: str) -> Stage:
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: expected a table")
    table = dict(table)
    for key in ("model", "iterations"):
        if key not in table:
            raise ConfigError(f"{where}: {key} is missing")
    name = _checked(table.pop("criterion", Independent.name), str, f"{where}.criterion")
    check_known(name, CRITERIA, f"{where}.criterion")
    kind = CRITERIA[name]
    options = {f.name: table.pop(f.name) for f in fields(kind) if f.name in table}
    keys = {f.name for f in (*fields(Stage), *fields(kind))}
    for key in table:
        check_known(key, sorted(keys), f"key in {where}")
    return _build(Stage, table, where, criterion=_build(kind, options, where))


def _build(kind: type[_T], table: Any, where: str, **built: Any) -> _T:
    """A frozen dataclass of what is built already and of a table, its values checked for their types."""
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where}: expected a table")
    types = get_type_hints(kind)
    names = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    for key in table:
        check_known(key, names, f"key in {where}")
    values = {key: _checked(value, types[key], f"{where}.{key}") for key, value in table.items()}
    try:
        return kind(**values, **built)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def _checked(value: Any, expected: type, where: str) -> Any:
    """The value, if it has the expected type and is finite; an integer will do for a float."""
    if type(value) is int and not -_HUGE < value < _HUGE:
        raise ConfigError(f"{where} = {value}: expected a number of at most 18 digits")
    if expected is float and type(value) is int:
        return float(value)
    if type(value) is not expected:
        raise ConfigError(f"{where} = {value!r}: expected {_EXPECTED[expected]}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where} = {value}: expected a finite number")
    return value
