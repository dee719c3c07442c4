"""Files of what was compiled, safe to edit kernels under."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source, source_hash
from pathlib import Path
from typing import Any


def _checksum(data: bytes) -> str:
    """That by which Python knows a source again; to import ``hashlib`` takes longer than to link a kernel."""
    return source_hash(data).hex()


@cache
def _sources() -> str:
    """A checksum of this room's sources."""
    return _checksum(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))


@cache
def _sources_with(own: str) -> str:
    """The same, and of a function's own source, should that be elsewhere."""
    path = Path(own)
    if path.parent == Path(__file__).parent or not path.is_file():
        return _sources()
    return f"{_sources()}-{_checksum(path.read_bytes())}"


class CodeFile:
    """A file with what was compiled of one kernel for arguments of one form, on one kind of processor.

    paths: where it may be; it is saved to the first that can be written. sources: a checksum of all that may
    be part of it; other ones make it stale.
    """

    def __init__(self, paths: list[Path], sources: str) -> None:
        self._paths, self._sources = paths, sources

    def load(self) -> bytes | None:
        """What was saved; None if there is nothing, or if it is stale or damaged."""
        for path in self._paths:
            with suppress(OSError):
                head, _, data = path.read_bytes().partition(b"\n")
                if head == self._head(data):
                    return data
        return None

    def save(self, data: bytes) -> bool:
        """Put this into a file, all at once, or not at all: a kernel can be compiled again. Whether it is."""
        for path in self._paths:
            part = path.with_suffix(f".{os.urandom(4).hex()}")
            # There may be no place to write to, or a full disk, or on Windows another process that reads it.
            with suppress(OSError):
                try:
                    part.parent.mkdir(parents=True, exist_ok=True)
                    part.write_bytes(self._head(data) + b"\n" + data)
                    part.replace(path)
                    return True
                finally:
                    part.unlink(missing_ok=True)
        return False

    def _head(self, data: bytes) -> bytes:
        return f"{self._sources} {_checksum(data)}".encode()


def code_file(function: Callable[..., Any], key: str) -> CodeFile:
    """The file of this function's code for what ``key`` says: a form of arguments, a processor.

    Any change in this room makes it stale: a kernel holds its helpers' code, wherever they are.
    """
    source = function.__code__.co_filename
    module = function.__module__.rpartition(".")[2]
    name = f"{module}.{function.__name__}-{_checksum(key.encode())}.code"
    return CodeFile([folder / name for folder in _folders(source)], _sources_with(source))


@cache
def _folders(source: str) -> list[Path]:
    """Where code may be of what a file defines, in the order in which these are tried.

    The folder that the environment says, or Python's own for what it compiles, or the user's.
    """
    given = os.environ.get("ALIGN_CACHE_DIR")
    if given:
        return [Path(given)]
    if not os.path.isfile(source):
        return []
    folders = [Path(cache_from_source(source)).parent]
    with suppress(RuntimeError):  # a user without a home
        folders.append(_user_folder() / "aligner" / _checksum(os.fsencode(folders[0])))
    return folders


def _user_folder() -> Path:
    """What the system sets apart for what a user's programs can make again."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
