"""Filtering of a bitext by the gain of its sentence pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import compress, pairwise
from math import inf, isfinite, isinf
from typing import Any, TypeAlias

import numpy as np

from aligner.arrays import Float64s
from aligner.decoding.decoder import Decoder
from aligner.decoding.histogram import Histogram
from aligner.decoding.stream import align_chunks, can_fork
from aligner.decoding.summary import TokenCounts, count_tokens
from aligner.errors import ConfigError
from aligner.files.lines import Chunk
from aligner.files.opening import check_conflicts, open_output
from aligner.links.alignments import Alignments
from aligner.messages import counted
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext
from aligner.text.line_ids import LineIds
from aligner.text.pairs import read_pairs

_Filtered: TypeAlias = tuple[dict[str, bytes], Float64s, TokenCounts]


@dataclass
class FilterSummary(TokenCounts):
    """Counts of the pairs of a filtered text, and of its tokens.

    Attributes
    ----------
    kept, dropped
        Sentence pairs.
    without_gain
        Dropped pairs that have no gain, because a side is empty or the pair is too large to align.
    gains
        The distribution of the gain of the other pairs.
    """

    gains: Histogram
    kept: int = 0
    dropped: int = 0
    without_gain: int = 0

    def add(self, gains: Float64s) -> None:
        """Count sentence pairs by their gain, float64 [pairs], -inf for a pair without one."""
        kept = int(np.count_nonzero(gains >= self.gains.origin))
        self.kept += kept
        self.dropped += len(gains) - kept
        self.without_gain += int(np.count_nonzero(~np.isfinite(gains)))
        self.gains.add(gains)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data: counts, and the pairs of each range of gains."""
        figures = {name: value for name, value in vars(self).items() if name != "gains"}
        gains = [{"from": least, "pairs": count} for least, count, _ in self.gains.bars()]
        return figures | {"min_gain": self.gains.origin, "gains": gains}

    def describe(self) -> list[str]:
        """Return lines for messages: the histogram of the gain, the counts, then a sign of a wrong input."""
        bars = self.gains.bars()
        lines = [f"{'gain from':>12}  {'pairs':>11}"] if bars else []
        edges = [-inf, *(least for least, *_ in bars[1:]), inf]
        for (least, end), (_, count, bar) in zip(pairwise(edges), bars, strict=False):
            # An open bar that has kept and dropped pairs has no mark.
            all_kept = least >= self.gains.origin or self.dropped == self.without_gain
            all_dropped = end <= self.gains.origin or not self.kept
            mark = "+" if all_kept else "-" if all_dropped else " "
            lines.append(f"{_describe_range(least, end):>12}  {count:>11,}  {mark} {bar}".rstrip())
        dropped = counted(self.dropped, "pair")
        if self.without_gain:
            dropped += f", {self.without_gain:,} of them with an empty side or too large to align"
        lines.append(f"kept {counted(self.kept, 'pair')} (+) with a gain of at least {self.gains.origin:g}")
        lines.append(f"dropped {dropped} (-)")
        return lines + self.describe_unknown()


def filter_file(
    model: TrainedModel,
    source: str,
    target: str | None = None,
    output: str = "-",
    *,
    target_output: str | None = None,
    dropped: str | None = None,
    min_gain: float = -0.5,
    ids: LineIds | None = None,
    threads: int = 1,
    format: str = "auto",
    skip_bad: bool = False,
    progress: Callable[[int], None] | None = None,
    report: Callable[[str], None] | None = None,
) -> FilterSummary:
    """Write the sentence pairs of a text whose gain reaches a threshold, in constant memory.

    Parameters
    ----------
    model
        A trained model.
    source, target
        Files with one sentence per line. Without ``target``, ``source`` holds both sides. "-" is stdin.
    output
        The file for the kept pairs, source TAB target. A TAB inside a side becomes a space. "-" is stdout.
    target_output
        If given, ``output`` has the source sides alone, and this file the target sides, both with their TABs.
    dropped
        A file for the dropped pairs, source TAB target. None writes none.
    min_gain
        The least gain of a kept pair, in nats per word (see ``aligner.decoding.scores``).
    ids
        The ids of the lines, which become the first column of each output.
    threads, format, skip_bad, progress, report
        As for ``decode_file``.

    Returns
    -------
    FilterSummary
        Counts of pairs, and the histogram of the gain.

    Raises
    ------
    ConfigError
        If two files are the same, if ``min_gain`` is not finite, or if arguments do not go together.
    DataError
        If a file cannot be read or written.
    """
    if not isfinite(min_gain):
        raise ConfigError(f"min_gain = {min_gain}: expected a finite number of nats, such as -0.5")
    outputs = {"output": output, "target_output": target_output, "dropped": dropped}
    check_conflicts({"source": source, "target": target}, outputs)
    summary = FilterSummary(Histogram(min_gain))

    def finish(first: int, chunk: Chunk, bitext: Bitext, alignments: Alignments) -> _Filtered:
        """Return the text of a chunk for each file, the gain of each pair, and counts of tokens."""
        assert alignments.scores is not None
        gains = alignments.scores[:, 2]
        columns = [side.split(b"\n")[:-1] for side in (chunk.source, chunk.target)]
        if ids is not None:
            columns.insert(0, [line_id.encode() for line_id in ids.of_lines(first + 1, len(gains))])
        kept = gains >= min_gain
        *named, chosen, translated = (list(compress(column, kept)) for column in columns)
        texts = {"output": _table(*named, chosen, translated)}
        if target_output is not None:
            sides = {"output": chosen, "target_output": translated}
            texts = {role: _table(*named, side) if named else _lines(side) for role, side in sides.items()}
        if dropped is not None:
            texts["dropped"] = _table(*(compress(column, ~kept) for column in columns))
        return texts, gains, count_tokens(bitext)

    lines = read_pairs(source, target, format=format, skip_bad=skip_bad, report=report)
    with ExitStack() as stack:
        aligned = align_chunks(
            model,
            Decoder(),
            lines,
            finish,
            scores=True,
            threads=threads,
            forked=can_fork(source, target, threads),
        )
        stack.enter_context(closing(aligned))
        files = {
            role: stack.enter_context(open_output(path)) for role, path in outputs.items() if path is not None
        }
        for texts, gains, tokens in aligned:
            for role, text in texts.items():
                files[role].write(text)
            summary.add(gains)
            summary.add_tokens(tokens)
            if progress is not None:
                progress(len(gains))
        if ids is not None:
            ids.check_end(summary.kept + summary.dropped)
    return summary


def _describe_range(least: float, end: float) -> str:
    """Return the label of a bar of the histogram. The first and the last bar are open."""
    if isinf(end):
        return "all" if isinf(least) else f"{least:.2f} or more"
    return f"below {end:.2f}" if isinf(least) else f"{least:.2f}"


def _lines(side: Iterable[bytes]) -> bytes:
    """Return lines with their newlines."""
    return b"".join([line + b"\n" for line in side])


def _table(*columns: Iterable[bytes]) -> bytes:
    """Return a line for each row, with a TAB between columns."""
    rows = zip(*columns, strict=True)
    return _lines(b"\t".join(side.replace(b"\t", b" ") for side in row) for row in rows)
