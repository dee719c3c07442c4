"""Reading ahead of the decoder, without waiting for input that has not arrived."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from queue import Empty, Queue
from threading import Event, Thread
from typing import TypeAlias

from aligner.errors import AlignerError
from aligner.files.lines import Chunk

_MOST_QUEUED = 8
"""The number of chunks that are read ahead: together about 8 MB of text."""

_JOINED_BYTES = 1 << 21
"""Chunks are joined up to this size of both sides, so that long lines do not make large chunks."""

_FLOWING_BYTES = 1 << 15
_PATIENCE = 0.1
"""Seconds to wait for more after so many bytes. Without that, all threads would end their work meanwhile."""

_Queue: TypeAlias = "Queue[Chunk | Exception | None]"


def read_ahead(chunks: Iterator[Chunk], pairs: int) -> Generator[Chunk | None, None, None]:
    """Yield chunks that a thread reads ahead, joined up to about ``pairs`` pairs.

    The last ones are not joined, so that all threads end at about the same time. It yields None when reading
    begins, and before waiting long for input, because the program that writes the input may itself wait for
    answers. When the generator is closed, the thread ends as soon as the read in progress returns.
    """
    queue: _Queue = Queue(_MOST_QUEUED)
    closed, ended = Event(), Event()
    try:
        # Not one of the team, whose work is waited for at the end: reading may wait for input for ever.
        Thread(target=_read, args=(chunks, queue, closed, ended), daemon=True).start()
    except RuntimeError as error:  # "can't start new thread"
        raise AlignerError(
            "no thread can be started to read the text; allow more memory or processes"
        ) from error
    try:
        yield None
        yield from _join(queue, pairs, ended)
    finally:
        closed.set()
        with suppress(Empty):  # the thread may be waiting to put a chunk into the full queue
            while True:
                queue.get_nowait()


def _read(chunks: Iterator[Chunk], queue: _Queue, closed: Event, ended: Event) -> None:
    """Put checked chunks into a queue, then None, or the exception that ended the input."""
    try:
        for chunk in chunks:
            chunk.check()
            queue.put(chunk._replace(origin=()))
            if closed.is_set():
                return
        ended.set()
        queue.put(None)
    except Exception as error:
        queue.put(error)


def _join(queue: _Queue, pairs: int, ended: Event) -> Iterator[Chunk | None]:
    """Yield all chunks of the queue, joined until reading has ended; None if the next does not come soon."""
    size = 0
    while True:
        try:
            item = queue.get(timeout=_PATIENCE if size >= _FLOWING_BYTES else 0)
        except Empty:
            yield None
            item = queue.get()
        joined: list[Chunk] = []
        lines = size = 0
        while isinstance(item, Chunk):
            joined.append(item)
            lines += item.lines
            size += len(item.source) + len(item.target)
            if queue.empty() or ended.is_set() or lines >= pairs or size >= _JOINED_BYTES:
                break
            item = queue.get()
        if joined:
            yield Chunk.join(joined)
        if isinstance(item, Exception):
            raise item
        if item is None:
            return
