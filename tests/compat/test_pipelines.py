"""Calling lines of public pipelines, run against the stand-ins under the names of the originals.

The lines are from mozilla/translations (pipeline/alignments/align.py), hplt-project/OpusTrainer (README.md),
sillsdev/machine.py (machine/jobs/eflomal_aligner.py) and clab/fast_align (src/force_align.py).
"""

import os
import re
import shlex
import stat
import subprocess
import sys
from contextlib import ExitStack
from math import sqrt
from pathlib import Path

import pytest

import aligner.compat.eflomal
from aligner.links.formats import LINK_FORMATS
from tests.support import new_file

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs scripts of the shell")


@pytest.fixture(scope="module")
def programs(program, tmp_path_factory):
    """Return a folder with the programs by their own names, each a script of one line."""
    folder = tmp_path_factory.mktemp("bin")
    for name, verb in {"fast_align": "fast_align", "atools": "atools", "eflomal": "eflomal-binary"}.items():
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {shlex.join(program)} compat {verb} "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.fixture
def work(tmp_path, texts, monkeypatch):
    """Change to an empty folder with both sides of the dev text, as corpus.src and corpus.trg."""
    monkeypatch.chdir(tmp_path)
    for side, name in (("src", "src"), ("tgt", "trg")):
        Path(f"corpus.{name}").write_bytes((texts / f"dev.{side}").read_bytes())
    return tmp_path


def check_links(path):
    """Check that a file has a line of links in range for each line of the text, and that most have links."""
    texts = [Path(f"corpus.{side}").read_text("utf-8").splitlines() for side in ("src", "trg")]
    lines = [pair.links for pair in LINK_FORMATS["pharaoh"].read(path)]
    for links, source, target in zip(lines, *texts, strict=True):
        assert all(i < len(source.split()) and j < len(target.split()) for i, j in links)
    assert sum(map(bool, lines)) > len(lines) / 2


@pytest.mark.slow
def test_opustrainer(programs, work):
    Path("bin").symlink_to(programs)
    script = """
        paste corpus.src corpus.trg > corpus.tsv
        cat corpus.tsv | sed 's/\\t/ ||| /' > corpus.falign
        bin/fast_align -vod  -i corpus.falign > align.s2t
        bin/fast_align -vodr -i corpus.falign > align.t2s
        bin/atools -i align.s2t -j align.t2s -c grow-diag-final-and > corpus.aln
    """
    subprocess.run(["sh", "-ec", script], check=True, stderr=subprocess.PIPE)
    check_links("corpus.aln")
    assert Path("align.s2t").read_text() != Path("align.t2s").read_text()


def test_mozilla(programs, work, monkeypatch):
    monkeypatch.setitem(sys.modules, "eflomal", aligner.compat.eflomal)
    import eflomal

    def align_part(priors_input_path, fwd_path, rev_path):
        with ExitStack() as stack:
            names = "corpus.src", "corpus.trg", priors_input_path
            files = [name and stack.enter_context(open(name, encoding="utf-8")) for name in names]
            eflomal.Aligner().align(
                *files[:2],
                links_filename_fwd=str(fwd_path),
                links_filename_rev=str(rev_path),
                priors_input=files[2],
                quiet=False,
                use_gdb=False,
            )

    align_part(None, work / "sample.fwd", work / "sample.rev")
    names = "corpus.src", "corpus.trg", "sample.fwd", "sample.rev"
    with ExitStack() as stack:
        inputs = [stack.enter_context(open(name, encoding="utf-8")) for name in names]
        priors_tuple = eflomal.calculate_priors(*inputs)
        priors_output = stack.enter_context(open("priors", "w", encoding="utf-8"))
        eflomal.write_priors(priors_output, *priors_tuple)
    align_part("priors", work / "aln.fwd", work / "aln.rev")
    command = [programs / "atools", "-i", "aln.fwd", "-j", "aln.rev", "-c", "grow-diag-final-and"]
    with open("aln", "wb") as stream:
        subprocess.run(command, stdout=stream, check=True)
    check_links("aln")


def test_machine(programs, work, monkeypatch):
    monkeypatch.setitem(sys.modules, "eflomal", aligner.compat.eflomal)
    from eflomal import read_text, write_text

    for side in ("src", "trg"):
        with open(f"corpus.{side}", encoding="utf-8") as text, open(f"numbers.{side}", "wb") as output_file:
            sents, index = read_text(text, True, 0, 0)
            write_text(output_file, tuple(sents), len(index))
    iters = max(2, round(5000 / sqrt(len(sents))))
    iters4 = max(1, iters // 4)
    args = [str(programs / "eflomal"), "-s", "numbers.src", "-t", "numbers.trg"]
    args += ["-f", "forward-align.txt", "-r", "reverse-align.txt", "-m", "3", "-n", "3", "-N", "0.2"]
    args += ["-1", str(max(2, iters4)), "-2", str(iters4), "-3", str(iters)]
    subprocess.run(args, stderr=subprocess.DEVNULL, check=True)
    check_links("forward-align.txt")
    check_links("reverse-align.txt")


@pytest.mark.slow
def test_force_align(programs, work):
    sides = (Path(f"corpus.{side}").read_text("utf-8").splitlines() for side in ("src", "trg"))
    corpus = [" ||| ".join(line) for line in zip(*sides, strict=True)]
    new_file(work, "".join(f"{line}\n" for line in corpus), "corpus.f-e")
    with open("fwd_align", "wb") as links, open("fwd_err", "wb") as err:
        train = [programs / "fast_align", "-i", "corpus.f-e", "-d", "-v", "-o", "-p", "fwd_params"]
        subprocess.run(train, stdout=links, stderr=err, check=True)
    said = Path("fwd_err").read_text()
    ratio = re.search(r"expected target length.* (\S+)$", said, re.M)[1]
    tension = re.search(r"final tension.* (\S+)$", said, re.M)[1]
    options = ["-T", tension, "-m", ratio, "-f", "fwd_params"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    aligned = Path("fwd_align").read_text().splitlines()
    with subprocess.Popen([programs / "fast_align", "-i", "-", "-d", *options], **pipes) as running:
        for line, expected in zip(corpus[:3], aligned, strict=False):
            running.stdin.write(f"{line}\n".encode())
            running.stdin.flush()
            assert running.stdout.readline().decode().split("|||")[2].strip() == expected
        running.stdin.close()
        assert running.wait() == 0
