"""The program as a process: pipes, signals, full disks, closed streams, what it imports."""

import os
import signal
import subprocess
import sys
import tomllib
from contextlib import contextmanager

import pytest

import aligner.models.storage
import aligner.training.loop
from aligner.decoding.decoder import METHODS
from aligner.errors import AlignerError
from aligner.recipe.builtin import builtin_recipes, read_recipe
from tests.program import FAST, PROGRAM, process


@pytest.mark.parametrize("threads", ["1", "3"])
def test_each_line_of_a_pipe_is_answered_before_the_next_is_sent(trained, threads):
    lines = (trained / "train.tsv").read_bytes().splitlines(keepends=True)[:5]
    answers = (trained / "train.links").read_bytes().splitlines(keepends=True)
    arguments = [sys.executable, "-c", PROGRAM, "decode", trained / "model", "-"]
    with subprocess.Popen(
        [*arguments, "-q", "-j", threads], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        for line, answer in zip(lines, answers, strict=False):
            running.stdin.write(line)
            running.stdin.flush()
            assert running.stdout.readline() == answer
        running.stdin.close()
        assert running.stdout.read() == b""
        assert running.wait() == 0


@contextmanager
def waiting(trained, *arguments, **options):
    """A process that has decoded one line and waits for another."""
    arguments = ["decode", trained / "model", "-", "-q", *arguments]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], **streams, **options) as running:
        running.stdin.write((trained / "train.tsv").read_bytes().splitlines(keepends=True)[0])
        running.stdin.flush()
        assert running.stdout.readline()
        yield running


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_interruption_while_waiting_for_input_is_no_crash(trained, tmp_path, name):
    if signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        pytest.skip(f"{name} is ignored here, as under nohup, and so by what is started here")
    with waiting(trained, "--scores", tmp_path / "scores") as running:
        assert len(list(tmp_path.iterdir())) == 1
        running.send_signal(getattr(signal, name))
        assert running.wait() == 128 + getattr(signal, name)
        assert running.stderr.read().strip() == b"align: interrupted"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signal")
