"""Parts of help texts: descriptions from registries, and examples."""

from __future__ import annotations

from typing import Any

from aligner.registry import Registry


def describe(registry: Registry[Any]) -> str:
    """Return the names and summaries of a registry, for the help text of an option."""
    return f"{registry.describe()}.".replace("`", "")


def examples(*commands: str) -> str:
    """Return examples for the end of the help text of a verb. Click does not wrap them."""
    return "\n".join(["\b", "Examples:", *(f"  {command}" for command in commands)])
