"""Model files: trained models as array files (see ``array_file``)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DamagedError, ModelError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import MODELS, AlignmentModel, ModelPair, array_file
from aligner.models.alignment_model import NULL_BY_LENGTH
from aligner.models.pair import DIRECTIONS
from aligner.models.structure import require, require_probabilities, require_rows, take, take_array
from aligner.models.trained import TrainedModel
from aligner.text.vocabulary import Vocabulary


def save(model: TrainedModel, path: str | Path) -> None:
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
        If the path cannot be written, or if a word holds a lone surrogate, which UTF-8 does not have.
    ModelError
        If the model holds a NaN or an infinity.
    """
    model = model.compact()
    array_file.write(path, describe_model(model), collect_arrays(model))


def load(path: str | Path) -> TrainedModel:
    """Read a trained model from a file.

    Parameters
    ----------
    path
        A file that ``save`` wrote.

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
    return read_contents(path)[0]


def read_contents(path: str | Path) -> tuple[TrainedModel, dict[str, Any], dict[str, NDArray]]:
    """Return the model of a file, and the file's header and arrays; raise ModelError with its name."""
    header, arrays = array_file.read(Path(path))
    try:
        return rebuild_model(header, arrays), header, arrays
    except DamagedError as error:
        raise DamagedError(error.reason, path) from None
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def describe_model(model: TrainedModel) -> dict[str, Any]:
    """Return the header of a model's file, as plain data."""
    pair = model.pair
    return {
        **{
            direction: {"distortion": own.name, "p0": own.p0} | _extension_of(own)
            for direction, own in zip(DIRECTIONS, pair.directions, strict=True)
        },
        "config": model.config,
        "corpus": model.corpus,
        "history": list(model.history),
    }


def _extension_of(model: AlignmentModel) -> dict[str, str]:
    """Return the entry of a header for the module of a model outside of this package."""
    module = type(model).__module__
    return {} if module.partition(".")[0] == "aligner" else {"module": module}


def collect_arrays(model: TrainedModel) -> dict[str, NDArray]:
    """Return all arrays of a model, by the names that they have in its file."""
    pair = model.pair
    lexicon = pair.lexicon
    named: dict[str, NDArray] = {
        **vocabulary_arrays(model.source_vocabulary, model.target_vocabulary),
        "pairs.row_offsets": lexicon.index.row_offsets,
        "pairs.columns": lexicon.index.columns,
        "lexicon.table": lexicon.table,
        "lexicon.null_forward": lexicon.null_forward,
        "lexicon.null_reverse": lexicon.null_reverse,
    }
    for direction, own in zip(DIRECTIONS, pair.directions, strict=True):
        for name, array in own.arrays().items():
            named[f"{direction}.{name}"] = array
    return named


def vocabulary_arrays(source: Vocabulary, target: Vocabulary) -> dict[str, NDArray]:
    """Return the arrays of both vocabularies, by the names that they have in files."""
    named: dict[str, NDArray] = {}
    for side, vocabulary in (("source", source), ("target", target)):
        named[f"{side}.words"] = np.frombuffer(vocabulary.to_bytes(), np.uint8)
        named[f"{side}.counts"] = vocabulary.counts
    return named


def rebuild_model(header: dict[str, Any], arrays: Mapping[str, NDArray]) -> TrainedModel:
    """Return the model of a header and arrays, the inverse of ``describe_model`` and ``collect_arrays``.

    Raises DamagedError if they are no model's, ModelError if a distortion is unknown.
    """
    source, target = take_vocabulary(arrays, "source"), take_vocabulary(arrays, "target")
    lexicon = _take_lexicon(arrays, len(source), len(target))
    forward, reverse = (_take_distortion(header, arrays, direction) for direction in DIRECTIONS)
    config, corpus = take(header, "config", dict), take(header, "corpus", dict)
    take(take(config, "data", dict), "lowercase", bool)
    take(config, "decode", dict)
    stages = take(config, "stage", list)
    require(all(type(stage) is dict for stage in stages), "'stage' is no list of tables")
    history = take(header, "history", list)
    require(all(type(record) is dict for record in history), "'history' is no list of records")
    return TrainedModel(source, target, ModelPair(lexicon, forward, reverse), config, corpus, tuple(history))


def take_vocabulary(arrays: Mapping[str, NDArray], side: str) -> Vocabulary:
    """Return the vocabulary of a side, "source" or "target"; raise DamagedError if there is none."""
    words = take_array(arrays, f"{side}.words", np.uint8, None)
    counts = take_array(arrays, f"{side}.counts", np.int64, None)
    require((counts[1:] <= counts[:-1]).all(), f"'{side}.counts' increases")
    require(not len(counts) or counts[-1] > 0, f"'{side}.counts' has a word without occurrence")
    return Vocabulary.from_bytes(words.tobytes(), counts)


def _take_lexicon(arrays: Mapping[str, NDArray], source_types: int, target_types: int) -> Lexicon:
    """Return the lexical tables of vocabularies of these sizes."""
    columns = take_array(arrays, "pairs.columns", np.int32, None)
    row_offsets = take_array(arrays, "pairs.row_offsets", np.int64, source_types + 2)
    require_rows(row_offsets, 1, len(columns), "pairs.row_offsets")
    require(row_offsets[-2] == row_offsets[-1], "the row of out-of-vocabulary words is not empty")
    # The columns of each row ascend, so its last column is the greatest.
    in_order = np.zeros(len(columns) + 1, np.bool_)
    in_order[row_offsets] = True
    in_order[1:-1] |= columns[1:] > columns[:-1]
    in_range = columns[1:].min(initial=0) >= 0 and (columns[row_offsets[1:] - 1] < target_types).all()
    require(columns[0] == -1 and in_order[1:].all(), "'pairs.columns' has target words out of order")
    require(in_range, "'pairs.columns' has target words out of range")
    table = take_array(arrays, "lexicon.table", np.float32, len(columns), 2)
    null_forward = take_array(arrays, "lexicon.null_forward", np.float32, target_types + 1)
    null_reverse = take_array(arrays, "lexicon.null_reverse", np.float32, source_types + 1)
    for name in ("lexicon.table", "lexicon.null_forward", "lexicon.null_reverse"):
        require_probabilities(arrays[name], name, FLOOR)  # with 0, a sentence could be impossible
    return Lexicon(CooccurrenceIndex(row_offsets, columns, target_types), table, null_forward, null_reverse)


def _take_distortion(header: dict[str, Any], arrays: Mapping[str, NDArray], direction: str) -> AlignmentModel:
    """Return the distortion of a direction."""
    described = take(header, direction, dict)
    name, p0 = take(described, "distortion", str), take(described, "p0", float)
    if name not in MODELS:
        module = str(described.get("module", "MODULE"))
        raise ModelError(
            f"found a model with the distortion {name!r}; expected {', '.join(MODELS)}; import the extension"
            f" that registers it: align --import {module:.80}, or in Python, import {module:.80}"
        )
    require(p0 == NULL_BY_LENGTH or 0.0 < p0 < 1.0, f"'p0' is {p0}")
    prefix = f"{direction}."
    own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
    return MODELS[name].from_arrays(own, p0)
