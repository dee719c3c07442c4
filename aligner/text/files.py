"""Files to read bytes from and to write bytes to, compressed or not; what is half-written is never seen."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from types import ModuleType
from typing import Any, BinaryIO, TextIO, cast

from aligner.errors import ConfigError, DataError
from aligner.text.compression import codec_of, compressed, compression, decompressed

PathLike = str | os.PathLike[str]

#: The name of standard input or standard output.
STANDARD_STREAM = "-"

_STDIN = (STANDARD_STREAM, "/dev/stdin")
_STDOUT = (STANDARD_STREAM, "/dev/stdout")


def display_name(path: PathLike) -> str:
    """Return the name of an input as messages show it."""
    return "<stdin>" if path == STANDARD_STREAM else os.fspath(path)


@contextmanager
def open_input(path: PathLike) -> Iterator[io.BufferedIOBase]:
    """Open a file to read bytes from, decompressed if it is compressed (.gz, .bz2, .xz, .zst); `-` is stdin.

    It is if its name says so, and if it has none of these endings, as stdin, but begins like such a file.
    The file is closed at the end of the context, stdin is not. Raises DataError if the file cannot be opened
    or its codec is not installed, and for what goes wrong in the context, where it is read, such as damaged
    compression.
    """
    try:
        if path == STANDARD_STREAM:
            with decompressed(_standard_input(), display_name(path)) as stream:
                yield stream
            return
        _codec(path)  # what cannot be read, whether or not it is there
        with open(path, "rb") as raw, decompressed(raw, os.fspath(path)) as stream:
            yield stream
    except OSError as error:
        raise DataError(
            f"{display_name(path)}: cannot be read ({error.strerror}); expected an existing, readable file; "
            f"check its name and permissions"
        ) from error


def _standard_input() -> io.BufferedIOBase:
    """Stdin, by a buffer of its own if it is a file: a thread may still wait there when the program ends.

    Python's own would be locked then, and ending with it locked is a fatal error.
    """
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except OSError:
        return cast(io.BufferedIOBase, sys.stdin.buffer)


def open_output(path: PathLike, *, compress: bool = True) -> AbstractContextManager[BinaryIO]:
    """Open a file to write bytes to in a context, compressed if its name says so (.gz, ...); `-` is stdout.

    With compress=False a name says nothing.

    A regular file gets its final name when the context ends without an exception, and never otherwise:
    nothing half-written can be mistaken for a result. Devices and pipes are written directly. The same bytes
    give the same file on every system and at any time. Raises DataError if the file cannot be created,
    written or finished; only BrokenPipeError, of a reader that has left, passes through.
    """
    if path in _STDOUT:  # opening the latter would truncate what is already written
        return _standard_output()
    codec = _codec(path) if compress else None
    return _direct_output(path, codec) if _is_special(path) else _atomic_output(path, codec)


def check_files(inputs: Mapping[str, PathLike | None], outputs: Mapping[str, PathLike | None]) -> None:
    """Raise ConfigError, before any work, where the files of a run get in each other's way.

    They are given by what messages call them, None if not asked for. No output may be the same file as
    another output or an input, by whatever name; a device such as /dev/null may be many. One input at most
    is standard input. No name is empty.
    """
    read = {what: path for what, path in inputs.items() if path is not None}
    written = {what: path for what, path in outputs.items() if path is not None}
    for what, path in (*read.items(), *written.items()):
        if not os.fspath(path):
            raise ConfigError(f"{what}: found an empty name; expected a file's; is a shell variable not set?")
    standard = [what for what, path in read.items() if path in _STDIN]
    if len(standard) > 1:
        raise ConfigError(
            f"found - for {standard[0]} and {standard[1]}; expected one at most from standard input; name a "
            f"file"
        )
    taken = {_place(path, path in _STDIN, sys.stdin): f"{what} {path}" for what, path in read.items()}
    for what, path in written.items():
        place = _place(path, path in _STDOUT, sys.stdout)
        if place in taken:
            raise ConfigError(
                f"found the same file for {taken[place]} and {what} {path}; expected one of its own for each "
                f"output; name another"
            )
        taken[place] = f"{what} {path}"


def _place(path: PathLike, is_standard: bool, stream: TextIO) -> object:
    """What is equal for all names of a file; of a device that is no standard stream, always new."""
    try:
        status = os.fstat(stream.fileno()) if is_standard else os.stat(path)
    except OSError:
        return stream if is_standard else os.path.normcase(os.path.realpath(path))
    if status.st_ino and (stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
        return status.st_dev, status.st_ino
    return stream if is_standard else object()


def check_output(path: PathLike, *, compress: bool = True) -> None:
    """Raise DataError before a long computation where `open_output` would after it.

    And for what is not to be compressed, but has a name that says so, or would be shown on a terminal.
    """
    if not compress:
        suffix = compression(os.fspath(path))
        if suffix:
            raise DataError(f"{path}: found {suffix}; expected another name, since a model is not compressed")
        if path in _STDOUT and sys.stdout.isatty():
            raise DataError(f"{path}: found a terminal; expected a file, since a model is no text; name one")
    if path == STANDARD_STREAM:
        return
    if compress:
        _codec(path)
    with _writing(path):
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _is_special(path):
            temporary = _temporary(os.path.realpath(path))
            try:
                open(temporary, "xb").close()
            finally:
                with suppress(OSError):
                    os.unlink(temporary)


def _codec(path: PathLike) -> ModuleType | None:
    """What compresses a file of this name."""
    return codec_of(compression(os.fspath(path)), os.fspath(path))


def _is_special(path: PathLike) -> bool:
    """Tell whether a path names something to write into, such as a device, and not a file to replace."""
    # /dev/stdout leads to a regular file when the shell has redirected it, and is not to be replaced then.
    parent = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    if parent in ("/dev", "/dev/fd") or parent.startswith("/proc/"):
        return True
    return os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    """Lend the binary side of stdout."""
    with _writing("<stdout>"):  # all else that is read and written says itself which file it is
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()


@contextmanager
def _direct_output(path: PathLike, codec: ModuleType | None) -> Iterator[BinaryIO]:
    """Write into a device or a pipe, which cannot be replaced by a finished file."""
    with _create(path, path, "wb") as raw, compressed(raw, codec) as stream:
        yield stream


@contextmanager
def _atomic_output(path: PathLike, codec: ModuleType | None) -> Iterator[BinaryIO]:
    """Write under a temporary name in the same directory, and rename when all is well."""
    final = os.path.realpath(path)  # a symbolic link stays, and the file it leads to is replaced
    temporary = _temporary(final)
    try:
        with _create(path, temporary, "xb") as raw:
            with compressed(raw, codec) as stream:
                yield stream
            with _writing(path):
                raw.flush()
                os.fsync(raw.fileno())  # a crash must not leave the final name on missing content
        with _writing(path):
            if os.path.exists(final):
                os.chmod(temporary, stat.S_IMODE(os.stat(final).st_mode))
            os.replace(temporary, final)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _temporary(final: str) -> str:
    """A name beside the final one that no other file has."""
    return f"{final}.{os.urandom(4).hex()}.tmp"


def _create(path: PathLike, name: PathLike, mode: str) -> BinaryIO:
    """Open a file under a name, which errors call by the path that the user gave."""
    with _writing(path):
        return cast(BinaryIO, io.BufferedWriter(_Written(path, name, mode)))


class _Written(io.FileIO):
    """A file under a name, whose errors of writing call it by the path that the user gave."""

    def __init__(self, path: PathLike, name: PathLike, mode: str) -> None:
        super().__init__(name, mode)
        self._path = path

    def write(self, data: Any) -> Any:
        with _writing(self._path):
            return super().write(data)


@contextmanager
def _writing(path: PathLike) -> Iterator[None]:
    """Turn an OSError into a DataError that says which file cannot be written."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(
            f"{os.fspath(path)}: cannot be written ({error.strerror}); expected a writable place in an "
            f"existing directory; check the name, the permissions and the free space"
        ) from error
