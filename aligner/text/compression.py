"""Compressed files: known by their names, and where a name says nothing, by their first bytes."""

from __future__ import annotations

import importlib
import io
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any, BinaryIO, cast

from aligner.errors import DataError

_BUFFER_BYTES = 1 << 18

_CODECS = {
    ".gz": ("gzip",),
    ".bz2": ("bz2",),
    ".xz": ("lzma",),
    ".zst": ("compression.zstd", "backports.zstd"),  # in the standard library since Python 3.14
}

_BEGINNINGS = {
    ".gz": rb"\x1f\x8b",
    ".bz2": rb"BZh[1-9]1AY&",
    ".xz": rb"\xfd7zXZ\0",
    ".zst": rb"\x28\xb5\x2f\xfd",
}
"""How compressed data begin, and no text does."""


def compression(name: str) -> str:
    """The suffix of a file's name that says how it is compressed, lowercased; empty if it is not."""
    suffix = os.path.splitext(name)[1].lower()
    return suffix if suffix in _CODECS else ""


def codec_of(suffix: str, name: str) -> ModuleType | None:
    """The module that reads and writes what is compressed so, None for what is not; name: for messages."""
    if not suffix:
        return None
    for module in _CODECS[suffix]:
        with suppress(ImportError):
            return importlib.import_module(module)
    remedy = "pip install accord-align[zstd]" if suffix == ".zst" else "install a Python that has it"
    raise DataError(
        f"{name}: found a {suffix} file; expected the Python module {_CODECS[suffix][-1]} for it, which is "
        f"not installed; {remedy}, or use another compression"
    )


@contextmanager
def decompressed(raw: io.BufferedIOBase, name: str) -> Iterator[io.BufferedIOBase]:
    """The bytes of an open file, of this name, as they were before it was compressed, if it was."""
    suffix = compression(name) or compression_of(raw.peek(16) if isinstance(raw, io.BufferedReader) else b"")
    codec = codec_of(suffix, name)
    if codec is None:
        yield raw
    else:
        with io.BufferedReader(_Decompressed(raw, codec, name, suffix), _BUFFER_BYTES) as stream:
            yield stream


def compression_of(first: bytes) -> str:
    """The suffix of what is compressed and begins with these bytes, empty if it is not."""
    return next((suffix for suffix, begin in _BEGINNINGS.items() if re.match(begin, first)), "")


class _Decompressed(io.RawIOBase):
    """The decompressed bytes of an open file; whatever a codec says of damage is a DataError."""

    def __init__(self, raw: io.BufferedIOBase, codec: ModuleType, name: str, suffix: str) -> None:
        self._stream = codec.open(raw, "rb")
        self._name, self._suffix = name, suffix
        self._lines = 0
        own = ("LZMAError", "ZstdError")
        errors = (getattr(codec, error) for error in own if hasattr(codec, error))
        self._damage = (OSError, EOFError, zlib.error, *errors)

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

    def close(self) -> None:
        self._stream.close()
        super().close()


@contextmanager
def compressed(raw: BinaryIO, codec: ModuleType | None) -> Iterator[BinaryIO]:
    """Compress what goes to an open file; the end of the context ends the compressed data, not the file."""
    if codec is None:
        yield raw
    elif codec.__name__ == "gzip":  # without the name and the time that its header holds by default
        with codec.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) as stream:
            yield cast(BinaryIO, stream)
    else:
        with codec.open(raw, "wb") as stream:
            yield stream
