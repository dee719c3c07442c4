"""``align warmup``: what it compiles, other verbs do not compile again."""

import os

import pytest

from tests.program import process


@pytest.mark.slow
def test_training_and_decoding_compile_nothing_after_a_warm_up(texts, tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def stderr(*arguments):
        done = process(arguments, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stderr

    messages = stderr("warmup").splitlines()
    assert messages[0].startswith("compiling kernels, once for this machine")
    assert messages[1:] == ["all kernels of these recipes are compiled"]
    sides = [[texts / f"{name}.{side}" for side in ("src", "tgt")] for name in ("train", "dev")]
    assert "compiling" not in stderr("train", *sides[0], "-m", tmp_path / "model")
    assert "compiling" not in stderr("decode", tmp_path / "model", *sides[1], "-o", tmp_path / "links")
    assert stderr("warmup", "-q") == ""


def test_a_recipe_that_is_missing_is_an_error(align, tmp_path):
    _, err = align("warmup", "-c", tmp_path / "none.toml", status=1)
    assert "none.toml" in err
