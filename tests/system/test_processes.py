"""Work by forked processes: order, errors, and that none outlives this process."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from aligner.errors import AlignerError, DataError
from aligner.system.processes import forks

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="forks are used on Linux alone"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # a worker of pytest has threads
]


@pytest.fixture(autouse=True)
def others():
    """Return the other processes of this one, and check that no fork is left."""
    before = set(multiprocessing.active_children())
    yield before
    assert set(multiprocessing.active_children()) <= before


def square(number):
    """Return the square of a number, the sooner the larger it is."""
    time.sleep(0.001 * (40 - number))
    return number * number


def test_results_are_in_order_of_parts():
    with forks(square, 3) as run:
        assert list(run([None, *range(20), None, *range(20, 40)])) == [k * k for k in range(40)]
        assert list(run([])) == []
        assert list(run(range(2))) == [0, 1]


def test_work_is_done_by_several_processes():
    with forks(lambda part: os.getpid(), 2) as run:
        assert os.getpid() not in set(run(range(9)))


def test_parts_taken_ahead_are_limited():
    taken = []
    with forks(square, 2) as run:
        assert next(run(taken.append(k) or k for k in range(40))) == 0
        assert len(taken) <= 5


def test_first_error_is_raised_in_order_of_parts():
    def work(number):
        if number >= 5:
            time.sleep(0.02 * (number == 5))
            raise DataError(f"line {number}")
        return number

    results = []
    with forks(work, 3) as run, pytest.raises(DataError, match="line 5"):
        results.extend(run(range(40)))
    assert results == list(range(5))


def test_killed_fork_is_an_error():
    def work(number):
        if number == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(AlignerError, match="ended from outside"), forks(work, 2) as run:
        list(run(range(40)))


@pytest.mark.parametrize("most", [0, 1, 4])
def test_refused_processes_are_an_error_of_the_system(most, others, monkeypatch):
    """Also if three are missing: as many are left for the threads and the files of this process."""
    fork = os.fork

    def refuse():
        if len(set(multiprocessing.active_children()) - others) >= most:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return fork()

    monkeypatch.setattr(os, "fork", refuse)
    with pytest.raises(BlockingIOError), forks(square, 2):
        pass


def test_an_error_of_the_program_tells_where_it_was_raised():
    """Also one that cannot be rebuilt from its arguments."""

    class OddError(Exception):
        def __init__(self, one, two):
            super().__init__(one + two)

    def fail(number):
        raise OddError("of ", "work")

    with forks(fail, 2) as run, pytest.raises(RuntimeError, match=r"(?s)in fail.*OddError: of work"):
        list(run(range(9)))


def test_forks_end_with_their_parent():
    """Also if it is killed, and has no time to end them."""
    program = (
        "import os, sys, time\n"
        "from aligner.system.processes import forks\n"
        "with forks(lambda part: os.getpid(), 3) as run:\n"
        "    print(*run(range(9)), flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ids = set(map(int, process.stdout.readline().split()))
        process.kill()
    deadline = time.monotonic() + 10
    while any(os.path.exists(f"/proc/{number}") for number in ids) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ids
    assert not any(os.path.exists(f"/proc/{number}") for number in ids)
