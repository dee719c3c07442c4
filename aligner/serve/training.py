"""The training of a text's model, by ``align train`` in a process of its own, which can be stopped."""

from __future__ import annotations

import sys
from functools import cached_property
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Any

from aligner import load_recipe

_LOG, _ITERATIONS = "training.log", "training.jsonl"


def command_of(*arguments: str) -> list[str]:
    """Return the command of this program with arguments, for a process."""
    return [sys.executable, "-X", "utf8", "-P", "-m", "aligner", *arguments]


class Training:
    """The training of the model in a folder of ``source`` and ``target``, resumed where it was stopped."""

    def __init__(self, folder: Path, recipe: str, threads: int) -> None:
        self._folder, self._recipe, self._threads = folder, recipe, threads
        self._process: Popen[bytes] | None = None
        self._is_stopped = True

    @cached_property
    def _passes(self) -> int:
        """The number of iterations of all stages, read once: the page often asks for the share."""
        return load_recipe(self._recipe).passes

    @property
    def arguments(self) -> list[str]:
        """The arguments of the command line that trains the model."""
        source, target, model = (str(self._folder / name) for name in ("source", "target", "model"))
        return ["train", source, target, "-c", self._recipe, "-m", model, "--resume"]

    def begin(self) -> None:
        """Begin to train, or go on from the checkpoint."""
        if self._process is not None and self._process.poll() is None:
            return
        if not (self._folder / "model.checkpoint").exists():
            (self._folder / _ITERATIONS).unlink(missing_ok=True)
        own = ["--log", str(self._folder / _ITERATIONS), "--checkpoint-every", "5", "-j", str(self._threads)]
        with open(self._folder / _LOG, "wb") as log:
            command = command_of(*self.arguments, *own)
            self._process = Popen(command, stdin=DEVNULL, stdout=DEVNULL, stderr=log)
        self._is_stopped = False

    def stop(self) -> None:
        """End the process; its checkpoint stays."""
        self._is_stopped = True
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def state(self) -> dict[str, Any]:
        """Return the state ("ready", "training", "stopped" or "failed"), the share, and a message."""
        if (self._folder / "model").exists():
            return {"state": "ready"}
        path = self._folder / _ITERATIONS
        done = path.read_bytes().count(b"\n") if path.exists() else 0
        shown = {"share": done / self._passes, "said": ""}
        if self._is_stopped:
            return shown | {"state": "stopped"}
        said = (self._folder / _LOG).read_text("utf-8", "replace").splitlines()[-1:] or [""]
        if self._process is None or self._process.poll() is None:
            is_first = said[0].startswith("compiling")
            return shown | {
                "state": "training",
                "said": "Preparing the program, only the first time" if is_first else "",
            }
        return shown | {"state": "failed", "said": said[0].removeprefix("align: ")}
