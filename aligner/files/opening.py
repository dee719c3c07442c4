"""Files of bytes, compressed or not. An output file appears under its name only when it is complete."""

from __future__ import annotations

import errno
import glob
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any, BinaryIO, cast

from aligner.errors import ConfigError, DataError
from aligner.files.compression import codec_of, compressed, compression, decompressed
from aligner.messages import display_name

PathLike = str | os.PathLike[str]

STANDARD_STREAM = "-"
"""The name of standard input and of standard output."""

_STDIN_NAMES = (STANDARD_STREAM, "/dev/stdin")
_STDOUT_NAMES = (STANDARD_STREAM, "/dev/stdout")


@contextmanager
def open_input(path: PathLike) -> Iterator[io.BufferedIOBase]:
    """Open a file to read bytes, decompressed if it is compressed (.gz, .bz2, .xz, .zst); `-` is stdin.

    A file is compressed if its name has one of these suffixes, or if it begins like a compressed file. At
    the end of the context a file is closed, but stdin is not.

    Raises
    ------
    DataError
        If the file cannot be opened, read or decompressed, or if its codec is not installed. Errors of
        reading may occur later in the context.
    """
    try:
        if path == STANDARD_STREAM:
            with decompressed(_standard_input(), display_name(path)) as stream:
                yield stream
            return
        _codec(path)  # a missing codec is an error even if the file is missing, too
        with open(path, "rb") as raw, decompressed(raw, os.fspath(path)) as stream:
            yield stream
    except OSError as error:
        raise DataError(
            f"{display_name(path)}: cannot be read ({error.strerror}); expected an existing, readable file; "
            f"check its name and permissions"
        ) from error


def _standard_input() -> io.BufferedIOBase:
    """Return stdin, with a buffer of its own if it is a file.

    A thread may still wait for input when the program ends. Python's own buffer would be locked then, and
    ending with that lock held is a fatal error.
    """
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except OSError:
        return cast(io.BufferedIOBase, sys.stdin.buffer)


@contextmanager
def open_output(
    path: PathLike,
    *,
    compress: bool = True,
    durable: bool = True,
    follow_links: bool = True,
    in_place: bool = False,
) -> Iterator[BinaryIO]:
    """Open a file to write bytes to in a context; `-` is stdout.

    A regular file gets its final name only when the context ends without an exception, so that an incomplete
    file cannot be mistaken for a result. Devices and pipes are written directly. The same bytes give the same
    file on every system and at any time.

    Parameters
    ----------
    path
        The name of the file.
    compress
        Compress the file if its name has a suffix such as .gz.
    durable
        False if the file may be lost when the machine fails, which saves waiting for the disk.
    follow_links
        False to replace a symbolic link or a device of this name itself, not its target, in folders that
        others may write to.
    in_place
        True to write into an existing file, which another program may hold open to read the result.

    Raises
    ------
    DataError
        If the file cannot be created, written or completed.
    BrokenPipeError
        If the reader of a pipe has closed it.
    """
    if path in _STDOUT_NAMES:  # opening /dev/stdout would truncate a file that stdout is redirected to
        with _writing("<stdout>"):  # other streams name their own file in errors
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    codec = _codec(path) if compress else None
    # A device or a pipe cannot be replaced by a complete file.
    if follow_links and (is_special(path) or (in_place and os.path.exists(path))):
        with _create(path, path, "wb") as raw, compressed(raw, codec) as stream:
            yield stream
        return
    with _writing(path):
        final = _final_path(path) if follow_links else os.path.abspath(path)
    temporary = _temporary(final)
    try:
        with _create(path, temporary, "xb") as raw:
            with compressed(raw, codec) as stream:
                yield stream
            with _writing(path):
                raw.flush()
                if durable:  # after a crash, the final name must not lead to missing content
                    os.fsync(raw.fileno())
        with _writing(path):
            if os.path.isfile(final) and not os.path.islink(final):
                os.chmod(temporary, stat.S_IMODE(os.stat(final).st_mode))
            os.replace(temporary, final)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def write_texts(path: PathLike, texts: Iterable[str], *, errors: str = "strict", **options: bool) -> None:
    """Write texts to a file in UTF-8, one after another.

    errors: what becomes of lone surrogates, as for ``str.encode``; options: as for ``open_output``.
    """
    with open_output(path, **options) as file:
        file.writelines(text.encode("utf-8", errors) for text in texts)


def check_output(path: PathLike, *, compress: bool = True, in_place: bool = False) -> None:
    """Raise DataError, before a long computation, if `open_output` could not create the file.

    With compress=False, raise it also for a binary file whose name has a suffix of compression, or that would
    go to a terminal. in_place: as for ``open_output``.
    """
    if not compress:
        suffix = compression(os.fspath(path))
        if suffix:
            raise DataError(f"{path}: found {suffix}; expected another name, since a model is not compressed")
        if path in _STDOUT_NAMES and sys.stdout.isatty():
            raise DataError(
                f"{path}: found a terminal; expected a file, since a model is not text; name a file"
            )
    if path == STANDARD_STREAM:
        return
    if compress:
        _codec(path)
    with _writing(path):
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if in_place and os.path.isfile(path):
            open(path, "ab").close()
        elif not is_special(path):
            temporary = _temporary(_final_path(path))
            open(temporary, "xb").close()
            os.unlink(temporary)


