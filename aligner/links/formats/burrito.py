"""Alignments of Scripture Burrito, as Bible translators have them. Pairs are verses, such as `MAT 1:1`.

Records of source words and target words, of which each is linked with each.

Words are BBCCCVVVWWWP in the scheme BCVWP: book, chapter, verse, word from 1, and 1 for the whole word.
The source words of a record are all words of the verse with the same links. Its confidence is the mean
probability of its links. Of other files, records of the type translation are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aligner.errors import DataError
from aligner.links.alignments import Link
from aligner.links.linked_pairs import LinkedPair
from aligner.messages import display_name, excerpt
from aligner.text.files import PathLike
from aligner.text.lines import lines_of
from aligner.text.verses import Verse

_SELECTOR = re.compile(r"[a-z]?([0-9]{8})([0-9]{3})(1?)")


def verse_of(pair: LinkedPair) -> Verse:
    """Return the verse of a pair; DataError if its name is none."""
    try:
        return Verse.parse(pair.name)
    except ValueError as error:
        raise DataError(f"sentence pair {pair.id}: {error}; name the verses (--ids)") from None


def read(path: PathLike) -> Iterator[LinkedPair]:
    """Yield the verses of a file; DataError if it is no alignment of Scripture Burrito."""
    links: dict[str, dict[Link, float]] = {}
    try:
        document = json.loads("\n".join(lines_of(path)))
        for record in _records(document):
            confidence = float((record.get("meta") or {}).get("confidence", -1))
            sides = [[_word(selector) for selector in record[role]] for role in ("source", "target")]
            for verse, i in sides[0]:
                for other, j in sides[1]:
                    if verse != other:
                        raise ValueError(f"found a link from {verse} to {other}; expected one verse")
                    links.setdefault(verse, {})[i, j] = confidence
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(
            f"{display_name(path)}: {error}; expected an alignment of Scripture Burrito, with records in"
            f" the scheme BCVWP"
        ) from None
    known = all(0 <= p <= 1 for of_verse in links.values() for p in of_verse.values())
    for verse, of_verse in links.items():
        cells = sorted(of_verse)
        yield LinkedPair(cells, cells, [of_verse[cell] for cell in cells] if known else (), name=verse)


def write(pairs: Iterable[LinkedPair]) -> Iterator[str]:
    """Yield the text of a document in parts; DataError for a pair that is no verse, or has too many words."""
    group = {
        "type": "translation",
        "meta": {"conformsTo": "0.4", "creator": "accord-align"},
        "documents": [{"scheme": "BCVWP", "docid": "source"}, {"scheme": "BCVWP", "docid": "target"}],
        "roles": ["source", "target"],
    }
    head = json.dumps({"format": "alignment", "version": "0.4", "groups": [group]})
    yield f'{head.removesuffix("}]}")}, "records": ['
    separator = "\n"
    for pair in pairs:
        for record in _records_of(pair):
            yield separator + json.dumps(record)
            separator = ",\n"
    yield "\n]}]}\n"


def _records(document: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the records of translations, each with the selectors of its source and of its target."""
    for group in document.get("groups", [document]):
        for record in group["records"]:
            if record.get("type", group.get("type", "translation")) == "translation":
                roles = group.get("roles", ["source", "target"])
                units = record | dict(zip(roles, record.get("references", []), strict=False))
                for role in ("source", "target"):
                    if isinstance(units[role], dict):
                        units[role] = units[role]["selectors"]
                yield units


def _word(selector: str) -> tuple[str, int]:
    """Return the verse and the position, from 0, of a word."""
    match = _SELECTOR.fullmatch(selector)
    if match is None or match[2] == "000":
        raise ValueError(f"found {excerpt(selector)}; expected BBCCCVVVWWW or BBCCCVVVWWW1, a whole word")
    return str(Verse.of_number(match[1])), int(match[2]) - 1


def _records_of(pair: LinkedPair) -> Iterator[dict[str, Any]]:
    """Yield the records of a verse."""
    verse = verse_of(pair).number
    linked: dict[int, list[int]] = {}
    for i, j in pair.links:
        linked.setdefault(i, []).append(j)
    units: dict[tuple[int, ...], list[int]] = {}
    for i, others in linked.items():
        units.setdefault(tuple(others), []).append(i)
    probability = dict(zip(pair.links, pair.probabilities, strict=False))
    for number, (target, source) in enumerate(units.items(), 1):
        if max(*source, *target) >= 999:
            raise DataError(f"{pair.name}: found word {max(*source, *target) + 1}; expected at most 999")
        meta: dict[str, Any] = {"id": f"{verse}.{number:03}"}
        if probability:
            values = [probability[i, j] for i in source for j in target]
            meta["confidence"] = round(sum(values) / len(values), 4)
        yield {
            "source": [f"{verse}{i + 1:03}1" for i in source],
            "target": [f"{verse}{j + 1:03}1" for j in target],
            "meta": meta,
        }
