"""Signals that end the process: exit status, message, no half-written file."""

import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

import aligner.models.model_file
from aligner.errors import AlignerError
from tests.program import PROGRAM, process

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently on Windows")


@pytest.fixture
def default_signals():
    """Let new processes begin with the default effect of signals, also if SIGINT is ignored here.

    A process inherits what is ignored: a shell ignores SIGINT for commands in the background.
    """
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ignored = [number for number in numbers if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def waiting_decoder(program, trained, *arguments, **options):
    """Start ``align decode`` in a process that has answered one line and waits for the next."""
    command = [*program, "decode", trained / "model", "-", "-q", *arguments]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **streams, **options) as running:
        running.stdin.write((trained / "train.tsv").read_bytes().splitlines(keepends=True)[0])
        running.stdin.flush()
        assert running.stdout.readline()
        yield running


@POSIX
@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_signal_while_waiting_for_input(program, trained, tmp_path, name, threads):
    number = getattr(signal, name)
    with waiting_decoder(program, trained, "--scores", tmp_path / "scores", "-j", threads) as running:
        assert len(list(tmp_path.iterdir())) == 1
        running.send_signal(number)
        assert running.wait() == 128 + number
        assert running.stderr.read().strip() == b"align: interrupted"
    assert not list(tmp_path.iterdir())


@POSIX
def test_ignored_signal_stays_ignored(trained):
    """Check what nohup relies on."""
    nohup = ["nohup", sys.executable, "-c", PROGRAM]
    with waiting_decoder(nohup, trained) as running:
        running.send_signal(signal.SIGHUP)
        running.stdin.close()
        assert running.wait() == 0


@POSIX
def test_interruption_is_repeated_until_it_is_handled():
    code = """if True:
        import ctypes, signal, sys, threading
        from aligner.cli import signals
        signals.catch()
        signals._SECONDS = 0.05
        ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGTERM))()
        lock = threading.Lock()
        lock.acquire()
        for _ in range(2):
            try:
                lock.acquire()  # never released
            except KeyboardInterrupt:
                pass
        sys.exit(signals.ignore())
    """
    done = process(code, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, b"")


def test_interruption_while_a_file_is_opened_leaves_no_file(trained, tmp_path):
    paths = [str(path) for path in (trained / "model", trained / "dev.tsv", "-o", tmp_path / "x")]
    code = f"""if True:
        import contextlib, sys
        def enter(stack, context):
            context.__enter__()
            raise KeyboardInterrupt
        contextlib.ExitStack.enter_context = enter
        sys.argv = ["align", "decode", *{paths!r}]
        {PROGRAM}
    """
    done = process(code, capture_output=True)
    assert (done.returncode, done.stderr.strip()) == (130, b"align: interrupted")
    assert not list(tmp_path.iterdir())


@POSIX
@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize(
    ("module", "name", "status"),
    [("click", "SIGINT", 130), ("numpy", "SIGTERM", 143)],
)
def test_f9_interruption_while_a_library_is_imported(module, name, status, tmp_path):
    code = f"""if True:
        import signal, sys
        class Interruption:
            def find_spec(self, found, *_):
                if found == {module!r}:
                    signal.raise_signal(signal.{name})
        from aligner.cli.process import run
        sys.meta_path.insert(0, Interruption())
        sys.argv = ["align", "decode", "model", "text"]
        run()
    """
    done = process(code, capture_output=True, cwd=tmp_path)
    assert (done.returncode, done.stderr.strip()) == (status, b"align: interrupted")


@POSIX
def test_exit_status_is_that_of_the_program_after_an_interruption_inside_exec(tmp_path):
    """Libraries exec strings when they are imported, and Python remembers that an exec was interrupted."""
    interrupted = "try:\n exec('raise KeyboardInterrupt')\nexcept KeyboardInterrupt:\n pass\n"
    (tmp_path / "interrupted.py").write_text(interrupted)
    command = [sys.executable, "-m", "aligner", "--import", "interrupted", "configs"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("error", [RuntimeError("half a module"), AlignerError("bad"), None])
def test_errors_after_a_signal_are_reported_as_interruption(trained, align, monkeypatch, error):
    def load(path):
        received.append(signal.SIGTERM)
        if error is not None:
            raise error
        return original(path)

    received, original = [], aligner.models.model_file.load
    monkeypatch.setattr("aligner.cli.signals.received", received)
    monkeypatch.setattr("aligner.load", load)
    _, err = align("decode", trained / "model", trained / "dev.tsv", "-q", status=143)
    assert err.strip() == "align: interrupted"
