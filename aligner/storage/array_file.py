"""Array files: named arrays and a header in one checksummed file.

Layout, little-endian: 8 bytes ``ACCORDAL``; uint32 format version; uint32 header length; uint32 CRC-32 of the
header; the header, UTF-8 JSON padded with spaces to a multiple of 64 bytes; then the arrays, each padded with
zeros to a multiple of 64 bytes. The header lists the name, type, shape, offset and CRC-32 of every array, in
the order of the file. The checksums include the padding, so every byte of the file is checked.

A checksum finds damage, but the author of a hostile file can compute it. So the reader trusts no value of
the header before it has checked it, and the readers of models and checkpoints check every array.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner._version import __version__
from aligner.errors import DamagedError, ModelError
from aligner.files.compression import compression_of
from aligner.files.opening import open_output
from aligner.storage.checks import require, take

MAGIC = b"ACCORDAL"
FORMAT_VERSION = 1
_PREFIX = struct.Struct("<8sIII")
_ALIGNMENT = 64
_CHUNK_BYTES = 1 << 24
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows has no such flag
_MOST = 1 << 48  # NumPy refuses larger shapes, even of no element
_MOST_AXES = 32  # NumPy before 2.0 refuses more
_TYPES = ("|u1", "|i1", "|b1", *(f"<{kind}{size}" for kind in "uif" for size in (2, 4, 8)))


def write(
    path: str | Path,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray],
    *,
    durable: bool = True,
    follow_links: bool = True,
) -> None:
    """Write a header and named arrays. The path never holds an incomplete file.

    durable: False if the file may be lost when the machine fails; follow_links: as for ``open_output``.
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
    with open_output(path, compress=False, durable=durable, follow_links=follow_links) as file:
        file.write(_PREFIX.pack(MAGIC, FORMAT_VERSION, len(encoded), zlib.crc32(encoded)))
        file.write(encoded)
        for array in arrays.values():
            file.write(bytes_of(array))
            file.write(_padding(array.nbytes))


