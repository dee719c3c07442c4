"""The operations that are written in LLVM code against their Python definitions."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from aligner.kernels.intrinsics import LANES, SIDE_BY_SIDE
from tests.kernels import operations

ROOT = Path(__file__).resolve().parents[2]


WITH_LANES = """
import runpy
import sys
from llvmlite import binding

of_host = binding.get_host_cpu_features
binding.get_host_cpu_features = lambda: {"avx512f": sys.argv.pop(1) == "16"}
import aligner.kernels.intrinsics

binding.get_host_cpu_features = of_host
runpy.run_module("tests.kernels.operations", run_name="__main__")
"""
"""Run the operations with sixteen lanes, or with eight."""


@pytest.mark.parametrize("lanes", [8, 16])
def test_compiled_operations_agree_with_their_definitions(lanes, tmp_path):
    found = []
    for variable, value in (("NUMBA_CACHE_DIR", str(tmp_path)), ("NUMBA_DISABLE_JIT", "1")):
        path = tmp_path / f"{variable}.npz"
        command = [sys.executable, "-c", WITH_LANES, str(lanes), "1", path]
        subprocess.run(command, env=os.environ | {variable: value}, cwd=ROOT, check=True)
        found.append(np.load(path))
    compiled, defined = found
    assert sorted(compiled) == sorted(defined)
    assert len(compiled["make_zeros"]) == lanes
    for name, array in compiled.items():
        np.testing.assert_array_equal(array, defined[name], err_msg=name)


@pytest.mark.parametrize("length", [1, 15, 16, 17, 40])
def test_runs_go_to_lanes_and_back(length):
    rng = np.random.default_rng(length)
    array = rng.random(LANES * 60).astype(np.float32)
    starts, counts = rng.permutation(LANES) * 60, rng.integers(0, length + 1, LANES)
    rows = -(-length // LANES) * LANES
    lanes, out = np.full((rows, LANES), 7.0, np.float32), np.full(len(array), 7.0, np.float32)
    operations.transport(SIDE_BY_SIDE, array, starts, counts, length, lanes.ravel(), 0, out)
    for lane in range(LANES):
        run = array[starts[lane] : starts[lane] + counts[lane]]
        np.testing.assert_array_equal(lanes[: counts[lane], lane], run)
        np.testing.assert_array_equal(lanes[counts[lane] :, lane], 0.0)
        np.testing.assert_array_equal(out[starts[lane] : starts[lane] + counts[lane]], run)
    assert (out == 7.0).sum() == len(out) - counts.sum()


def test_lanes_hold_numbers():
    found = operations.results(3)
    assert (found["compute_lanes"][6] == LANES).all()
    assert (found["compute_numbers"][6] == 1).all()
    np.testing.assert_array_equal(found["compute_lanes"][:4], found["compute_numbers"][:4])
    np.testing.assert_array_equal(found["make_zeros"], np.zeros(LANES))
