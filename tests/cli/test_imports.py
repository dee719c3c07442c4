"""Imports of the program: Numba only to compute, and not even NumPy for the overview of the verbs."""

import pytest

from tests.program import process


def imported(arguments):
    """Run ``align`` in a new process; return its stdout and stderr, and its heavy modules."""
    code = f"""if True:
        import sys
        sys.argv = {["align", *map(str, arguments)]!r}
        from aligner.cli.main import main
        try:
            main()
        finally:
            print(*sorted({{"numba", "llvmlite", "numpy", "tqdm"}} & set(sys.modules)), file=sys.stderr)
    """
    done = process(code, capture_output=True, text=True)
    return done.returncode, done.stdout, set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["configs"]], ids=" ".join)
def test_overview_does_not_import_numpy(arguments):
    status, out, modules = imported(arguments)
    assert (status, bool(out), modules) == (0, True, set())


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "--help"],
        ["decode", "--help"],
        ["eval", "{}/dev.gold", "{}/dev.links", "--force"],
        ["show", "{}/dev.links", "{}/dev.tsv"],
        ["show", "{}/dev.links", "{}/dev.tsv", "--html", "-", "--model", "{}/model"],
        ["symmetrize", "{}/dev.links", "{}/dev.links"],
        ["compat", "atools", "-i", "{}/dev.links", "-j", "{}/dev.links", "-c", "union"],
        ["compat", "fast_align", "--help"],
        ["compat", "makepriors", "-i", "{}/dev.bars", "-f", "{}/dev.links", "-r", "{}/dev.links"],
        ["remap", "{}/dev.links", "--source", "{}/dev.src", "{}/dev.src"],
        ["lexicon", "{}/model"],
    ],
    ids=" ".join,
)
def test_verb_that_infers_nothing_does_not_import_numba(trained, align, tmp_path, arguments):
    align("decode", trained / "model", trained / "dev.tsv", "-q", "-o", tmp_path / "dev.links")
    names = {"dev.links": tmp_path}
    paths = [a if not a.startswith("{}/") else names.get(a[3:], trained) / a[3:] for a in arguments]
    status, out, modules = imported(paths)
    assert (status, bool(out)) == (0, True)
    assert not modules & {"numba", "llvmlite"}


def test_decoding_imports_numba(trained):
    """Check that the tests above can fail."""
    status, _, modules = imported(["decode", trained / "model", trained / "dev.tsv", "-q"])
    assert status == 0
    assert "numba" in modules


def test_names_of_the_package_load_on_first_use():
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


def test_program_runs_as_a_module(trained):
    code = """if True:
        import runpy, sys
        sys.argv = ["aligner", "--version"]
        runpy.run_module("aligner", run_name="__main__")
    """
    done = process(code, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[0]) == (0, "align,")
