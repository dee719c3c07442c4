"""Counts with their nouns, for messages."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 pair", "1,234 pairs". ``plural``: by default, the noun with an s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
