"""Where training recipes are found: TOML files, and those that come with the program."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from aligner.errors import ConfigError


def installed_configs() -> dict[str, str]:
    """The recipes that come with the program: name -> its one-line summary."""
    found = {}
    for entry in resources.files("aligner.configs").iterdir():
        if entry.name.endswith(".toml"):
            tables = tomllib.loads(entry.read_text("utf-8"))
            found[entry.name.removesuffix(".toml")] = str(tables.get("summary", ""))
    return dict(sorted(found.items()))


def recipe_file(name: str | Path) -> Path | None:
    """The file that a recipe's name means, None if it means an installed recipe or nothing.

    What ends in .toml or names a directory too is a file; of other names, an installed recipe's goes first.
    """
    path = Path(name)
    if path.suffix == ".toml" or os.path.basename(name) != os.fspath(name):
        return path
    return path if path.is_file() and str(name) not in installed_configs() else None


def read_recipe(name: str | Path) -> tuple[str, str]:
    """The text of a recipe given by installed name or by path, and what to call it in messages."""
    path = recipe_file(name)
    if path is not None:
        try:
            return path.read_text("utf-8"), str(path)
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: cannot read this configuration: {error}") from None
    require_known(str(name), installed_configs(), "configuration")
    return resources.files("aligner.configs").joinpath(f"{name}.toml").read_text("utf-8"), str(name)


def require_known(name: str, names: Iterable[str], what: str) -> None:
    """Raise ConfigError, with the nearest known name, unless ``name`` is one of ``names``."""
    names = list(names)
    if name in names:
        return
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ConfigError(f"unknown {what} {name!r}{hint} (known: {', '.join(names)})")
