"""Model files: trained models as array files (see ``storage.array_file``)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DamagedError, ModelError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models import MODELS, AlignmentModel, ModelPair
from aligner.models.alignment_model import NULL_BY_LENGTH
from aligner.models.learned import LearnedLinks
from aligner.models.pair import DIRECTIONS
from aligner.models.trained import PieceMember, TrainedModel, WordLinks
from aligner.storage import array_file
from aligner.storage.checks import require, take, take_array
from aligner.text.piece_text import PieceEncoder
from aligner.text.pieces import PieceModel
from aligner.text.vocabulary import MOST_COUNT, Vocabulary

ROWS = "pairs.row_offsets", "pairs.columns", "lexicon.table"
"""The names of the arrays of the word pairs and their probabilities, the rows of the lexicon."""

LINKS = "source.links", "target.links"
"""The names of the arrays of the links of words."""


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
    model = model.compact()
    array_file.write(path, describe_model(model), collect_arrays(model), follow_links=follow_links)


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
    return read_contents(path, follow_links)[0]


def read_contents(
    path: str | Path, follow_links: bool = True
) -> tuple[TrainedModel, dict[str, Any], dict[str, NDArray]]:
    """Return the model of a file, and the file's header and arrays; raise ModelError with its name."""
    header, arrays = array_file.read(Path(path), follow_links=follow_links)
    try:
        return rebuild_model(header, arrays), header, arrays
    except DamagedError as error:
        raise DamagedError(error.reason, path) from None
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def describe_model(model: TrainedModel) -> dict[str, Any]:
    """Return the header of a model's file, as plain data."""
    learned = {} if model.learned is None else {"learned": model.learned.header()}
    pieces = {} if model.pieces is None else {"pieces": _describe_pieces(model.pieces)}
    return describe_pair(model.pair) | {
        "config": model.config,
        "corpus": model.corpus,
        "history": list(model.history),
        **learned,
        **pieces,
    }


def _describe_pieces(pieces: PieceMember) -> dict[str, Any]:
    """Return the header of a model of pieces."""
    return describe_model(pieces.model) | {"weight": pieces.weight}


def describe_pair(pair: ModelPair) -> dict[str, Any]:
    """Return the header of a model pair."""
    return {
        direction: {"distortion": own.name, "p0": own.p0} | _extension_of(own)
        for direction, own in zip(DIRECTIONS, pair.directions, strict=True)
    }


def _extension_of(model: AlignmentModel) -> dict[str, str]:
    """Return the entry of a header for the module of a model that another program has to import."""
    module = type(model).__module__
    return {} if module.partition(".")[0] in ("aligner", "__main__") else {"module": module}


def collect_arrays(model: TrainedModel) -> dict[str, NDArray]:
    """Return all arrays of a model, by the names that they have in its file."""
    named: dict[str, NDArray] = {}
    for side, vocabulary in (("source", model.source_vocabulary), ("target", model.target_vocabulary)):
        named |= {f"{side}.{name}": array for name, array in vocabulary.to_parts().items()}
    if model.learned is not None:
        named |= {f"learned.{name}": array for name, array in model.learned.arrays().items()}
    if model.pieces is not None:
        named |= {f"pieces.{name}": array for name, array in _piece_arrays(model.pieces).items()}
    return named | link_arrays(model.links) | pair_arrays(model.pair)


def link_arrays(links: WordLinks | None) -> dict[str, NDArray]:
    """Return the links of words by the names that they have in files; nothing if they are unknown."""
    return {} if links is None else dict(zip(LINKS, links, strict=True))


def take_links(arrays: Mapping[str, NDArray], *types: int) -> WordLinks | None:
    """Return the links of words, or None if they are unknown; types: the sizes of vocabularies."""
    if not any(name in arrays for name in LINKS):
        return None
    source, target = (take_array(arrays, *own) for own in zip(LINKS, (np.float32,) * 2, types, strict=True))
    for name, own in zip(LINKS, (source, target), strict=True):
        within = (own >= 0) & (own <= MOST_COUNT)
        require(within.all(), f"{name!r} has values outside 0 to {MOST_COUNT:,}")
    return source, target


def _piece_arrays(pieces: PieceMember) -> dict[str, NDArray]:
    """Return all arrays of a model of pieces, by the names that they have in a file."""
    named = collect_arrays(pieces.model)
    for side, encoder in (("source", pieces.source), ("target", pieces.target)):
        named |= {f"{side}.learned_{name}": array for name, array in encoder.model.pieces.to_parts().items()}
    return named


def pair_arrays(pair: ModelPair) -> dict[str, NDArray]:
    """Return all arrays of a model pair, by the names that they have in files."""
    lexicon = pair.lexicon
    rows: tuple[NDArray, ...] = lexicon.index.row_offsets, lexicon.index.columns, lexicon.table
    named: dict[str, NDArray] = dict(zip(ROWS, rows, strict=True))
    named |= {"lexicon.null_forward": lexicon.null_forward, "lexicon.null_reverse": lexicon.null_reverse}
    for direction, model in zip(DIRECTIONS, pair.directions, strict=True):
        named |= {f"{direction}.{name}": array for name, array in model.arrays().items()}
    return named


