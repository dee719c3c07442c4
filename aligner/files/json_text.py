"""JSON of other programs and other people."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; ValueError for anything else.

    NaN, very deep brackets, and lone surrogates, which no file holds, are refused, too.
    """
    try:
        value = json.loads(text, parse_constant=_refuse)
        if (b"\\ud" if isinstance(text, bytes) else "\\ud") in text.lower():  # type: ignore[operator]
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except RecursionError:
        raise ValueError("found brackets that are nested too deep") from None
    except UnicodeEncodeError:
        raise ValueError("found a lone surrogate; expected valid Unicode") from None


def _refuse(name: str) -> None:
    raise ValueError(f"found {name}; expected a number")
