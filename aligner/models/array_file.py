"""Array files: named arrays and a header in one checksummed file, which is memory-mapped when it is read.

Layout, little-endian: 8 bytes ``ACCORDAL``; uint32 format version; uint32 header length; uint32 CRC-32 of the
header; the header, UTF-8 JSON padded with spaces to a multiple of 64 bytes; then the arrays, each padded with
zeros to a multiple of 64 bytes. The header lists the name, type, shape, offset and CRC-32 of every array. The
checksums include the padding, so every byte of the file is checked.
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


def write(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray]) -> None:
    """Write a header and named arrays. The path never holds an incomplete file.

    Raises ModelError if an array holds a NaN or an infinity, DataError if the path cannot be written.
    """
    arrays = {
        name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
        for name, array in arrays.items()
    }
    entries, size = _list_entries(path, arrays)
    complete = {"written_by": f"accord-align {__version__}", **header, "bytes": size, "arrays": entries}
    encoded = json.dumps(complete, ensure_ascii=False).encode()
    encoded += b" " * len(_padding(_PREFIX.size + len(encoded)))
    with open_output(path, compress=False) as file:
        file.write(_PREFIX.pack(MAGIC, FORMAT_VERSION, len(encoded), zlib.crc32(encoded)))
        file.write(encoded)
        for array in arrays.values():
            file.write(bytes_of(array))
            file.write(_padding(array.nbytes))


def read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Map a file into memory, check every byte, and return the header and the arrays.

    Raises ModelError if the file is damaged or from a newer version.
    """
    header, start, mapped = _open(path)
    expected = start + header["bytes"]
    if len(mapped) != expected:
        raise_damaged(path, f"it has {len(mapped):,} bytes instead of {expected:,}: truncated?")
    arrays = {}
    for entry in header["arrays"]:
        dtype = np.dtype(entry["dtype"])
        begin = start + entry["offset"]
        end = begin + dtype.itemsize * int(np.prod(entry["shape"], dtype=np.int64))
        if zlib.crc32(bytes_of(mapped[begin : end + len(_padding(end))])) != entry["crc32"]:
            raise_damaged(path, f"the checksum of {entry['name']} does not match")
        arrays[entry["name"]] = mapped[begin:end].view(dtype).reshape(entry["shape"])
    return header, arrays


def read_header(path: str | Path) -> dict[str, Any]:
    """Return the header of a file, without reading its arrays."""
    return _open(Path(path))[0]


def raise_damaged(path: Path, reason: str) -> NoReturn:
    """Raise DamagedError for a file, with the reason."""
    message = f"{path}: this model is damaged ({reason}); copy it again or train it anew"
    raise DamagedError(message, reason)


def bytes_of(array: NDArray) -> memoryview:
    """Return the bytes of a contiguous array, without a copy."""
    return array.reshape(-1).view(np.uint8).data


def _list_entries(path: str | Path, arrays: Mapping[str, NDArray]) -> tuple[list[dict[str, Any]], int]:
    """Return the header's entry for each array, and the size of all arrays with their padding, in bytes."""
    entries = []
    offset = 0
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ModelError(
                f"{path}: not saved, because {name} holds NaN or infinite values; expected finite numbers;"
                " train the model with other settings"
            )
        padding = _padding(array.nbytes)
        entries.append(
            {
                "name": name,
                "dtype": array.dtype.str,
                "shape": array.shape,
                "offset": offset,
                "crc32": zlib.crc32(padding, zlib.crc32(bytes_of(array))),
            }
        )
        offset += array.nbytes + len(padding)
    return entries, offset


def _open(path: Path) -> tuple[dict[str, Any], int, NDArray[np.uint8]]:
    """Map a file into memory, and return its header, the offset of the arrays, and all bytes."""
    mapped = _map(path)
    magic, version, length, checksum = _PREFIX.unpack(mapped[: _PREFIX.size].tobytes())
    if compression_of(magic):
        raise ModelError(
            f"{path}: found a compressed file; expected a plain one, which can be mapped into memory;"
            " decompress it first"
        )
    if magic != MAGIC:
        raise ModelError(f"{path}: this is not a model of this program; align train ... -m MODEL writes one")
    if version > FORMAT_VERSION:
        raise ModelError(
            f"{path}: found model format {version}; expected at most format {FORMAT_VERSION}; upgrade"
            " accord-align"
        )
    start = _PREFIX.size + length
    encoded = mapped[_PREFIX.size : start].tobytes()
    if version < 1 or len(encoded) != length or zlib.crc32(encoded) != checksum:
        raise_damaged(path, "its header is damaged")
    return json.loads(encoded), start, mapped


def _map(path: Path) -> NDArray[np.uint8]:
    """Map a file into memory, uint8 [bytes]. Changes to the array do not reach the file."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise ModelError(f"{path}: found no regular file; expected a model; copy it to a regular file")
        if size < _PREFIX.size:
            raise_damaged(path, f"it has only {size} bytes")
        # Mapped copy-on-write and viewed as a plain array, because a read-only array or a memmap is another
        # type to Numba, for which every kernel would be compiled again.
        return np.asarray(np.memmap(path, np.uint8, "c"))
    except OSError as error:
        raise ModelError(f"{path}: cannot read this model: {error.strerror or error}") from None


def _padding(size: int) -> bytes:
    """Return the zeros that pad this many bytes to a multiple of the alignment."""
    return bytes(-size % _ALIGNMENT)