def rebuild_model(header: dict[str, Any], arrays: Mapping[str, NDArray]) -> TrainedModel:
    """Return the model of a header and arrays, the inverse of ``describe_model`` and ``collect_arrays``.

    Raises DamagedError if they are no model's, ModelError if a directional model is unknown.
    """
    source, target = (_take_vocabulary(arrays, f"{side}.") for side in ("source", "target"))
    pair = rebuild_pair(header, arrays, len(source), len(target))
    config, corpus = take(header, "config", dict), take(header, "corpus", dict)
    for name, kind in ("lowercase", bool), ("max_length", int):
        take(take(config, "data", dict), name, kind)
    take(config, "decode", dict)
    stages = take(config, "stage", list)
    require(all(type(stage) is dict for stage in stages), "'stage' is no list of tables")
    learned = _take_learned(header, arrays, pair)
    pieces = _take_pieces(header, arrays, source, target)
    links, history = take_links(arrays, len(source), len(target)), take_history(header)
    return TrainedModel(source, target, pair, config, corpus, history, learned, pieces, links)


def _take_vocabulary(arrays: Mapping[str, NDArray], prefix: str) -> Vocabulary:
    """Return the vocabulary whose arrays have a prefix."""
    return Vocabulary.from_parts(
        take_array(arrays, f"{prefix}words", np.uint8, None),
        take_array(arrays, f"{prefix}counts", np.int64, None),
    )


def _take_pieces(
    header: dict[str, Any], arrays: Mapping[str, NDArray], *words: Vocabulary
) -> PieceMember | None:
    """Return the model of pieces of a model with these vocabularies, or None."""
    if "pieces" not in header:
        return None
    own_header, own = take(header, "pieces", dict), _own(arrays, "pieces.")
    require("pieces" not in own_header, "its pieces have pieces")
    weight = take(own_header, "weight", float)
    require(0.0 <= weight <= 1.0, f"'weight' is {weight}")
    model = rebuild_model(own_header, own)
    learned = [PieceModel(_take_vocabulary(own, f"{side}.learned_")) for side in ("source", "target")]
    for piece_model in learned:
        piece_model.check_structure()
    source, target = map(PieceEncoder, learned, words, (model.source_vocabulary, model.target_vocabulary))
    return PieceMember(source, target, model, weight)


def _take_learned(
    header: dict[str, Any], arrays: Mapping[str, NDArray], pair: ModelPair
) -> LearnedLinks | None:
    """Return what a model has learned, or None."""
    if "learned" not in header:
        return None
    index = pair.lexicon.index
    sizes = len(index), index.source_types, index.target_types
    return LearnedLinks.take(take(header, "learned", dict), _own(arrays, "learned."), *sizes)


def _own(arrays: Mapping[str, NDArray], prefix: str) -> dict[str, NDArray]:
    """Return the arrays whose names begin with a prefix, by the rest of their names."""
    return {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}


def take_history(header: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the records of iterations."""
    history = take(header, "history", list)
    require(all(type(record) is dict for record in history), "'history' is no list of records")
    return tuple(history)


def rebuild_pair(
    header: dict[str, Any], arrays: Mapping[str, NDArray], source_types: int, target_types: int
) -> ModelPair:
    """Return the model pair of a header and arrays, for vocabularies of these sizes."""
    columns = take_array(arrays, "pairs.columns", np.int32, None)
    row_offsets = take_array(arrays, "pairs.row_offsets", np.int64, source_types + 2)
    table = take_array(arrays, "lexicon.table", np.float32, len(columns), 2)
    null_forward = take_array(arrays, "lexicon.null_forward", np.float32, target_types + 1)
    null_reverse = take_array(arrays, "lexicon.null_reverse", np.float32, source_types + 1)
    lexicon = Lexicon(
        CooccurrenceIndex(row_offsets, columns, target_types), table, null_forward, null_reverse
    )
    lexicon.check_structure()
    return ModelPair(lexicon, *(rebuild_directional(header, arrays, name) for name in DIRECTIONS))


def rebuild_directional(
    header: dict[str, Any], arrays: Mapping[str, NDArray], direction: str
) -> AlignmentModel:
    """Return the directional model of a direction, "forward" or "reverse"."""
    described = take(header, direction, dict)
    name, p0 = take(described, "distortion", str), take(described, "p0", float)
    if name not in MODELS:
        module = str(described.get("module", "MODULE"))
        raise ModelError(
            f"found a model with the distortion {name!r}; expected {', '.join(MODELS)}; import the extension"
            f" that registers it: align --import {module:.80}, or in Python, import {module:.80}"
        )
    require(p0 == NULL_BY_LENGTH or 0.0 < p0 < 1.0, f"'p0' is {p0}")
    return MODELS[name].from_arrays(_own(arrays, f"{direction}."), p0)
