"""Alignments of Scripture Burrito, as Bible translators have them. Pairs are verses, such as `MAT 1:1`.

Records of source words and target words, of which each is linked with each.

Words are BBCCCVVVWWWP in the scheme BCVWP: book, chapter, verse, word from 1, and part of the word, 1 for the
whole word. If the text has a table of tokens, ids are those of the table. Without a table, verses that a text
joins have the number of the first of them, and all parts of a word are that word. The confidence of a record
is the mean probability of its links. Of files that are read, records of the type translation count, also
those of the older form `[{"source_ids": ..., "target_ids": ...}]`. The links of a record are forbidden if its
status is rejected. They are possible if the record needs review, or if a program made it and nobody approved
it (origin other than manual, status created). All others are sure.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from aligner.errors import DataError
from aligner.files.json_text import parse_json
from aligner.files.opening import PathLike
from aligner.links.alignments import Link
from aligner.links.line_tokens import LineTokens
from aligner.links.linked_pairs import LinkedPair
from aligner.messages import counted, display_name
from aligner.scripture.token_table import Token
from aligner.scripture.verses import Verse

_WITHOUT_WORDS = "without words of both sides in the scheme BCVWP"

CREATOR = "accord-align"
"""The origin of records that are written."""


def verse_of(pair: LinkedPair) -> Verse:
    """Return the verse of a pair; DataError if its id is none."""
    try:
        return Verse.parse(pair.id)
    except ValueError as error:
        raise DataError(f"sentence pair {pair.number}: {error}; name the verses (--ids)") from None


def read(
    path: PathLike,
    lines: Iterable[str],
    report: Callable[[str], object],
    tokens: Sequence[LineTokens] = (LineTokens(), LineTokens()),
) -> Iterator[LinkedPair]:
    """Yield the verses of a file, and report records that are left out; DataError for another file.

    tokens: the tokens of the source and of the target, which say what ids mean.
    """
    verses: dict[str, dict[Link, tuple[str, float]]] = {}
    left_out = Counter[str]()
    tables = " and ".join(own.file for own in tokens if own.file)
    missing = f"with ids of no token of these lines in {tables}" if tables else _WITHOUT_WORDS
    number = 0
    try:
        for record, roles in _records(parse_json("\n".join(lines))):
            number += 1
            units = record | dict(zip(roles, record.get("references", []), strict=False))
            sides = units["source"], units["target"]
            places = [
                [own.place(id) for id in (side["selectors"] if isinstance(side, dict) else side)]
                for side, own in zip(sides, tokens, strict=True)
            ]
            source, target = ([place for place in side if place] for side in places)
            kind = _kind(meta := record.get("meta") or {})
            names = {name for name, _ in (*source, *target)}
            if not (source and target) or [source, target] != places:
                left_out[missing] += 1
            elif len(names) > 1:
                left_out["across verses"] += 1
            else:
                left_out["rejected"] += kind == "forbidden"
                cells = verses.setdefault(names.pop(), {})
                for cell in product((i for _, i in source), (j for _, j in target)):
                    if kind != "forbidden" or cell not in cells:
                        cells[cell] = kind, float(meta.get("confidence", -1))
        if number and not verses:
            raise ValueError(f"found no record of one verse, but {number:,} others")
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise DataError(
            f"{display_name(path)}: {f'record {number}: ' if number else ''}{error}; expected an alignment of"
            f" Scripture Burrito, with records in the scheme BCVWP"
        ) from None
    if found := [f"{count:,} {reason}" for reason, count in left_out.items() if count]:
        report(f"{display_name(path)}: left out of {counted(number, 'record')}: {', '.join(found)}")
    known = all(0 <= p <= 1 for cells in verses.values() for kind, p in cells.values() if kind != "forbidden")
    for name, cells in verses.items():
        links = [cell for cell in sorted(cells) if cells[cell][0] != "forbidden"]
        sure = [cell for cell in links if cells[cell][0] == "sure"]
        forbidden = sorted(cells.keys() - {*links})
        probabilities = [cells[cell][1] for cell in links] if known else ()
        yield LinkedPair(links, sure, probabilities, forbidden, id=name)


def write(pairs: Iterable[LinkedPair]) -> Iterator[str]:
    """Yield the text of a document in parts; DataError for a pair that is no verse, or has too many words."""
    group = {
        "type": "translation",
        "meta": {"conformsTo": "0.4", "creator": CREATOR},
        "documents": [{"scheme": "BCVWP", "docid": "source"}, {"scheme": "BCVWP", "docid": "target"}],
        "roles": ["source", "target"],
    }
    head = json.dumps({"format": "alignment", "version": "0.4", "groups": [group]})
    yield from with_records(head.removesuffix("}]}"), map(json.dumps, records_of(pairs)), "}]}")


def with_records(head: str, records: Iterable[str], tail: str) -> Iterator[str]:
    """Yield the beginning of a document, its records, one on each line, and its end."""
    yield f'{head}, "records": ['
    separator = "\n"
    for record in records:
        yield separator + record
        separator = ",\n"
    yield f"\n]{tail}\n"


def records_of(pairs: Iterable[LinkedPair], part: str = "1") -> Iterator[dict[str, Any]]:
    """Yield the records of verses. part: the digit after the number of each word."""
    for pair in pairs:
        verse = verse_of(pair)
        if verse.part or verse.last_part:
            raise DataError(
                f"found the verse {pair.id}; expected whole verses, which have numbers; join its parts, or"
                f" choose another format, such as usfm"
            )
        key = verse.number
        # Source words with the same links are one record.
        linked: dict[int, list[int]] = {}
        for i, j in pair.links:
            linked.setdefault(i, []).append(j)
        units: dict[tuple[int, ...], list[int]] = {}
        for i, others in linked.items():
            units.setdefault(tuple(others), []).append(i)
        probability = dict(zip(pair.links, pair.probabilities, strict=False))
        for number, (target, source) in enumerate(units.items(), 1):
            if max(*source, *target) >= 999:
                raise DataError(f"{pair.id}: found word {max(*source, *target) + 1}; expected at most 999")
            meta: dict[str, Any] = {"id": f"{key}.{number:03}", "origin": CREATOR, "status": "created"}
            if probability:
                values = [probability[i, j] for i in source for j in target]
                meta["confidence"] = round(sum(values) / len(values), 4)
            own, other = pair.tokens
            words = {"source": _ids_of(source, own, key, part), "target": _ids_of(target, other, key, part)}
            yield {**words, "meta": meta}


def _ids_of(positions: Iterable[int], tokens: Sequence[Sequence[Token]], verse: str, part: str) -> list[str]:
    """Return the ids of the tokens of words, or, without tokens, ids made of verse, word number and part."""
    found = [token.id for k in positions for token in (tokens[k] if tokens else ()) if token.id]
    return found or [f"{verse}{position + 1:03}{part}" for position in positions]


def _records(document: Any) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield the records of translations, each with its roles."""
    if document and isinstance(document, list):  # as of the package bible-alignments before 0.4
        own = ({"source": row["source_ids"], "target": row["target_ids"], **row} for row in document)
        document = {"records": own}
    for group in document.get("groups", [document]):
        for record in group["records"]:
            if record.get("type", group.get("type", "translation")) == "translation":
                yield record, group.get("roles", ["source", "target"])


def _kind(meta: Mapping[str, Any]) -> str:
    """Return whether the links of a record are sure, possible or forbidden."""
    status = meta.get("status", "created")
    if status == "rejected":
        return "forbidden"
    by_hand = meta.get("origin", meta.get("process", "manual")) == "manual"
    return "sure" if status == "approved" or (by_hand and status != "needsReview") else "possible"
