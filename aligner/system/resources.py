"""Memory and processors of this process: the limits of its machine, container or batch job."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from aligner.errors import ConfigError

_GROUPS = Path("/sys/fs/cgroup")
"""Folder of the limits of control groups on Linux. In a container, its top is the group of the container."""

_OWN_GROUPS = Path("/proc/self/cgroup")
"""The control groups of this process, one a line: number, controllers and path, separated by colons."""

PROGRAM = (195 if sys.version_info >= (3, 13) else 165) << 20
"""Bytes of the interpreter, NumPy, Numba and the code of the kernels; Python 3.13 takes more."""

_UNKNOWN = 1 << 60
"""Bytes of memory assumed for a machine that does not tell its memory."""


def memory() -> int:
    """Return the bytes of memory of the machine, or fewer if a control group of this process has a limit."""
    sizes = [_memory_of_machine()]
    for folder in _own_groups("memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            sizes += _numbers(folder / name)[:1]
    return min(sizes)


_MMAPPED, _TRIMMED = 1 << 25, 1 << 28
"""Bytes: larger arrays return to the system when they are freed, and so does more free memory than this."""


def keep_freed_memory() -> None:
    """Keep the freed arrays of a block of text for those of the next, where the C library is glibc.

    It would return them at once, with the GIL held, and the system fill new ones with zeros: 10 % of the CPU
    time of decoding.
    """
    if sys.platform == "linux":
        import ctypes

        with suppress(AttributeError):  # another C library
            mallopt = ctypes.CDLL(None).mallopt
            mallopt(-3, _MMAPPED)  # M_MMAP_THRESHOLD
            mallopt(-1, _TRIMMED)  # M_TRIM_THRESHOLD


def return_freed_memory() -> None:
    """Return memory that was freed in pieces to the system, where the C library is glibc.

    It keeps up to 64 MiB otherwise, and more between pieces that are in use.
    """
    if sys.platform == "linux":
        import ctypes

        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)


def processors() -> int:
    """Return the number of processors that this process may run on, given its affinity and CPU quotas."""
    counts = [_processors_of_machine()]
    for folder in _own_groups("cpu"):
        for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
            match [number for name in names for number in _numbers(folder / name)]:
                case [time, period] if time > 0 and period > 0:
                    counts.append(-(-time // period))
    return min(counts)


def _own_groups(controller: str) -> Iterator[Path]:
    """Yield the folders of this process's control groups for a controller, from its own group to the top."""
    try:
        lines = _OWN_GROUPS.read_text().splitlines()
    except OSError:  # not Linux, or hidden from this process
        lines = ["0::/", f"0:{controller}:/"]
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        own = PurePosixPath(path.removeprefix("/"))
        for group in (own, *own.parents):
            yield _GROUPS / (controller if controllers else "") / group


def _numbers(path: Path) -> list[int]:
    """Return the numbers in a file. A file that is missing or says "max" has none."""
    try:
        return [int(number) for number in path.read_text().split()]
    except (OSError, ValueError):
        return []


def _processors_of_machine() -> int:
    """Return the number of processors in this process's affinity mask, or of the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory_of_machine() -> int:
    """Return the bytes of physical memory."""
    if sys.platform == "win32":
        import ctypes

        # MEMORYSTATUSEX: its size and the load, of 4 bytes each, then the sizes of memories, physical first
        status = (ctypes.c_ulonglong * 8)(64)
        succeeded = ctypes.windll.kernel32.GlobalMemoryStatusEx(status)  # type: ignore[attr-defined, unused-ignore]
        return int(status[1]) if succeeded else _UNKNOWN
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def parse_size(value: str | int) -> int:
    """Return the bytes of a size such as 800M or 2.5G, or of a number of bytes; else raise ConfigError.

    A number of less than 1 MiB without a unit is refused: the unit was forgotten.
    """
    text = str(value)
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", text.strip(), re.ASCII | re.IGNORECASE)
    size = float(match[1]) * _UNITS[match[2].lower()] if match else 0.0
    if not (1 if match and match[2] else 1 << 20) <= size < math.inf:
        raise ConfigError(f"memory size {text!r}: expected a number and a unit, such as 800M or 2.5G")
    return int(size)


def format_size(size: int) -> str:
    """Return a number of bytes in MiB, or GiB from 1 GiB on, for messages."""
    return f"{size / (1 << 30):.1f} GiB" if size >= 1 << 30 else f"{max(size >> 20, 1):,} MiB"
