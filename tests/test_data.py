"""Accuracy and memory on real text: pairs of the Canadian Hansards. Skipped without the data."""

import gzip
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from aligner import Decoder, DevSet, load_recipe, read_bitext, train

DATA = Path(os.environ.get("ALIGN_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
HANSARDS = DATA / "fr-en-hansards"

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not HANSARDS.exists(), reason=f"no {HANSARDS}; set ALIGN_DATA to the folder of data"),
]


def write_sides(folder, pairs):
    """Write both sides of the dev and test sets and of some training pairs; return their paths."""
    for side in ("fr", "en"):
        with (folder / side).open("wb") as text, gzip.open(HANSARDS / f"train.{side}.gz") as lines:
            for name in ("dev", "test"):
                text.write((HANSARDS / f"{name}.{side}").read_bytes())
            text.writelines(islice(lines, pairs))
    return folder / "fr", folder / "en"


@pytest.fixture(scope="module")
def bitext(tmp_path_factory):
    return read_bitext(*write_sides(tmp_path_factory.mktemp("hansards"), 3000))


@pytest.fixture(scope="module")
def dev():
    return DevSet.read(*(str(HANSARDS / f"dev.{name}") for name in ("fr", "en", "gold")))


def aer_of(bitext, dev, recipe, decoder):
    """Train by a recipe, and return the AER on the dev set in per cent."""
    *_, last = train(bitext, load_recipe(recipe), threads=2)
    return 100 * dev.score(last.model, decoder).aer


def test_aer_of_the_default_recipe(bitext, dev):
    # Measured: 7.55. Processors round differently, and 3 links make 0.1.
    assert aer_of(bitext, dev, "default", Decoder("posterior", "product", 0.35)) < 8.0


def test_aer_of_independent_training(bitext, dev):
    # Measured: 12.43.
    assert aer_of(bitext, dev, "liang2006-independent", Decoder("posterior", "average", 0.5)) < 12.8


MEASURED = """
import re, sys
from aligner import load_recipe, read_bitext, train

plans = []
for step in train(read_bitext(*sys.argv[1:3]), load_recipe(), max_memory=1 << 50, announce=plans.append):
    pass
with open("/proc/self/status") as status:
    print(plans[0], int(re.search(r"VmHWM:\\s*(\\d+) kB", status.read())[1]) << 10)
"""


@pytest.mark.large
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_planned_memory_is_within_20_percent_of_the_peak(tmp_path):
    command = [sys.executable, "-c", MEASURED, *write_sides(tmp_path, 10_000)]
    subprocess.run(command, check=True, capture_output=True)  # compiling kernels takes memory, too
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    planned, peak = map(int, done.stdout.split())
    assert planned == pytest.approx(peak, rel=0.2)
