"""``align warmup``: other verbs do not compile its kernels again."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from aligner import kernels
from aligner.cli import reporter
from tests.program import process

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_training_and_decoding_compile_nothing_after_a_warm_up(texts, tmp_path):
    """They call kernels with the types of arguments of a warm-up, which machine code in the cache has."""
    paths = [str(texts / f"{name}.{side}") for name in ("train", "dev") for side in ("src", "tgt")]
    paths += [str(tmp_path / name) for name in ("model", "links")]
    code = f"""if True:
        from aligner.decoding.compile_ahead import compile_ahead
        from tests.kernels.test_policy import dispatchers
        from tests.program import run_here

        def used():
            return {{
                (kernel.py_func.__module__.partition("kernels.")[2], kernel.__name__, str(signature))
                for kernel in dispatchers()
                if kernel.targetoptions.get("nogil")
                for signature in kernel.signatures
            }}

        def align(*arguments):
            assert run_here(arguments) == 0
            return used()

        train_source, train_target, source, target, model, links = {paths}
        assert list(compile_ahead()) == ["hmm", "projection", "links"]
        ahead = used()
        late = [("hmm.inference", "posteriors"), ("projection", "propose"), ("projection", "put")]
        late += [("links", "attach"), ("spelling", "guess"), ("word_forms", "raise_potentials")]
        assert set(late) < {{kernel[:2] for kernel in ahead}}
        warm = align("warmup")
        assert ahead < warm
        assert len([kernel for kernel in warm if kernel[:2] == ("hmm.inference", "posteriors")]) == 1
        assert align("train", train_source, train_target, "-m", model, "-q") == warm
        assert align("decode", model, source, target, "-o", links, "-q") == warm
    """
    done = process(code, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("all kernels of these recipes are compiled\n")


def test_first_compilation_is_announced(monkeypatch, capsys):
    reports = []
    monkeypatch.setattr(kernels.policy, "on_compilation", reports.append)
    reporter.Reporter(quiet=False)
    for number in (1, 2, 3):
        reports[0](number, True)
    announced = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in announced] == ["compiling kernels, once for this machine"]
    reports[0](1, False)
    assert capsys.readouterr().err.startswith("compiling kernels, in each run: ")
    reporter.Reporter(quiet=True)
    reports[1](1, False)
    assert capsys.readouterr().err == ""


def test_first_run_compiles_late_kernels_in_another_process(monkeypatch):
    awaited = []
    monkeypatch.setattr(kernels.policy, "on_compilation", lambda report: None)
    monkeypatch.setattr(kernels.policy, "compiled_elsewhere", lambda *names: awaited.extend(map(list, names)))
    monkeypatch.setattr(reporter, "processors", lambda: 2)
    monkeypatch.setattr(reporter, "atexit", SimpleNamespace(register=lambda end: None))
    monkeypatch.setattr(kernels.policy, "is_cache_empty", lambda: False)
    reporter.Reporter(quiet=True).compile_ahead()
    assert awaited == []
    monkeypatch.setattr(kernels.policy, "is_cache_empty", lambda: True)
    reporter.Reporter(quiet=True).compile_ahead()
    assert awaited == [["hmm", "projection", "links"]] * 2
