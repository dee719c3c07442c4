"""Imports of the program: Numba only to compute, and not even NumPy for the overview of the verbs."""

import json

from tests.program import process


def imported(commands):
    """Run commands of ``align`` in turn in a new process.

    Return the status of each, whether it wrote to stdout, and the heavy modules that are imported by then.
    """
    code = f"""if True:
        import io, json, sys
        from aligner.cli.main import main

        results = []
        for arguments in {[[*map(str, arguments)] for arguments in commands]!r}:
            sys.argv, sys.stdout, status = ["align", *arguments], io.TextIOWrapper(io.BytesIO()), 0
            try:
                main()
            except SystemExit as stop:
                status = stop.code
            sys.stdout.flush()
            modules = {{"numba", "llvmlite", "numpy", "tqdm"}} & set(sys.modules)
            results.append((status, bool(sys.stdout.buffer.getvalue()), sorted(modules)))
        sys.__stdout__.write(json.dumps(results))
    """
    done = process(code, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_overview_does_not_import_numpy():
    assert imported([["--help"], ["--version"], ["configs"]]) == [[0, True, []]] * 3


def test_verbs_that_infer_nothing_do_not_import_numba(trained, align, tmp_path):
    model, gold, links = trained / "model", trained / "dev.gold", tmp_path / "dev.links"
    text, source = trained / "dev.tsv", trained / "dev.src"
    align("decode", model, text, "-q", "-o", links)
    found = imported(
        [
            ["train", "--help"],
            ["decode", "--help"],
            ["eval", gold, links, "--force"],
            ["show", links, text],
            ["show", links, text, "--html", "-", "--model", model],
            ["symmetrize", links, links, "-c", "union"],
            ["compat", "atools", "-i", links, "-j", links, "-c", "union"],
            ["compat", "fast_align", "--help"],
            ["compat", "makepriors", "-i", trained / "dev.bars", "-f", links, "-r", links],
            ["remap", links, "--source", source, source],
            ["lexicon", model],
            ["decode", model, text, "-q"],
        ]
    )
    assert [result[:2] for result in found] == [[0, True]] * 12
    # The last one shows that the others can fail.
    assert ["numba" in modules or "llvmlite" in modules for _, _, modules in found] == [False] * 11 + [True]


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
