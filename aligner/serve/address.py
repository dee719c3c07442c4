"""The address of a workbench: port and secret word, kept so that an open page goes on after a restart."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from aligner.errors import DataError
from aligner.files.json_text import parse_json

_LONGEST = 200  # bytes
_ONLY_OURS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Address(NamedTuple):
    """A port, and the secret word of the requests that are answered there."""

    port: int
    secret: str

    def write(self, path: Path) -> None:
        """Write a file that this user alone can read; DataError if that is not possible."""
        try:
            path.unlink(missing_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump(self._asdict(), file)
        except OSError as error:
            raise DataError(f"{path}: cannot be written ({error.strerror})") from None


def read_address(path: Path) -> Address | None:
    """Return the address in a file; None for any other file, or one of another user or open to others."""
    try:
        with open(os.open(path, os.O_RDONLY | _ONLY_OURS), "rb") as file:
            status = os.fstat(file.fileno())
            is_closed = not status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
            is_ours = not hasattr(os, "geteuid") or (is_closed and status.st_uid == os.geteuid())
            address = Address(**parse_json(file.read(_LONGEST))) if is_ours else Address(0, "")
        is_valid = type(address.port) is int and 0 < address.port < 1 << 16
        return address if is_valid and re.fullmatch(r"[\w-]{22}", address.secret, re.ASCII) else None
    except (OSError, ValueError, TypeError):
        return None
