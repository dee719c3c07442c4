"""Documents: whole files of links. Their modules are imported when they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import chain
from typing import Any

from aligner.errors import ConfigError
from aligner.files.lines import lines_of
from aligner.files.opening import PathLike
from aligner.links.formats.base import FORMATS, Format
from aligner.links.line_tokens import LineTokens, with_tokens
from aligner.links.link_tokens import LINKS, LinkTokens
from aligner.links.linked_pairs import LinkedLines, LinkedPair
from aligner.text.line_ids import LineIds


def document(name: str, needs: tuple[str, ...], may_hold: tuple[str, ...]) -> Format:
    """Return a format of whole files.

    Parameters
    ----------
    name
        The name of a module with a function ``write(pairs)``, which yields the text of a document in parts,
        and, unless documents are only written, ``read(path, lines, report)``, which yields the pairs of lines
        with their ids, and reports what it leaves out. Both raise DataError for what the format cannot hold.
        If the format holds ids of tokens, ``read`` has another parameter for the tokens of both sides. If it
        holds a frame, ``write`` has another parameter for it.
    needs, may_hold
        As of ``Format``.
    """

    def read(
        path: PathLike,
        tokens: LinkTokens = LINKS,
        *,
        lines: Iterable[str] | None = None,
        report: Callable[[str], object] = lambda _: None,
        sides: Sequence[LineTokens] | None = None,
    ) -> Iterator[LinkedPair]:
        module: Any = import_module(name)
        if not hasattr(module, "read"):
            raise ConfigError("found a format that can only be written; choose another input format")
        own = [sides] if sides and "token ids" in may_hold else []
        return iter(module.read(path, lines_of(path) if lines is None else lines, report, *own))

    def write(
        parts: Iterable[LinkedLines],
        ids: LineIds | None = None,
        report: Callable[[str], object] = lambda _: None,
    ) -> Iterator[str]:
        pairs: Iterable[LinkedPair] = chain.from_iterable(part.pairs() for part in parts)
        if ids is not None and any(ids.tables.values()):
            pairs = with_tokens(pairs, ids, report if "token ids" in may_hold else None)
        own = [ids.frame] if ids and "frame" in may_hold else []
        return iter(import_module(name).write(pairs, *own))

    return Format(read, write, needs, may_hold, lines_per_pair=None)


FORMATS.register("csv", "a table for a spreadsheet, with a header and a row for each link")(
    document("aligner.links.formats.spreadsheet", ("words",), ("ids",))
)
FORMATS.register(
    "burrito", "Scripture Burrito alignment 0.4 as JSON, with the words of verses; 0.3 is read, too"
)(document("aligner.links.formats.burrito", ("groups",), ("ids", "token ids")))
FORMATS.register("clear", "the same as one list of records, without confidence, as ClearAligner reads it")(
    document("aligner.links.formats.clear", ("groups",), ("ids", "token ids"))
)
FORMATS.register("usfm", "USFM 3 with the target text of verses, and zaln milestones with the source words")(
    document("aligner.links.formats.usfm", ("words", "groups"), ("ids", "frame"))
)
