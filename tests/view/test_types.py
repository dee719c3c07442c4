"""The scripts of all pages agree in names, numbers of arguments and types, as TypeScript checks them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import aligner
from aligner.serve.picture import EARLY, LATE
from aligner.view.dictionary import SCRIPTS as OF_DICTIONARY
from aligner.view.page import SCRIPTS

ROOMS = Path(aligner.__file__).parent
FIRST, OTHERS, LAST = ([f"view/page/{name}" for name in names] for names in SCRIPTS)
EARLY_OF_SERVER, LATE_OF_SERVER = ([f"serve/page/{name}" for name in names] for names in (EARLY, LATE))
PROGRAMS = {
    "page": [*FIRST, *OTHERS, *LAST],
    "server": [*FIRST, *EARLY_OF_SERVER, *OTHERS, *LATE_OF_SERVER, *LAST],
    "notebook": [*FIRST, "view/page/notebook", *OTHERS, *LAST],
    "widget": ["view/page/widget"],
    "shelf": ["view/page/elements", "view/page/texts", "serve/page/shelf"],
    "dictionary": [f"view/page/{name}" for name in OF_DICTIONARY],
}
NEW = ["--target", "es2024", "--lib", "es2024,dom,dom.iterable"]
OPTIONS = [*NEW, "--allowJs", "--checkJs", "--noEmit", "--strict", "false"]


@pytest.mark.node
@pytest.mark.parametrize("program", PROGRAMS)
def test_scripts_agree(program):
    places = Path(os.environ.get("NODE_PATH", "")) / ".bin", os.environ["PATH"]
    compiler = shutil.which("tsc", path=os.pathsep.join(map(str, places)))
    if compiler is None:
        pytest.skip("TypeScript is not in NODE_PATH")
    files = [ROOMS / f"{name}.js" for name in PROGRAMS[program]]
    done = subprocess.run([compiler, *OPTIONS, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
