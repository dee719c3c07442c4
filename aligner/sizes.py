"""Sizes in memory as people write them."""

import re

from aligner.errors import ConfigError

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
