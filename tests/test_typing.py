"""Types of settings: editors complete them, and mypy refuses misspelled ones."""

import subprocess
import sys

import pytest

from tests.installation import install

SNIPPET = """
from aligner import Aligner, Decoder, TrainedModel, decode, fit

pairs = [("la maison", "the house")]
model: TrainedModel = fit(pairs, "fast", threads=1, progress=True)
decode(model, pairs, threshold=0.3, learned=False)
Aligner(model, method="viterbi")
"""

REFUSED = {
    "decode(model, pairs, treshold=0.3)": '"treshold" for "decode"; did you mean "threshold"?',
    'decode(model, pairs, threshold="low")': 'Argument "threshold" to "decode" has incompatible type "str"',
    "Aligner(model, treshold=0.3)": 'did you mean "threshold"?',
    "Decoder.of(model, lerned=True)": 'Unexpected keyword argument "lerned"',
    "fit(pairs, treads=2)": 'did you mean "threads"?',
}

# Other packages have no types of settings, and reading them takes 20 s.
SETTINGS = """
[mypy]
implicit_reexport = False

[mypy-numpy.*,numba.*,llvmlite.*,click.*]
follow_imports = skip
follow_imports_for_stubs = True
"""


@pytest.mark.slow
def test_mypy_knows_the_settings_of_an_editable_installation(tmp_path):
    pytest.importorskip("mypy", reason="mypy (the extra `dev`) is missing")
    _, python = install(tmp_path, editable=True)
    (tmp_path / "snippet.py").write_text(SNIPPET + "\n".join(REFUSED))
    (tmp_path / "mypy.ini").write_text(SETTINGS)
    command = [sys.executable, "-m", "mypy", "--python-executable", python, "snippet.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert len(errors) == len(REFUSED), done.stdout + done.stderr
    first = SNIPPET.count("\n") + 1
    for number, (error, message) in enumerate(zip(errors, REFUSED.values(), strict=True), first):
        assert f"snippet.py:{number}: " in error
        assert message in error
