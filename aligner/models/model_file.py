"""Model files: trained models as array files (see ``storage.array_file``)."""

from __future__ import annotations

from pathlib import Path

from numpy.typing import NDArray

from aligner.arguments import check_types
from aligner.errors import DamagedError, ModelError
from aligner.models.trained import TrainedModel
from aligner.storage import array_file
from aligner.storage.codec import decode, encode

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
    header = encode(model.compact(), arrays)
    array_file.write(path, header, arrays, follow_links=follow_links)


def as_model(model: TrainedModel | str | Path) -> TrainedModel:
    """Return a model itself, or the model of a file; raise ModelError if it is none."""
    check_types(as_model, {"model": model})
    return model if isinstance(model, TrainedModel) else load(model)


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
        model: TrainedModel = decode(TrainedModel, header, arrays, "")
    except DamagedError as error:
        raise DamagedError(error.reason, path) from None
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    return model