def read(path: Path, *, follow_links: bool = True) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Read a file, check every byte, and return the header and the arrays.

    The arrays are copies in memory, so a later change of the file cannot reach them. Raises ModelError if the
    file is damaged or from a newer version, or, without follow_links, if the path is a symbolic link.
    """
    with opened(path, follow_links=follow_links) as file:
        return file.header, dict(file)


def read_header(path: str | Path, *, follow_links: bool = True) -> dict[str, Any]:
    """Return the header of a file, without reading its arrays; raise ModelError as ``read`` does."""
    with _open_file(Path(path), follow_links) as file:
        return _read_header(file, Path(path))


def fingerprint(path: str | Path, *, follow_links: bool = True) -> str:
    """Return a hash of the header of a file, which has the checksums of all arrays."""
    header = read_header(path, follow_links=follow_links)
    return hashlib.sha256(json.dumps(header, sort_keys=True).encode()).hexdigest()[:32]


@contextmanager
def opened(path: Path, *, follow_links: bool = True) -> Iterator[Reader]:
    """Open a file to read some of its arrays; raise ModelError as ``read`` does."""
    with _open_file(path, follow_links) as file:
        header = _read_header(file, path)
        try:
            yield Reader(header, file, path)
        except DamagedError as error:  # maybe of another file that is open at the same time
            raise DamagedError(error.reason, error.path or path) from None


class Reader(Mapping[str, NDArray]):
    """The arrays of an open file. Each is read and checked when it is asked for.

    Attributes
    ----------
    header
        The header of the file.
    path
        The path of the file.
    """

    def __init__(self, header: dict[str, Any], file: BinaryIO, path: Path) -> None:
        self.header = header
        self.path = path
        self._file = file
        self._begin = file.tell()
        self._entries = {entry.name: entry for entry in _entries_of(header)}
        size, remaining = header["bytes"], os.fstat(file.fileno()).st_size - self._begin
        require(size <= remaining, f"its arrays have {size:,} bytes, but {remaining:,} are left: truncated?")
        require(size == remaining, "it has more bytes than its header says")

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, name: str) -> NDArray:
        entry = self._entries[name]
        self._file.seek(self._begin + entry.offset)
        array = np.empty(entry.shape, entry.dtype)
        self._file.readinto(bytes_of(array))  # type: ignore[attr-defined]
        self._check_padding(entry, zlib.crc32(bytes_of(array)))
        return array

    def chunks(self, name: str) -> Iterator[tuple[int, NDArray]]:
        """Yield the first row and the rows of one chunk of an array after another.

        A chunk is valid until the next one is requested. The array is checked when the last one has been
        read, so use no chunk before the end.
        """
        self._require(name in self, f"{name!r} is missing")
        entry = self._entries[name]
        length = entry.shape[0] if entry.shape else 0
        row_bytes = max(entry.size // max(length, 1), 1)
        rows = max(_CHUNK_BYTES // row_bytes, 1)
        buffer = np.empty((min(rows, length), *entry.shape[1:]), entry.dtype)
        checksum, position = 0, self._begin + entry.offset
        for first in range(0, length, rows):
            chunk = buffer[: length - first]
            self._file.seek(position + first * row_bytes)
            self._file.readinto(bytes_of(chunk))  # type: ignore[attr-defined]
            checksum = zlib.crc32(bytes_of(chunk), checksum)
            yield first, chunk
        self._file.seek(position + entry.size)
        self._check_padding(entry, checksum)

    def _check_padding(self, entry: _Entry, checksum: int) -> None:
        """Read the padding of an array, and raise DamagedError if the checksum of both does not match."""
        checksum = zlib.crc32(self._file.read(len(_padding(entry.size))), checksum)
        self._require(checksum == entry.crc32, f"the checksum of {entry.name} does not match")

    def _require(self, condition: bool, reason: str) -> None:
        """Raise DamagedError about this file unless a condition holds."""
        if not condition:
            raise DamagedError(reason, self.path)


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
        checksum = zlib.crc32(padding, zlib.crc32(bytes_of(array)))
        entries.append(_Entry(name, array.dtype.str, array.shape, offset, checksum)._asdict())
        offset += array.nbytes + len(padding)
    return entries, offset


class _Entry(NamedTuple):
    """The header's entry for an array."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    crc32: int

    @property
    def size(self) -> int:
        """The number of bytes, without padding."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)


def _entries_of(header: dict[str, Any]) -> Iterator[_Entry]:
    """Yield the entries of a header, checked; raise DamagedError if one has no meaning."""
    offset, names = 0, set()
    for entry in take(header, "arrays", list):
        require(type(entry) is dict, "an array's entry is no table")
        name, code, shape = take(entry, "name", str), take(entry, "dtype", str), take(entry, "shape", list)
        require(name not in names, f"{name} is there twice")
        require(code in _TYPES, f"{name} has the type {code}")
        possible = all(type(n) is int and n >= 0 for n in shape) and math.prod(n or 1 for n in shape) < _MOST
        require(possible and len(shape) <= _MOST_AXES, f"the shape of {name} is {shape}")
        require(take(entry, "offset", int) == offset, f"{name} does not begin where the array before it ends")
        checked = _Entry(name, code, tuple(shape), offset, take(entry, "crc32", int))
        yield checked
        names.add(name)
        offset += checked.size + len(_padding(checked.size))
    require(take(header, "bytes", int) == offset, "the sizes of its arrays do not add up")


def _read_header(file: BinaryIO, path: Path) -> dict[str, Any]:
    """Read and check the beginning of a file, up to its arrays."""
    prefix = file.read(_PREFIX.size)
    magic = prefix[: len(MAGIC)]
    if compression_of(magic):
        raise ModelError(f"{path}: found a compressed file; expected a plain one; decompress it first")
    if magic != MAGIC:
        raise ModelError(f"{path}: this is not a model of this program; align train ... -m MODEL writes one")
    if len(prefix) < _PREFIX.size:
        raise DamagedError(f"it has only {len(prefix)} bytes", path)
    _, version, length, checksum = _PREFIX.unpack(prefix)
    if version > FORMAT_VERSION:
        raise ModelError(
            f"{path}: found model format {version}; expected at most format {FORMAT_VERSION}; upgrade"
            " accord-align"
        )
    # ``read`` makes room for all bytes that it is asked for, and a damaged length may be 4 GiB.
    encoded = file.read(min(length, os.fstat(file.fileno()).st_size))
    try:
        header = json.loads(encoded)
        json.dumps(header, ensure_ascii=False).encode()  # a lone surrogate cannot be written again
    except (ValueError, RecursionError):
        header = None
    if version < 1 or zlib.crc32(encoded) != checksum or type(header) is not dict:
        raise DamagedError("its header is damaged", path)
    return header


@contextmanager
def _open_file(path: Path, follow_links: bool) -> Iterator[BinaryIO]:
    """Open a regular file to read; raise ModelError if that fails, or if reading fails in the context."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | (0 if follow_links else _NO_LINK))

    try:
        if path.exists() and not path.is_file():
            raise ModelError(f"{path}: found no regular file; expected a model; copy it to a regular file")
        with open(path, "rb", opener=opener) as file:
            yield file
    except OSError as error:
        if error.errno == errno.ELOOP and not follow_links:
            raise DamagedError("it is a symbolic link", path) from None
        raise ModelError(
            f"{path}: cannot be read ({error.strerror or error}); expected a model; check its name and"
            f" permissions, or train it: align train ... -m MODEL"
        ) from None


def _padding(size: int) -> bytes:
    """Return the zeros that pad this many bytes to a multiple of the alignment."""
    return bytes(-size % _ALIGNMENT)