def check_conflicts(inputs: Mapping[str, PathLike | None], outputs: Mapping[str, PathLike | None]) -> None:
    """Raise ConfigError, before any work, if the files of a run conflict.

    An output must not be the same file as an input or another output, under any of its names; a device such
    as /dev/null may have several uses. At most one input may be standard input. A named pipe may be only one
    input. No name may be empty.

    Parameters
    ----------
    inputs, outputs
        Paths by their names in messages; None for a file that is not used.
    """
    standard: list[str] = []
    used: dict[object, str] = {}
    files = [(role, path, False) for role, path in inputs.items() if path is not None]
    files += [(role, path, True) for role, path in outputs.items() if path is not None]
    for role, path, is_output in files:
        if not os.fspath(path):
            raise ConfigError(
                f"{role}: found an empty name; expected the name of a file; is a shell variable not set?"
            )
        if not is_output and path in _STDIN_NAMES:
            standard.append(role)
        if len(standard) > 1:
            raise ConfigError(
                f"found - for {standard[0]} and {standard[1]}; expected at most one input on standard input;"
                f" name a file"
            )
        identity, is_pipe = _identity(path, is_output)
        if identity in used and is_output:
            raise ConfigError(
                f"found the same file for {used[identity]} and {role} {path}; expected a different file for"
                f" each output; name another file"
            )
        if identity in used and is_pipe:
            raise ConfigError(
                f"found the same pipe for {used[identity]} and {role} {path}; expected two, since a pipe can"
                f" be read only once; name another one"
            )
        used[identity] = f"{role} {path}"


def _identity(path: PathLike, is_output: bool) -> tuple[object, bool]:
    """Return a key equal for all paths to one file, but new for each use of a device, and True for a pipe."""
    is_standard = path in (_STDOUT_NAMES if is_output else _STDIN_NAMES)
    stream = sys.stdout if is_output else sys.stdin
    try:
        status = os.fstat(stream.fileno()) if is_standard else os.stat(path)
    except OSError:
        return stream if is_standard else os.path.normcase(os.path.realpath(path)), False
    is_pipe = stat.S_ISFIFO(status.st_mode)
    if status.st_ino and (is_pipe or stat.S_ISREG(status.st_mode)):
        return (status.st_dev, status.st_ino), is_pipe
    return stream if is_standard else object(), False


def _codec(path: PathLike) -> ModuleType | None:
    """Return the module that compresses a file of this name; None if it is not compressed."""
    return codec_of(compression(os.fspath(path)), os.fspath(path))


def is_special(path: PathLike) -> bool:
    """Return True for "-", a device or a pipe, which are written into, not replaced as files are."""
    if path == STANDARD_STREAM:
        return True
    # /dev/stdout leads to a regular file if the shell has redirected it. That file must not be replaced.
    parent = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    if parent in ("/dev", "/dev/fd") or parent.startswith("/proc/"):
        return True
    return os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)


def _final_path(path: PathLike) -> str:
    """Return the file that an output replaces: a symbolic link stays, and the file that it leads to does not.

    Raises OSError if the name is a folder's, or if the links lead round in a circle.
    """
    if os.fspath(path).endswith(("/", os.sep)):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    final = os.path.realpath(path)
    if os.path.islink(final):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return final


def remove_temporary_files(path: PathLike) -> None:
    """Delete the temporary files of an output whose program was killed."""
    final = os.path.realpath(path)
    for name in glob.glob(f"{glob.escape(final)}.{'[0-9a-f]' * 8}.tmp"):
        with suppress(OSError):
            os.unlink(name)


def _temporary(final: str) -> str:
    """Return an unused name in the directory of the final name."""
    return f"{final}.{os.urandom(4).hex()}.tmp"


def _create(path: PathLike, name: PathLike, mode: str) -> BinaryIO:
    """Open a file under a name; errors show the path that the user gave."""
    with _writing(path):
        return cast(BinaryIO, io.BufferedWriter(_OutputFile(path, name, mode)))


class _OutputFile(io.FileIO):
    """A file under a temporary name, whose errors show the path that the user gave."""

    def __init__(self, path: PathLike, name: PathLike, mode: str) -> None:
        super().__init__(name, mode)
        self._path = path

    def write(self, data: Any) -> Any:
        with _writing(self._path):
            return super().write(data)


@contextmanager
def _writing(path: PathLike) -> Iterator[None]:
    """Turn an OSError into a DataError that names the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(
            f"{os.fspath(path)}: cannot be written ({error.strerror}); expected a writable file in an "
            f"existing directory; check the name, the permissions and the free space"
        ) from error


def lock(descriptor: int) -> bool:
    """Lock an open file or folder for this process, until it is closed; return False if another one has it.

    Return True also where no locks can be had, as on Windows and in some file systems.
    """
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        pass  # no locks can be had
    return True
