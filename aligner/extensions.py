"""Extensions: modules outside the package that register models, criteria, priors, link methods or formats.

An extension is imported if it is installed with an entry point of the group ``aligner.extensions``, or if the
environment variable ``ALIGN_IMPORT`` or the option ``--import`` names it.
"""

from __future__ import annotations

import glob
import importlib
import os
import sys
import warnings
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from aligner.errors import ConfigError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "aligner.extensions"
"""The group of entry points whose values name modules."""

REGISTRIES = (
    "models:MODELS",
    "criteria:CRITERIA",
    "priors:PRIORS",
    "decoding.methods:LINK_METHODS",
    "decoding.methods:COMBINATIONS",
    "links.symmetrize:SYMMETRIZATIONS",
    "links.formats:FORMATS",
    "links.subword_marks:SUBWORD_MARKS",
    "annotations.formats:ANNOTATION_FORMATS",
    "models.export:LEXICON_FORMATS",
)
"""The registries to which an extension may add, each by its module (see docs/extending.md)."""

VARIABLE = "ALIGN_IMPORT"
"""The environment variable that holds names of modules, separated by spaces. Child processes inherit it."""


@cache
def load_extensions() -> None:
    """Import the installed extensions, and those that the environment names, once in a process.

    An installed extension that cannot be imported is left out with a warning.

    Raises
    ------
    ConfigError
        If a module that the environment names cannot be imported.
    """
    for entry in _entry_points():
        try:
            entry.load()
        except Exception as error:
            warnings.warn(
                f"extension {entry.value} cannot be imported and is left out: {error}", stacklevel=1
            )
    for module in os.environ.get(VARIABLE, "").split():
        import_extension(module)


def import_extension(module: str) -> None:
    """Import a module by name, from the Python path or from the current folder.

    Raises
    ------
    ConfigError
        If there is no such module, or if it imports something that is not there.
    """
    if "" not in sys.path:
        sys.path.append("")
    try:
        if not all(part.isidentifier() for part in module.split(".")):
            raise ImportError("this is no name of a module")
        importlib.import_module(module)
    except ImportError as error:
        raise ConfigError(
            f"extension {module!r} cannot be imported ({error}); expected a module of the Python path or of"
            f" the current folder; check its name, and install what it needs"
        ) from error


def _entry_points() -> Iterable[EntryPoint]:
    """Return the entry points of the group.

    To look for the group in the files of entry points takes 1 ms. Importing ``importlib.metadata`` takes
    40 ms, so it is imported only if the group is there.
    """
    files = (
        file
        for folder in sys.path
        for file in glob.iglob(os.path.join(glob.escape(folder), "*-info", "entry_points.txt"))
    )
    if not any(GROUP in _read(file) for file in files):
        return []
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _read(path: str) -> str:
    """Return the text of a file, or nothing if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
