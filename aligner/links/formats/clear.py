"""Alignments as ClearAligner and biblealignlib read them: records of Scripture Burrito without groups."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from aligner.links.formats.burrito import CREATOR, read, records_of, with_records
from aligner.links.linked_pairs import LinkedPair

__all__ = ["read", "write"]


def write(pairs: Iterable[LinkedPair]) -> Iterator[str]:
    """Yield the text of a document in parts; DataError for a pair that is no verse, or has too many words."""
    without_confidence = (pair._replace(probabilities=()) for pair in pairs)
    head = json.dumps({"type": "translation", "meta": {"creator": CREATOR}}).removesuffix("}")
    yield from with_records(head, map(json.dumps, records_of(without_confidence, part="")), "}")
