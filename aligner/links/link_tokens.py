"""Links as tokens: `i-j`, with a probability `i-j:p`, or with another separator between the positions."""

from __future__ import annotations

import re

from aligner.links.alignments import MAX_POSITION, Link
from aligner.links.linked_pairs import LinkedPair
from aligner.messages import excerpt

# A text repeats the same few thousand links, so each is parsed once. Larger positions are rare: they are not
# cached, because one damaged file could fill the memory.
_CACHED_POSITIONS = 512

_HINTS = {
    r"\{": "convert the file: align symmetrize FILE --input-format jsonl",
    r"# Sentence pair": "convert the file: align symmetrize FILE --input-format giza",
    r"[0-9]+ [0-9]+ [0-9]+": "convert the file: align symmetrize FILE --input-format naacl",
    r"[^\t]*\t[^\t]*\t": "convert the file: align symmetrize FILE --input-format tsv",
    r"(.* )?[0-9]+[?p][0-9]+( |$)": "this looks like gold, not links; align eval takes GOLD before LINKS",
}
"""Advice about a line that looks like another format, by a pattern of its beginning."""


MIXED = (
    "some links have a probability and some have none; expected `i-j:p` for all links of the file or `i-j`"
    " for all"
)


class LinkTokens(dict[str, Link]):
    """The tokens that one purpose allows, and a cache from tokens to links (i, j), from 0.

    Parameters
    ----------
    separators
        The characters that may stand between two positions: `-` for a link, `?` or `p` for a link that is
        only possible, `!` for no link. Tokens have probabilities only if no other is allowed than `-`.
        With `?`, a letter may follow, S for a sure link and P for a possible one, as in the gold of Ugarit.
        `=` allows `=` as a token, the mark of a complete line.
    shapes
        The shapes of tokens, for messages.
    base
        0 or 1, the first position.
    """

    def __init__(self, separators: str, shapes: str, base: int = 0) -> None:
        self.separators, self.shapes, self.base = separators, shapes, base
        position = rf"(\d{{1,{len(str(MAX_POSITION))}}})"
        ugarit = "[SP]?" if "?" in separators else ""
        self._pattern = re.compile(f"{position}[{separators.replace('=', '')}]{position}{ugarit}", re.ASCII)

    def __missing__(self, token: str) -> Link:
        match = self._pattern.fullmatch(token)
        if match is None:
            raise ValueError(
                f"found {excerpt(token)}, expected {self.shapes} with positions from 0 to {MAX_POSITION}"
            )
        link = int(match[1]) - self.base, int(match[2]) - self.base
        if min(link) < 0:
            raise ValueError(
                f"found {excerpt(token)}, expected positions from 1; if this file counts from 0, leave out"
                f" one_based (--one-based), or read it in the format pharaoh instead of talp"
            )
        if max(link) < _CACHED_POSITIONS:
            self[token] = link
        return link

    def parse(self, text: str) -> LinkedPair:
        """Parse tokens; ValueError for anything else."""
        tokens = text.split()
        probabilities: list[float] = []
        if self.separators != "-":
            complete = "=" in self.separators and "=" in tokens
            cells = [(token, self[token]) for token in tokens if not complete or token != "="]
            sure = [link for token, link in cells if "-" in token and token[-1] != "P"]
            forbidden = [link for token, link in cells if "!" in token]
            links = [link for token, link in cells if "!" not in token]
            for i, j in set(links).intersection(forbidden):
                raise ValueError(f"found {i}-{j} and {i}!{j}, expected one of them")
            return LinkedPair(links, sure, (), forbidden, complete)
        try:
            if ":" in text:
                tokens, probabilities = _split_probabilities(tokens)
            links = list(map(self.__getitem__, tokens))
        except ValueError as error:
            hints = [f"; {hint}" for pattern, hint in _HINTS.items() if re.match(pattern, text)]
            raise ValueError("".join([str(error), *hints[:1]])) from None
        if probabilities and len(probabilities) != len(links):
            raise ValueError(MIXED)
        return LinkedPair(links, links, probabilities)


LINKS = LinkTokens("-", "i-j")
GOLD = LinkTokens("-?p", "i-j or i?j or ipj")
ONE_BASED_GOLD = LinkTokens(GOLD.separators, GOLD.shapes, base=1)
KNOWN_LINKS = LinkTokens("-!=", "i-j (a known link), i!j (a forbidden one) or = (a complete line)")
CORRECTIONS = LinkTokens("-?p!=", "i-j, i?j, i!j or =")


def _split_probabilities(tokens: list[str]) -> tuple[list[str], list[float]]:
    """Split tokens `i-j:p` into links and probabilities. A token without `:p` adds no probability."""
    links, values = [], []
    for token in tokens:
        link, colon, text = token.partition(":")
        links.append(link)
        if colon:
            try:
                values.append(float(text))
            except ValueError:
                values.append(-1.0)
            if not 0 <= values[-1] <= 1:
                raise ValueError(f"found {excerpt(token)}, expected i-j:p with a probability p in 0..1")
    return links, values
