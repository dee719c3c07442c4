"""Commands of other word aligners, as their authors recommend them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import islice
from pathlib import Path

METHODS = ("f", "r", "intersect", "union", "grow-diag", "grow-diag-final-and")
"""Ways to merge the links files f and r of both directions: take one file, or a method of ``atools``."""

LONGEST_SIDE = 100
"""Tokens of the longest side that is given to a peer, the default limit of ``align train``."""


def fast_align(threads: int) -> str:
    """Return the command of fast_align, with the recommended options, for both directions."""
    command = f"OMP_NUM_THREADS={threads} fast_align -i both -d -o -v"
    return f"{command} 2>/dev/null >f; {command} -r 2>/dev/null >r"


def eflomal(threads: int) -> str:
    """Return the command of eflomal for both directions: model 3, three samplers."""
    return f"rm -f f r; OMP_NUM_THREADS={threads} eflomal-align -i both --model 3 -f f -r r"


def available() -> dict[str, Callable[[int], str]]:
    """Return the peers on PATH, each with the function that makes its command for a number of threads.

    A command runs in a folder that ``write_texts`` has prepared, and writes the links files f and r.
    """
    peers = {"fast_align": ("fast_align", fast_align), "eflomal": ("eflomal-align", eflomal)}
    return {name: command for name, (binary, command) in peers.items() if shutil.which(binary)}


def merge_command(method: str) -> str:
    """Return the command that merges the links files f and r into the file links."""
    return f"cp {method} links" if len(method) == 1 else f"atools -i f -j r -c {method} >links"


def write_texts(source: Path, target: Path, size: int | None, folder: Path) -> None:
    """Write the first ``size`` pairs, or all, lowercased: the sides to s and t, and the bitext to both.

    Pairs with an empty side or a long side are replaced by a dummy pair: peers stop at them, or their model
    suffers.
    """
    with (
        source.open(encoding="utf-8") as source_lines,
        target.open(encoding="utf-8") as target_lines,
        (folder / "s").open("w", encoding="utf-8") as s,
        (folder / "t").open("w", encoding="utf-8") as t,
        (folder / "both").open("w", encoding="utf-8") as both,
    ):
        for pair in islice(zip(source_lines, target_lines, strict=True), size):
            sides = [line.lower().split() for line in pair]
            if not all(0 < len(side) <= LONGEST_SIDE for side in sides):
                sides = [["-"], ["-"]]
            texts = [" ".join(side) for side in sides]
            s.write(texts[0] + "\n")
            t.write(texts[1] + "\n")
            both.write(f"{texts[0]} ||| {texts[1]}\n")
