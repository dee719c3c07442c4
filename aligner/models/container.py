"""Arrays on disk: one self-describing, checksummed file, memory-mapped when read.

Layout, little-endian: 8 bytes ``ACCORDAL``; uint32 format version; uint32 header length; uint32 CRC-32 of the
header; the header, UTF-8 JSON and spaces up to a multiple of 64 bytes; then the arrays, each with zeros up to
a multiple of 64 bytes. The header names every array with its type, shape, place and CRC-32, padding included.
So every byte of the file is one that a check covers.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from aligner._version import __version__
from aligner.errors import DamagedError, ModelError
from aligner.text.compression import compression_of
from aligner.text.files import open_output

MAGIC = b"ACCORDAL"
FORMAT_VERSION = 1
_PREFIX = struct.Struct("<8sIII")
_ALIGNMENT = 64


def write(path: str | Path, about: Mapping[str, Any], arrays: Mapping[str, NDArray]) -> None:
    """Write arrays by name, and a header that says what they are; the path never holds half a file.

    ModelError if an array holds values that are not numbers, DataError if the path cannot be written.
    """
    arrays = {
        name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
        for name, array in arrays.items()
    }
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
                "crc32": zlib.crc32(padding, zlib.crc32(bytes_of(array))),
            }
        )
        position += array.nbytes + len(padding)
    header = {
        "written_by": f"accord-align {__version__}",
        **about,
        "bytes": position,
        "arrays": entries,
    }
    encoded = json.dumps(header, ensure_ascii=False).encode()
    encoded += b" " * len(_padding(_PREFIX.size + len(encoded)))
    with open_output(path, compress=False) as file:
        file.write(_PREFIX.pack(MAGIC, FORMAT_VERSION, len(encoded), zlib.crc32(encoded)))
        file.write(encoded)
        for array in arrays.values():
            file.write(bytes_of(array))
            file.write(_padding(array.nbytes))


def read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """The header and the arrays, mapped into memory, every byte verified.

    ModelError if the file is damaged or from a newer version.
    """
    header, start, mapped = _open(path)
    if len(mapped) != start + header["bytes"]:
        refuse(path, f"it has {len(mapped):,} bytes instead of {start + header['bytes']:,}: truncated?")
    arrays = {}
    for entry in header["arrays"]:
        dtype = np.dtype(entry["dtype"])
        begin = start + entry["offset"]
        end = begin + dtype.itemsize * int(np.prod(entry["shape"], dtype=np.int64))
        if zlib.crc32(bytes_of(mapped[begin : end + len(_padding(end))])) != entry["crc32"]:
            refuse(path, f"the checksum of {entry['name']} does not match")
        arrays[entry["name"]] = mapped[begin:end].view(dtype).reshape(entry["shape"])
    return header, arrays


def read_header(path: str | Path) -> dict[str, Any]:
    """What a file says about itself, without reading its arrays."""
    return _open(Path(path))[0]


def _open(path: Path) -> tuple[dict[str, Any], int, NDArray[np.uint8]]:
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise ModelError(f"{path}: not a regular file, as a model has to be; copy it to one")
        if size < _PREFIX.size:
            refuse(path, f"it has only {size} bytes")
        # Copy-on-write, not read-only: that would be another type to the kernels, and each compiled once
        # more. And a plain array, as those are that training passes.
        mapped = np.asarray(np.memmap(path, np.uint8, "c"))
    except OSError as error:
        raise ModelError(f"{path}: cannot read this model: {error.strerror or error}") from None
    magic, version, length, checksum = _PREFIX.unpack(mapped[: _PREFIX.size].tobytes())
    if compression_of(magic):
        raise ModelError(f"{path}: a compressed file; a model is mapped as it is: decompress it first")
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
        refuse(path, "its header is damaged")
    return json.loads(encoded), start, mapped


def refuse(path: Path, reason: str) -> NoReturn:
    """Raise DamagedError."""
    message = f"{path}: this model is damaged ({reason}); copy it again or train it anew"
    raise DamagedError(message, reason)


def bytes_of(array: NDArray) -> memoryview:
    """The bytes of a contiguous array, without copying them."""
    return array.reshape(-1).view(np.uint8).data


def _padding(size: int) -> bytes:
    """What follows so many bytes up to the next multiple of the alignment."""
    return bytes(-size % _ALIGNMENT)
