"""Recipe files: TOML files of users, the built-in recipes, and recipes that extend others."""

from __future__ import annotations

import json
import os
import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from aligner.errors import ConfigError
from aligner.registry import check_known


def builtin_recipes() -> dict[str, str]:
    """Return the one-line summary of each built-in recipe by its name, sorted by name."""
    tables = {name: tomllib.loads(file.read_text("utf-8")) for name, file in _builtin_files().items()}
    return {name: str(table.get("summary", "")) for name, table in tables.items()}


def recipe_file(name: str | Path) -> Path | None:
    """Return the path of a user's recipe, or None if the name is of a built-in recipe or of nothing.

    A name with the suffix .toml, or with a folder, is a path. Otherwise a built-in recipe takes precedence
    over a file of the same name.
    """
    path = Path(name)
    if path.suffix == ".toml" or os.path.basename(name) != os.fspath(name):
        return path
    return path if path.is_file() and str(name) not in _builtin_files() else None


def read_recipe(name: str | Path) -> tuple[str, str]:
    """Read a recipe by path or by built-in name; return its text, and its name for messages.

    Raises
    ------
    ConfigError
        If the file cannot be read, or if there is no such recipe.
    """
    path = recipe_file(name)
    if path is not None:
        try:
            return path.read_text("utf-8-sig"), str(path)  # without the byte order mark of some editors
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"{path}: cannot read this recipe: {error}; expected a TOML file in UTF-8, or the name of a"
                f" built-in recipe (align configs)"
            ) from None
    files = _builtin_files()
    check_known(str(name), files, "recipe")
    return files[str(name)].read_text("utf-8"), str(name)


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
            check_known(base, _builtin_files(), "recipe")
        extended, _ = resolve_recipe(base if base in _builtin_files() else beside, (*seen, where))
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
    lines += [
        f"{key} = {_toml(value)}" for key, value in tables.items() if not isinstance(value, dict | list)
    ]
    for key, value in tables.items():
        for table in value if isinstance(value, list) else [value] if isinstance(value, dict) else []:
            heading = f"[[{key}]]" if isinstance(value, list) else f"[{key}]"
            lines += ["", heading, *(f"{own} = {_toml(setting)}" for own, setting in table.items())]
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


def _builtin_files() -> dict[str, Traversable]:
    """Return the files of the built-in recipes by name, sorted."""
    files = {file.name: file for file in resources.files("aligner.configs").iterdir()}
    return {name.removesuffix(".toml"): files[name] for name in sorted(files) if name.endswith(".toml")}
