"""The check of a verb's files, before any work."""

from __future__ import annotations

import os
from collections.abc import Mapping

from aligner.errors import DataError
from aligner.text.files import PathLike, check_conflicts


def check_files(
    inputs: Mapping[str, PathLike | None],
    outputs: Mapping[str, PathLike | None],
    *,
    models: tuple[str, ...] = (),
) -> None:
    """Check that files do not conflict, and that no output would replace a model or a checkpoint.

    Parameters
    ----------
    inputs, outputs
        Paths by their names in messages; None for a file that is not used.
    models
        The names of outputs that are models or checkpoints themselves.

    Raises
    ------
    ConfigError
        If files conflict; see ``aligner.text.files.check_conflicts``.
    DataError
        If an output would replace a model or a checkpoint.
    """
    check_conflicts(inputs, outputs)
    for role, path in outputs.items():
        if path is not None and role not in models and os.path.isfile(path) and _is_model(path):
            raise DataError(
                f"{role} {path}: found a model or a checkpoint; expected a new name, or a file of another"
                f" kind; name another file, or delete this one"
            )


def _is_model(path: PathLike) -> bool:
    """Return True if a file begins like a model, a checkpoint or a file of a run."""
    from aligner.storage.array_file import MAGIC

    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:  # writing it may be possible, or fails with a message
        return False
