"""Changes: the difference between two alignments of a text, by rows, and which are refused.

Each change is counted under one of its two words: the word that joins the other by a rule of words that join,
or else the word with more changes of the same kind. A link that is gone is counted with the new link in its
place, and both are refused together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from aligner.arrays import Float64s, Int64s, Integers
from aligner.decoding.attachment import Attached
from aligner.links.alignments import Alignments
from aligner.links.link_sets import columns_of, occurs_in, select
from aligner.messages import counted
from aligner.models.trained import TrainedModel
from aligner.serve.cell_words import Cell, Pair, Word
from aligner.serve.change_kinds import JOINED, Kinds
from aligner.view.records import Words

_Key = TypeVar("_Key", bound=Hashable)


class Changes:
    """The difference between two alignments of a text: a tree of kinds, their words, and their word pairs.

    A row is named by the numbers of its "kind", "word" and "pair", as far as it has them: the row of all
    changes by none.

    Parameters
    ----------
    before, after
        The alignments.
    words
        The words of both sides.
    model
        The model of the links after.
    attached
        The links after by which words join others.

    Attributes
    ----------
    lines
        The number of lines that differ.
    refused
        bool [changes], True for refused changes.
    """

    def __init__(
        self,
        before: Alignments,
        after: Alignments,
        words: tuple[Words, Words],
        model: TrainedModel,
        attached: Attached,
    ) -> None:
        remain = occurs_in(after, before)
        new, gone = select(after, ~remain), select(before, ~occurs_in(before, after))
        self._both, self._model = select(after, remain), model
        self._line, *at = columns_of(new, gone)
        self._at: Sequence[Integers] = at
        self._p = np.append(_weights(new), _weights(gone))
        self._is_gone = np.arange(len(self._line)) >= new.source.size
        self.lines = len(np.unique(self._line))
        self.refused = np.zeros(len(self._line), np.bool_)
        self._texts = [
            [side[n][k] for n, k in zip(self._line.tolist(), at.tolist(), strict=True)]
            for side, at in zip(words, self._at, strict=True)
        ]
        kinds = Kinds.of(before, new, gone, attached)
        self._words, word = _words_of(kinds, self._keys_of(kinds, attached))
        _, pair = _numbered((own.lower(), other.lower()) for own, other in zip(*self._texts, strict=True))
        self._levels = {"kind": kinds.kind, "word": word, "pair": pair[kinds.lead]}

    def _keys_of(self, kinds: Kinds, attached: Attached) -> list[list[str]]:
        """Return the words of the changes as keys of the lookup. Parts of words join others, too."""
        found = []
        for side, texts in enumerate(self._texts):
            known = [*dict.fromkeys(texts)]
            by_text = dict(zip(known, self._model.lookup.key("\n".join(known)).split("\n"), strict=True))
            own, words = [by_text[text] for text in texts], self._model.vocabularies[side].words
            for n in np.flatnonzero((kinds.rule >= 0) & (kinds.side == side)).tolist():
                own[n] = words[attached.word[kinds.rule[n]]]
            found.append(own)
        return found

    def describe(self) -> str:
        """Return how much changes, for messages."""
        return f"{counted(len(self._line), 'link')} would change in {counted(self.lines, 'line')}"

    def taken(self) -> dict[str, int]:
        """Return how many links are new and gone, and in how many lines. Refused changes do not count."""
        new, gone = np.bincount(self._is_gone[~self.refused], minlength=2).tolist()
        return {"new": new, "gone": gone, "lines": len(np.unique(self._line[~self.refused]))}

    def rows(self, first: int, count: int, **row: int) -> dict[str, Any]:
        """Return rows below a row as plain data, most changes first, and how many there are."""
        level = next(name for name in self._levels if name not in row)
        own = self._of(row)
        keys, at, counts = np.unique(self._levels[level][own], return_inverse=True, return_counts=True)
        shown = np.argsort(-counts, kind="stable")[first : first + count].tolist()
        rows = [{level: int(keys[k])} | self._record(level, own[at == k]) for k in shown]
        return {"rows": rows, "count": len(keys)}

    def _record(self, level: str, own: Int64s) -> dict[str, Any]:
        """Return a row as plain data, given its changes."""
        new, gone = np.split(own, [np.count_nonzero(~self._is_gone[own])])
        record: dict[str, Any] = {"counts": [len(new), len(gone)], "refused": int(self.refused[own].sum())}
        leads = new if len(new) else gone
        if level == "word":
            side, key = self._words[self._levels["word"][own[0]]]
            step = self._model.joining[side].get(key, 0) if self._levels["kind"][own[0]] == JOINED else 0
            text = Counter(self._texts[side][n] for n in leads.tolist()).most_common(1)[0][0]
            if step and self._model.lookup.key(text) != key:  # a part of the word joins
                text = self._model.vocabularies[side].spellings.get(key, key)
            record |= {"text": text, "side": side, "step": step}
        elif level == "pair":
            record["texts"] = self._most_frequent(leads)
            record["other"] = self._most_frequent(gone) if 0 < len(gone) < len(own) else None
        return record

    def _most_frequent(self, own: Int64s) -> Pair:
        """Return the most frequent word pair of changes, as the text writes it."""
        pairs = Counter((self._texts[0][n], self._texts[1][n]) for n in own.tolist())
        return pairs.most_common(1)[0][0]

    def line_records(self, first: int, count: int, **row: int) -> list[dict[str, Any]]:
        """Return lines with changes of a row as plain data, those with most probable changes first.

        A link is [i, j, probability, "both", "new" or "gone", True if it is a change of the row].
        """
        own = self._of(row)
        weights = np.bincount(self._line[own], self._p[own], len(self._both))
        lines = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)]
        return [{"line": n + 1, "links": self._links(n, own)} for n in lines[first : first + count].tolist()]

    def _links(self, n: int, chosen: Int64s) -> list[tuple[Any, ...]]:
        """Return the links of a line as plain data."""
        both = self._both[n : n + 1]
        at = np.flatnonzero(self._line == n)
        kinds, is_own = np.where(self._is_gone[at], "gone", "new"), np.isin(at, chosen)
        changed = (*(own[at] for own in (*self._at, self._p)), kinds, is_own)
        remain = [
            (i, j, p, "both", False) for (i, j), p in zip(both[0], _weights(both).tolist(), strict=True)
        ]
        return [*remain, *zip(*(own.tolist() for own in changed), strict=True)]

    def refuse(self, refused: bool, **row: int) -> None:
        """Refuse the changes of a row, or allow them; ValueError if it has none."""
        own = self._of(row)
        if not len(own):
            raise ValueError("found no such changes; learn first")
        self.refused[own] = refused

    def refused_words(self) -> set[Word]:
        """Return the words, as keys of the lookup, all of whose joining is refused."""
        joins, words = self._levels["kind"] == JOINED, self._levels["word"]
        refused = np.setdiff1d(words[joins], words[joins & ~self.refused])
        return {self._words[n] for n in refused.tolist()}

    def kept(self, links: Alignments) -> dict[Cell, bool]:
        """Return the cells that stay as they were: True for a link.

        These are the cells of refused changes, and links, both before and after, that ``links`` lacks.

        links: the accepted links, by a model in which fewer words join others.
        """
        lost = select(self._both, ~occurs_in(self._both, links))
        own = (values[self.refused].tolist() for values in (self._line, *self._at, self._is_gone))
        kept = {(n, i, j): was_link for n, i, j, was_link in zip(*own, strict=True)}
        return kept | {(n, i, j): True for n, links in enumerate(lost) for i, j in links}

    def _of(self, row: dict[str, int]) -> Int64s:
        """Return the numbers of the changes of a row."""
        masks = [self._levels[level] == number for level, number in row.items()]
        return np.flatnonzero(np.logical_and.reduce(masks) if masks else np.ones(len(self._line), np.bool_))


def _words_of(kinds: Kinds, keys: list[list[str]]) -> tuple[list[Word], Int64s]:
    """Return the words that changes are counted by, and the number of the word of each change."""
    words, numbers = _numbered((side, key) for side, own in enumerate(keys) for key in own)
    sides = numbers.reshape(2, -1)[:, kinds.lead]
    codes = kinds.kind * len(words) + sides
    often = np.bincount(codes.ravel())[codes]
    is_target = np.where(kinds.side < 0, often[1] > often[0], kinds.side == 1)
    return words, np.where(is_target, sides[1], sides[0])


def _numbered(keys: Iterable[_Key]) -> tuple[list[_Key], Int64s]:
    """Return keys, each once, and the number of each of the keys."""
    numbers: dict[_Key, int] = {}
    found = [numbers.setdefault(key, len(numbers)) for key in keys]
    return [*numbers], np.array(found, np.int64)


def _weights(links: Alignments) -> Float64s:
    """Return the probability of each link, above 0; 1 if it has none."""
    if links.probabilities is None:
        return np.ones(links.source.size)
    return np.maximum(links.probabilities.astype(np.float64), 1e-6)
