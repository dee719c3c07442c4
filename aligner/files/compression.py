"""Compression of files: recognised by the suffix of the name, or else by the first bytes."""

from __future__ import annotations

import importlib
import io
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any, BinaryIO, NamedTuple, cast

from aligner.errors import DataError
from aligner.messages import missing_extra

_BUFFER_BYTES = 1 << 18


class _Codec(NamedTuple):
    """A kind of compression.

    signature: a pattern of the first bytes of compressed data, like which no text begins; decompressor: the
    name of the class that decompresses one stream, which gzip has not, and does not need (see ``_Streams``);
    modules: the modules that have it, the first of which is preferred.
    """

    signature: bytes
    decompressor: str | None
    modules: tuple[str, ...]


_CODECS = {
    ".gz": _Codec(rb"\x1f\x8b", None, ("gzip",)),
    ".bz2": _Codec(rb"BZh[1-9]1AY&", "BZ2Decompressor", ("bz2",)),
    ".xz": _Codec(rb"\xfd7zXZ\0", "LZMADecompressor", ("lzma",)),
    # in the standard library since Python 3.14
    ".zst": _Codec(rb"\x28\xb5\x2f\xfd", "ZstdDecompressor", ("compression.zstd", "backports.zstd")),
}
"""Codecs by the suffix of compressed files."""


def compression(name: str) -> str:
    """Return the suffix of a name that stands for compression, in lowercase; empty if there is none."""
    suffix = os.path.splitext(name)[1].lower()
    return suffix if suffix in _CODECS else ""


def codec_of(suffix: str, name: str) -> ModuleType | None:
    """Return the module that reads and writes files of a suffix; None if it is empty. name: for messages."""
    if not suffix:
        return None
    for module in _CODECS[suffix].modules:
        with suppress(ImportError):
            return importlib.import_module(module)
    if suffix == ".zst":
        raise DataError(f"{missing_extra(f'{name}: a {suffix} file', 'zstd')}, or use another compression")
    raise DataError(
        f"{name}: found a {suffix} file; expected the Python module {module} for it, which is not installed;"
        f" install a Python that has it, or use another compression"
    )


@contextmanager
def decompressed(raw: io.BufferedIOBase, name: str) -> Iterator[io.BufferedIOBase]:
    """Lend the decompressed content of an open file, or the file itself if it is not compressed."""
    suffix = compression(name) or compression_of(raw.peek(16) if isinstance(raw, io.BufferedReader) else b"")
    codec = codec_of(suffix, name)
    if codec is None:
        yield raw
    else:
        with io.BufferedReader(_Decompressed(raw, codec, name, suffix), _BUFFER_BYTES) as stream:
            yield stream


def compression_of(first: bytes) -> str:
    """Return the suffix for compressed data that begin with these bytes; empty if they are not compressed."""
    return next((suffix for suffix, codec in _CODECS.items() if re.match(codec.signature, first)), "")


class _Streams:
    """The content of one compressed stream after another.

    The files of these codecs take what follows a stream for the end if it does not begin like a stream. That
    would drop the rest of a text silently. gzip's files raise an error.
    """

    def __init__(self, raw: io.BufferedIOBase, new: Callable[[], Any]) -> None:
        self._raw = raw
        self._new = new
        self._decompressor = new()

    def read(self, size: int) -> bytes:
        """Return 1 to ``size`` bytes, or none at the end."""
        data = b""
        while not data:
            rest = b""
            if self._decompressor.eof:
                rest = self._next_stream()
                if not rest:
                    return b""
                self._decompressor = self._new()
            elif self._decompressor.needs_input:
                rest = self._raw.read1(_BUFFER_BYTES)
                if not rest:
                    raise EOFError("it ends in the middle of a stream")
            data = self._decompressor.decompress(rest, size)
        return data

    def _next_stream(self) -> bytes:
        """Return the first bytes of the next stream, without the zeros that xz allows before it."""
        rest = self._decompressor.unused_data.lstrip(b"\0")
        while not rest:
            chunk = self._raw.read1(_BUFFER_BYTES)
            if not chunk:
                return b""
            rest = chunk.lstrip(b"\0")
        return bytes(rest)


class _Decompressed(io.RawIOBase):
    """The decompressed bytes of an open file. Damaged data raise DataError, whatever the codec raises."""

    def __init__(self, raw: io.BufferedIOBase, codec: ModuleType, name: str, suffix: str) -> None:
        new = _CODECS[suffix].decompressor
        self._stream: Any = _Streams(raw, getattr(codec, new)) if new else codec.open(raw, "rb")
        self._name, self._suffix = name, suffix
        self._lines = 0
        own = (getattr(codec, name, OSError) for name in ("LZMAError", "ZstdError"))
        self._damage = (OSError, EOFError, zlib.error, *own)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read(len(buffer))
        except self._damage as error:
            raise DataError(
                f"{self._name}:{self._lines + 1}: cannot be decompressed from about here ({error}); "
                f"expected a complete {self._suffix} file; copy or compress it again"
            ) from error
        buffer[: len(data)] = data
        self._lines += data.count(b"\n")
        return len(data)


@contextmanager
def compressed(raw: BinaryIO, codec: ModuleType | None) -> Iterator[BinaryIO]:
    """Lend a stream that compresses into an open file. The context ends the compressed data, not the file."""
    if codec is None:
        yield raw
    elif codec.__name__ == "gzip":  # without name and time in the header, so that equal data give equal files
        with codec.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) as stream:
            yield cast(BinaryIO, stream)
    else:
        with codec.open(raw, "wb") as stream:
            yield stream
