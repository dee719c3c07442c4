"""Model files: trained models as array files (see ``array_file``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.errors import ModelError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models import DISTORTIONS, Distortion, ModelPair, array_file
from aligner.models.trained import Model
from aligner.text.vocabulary import Vocabulary


def save(model: Model, path: str | Path) -> None:
    """Write a trained model to a file.

    The same model gives the same bytes. The path never holds an incomplete model.

    Parameters
    ----------
    model
        The model. Word pairs with the least probability in both directions are left out, which loses nothing.
    path
        The file. It is not compressed, whatever its name.

    Raises
    ------
    DataError
        If the path cannot be written.
    ModelError
        If the model holds a NaN or an infinity.
    """
    model = model.compact()
    array_file.write(path, describe_model(model), collect_arrays(model))


def load(path: str | Path) -> Model:
    """Read a trained model from a file.

    Parameters
    ----------
    path
        A file that ``save`` wrote.

    Returns
    -------
    Model
        The model. Its arrays are mapped into memory, so processes on one machine share them. Changes to them
        do not reach the file.

    Raises
    ------
    ModelError
        If the file is missing, not a model, damaged, or from a newer version. Every byte is checked.
    """
    return rebuild_model(Path(path), *array_file.read(Path(path)))


def describe_model(model: Model) -> dict[str, Any]:
    """Return the header of a model's file, as plain data."""
    pair = model.parameters
    return {
        "forward": {"distortion": pair.forward.name, "p0": pair.forward.p0},
        "reverse": {"distortion": pair.reverse.name, "p0": pair.reverse.p0},
        "config": model.config,
        "corpus": model.corpus,
        "history": list(model.history),
    }


def collect_arrays(model: Model) -> dict[str, NDArray]:
    """Return all arrays of a model, by the names that they have in its file."""
    pair = model.parameters
    lexicon = pair.lexicon
    named: dict[str, NDArray] = {
        "source.words": np.frombuffer(model.source_vocabulary.to_bytes(), np.uint8),
        "source.counts": model.source_vocabulary.counts,
        "target.words": np.frombuffer(model.target_vocabulary.to_bytes(), np.uint8),
        "target.counts": model.target_vocabulary.counts,
        "pairs.row_offsets": lexicon.index.row_offsets,
        "pairs.columns": lexicon.index.columns,
        "lexicon.table": lexicon.table,
        "lexicon.null_forward": lexicon.null_forward,
        "lexicon.null_reverse": lexicon.null_reverse,
    }
    for direction, distortion in (("forward", pair.forward), ("reverse", pair.reverse)):
        for name, array in distortion.parameters().items():
            named[f"{direction}.{name}"] = array
    return named


def rebuild_model(path: Path, header: dict[str, Any], arrays: dict[str, NDArray]) -> Model:
    """Return the model of a header and arrays, the inverse of ``describe_model`` and ``collect_arrays``.

    Raises ModelError, with the path, if an array is missing, or if a distortion is unknown.
    """
    for direction in ("forward", "reverse"):
        name = header.get(direction, {}).get("distortion")
        if name is not None and name not in DISTORTIONS:
            raise ModelError(
                f"{path}: found a model with the distortion {name!r}; expected {', '.join(DISTORTIONS)};"
                " import the extension that registers it"
            )
    try:
        return _rebuild(header, arrays)
    except KeyError as error:
        array_file.raise_damaged(path, f"{error} is missing")


def _rebuild(header: dict[str, Any], arrays: dict[str, NDArray]) -> Model:
    """Return the model of a header and arrays; KeyError if one is missing."""
    source = Vocabulary.from_bytes(arrays["source.words"].tobytes(), arrays["source.counts"])
    target = Vocabulary.from_bytes(arrays["target.words"].tobytes(), arrays["target.counts"])
    index = CooccurrenceIndex(arrays["pairs.row_offsets"], arrays["pairs.columns"], len(target))
    lexicon = Lexicon(
        index, arrays["lexicon.table"], arrays["lexicon.null_forward"], arrays["lexicon.null_reverse"]
    )

    def distortion(direction: str) -> Distortion:
        prefix = f"{direction}."
        own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
        return DISTORTIONS[header[direction]["distortion"]].from_parameters(own, header[direction]["p0"])

    return Model(
        source,
        target,
        ModelPair(lexicon, distortion("forward"), distortion("reverse")),
        header["config"],
        header["corpus"],
        tuple(header["history"]),
    )
