"""Model files: trained models as array files (see ``storage.array_file``)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from aligner.errors import DamagedError, ModelError
from aligner.models import AlignmentModel, ModelPair
from aligner.models.trained import TrainedModel
from aligner.storage import array_file
from aligner.storage.checks import take
from aligner.storage.codec import from_table, to_table

ROWS = "pairs.row_offsets", "pairs.columns", "lexicon.table"
"""The names of the arrays of the word pairs and their probabilities, the rows of the lexicon."""


def save(model: TrainedModel, path: str | Path, *, follow_links: bool = True) -> None:
    """Write a trained model to a file.

    The same model gives the same bytes. The path never holds an incomplete model.

    Parameters
    ----------
    model
        The model. Word pairs with the least probability in both directions are left out, which loses nothing.
    path
        The file. It is not compressed, whatever its name.
    follow_links
        False to replace a symbolic link of this name, not the file that it leads to.

    Raises
    ------
    DataError
        If the path cannot be written, or if a word holds a lone surrogate, which UTF-8 does not have.
    ModelError
        If the model holds a NaN or an infinity.
    """
    arrays: dict[str, NDArray] = {}
    header = to_table(model.compact(), arrays)
    array_file.write(path, header, arrays, follow_links=follow_links)


def load(path: str | Path, *, follow_links: bool = True) -> TrainedModel:
    """Read a trained model from a file.

    Parameters
    ----------
    path
        A file that ``save`` wrote.
    follow_links
        False to refuse a symbolic link.

    Returns
    -------
    TrainedModel
        The model. The file is read completely, so that a later change of the file cannot change the links.

    Raises
    ------
    ModelError
        If the file is missing, not a model, damaged, or from a newer version. Every byte is checked, and so
        is the structure of every array: a file made on purpose is a model or an error.
    """
    header, arrays = array_file.read(Path(path), follow_links=follow_links)
    try:
        return rebuild_model(header, arrays)
    except DamagedError as error:
        raise DamagedError(error.reason, path) from None
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def describe_model(value: TrainedModel | ModelPair) -> dict[str, Any]:
    """Return the header of the file of a model, or its part about a model pair, as plain data."""
    return to_table(value, {})


def collect_arrays(value: TrainedModel | ModelPair) -> dict[str, NDArray]:
    """Return all arrays of a model or of a model pair, by the names that they have in files."""
    arrays: dict[str, NDArray] = {}
    to_table(value, arrays)
    return arrays


def rebuild_model(header: dict[str, Any], arrays: Mapping[str, NDArray]) -> TrainedModel:
    """Return the model of a header and arrays, the inverse of ``describe_model`` and ``collect_arrays``.

    Raises DamagedError if they are no model's, ModelError if a directional model is unknown.
    """
    try:
        model: TrainedModel = from_table(TrainedModel, header, arrays)
    except RecursionError:
        raise DamagedError("its pieces have pieces") from None
    return model


def rebuild_directional(
    header: dict[str, Any], arrays: Mapping[str, NDArray], direction: str
) -> AlignmentModel:
    """Return the directional model of a direction, "forward" or "reverse"."""
    table = take(header, direction, dict)
    model: AlignmentModel = from_table(AlignmentModel, table, arrays, f"{direction}.")
    return model