def test_a_signal_that_is_ignored_stays_so(trained):
    """As under nohup."""
    with waiting(trained, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as running:
        running.send_signal(signal.SIGHUP)
        running.stdin.close()
        assert running.wait() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
def test_an_interruption_comes_again_until_it_is_heard():
    code = """if True:
        import ctypes, signal, sys, threading
        from aligner.cli import process
        process.catch_signals()
        ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGTERM))()
        held = threading.Lock()
        held.acquire()
        for _ in range(2):
            try:
                held.acquire()  # which nobody will give back
            except KeyboardInterrupt:
                pass
        sys.exit(process.stop())
    """
    done = process(code, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, b"")


def test_an_interruption_just_when_a_file_is_open_leaves_nothing_behind(trained, tmp_path):
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


@pytest.mark.parametrize("error", [RuntimeError("no compiled object yet"), AlignerError("odd"), None])
def test_what_goes_wrong_after_an_interruption_is_the_interruption(trained, align, monkeypatch, error):
    def load(path):
        received.append(signal.SIGTERM)
        if error is not None:
            raise error
        return real(path)

    received, real = [], aligner.models.storage.load
    monkeypatch.setattr("aligner.cli.process.received", received)
    monkeypatch.setattr("aligner.models.storage.load", load)
    _, err = align("decode", trained / "model", trained / "dev.tsv", "-q", status=143)
    assert err.strip() == "align: interrupted"


def test_a_reader_that_leaves_is_no_error_message(trained):
    """As in ``align decode ... | head -1``; enough lines that the pipe is full."""
    text = (trained / "train.tsv").read_bytes() * 100
    arguments = [sys.executable, "-c", PROGRAM, "decode", trained / "model", "-"]
    with subprocess.Popen(
        [*arguments, "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        running.stdout.close()
        try:
            running.stdin.write(text)
            running.stdin.close()
        except BrokenPipeError:
            pass
        assert running.stderr.read() == b""
        running.stderr.close()
        assert running.wait() == 1


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["decode", "{}/model", "{}/dev.tsv", "-q"], "<stdout>"),
        (["decode", "{}/model", "{}/dev.tsv", "-q", "-o", "/dev/full"], "/dev/full"),
        (["decode", "{}/model", "{}/dev.tsv", "-q", "-o", os.devnull, "--scores", "/dev/full"], "/dev/full"),
        (["train", "{}/dev.tsv", "-q", *FAST, "-m", "/dev/full"], "/dev/full"),
        (["train", "{}/dev.tsv", "-q", *FAST, "-m", os.devnull, "--links", "/dev/full"], "/dev/full"),
        (["configs"], "<stdout>"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_full_disk_is_an_error_in_words(trained, arguments, name):
    with open("/dev/full", "wb") as full:
        done = process([a.format(trained) for a in arguments], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith(f"align: {name}: cannot be written (No space left")
    assert done.stderr.count("\n") == 1


def by_shell(line, arguments):
    """Run ``align`` as "$@" in a line of the shell."""
    command = ["sh", "-c", line, "sh", sys.executable, "-c", PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_file_that_grows_too_large_is_named(trained, tmp_path):
    arguments = ["decode", trained / "model", trained / "train.tsv", "-q", "-o", tmp_path / "links"]
    done = by_shell('ulimit -f 1; exec "$@"', arguments)
    assert done.returncode == 1
    assert done.stderr.startswith(b"align: %b/links: cannot be written (File too large)" % bytes(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_streams_that_are_closed_and_not_needed(trained, align, tmp_path):
    decode = ["decode", trained / "model", trained / "train.src", trained / "train.tgt"]
    train = ["train", trained / "train.tsv", "-m", tmp_path / "model", *FAST]
    lexicon = ["lexicon", trained / "model"]
    links, listed = align(*decode, "-q")[0], align(*lexicon, "-q")[0]
    for closed in ("2>&-", "<&- 2>&-"):
        for arguments, out in ((decode, links), (lexicon, listed), (train, b"")):
            done = by_shell(f'exec "$@" {closed}', arguments)
            assert (done.returncode, done.stdout) == (0, out)
    for closed in (">&-", "<&- >&- 2>&-"):
        for arguments in (train, [*decode, "-o", tmp_path / "links"], [*lexicon, "-o", tmp_path / "lexicon"]):
            assert by_shell(f'exec "$@" {closed}', arguments).returncode == 0
        assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()
        assert (tmp_path / "links").read_bytes() == links
        assert (tmp_path / "lexicon").read_bytes() == listed


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("closed", "arguments", "message"),
    [
        (">&-", ["decode", "{}/model", "{}/dev.tsv", "-q"], b"<stdout>: cannot be written"),
        (">&-", ["configs"], b"<stdout>: cannot be written"),
        ("<&-", ["decode", "{}/model", "-", "{}/dev.tgt"], b"<stdin>: cannot be read"),
        ("<&-", ["eval", "{}/dev.gold", "-"], b"<stdin>: cannot be read"),
    ],
)
def test_a_stream_that_is_closed_and_needed_is_an_error(trained, closed, arguments, message):
    done = by_shell(f'exec "$@" {closed}', [argument.format(trained) for argument in arguments])
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"align: " + message)
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("recipe", sorted(builtin_recipes()))
def test_once_compiled_training_and_decoding_do_without_numba(texts, tmp_path, recipe):
    """That is, all kernels can be linked alone, with the version of Numba that is installed."""
    text = [str(texts / "dev.src"), str(texts / "dev.tgt")]
    stages = len(tomllib.loads(read_recipe(recipe)[0])["stage"])
    few = [word for k in range(stages) for word in ("--set", f"stage.{k + 1}.iterations=1")]
    runs = [["train", *text, "-m", "m", "-c", recipe, "--links", "l", *few]]
    runs += [["decode", "m", *text, "-o", "l", "--method", method] for method in METHODS]
    code = f"""if True:
        import sys
        from aligner.cli.main import main
        for run in {runs!r}:
            sys.argv = ["align", *run, "-q"]
            main()
        print("numba" in sys.modules)
    """
    for _ in range(2):
        done = process(code, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["train", "--help"],
        ["decode", "--help"],
        ["configs"],
        ["eval", "{}/g", "{}/g"],
    ],
    ids=" ".join,
)
def test_what_aligns_nothing_does_not_import_numba(tmp_path, arguments):
    (tmp_path / "g").write_text("0-0 1-1\n")
    arguments = ["align", *(argument.format(tmp_path) for argument in arguments)]
    code = f"""if True:
        import sys
        sys.argv = {arguments!r}
        from aligner.cli.main import main
        main()
        heavy = {{"numba", "llvmlite", "aligner.kernels"}} & set(sys.modules)
        assert not heavy, heavy
        assert "eval" in sys.argv or "numpy" not in sys.modules
    """
    done = process(code, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_package_s_names_are_loaded_on_first_use():
    code = """if True:
        import sys
        import aligner
        assert {name for name in sys.modules if name.startswith("aligner")} == {"aligner", "aligner._version"}
        assert set(dir(aligner)) == set(aligner.__all__)
        for name in aligner.__all__:
            assert getattr(aligner, name) is not None
    """
    done = process(code, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
