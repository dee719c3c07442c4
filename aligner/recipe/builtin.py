"""Recipe files: TOML files of users, and the built-in recipes."""

from __future__ import annotations

import os
import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from aligner.errors import ConfigError
from aligner.registry import check_known


def builtin_recipes() -> dict[str, str]:
    """Return the one-line summary of each built-in recipe by its name, sorted by name."""
    tables = {name: tomllib.loads(file.read_text("utf-8")) for name, file in builtin_files().items()}
    return {name: str(table.get("summary", "")) for name, table in tables.items()}


def recipe_file(name: str | Path) -> Path | None:
    """Return the path of a user's recipe, or None if the name is of a built-in recipe or of nothing.

    A name with the suffix .toml, or with a folder, is a path. Otherwise a built-in recipe takes precedence
    over a file of the same name.
    """
    path = Path(name)
    if path.suffix == ".toml" or os.path.basename(name) != os.fspath(name):
        return path
    return path if path.is_file() and str(name) not in builtin_files() else None


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
    files = builtin_files()
    check_known(str(name), files, "recipe")
    return files[str(name)].read_text("utf-8"), str(name)


def builtin_files() -> dict[str, Traversable]:
    """Return the files of the built-in recipes by name, sorted."""
    files = {file.name: file for file in resources.files("aligner.configs").iterdir()}
    return {name.removesuffix(".toml"): files[name] for name in sorted(files) if name.endswith(".toml")}
