"""Conflicts between the files of a run: one file under two names, or an empty name."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from typing import TextIO

from aligner.errors import ConfigError
from aligner.text.files import STDIN_NAMES, STDOUT_NAMES, PathLike


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
    sources = {role: path for role, path in inputs.items() if path is not None}
    results = {role: path for role, path in outputs.items() if path is not None}
    for role, path in (*sources.items(), *results.items()):
        if not os.fspath(path):
            raise ConfigError(
                f"{role}: found an empty name; expected the name of a file; is a shell variable not set?"
            )
    standard = [role for role, path in sources.items() if path in STDIN_NAMES]
    if len(standard) > 1:
        raise ConfigError(
            f"found - for {standard[0]} and {standard[1]}; expected at most one input on standard input; name"
            f" a file"
        )
    used: dict[object, str] = {}
    for role, path in sources.items():
        identity, is_pipe = _identity(path, path in STDIN_NAMES, sys.stdin)
        if is_pipe and identity in used:
            raise ConfigError(
                f"found the same pipe for {used[identity]} and {role} {path}; expected two, since a pipe can"
                f" be read only once; name another one"
            )
        used[identity] = f"{role} {path}"
    for role, path in results.items():
        identity, _ = _identity(path, path in STDOUT_NAMES, sys.stdout)
        if identity in used:
            raise ConfigError(
                f"found the same file for {used[identity]} and {role} {path}; expected a different file for"
                f" each output; name another file"
            )
        used[identity] = f"{role} {path}"


def _identity(path: PathLike, is_standard: bool, stream: TextIO) -> tuple[object, bool]:
    """Return a key equal for all paths to one file, but new for each use of a device, and True for a pipe."""
    try:
        status = os.fstat(stream.fileno()) if is_standard else os.stat(path)
    except OSError:
        return stream if is_standard else os.path.normcase(os.path.realpath(path)), False
    is_pipe = stat.S_ISFIFO(status.st_mode)
    if status.st_ino and (is_pipe or stat.S_ISREG(status.st_mode)):
        return (status.st_dev, status.st_ino), is_pipe
    return stream if is_standard else object(), False
