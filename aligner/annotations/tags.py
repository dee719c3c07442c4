"""Tags of words, and spans as tags. The rules of projection are in the docstring of the package."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from aligner.annotations.spans import Span, place_apart
from aligner.annotations.word_links import WordLinks
from aligner.files.lines import words_of
from aligner.messages import excerpt

UNLINKED = "_"
"""The tag of a word without a link."""


BIO, BIOES = "BIIB", "BIES"
"""The letters of the tags of the first, an inner, the last and the only word of a span."""


def read_tags(line: str) -> tuple[int, list[str]]:
    """Return the number of words of a line of tags, and the tags."""
    tags = words_of(line)
    return len(tags), tags


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


def read_bio(line: str, letters: str = BIO) -> tuple[int, list[Span]]:
    """Parse the tags of a line into the number of words and the spans; ValueError for other tags.

    An `I-LABEL` or `E-LABEL` that continues no span of this label begins one.
    """
    spans: list[Span] = []
    is_open = False
    tags = words_of(line)
    for k, tag in enumerate(tags):
        kind, _, label = tag.partition("-")
        if tag != "O" and (len(kind) != 1 or kind not in letters or not label):
            *others, last = list(dict.fromkeys(letters))
            expected = f"{', '.join(['O', *(f'{other}-LABEL' for other in others)])} or {last}-LABEL"
            raise ValueError(f"found {excerpt(tag)}; expected {expected} for each word")
        if kind in "IE" and is_open and spans[-1].label == label:
            spans[-1] = spans[-1]._replace(end=k + 1)
        elif tag != "O":
            spans.append(Span(k, k + 1, label))
        is_open = kind in "BI"
    return len(tags), spans


def write_bio(spans: list[Span], words: Sequence[str], letters: str = BIO) -> str:
    """Return a tag for each word. The spans have no common words."""
    first, inside, last, only = list(letters)
    tags = ["O"] * len(words)
    for start, end, label in spans:
        kinds = [first, *inside * (end - start - 2), last] if end - start > 1 else [only]
        tags[start:end] = [f"{kind}-{label}" for kind in kinds]
    return " ".join(tags)


def project_bio(spans: list[Span], links: WordLinks) -> tuple[list[Span], int]:
    """Return the spans on the target side, without common words, and how many are left out."""
    runs = place_apart([(span.start, span.end) for span in spans], links, (0, links.target_length))
    projected = [Span(*run, span.label) for run, span in zip(runs, spans, strict=True) if run]
    return projected, len(spans) - len(projected)
