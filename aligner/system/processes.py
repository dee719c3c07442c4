"""Processes forked from this one, for work whose share of the interpreter's lock is too large for threads."""

from __future__ import annotations

import gc
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias, TypeVar

from aligner.errors import AlignerError

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")

_Pipe: TypeAlias = "Connection[Any, Any]"
_Answer: TypeAlias = tuple[Any, Exception | None]
"""The result of work on a part, or its error."""

_SPARE = 3
"""Processes that are started and ended: the threads and files of this process get what they have taken."""


@contextmanager
def forks(
    work: Callable[[_Part], _Result], processes: int
) -> Iterator[Callable[[Iterable[_Part | None]], Iterator[_Result]]]:
    """Fork this process, and give a function that runs ``work`` in the forks, which end with the context.

    Parts, results and errors are pickled. ``work`` and the objects that it uses are not: each fork has them
    in memory that it shares with this process. A fork has only one thread. If another thread of this process
    held a lock now, no thread of the fork would release it.

    The function takes at most 2 parts a process ahead, and skips None. It raises the error of a part (see
    ``_answer``), and AlignerError if a fork is killed.

    Raises OSError if the system refuses to start the processes.
    """
    started: list[BaseProcess] = []
    pipes: list[_Pipe] = []
    try:
        for _ in range(processes + _SPARE):
            pipe, other_end = Pipe()
            pipes.append(pipe)
            with other_end:  # closed here, or else the end of the process would not be noticed
                process: BaseProcess = get_context("fork").Process(
                    target=_serve, args=(other_end, pipes, work), daemon=True
                )
                process.start()
                started.append(process)
        _end(started[processes:], pipes[processes:])
        yield lambda parts: _run_in_order(parts, pipes[:processes])
    finally:
        _end(started, pipes)


def _end(processes: list[BaseProcess], pipes: list[_Pipe]) -> None:
    """End processes, and close the pipes to them."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()
    for pipe in pipes:
        pipe.close()


def _run_in_order(parts: Iterable[Any], pipes: list[_Pipe]) -> Iterator[Any]:
    """Send each part to a fork without work, and yield the results in the order of the parts."""
    idle = [*pipes]
    running: dict[_Pipe, int] = {}
    answers: dict[int, _Answer] = {}
    due = 0
    for number, part in enumerate(part for part in parts if part is not None):
        while not idle or number - due >= 2 * len(pipes):
            _collect(running, idle, answers)
            while due in answers:
                yield _result(answers.pop(due))
                due += 1
        with _ended_fork():
            idle[-1].send(part)
        running[idle.pop()] = number
    while running:
        _collect(running, idle, answers)
    for number in sorted(answers):
        yield _result(answers[number])


def _collect(running: dict[_Pipe, int], idle: list[_Pipe], answers: dict[int, _Answer]) -> None:
    """Wait until a fork has worked, and keep its answer by the number of the part."""
    for pipe in wait(list(running)):
        assert isinstance(pipe, Connection)
        with _ended_fork():
            answers[running[pipe]] = pipe.recv()
        del running[pipe]
        idle.append(pipe)


def _result(answer: _Answer) -> Any:
    """Return the result of a part, or raise its error."""
    result, error = answer
    if error is not None:
        raise error
    return result


@contextmanager
def _ended_fork() -> Iterator[None]:
    """Turn the error of a pipe to a fork that has ended into AlignerError."""
    try:
        yield
    except (EOFError, OSError) as error:
        raise AlignerError(
            "a process was ended from outside, as by a system without memory; allow more, or use fewer"
            " processes (-j)"
        ) from error


def _serve(pipe: _Pipe, of_parent: list[_Pipe], work: Callable[[Any], Any]) -> None:
    """Work on parts from a pipe until the parent, which holds its other end, ends, or ends this process."""
    for other_end in of_parent:
        other_end.close()  # else the end of the parent would not be noticed here
    gc.freeze()  # else a collection would write to the objects that the processes share
    for number in (signal.SIGINT, signal.SIGHUP):  # a terminal sends them to all; the parent ends the others
        signal.signal(number, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    with suppress(EOFError, OSError):
        while True:
            pipe.send(_answer(work, pipe.recv()))


def _answer(work: Callable[[Any], Any], part: Any) -> _Answer:
    """Return the result of a part, or its error; an error in the program becomes a RuntimeError.

    Its message is the traceback, which would be lost otherwise.
    """
    try:
        return work(part), None
    except (AlignerError, OSError, MemoryError) as error:
        return None, error
    except Exception:
        return None, RuntimeError(traceback.format_exc())
