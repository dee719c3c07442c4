"""Everything that a server needs, loaded before its process is forked."""

import tempfile
from pathlib import Path

import tests.serve.client  # noqa: F401
from aligner.text.pairs import read_bitext

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "text"
    path.write_text("a b\n")
    read_bitext(path, path)  # loads the kernels
