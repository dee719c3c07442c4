"""Where training recipes are found: TOML files, and those that come with the program."""

from __future__ import annotations

import os
import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from aligner.errors import ConfigError
from aligner.registry import check_known


def builtin_recipes() -> dict[str, str]:
    """The recipes that come with the program: name -> its one-line summary."""
    tables = {name: tomllib.loads(file.read_text("utf-8")) for name, file in _installed().items()}
    return {name: str(table.get("summary", "")) for name, table in tables.items()}


def _installed() -> dict[str, Traversable]:
    """The files of the recipes that come with the program, by name."""
    files = {file.name: file for file in resources.files("aligner.configs").iterdir()}
    return {name.removesuffix(".toml"): files[name] for name in sorted(files) if name.endswith(".toml")}


def recipe_file(name: str | Path) -> Path | None:
    """The file that a recipe's name means, None if it means an installed recipe or nothing.

    What ends in .toml or names a directory too is a file; of other names, an installed recipe's goes first.
    """
    path = Path(name)
    if path.suffix == ".toml" or os.path.basename(name) != os.fspath(name):
        return path
    return path if path.is_file() and str(name) not in _installed() else None


def read_recipe(name: str | Path) -> tuple[str, str]:
    """The text of a recipe given by installed name or by path, and what to call it in messages."""
    path = recipe_file(name)
    if path is not None:
        try:
            return path.read_text("utf-8"), str(path)
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: cannot read this configuration: {error}") from None
    installed = _installed()
    check_known(str(name), installed, "recipe")
    return installed[str(name)].read_text("utf-8"), str(name)
