"""The shelf: the texts that were opened from the page, each in a folder of its own."""

from __future__ import annotations

import os
import shutil
import sys
from itertools import count
from pathlib import Path

from aligner.errors import ConfigError, DataError
from aligner.serve.draft import LARGEST_FILE, Draft
from aligner.serve.shelf_text import ShelfText, is_text
from aligner.serve.workbench import Event


def data_folder() -> Path:
    """Return the folder of this user's texts."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "align" / "texts"


class Shelf:
    """The texts in a folder, and a draft of the next one.

    Parameters
    ----------
    folder
        The folder. It is made, for this user alone, if it does not exist.
    threads
        Number of threads of training and of each workbench.
    me
        The name of the person at this computer, or an empty string.

    Attributes
    ----------
    notices
        Messages about texts that are damaged.
    """

    def __init__(self, folder: Path, threads: int = 1, me: str = "") -> None:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        self.folder, self._settings = folder, (threads, me)
        self._texts: dict[str, ShelfText] = {}
        self.notices: list[str] = []
        for path in filter(is_text, folder.iterdir()):
            try:
                self._texts[path.name] = ShelfText(path, threads, me)
            except DataError as error:
                self.notices.append(str(error))
        self.draft = Draft(folder / "draft", threads)

    def state(self) -> Event:
        """Return the texts, the newest first, and what the page has to know besides."""
        texts = sorted((text.state() for text in [*self._texts.values()]), key=lambda text: text["made"])
        return {"folder": str(self.folder), "largest": LARGEST_FILE, "texts": texts[::-1]}

    def text(self, name: str) -> ShelfText:
        """Return the text of a name."""
        if name not in self._texts:
            raise ConfigError("found no such text; it was removed")
        return self._texts[name]

    def align(self) -> Event:
        """Make a text of the draft, begin to train its model, and return its name."""
        name = next(name for n in count(1) if not (self.folder / (name := f"text-{n}")).exists())
        text = self._texts[name] = ShelfText.make(self.draft, self.folder / name, *self._settings)
        self.draft.clear()
        text.training.begin()
        return {"name": name}

    def remove(self, name: str) -> None:
        """Delete a text with its model and its corrections."""
        text = self.text(name)
        del self._texts[name]
        text.publish(None)
        text.close()
        shutil.rmtree(text.folder)

    def publish(self, event: Event | None) -> None:
        """Send an event to the windows of all workbenches; None ends their connections."""
        for text in [*self._texts.values()]:
            text.publish(event)

    def close(self) -> None:
        """Stop all training, close all workbenches, and forget the draft."""
        for text in self._texts.values():
            text.close()
        self.draft.clear()
