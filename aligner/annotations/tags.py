"""Tags of words, and spans as tags. The rules of projection are in the docstring of the package."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from aligner.annotations.spans import Span, place_apart
from aligner.annotations.word_links import WordLinks
from aligner.messages import excerpt
from aligner.text.lines import words_of

UNLINKED = "_"
"""The tag of a word without a link."""


def write_tags(tags: list[str], words: Sequence[str]) -> str:
    """Return the tags of a line, separated by spaces."""
    return " ".join(tags)


def project_tags(tags: list[str], links: WordLinks) -> tuple[list[str], int]:
    """Return a tag for each target word, and how many of the words have no link."""
    votes: list[defaultdict[str, float]] = [defaultdict(float) for _ in range(links.target_length)]
    for i, tag in enumerate(tags):
        for j, weight in links.of_word(i):
            votes[j][tag] += weight
    projected = [max(vote, key=vote.__getitem__) if vote else UNLINKED for vote in votes]
    return projected, sum(not vote for vote in votes)


def read_bio(line: str) -> tuple[int, list[Span]]:
    """Parse the BIO tags of a line into the number of words and the spans; ValueError for other tags.

    An `I-LABEL` that continues no span of this label begins one.
    """
    return _read_spans(line, "BI", "O, B-LABEL or I-LABEL")


def read_bioes(line: str) -> tuple[int, list[Span]]:
    """Parse the BIOES tags of a line into the number of words and the spans; ValueError for other tags.

    An `I-LABEL` or `E-LABEL` that continues no span of this label begins one.
    """
    return _read_spans(line, "BIES", "O, B-LABEL, I-LABEL, E-LABEL or S-LABEL")


def _read_spans(line: str, kinds: str, expected: str) -> tuple[int, list[Span]]:
    """Return the number of words and the spans of tags, which have one of the letters or are `O`."""
    spans: list[Span] = []
    is_open = False
    tags = words_of(line)
    for k, tag in enumerate(tags):
        kind, _, label = tag.partition("-")
        if tag != "O" and (len(kind) != 1 or kind not in kinds or not label):
            raise ValueError(f"found {excerpt(tag)}; expected {expected} for each word")
        if kind in "IE" and is_open and spans[-1].label == label:
            spans[-1] = spans[-1]._replace(end=k + 1)
        elif tag != "O":
            spans.append(Span(k, k + 1, label))
        is_open = kind in "BI"
    return len(tags), spans


def write_bio(spans: list[Span], words: Sequence[str]) -> str:
    """Return a BIO tag for each word. The spans have no common words."""
    tags = ["O"] * len(words)
    for start, end, label in spans:
        tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
    return " ".join(tags)


def write_bioes(spans: list[Span], words: Sequence[str]) -> str:
    """Return a BIOES tag for each word. The spans have no common words."""
    tags = ["O"] * len(words)
    for start, end, label in spans:
        inside = [f"I-{label}"] * (end - start - 2)
        tags[start:end] = [f"B-{label}", *inside, f"E-{label}"] if end - start > 1 else [f"S-{label}"]
    return " ".join(tags)


def project_bio(spans: list[Span], links: WordLinks) -> tuple[list[Span], int]:
    """Return the spans on the target side, without common words, and how many are left out."""
    runs = place_apart([(span.start, span.end) for span in spans], links, (0, links.target_length))
    projected = [Span(*run, span.label) for run, span in zip(runs, spans, strict=True) if run]
    return projected, len(spans) - len(projected)
