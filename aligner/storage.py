"""Models on disk: one self-describing, checksummed file of plain arrays, memory-mapped on load.

Layout, little-endian: 8 bytes ``ACCORDAL``; uint32 format version; uint32 header length; uint32 CRC-32 of the
header; the header, UTF-8 JSON and spaces up to a multiple of 64 bytes; then the arrays, each with zeros up to
a multiple of 64 bytes. The header names every array with its type, shape, place and CRC-32, padding included,
and says what the model is and how it was trained. So every byte of the file is one that a check covers.
"""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from aligner._version import __version__
from aligner.corpus import Vocabulary
from aligner.errors import ModelError
from aligner.lexicon import Lexicon
from aligner.model import Model
from aligner.models import DISTORTIONS, Distortion, ModelPair
from aligner.pairs import PairIndex
from aligner.textio import open_output

MAGIC = b"ACCORDAL"
FORMAT_VERSION = 1
_PREFIX = struct.Struct("<8sIII")
_ALIGNMENT = 64


def save(model: Model, path: str | Path) -> None:
    """Write a model, compacted; the path never holds half a model.

    ModelError if the model holds values that are not numbers, DataError if the path cannot be written.
    """
    model = model.compact()
    arrays = _arrays(model)
    entries = []
    position = 0
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ModelError(f"{path}: not saved: {name} holds values that are not numbers")
        padding = _padding(array.nbytes)
        entries.append(
            {
                "name": name,
                "dtype": array.dtype.str,
                "shape": array.shape,
                "offset": position,
                "crc32": zlib.crc32(padding, zlib.crc32(_bytes(array))),
            }
        )
        position += array.nbytes + len(padding)
    pair = model.parameters
    header: dict[str, Any] = {
        "written_by": f"accord-align {__version__}",
        "forward": {"distortion": pair.forward.name, "p0": pair.forward.p0},
        "reverse": {"distortion": pair.reverse.name, "p0": pair.reverse.p0},
        "config": model.config,
        "corpus": model.corpus,
        "history": list(model.history),
        "bytes": position,
        "arrays": entries,
    }
    encoded = json.dumps(header, ensure_ascii=False).encode()
    encoded += b" " * len(_padding(_PREFIX.size + len(encoded)))
    with open_output(path, compress=False) as file:
        file.write(_PREFIX.pack(MAGIC, FORMAT_VERSION, len(encoded), zlib.crc32(encoded)))
        file.write(encoded)
        for array in arrays.values():
            file.write(_bytes(array))
            file.write(_padding(array.nbytes))


def load(path: str | Path) -> Model:
    """Map a model into memory, every byte verified. ModelError if it is damaged or from a newer version."""
    path = Path(path)
    header, start, mapped = _open(path)
    if len(mapped) != start + header["bytes"]:
        _refuse(path, f"it has {len(mapped):,} bytes instead of {start + header['bytes']:,}: truncated?")
    arrays = {}
    for entry in header["arrays"]:
        dtype = np.dtype(entry["dtype"])
        begin = start + entry["offset"]
        end = begin + dtype.itemsize * int(np.prod(entry["shape"], dtype=np.int64))
        if zlib.crc32(_bytes(mapped[begin : end + len(_padding(end))])) != entry["crc32"]:
            _refuse(path, f"the checksum of {entry['name']} does not match")
        arrays[entry["name"]] = mapped[begin:end].view(dtype).reshape(entry["shape"])
    try:
        return _model(header, arrays)
    except KeyError as error:
        _refuse(path, f"{error} is missing")


def read_header(path: str | Path) -> dict[str, Any]:
    """What a model file says about itself, without reading its arrays."""
    return _open(Path(path))[0]


def _open(path: Path) -> tuple[dict[str, Any], int, NDArray[np.uint8]]:
    try:
        size = path.stat().st_size
        if not path.is_file():
            _refuse(path, "it is not a regular file")
        if size < _PREFIX.size:
            _refuse(path, f"it has only {size} bytes")
        # Copy-on-write, not read-only: that would be another type to the kernels, and each compiled once
        # more.
        mapped = np.memmap(path, np.uint8, "c")
    except OSError as error:
        raise ModelError(f"{path}: cannot read this model: {error.strerror or error}") from None
    magic, version, length, checksum = _PREFIX.unpack(mapped[: _PREFIX.size].tobytes())
    if magic != MAGIC:
        raise ModelError(f"{path}: this is not a model of this program; align train ... -m MODEL writes one")
    if version > FORMAT_VERSION:
        raise ModelError(
            f"{path}: model format {version} is newer than this program reads (format {FORMAT_VERSION}):"
            " upgrade accord-align"
        )
    start = _PREFIX.size + length
    encoded = mapped[_PREFIX.size : start].tobytes()
    if version < 1 or len(encoded) != length or zlib.crc32(encoded) != checksum:
        _refuse(path, "its header is damaged")
    return json.loads(encoded), start, mapped


def _refuse(path: Path, reason: str) -> NoReturn:
    raise ModelError(f"{path}: this model is damaged ({reason}); copy it again or train it anew")


def _bytes(array: NDArray) -> memoryview:
    """The bytes of a contiguous array, without copying them."""
    return array.reshape(-1).view(np.uint8).data


def _padding(size: int) -> bytes:
    """What follows so many bytes up to the next multiple of the alignment."""
    return bytes(-size % _ALIGNMENT)


def _arrays(model: Model) -> dict[str, NDArray]:
    """Every array of a model by name, little-endian and contiguous."""
    pair = model.parameters
    lexicon = pair.lexicon
    named: dict[str, NDArray] = {
        "source.words": np.frombuffer(model.source_vocabulary.to_bytes(), np.uint8),
        "source.counts": model.source_vocabulary.counts,
        "target.words": np.frombuffer(model.target_vocabulary.to_bytes(), np.uint8),
        "target.counts": model.target_vocabulary.counts,
        "pairs.row_offsets": lexicon.pairs.row_offsets,
        "pairs.columns": lexicon.pairs.columns,
        "lexicon.table": lexicon.table,
        "lexicon.null_forward": lexicon.null_forward,
        "lexicon.null_reverse": lexicon.null_reverse,
    }
    for direction, distortion in (("forward", pair.forward), ("reverse", pair.reverse)):
        for name, array in distortion.parameters().items():
            named[f"{direction}.{name}"] = array
    return {
        name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
        for name, array in named.items()
    }


def _model(header: dict[str, Any], arrays: dict[str, NDArray]) -> Model:
    source = Vocabulary.from_bytes(arrays["source.words"].tobytes(), arrays["source.counts"])
    target = Vocabulary.from_bytes(arrays["target.words"].tobytes(), arrays["target.counts"])
    index = PairIndex(arrays["pairs.row_offsets"], arrays["pairs.columns"], len(target))
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
