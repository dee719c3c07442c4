"""Refusals: what the message of an error says."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from aligner.errors import AlignerError


def refused(said: str, call: Callable, *arguments, error=AlignerError, **options) -> None:
    """Assert that a call is refused, and that the message has these parts in order, separated by " .. "."""
    with pytest.raises(error, match="(?s)" + ".*".join(map(re.escape, said.split(" .. ")))):
        call(*arguments, **options)
