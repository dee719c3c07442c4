"""Models on disk: a file of arrays (see ``container``) whose header says how the model was trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models import DISTORTIONS, Distortion, ModelPair, container
from aligner.models.trained import Model
from aligner.text.vocabulary import Vocabulary


def save(model: Model, path: str | Path) -> None:
    """Write a model, compacted; the path never holds half a model.

    ModelError if the model holds values that are not numbers, DataError if the path cannot be written.
    """
    model = model.compact()
    container.write(path, about(model), arrays_of(model))


def load(path: str | Path) -> Model:
    """Map a model into memory, every byte verified. ModelError if it is damaged or from a newer version."""
    return revive(Path(path), *container.read(Path(path)))


def about(model: Model) -> dict[str, Any]:
    """What the header says of a model."""
    pair = model.parameters
    return {
        "forward": {"distortion": pair.forward.name, "p0": pair.forward.p0},
        "reverse": {"distortion": pair.reverse.name, "p0": pair.reverse.p0},
        "config": model.config,
        "corpus": model.corpus,
        "history": list(model.history),
    }


def arrays_of(model: Model) -> dict[str, NDArray]:
    """Every array of a model by name."""
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


def revive(path: Path, header: dict[str, Any], arrays: dict[str, NDArray]) -> Model:
    """The model that ``about`` and ``arrays_of`` describe; ModelError, naming the path, if they do not."""
    try:
        return _model(header, arrays)
    except KeyError as error:
        container.refuse(path, f"{error} is missing")


def _model(header: dict[str, Any], arrays: dict[str, NDArray]) -> Model:
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
