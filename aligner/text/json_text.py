"""JSON of other programs and other people."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; ValueError for anything else, for NaN, and for very deep brackets."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("found brackets that are nested too deep") from None


def _refuse(name: str) -> None:
    raise ValueError(f"found {name}; expected a number")
