"""Sets of shards as text, such as 1-4,7."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aligner.errors import ConfigError


def parse_shards(text: str) -> list[int]:
    """Return the shards that a text names, ascending.

    Raises
    ------
    ConfigError
        If the text has another form, a range descends, or a shard is named twice.
    """
    shards: list[int] = []
    for item in text.split(","):
        found = re.fullmatch(r"([0-9]{1,7})(?:-([0-9]{1,7}))?", item)
        if found is None:
            raise ConfigError(f"found shards {text!r}; expected numbers from 1 and ranges, such as 1-4,7")
        first, last = int(found[1]), int(found[2] or found[1])
        if first > last:
            raise ConfigError(f"found shards {text!r}; expected ranges that ascend, such as 1-4,7")
        shards += range(first, last + 1)
    if min(shards) < 1 or len(set(shards)) < len(shards):
        raise ConfigError(f"found shards {text!r}; expected different numbers from 1, such as 1-4,7")
    return sorted(shards)


def describe_shards(shards: Iterable[int]) -> str:
    """Return shards as text, with ranges where possible."""
    runs: list[list[int]] = []
    for shard in sorted(shards):
        if runs and runs[-1][1] == shard - 1:
            runs[-1][1] = shard
        else:
            runs.append([shard, shard])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
