"""What this process may use: the memory and the processors of its machine, or of its container or job."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from aligner.errors import ConfigError

_GROUPS = Path("/sys/fs/cgroup")
"""Where Linux shows the limits of control groups, of the one that a container sees as its own at the top."""

_OWN_GROUPS = Path("/proc/self/cgroup")
"""Which of them this process is in: numbers, controllers and path, between colons."""

_UNKNOWN = 1 << 60
"""What a machine has that does not say."""


def memory() -> int:
    """Bytes of memory that there are, or that this process's control groups are allowed."""
    sizes = [_memory_of_machine()]
    for folder in _own_groups("memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            sizes += _numbers(folder / name)[:1]
    return min(sizes)


def processors() -> int:
    """How many processors this process may run on, or get the time of."""
    counts = [_processors_of_machine()]
    for folder in _own_groups("cpu"):
        for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
            match [number for name in names for number in _numbers(folder / name)]:
                case [time, period] if time > 0 and period > 0:
                    counts.append(-(-time // period))
    return min(counts)


def _own_groups(controller: str) -> Iterator[Path]:
    """The folders of the control groups of this process that have to do with something, up to the top."""
    try:
        lines = _OWN_GROUPS.read_text().splitlines()
    except OSError:  # another system, or one that hides it
        lines = ["0::/", f"0:{controller}:/"]
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        own = PurePosixPath(path.removeprefix("/"))
        for group in (own, *own.parents):
            yield _GROUPS / (controller if controllers else "") / group


def _numbers(path: Path) -> list[int]:
    """The numbers in a file, none if there is no such file, or if it sets no limit."""
    try:
        return [int(number) for number in path.read_text().split()]
    except (OSError, ValueError):
        return []


def _processors_of_machine() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory_of_machine() -> int:
    if sys.platform == "win32":
        return _memory_of_windows()
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _memory_of_windows() -> int:
    import ctypes

    class Status(ctypes.Structure):  # MEMORYSTATUSEX
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("total", *"abcdef")),
        )

    status = Status(length=ctypes.sizeof(Status))
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):  # type: ignore[attr-defined, unused-ignore]
        return _UNKNOWN
    return int(status.total)


_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def parse_size(given: str | int) -> int:
    """Bytes of a size such as 800M or 2.5G, or of a number of them; ConfigError if it is none."""
    text = str(given)
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", text.strip(), re.ASCII | re.IGNORECASE)
    size = float(match[1]) * _UNITS[match[2].lower()] if match else 0.0
    if size < 1:
        raise ConfigError(f"memory size {text!r}: expected a number and a unit, such as 800M or 2.5G")
    return int(size)


def format_size(size: int) -> str:
    """A number of bytes for people."""
    return f"{size / (1 << 30):.1f} GiB" if size >= 1 << 30 else f"{max(size >> 20, 1):,} MiB"
