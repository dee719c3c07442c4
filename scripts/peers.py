"""Other word aligners, run by the commands that their authors recommend."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import islice
from pathlib import Path

METHODS = ("f", "r", "intersect", "union", "grow-diag", "grow-diag-final-and")
"""Ways to make one alignment of two directions' files f and r: either, or one that ``atools`` knows."""


def fast_align(threads: int) -> str:
    """The recommended settings, both directions."""
    command = f"OMP_NUM_THREADS={threads} fast_align -i both -d -o -v"
    return f"{command} 2>/dev/null >f; {command} -r 2>/dev/null >r"


def eflomal(threads: int) -> str:
    """Model 3 with three samplers, both directions."""
    return f"rm -f f r; OMP_NUM_THREADS={threads} eflomal-align -i both --model 3 -f f -r r"


def present() -> dict[str, Callable[[int], str]]:
    """Those on PATH: what makes, in a folder that is prepared, the files f and r by so many threads."""
    peers = {"fast_align": ("fast_align", fast_align), "eflomal": ("eflomal-align", eflomal)}
    return {name: run for name, (binary, run) in peers.items() if shutil.which(binary)}


def merged(method: str) -> str:
    """What makes the file links of f and r."""
    return f"cp {method} links" if len(method) == 1 else f"atools -i f -j r -c {method} >links"


def prepare(source: Path, target: Path, size: int | None, folder: Path) -> None:
    """The first lines, or all, lowercased, as files s, t and both.

    Pairs with an empty side or a long one become a dummy: peers stop, or spoil their model, on these.
    """
    with (
        source.open(encoding="utf-8") as a,
        target.open(encoding="utf-8") as b,
        (folder / "s").open("w") as s,
        (folder / "t").open("w") as t,
        (folder / "both").open("w") as both,
    ):
        for left, right in islice(zip(a, b, strict=True), size):
            words = left.lower().split(), right.lower().split()
            if not all(0 < len(side) <= 100 for side in words):
                words = (["-"], ["-"])
            texts = [" ".join(side) for side in words]
            s.write(texts[0] + "\n")
            t.write(texts[1] + "\n")
            both.write(f"{texts[0]} ||| {texts[1]}\n")
