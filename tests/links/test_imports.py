"""Tests of what the modules of links and sample import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import aligner.links
import aligner.links.formats
import aligner.sample

MODULES = [
    f"{package.__name__}.{path.stem}"
    for package in (aligner.links, aligner.links.formats, aligner.sample)
    for path in sorted(Path(package.__file__).parent.glob("*.py"))
]


def test_no_module_loads_numba():
    imports = "; ".join(f"import {module}" for module in MODULES)
    program = f"import sys; {imports}; sys.exit(bool({{'numba', 'tqdm'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_every_module_can_be_imported_first():
    """Find import cycles."""
    program = f"""if True:
        import importlib, sys
        for module in {MODULES}:
            for name in [name for name in sys.modules if name.partition(".")[0] == "aligner"]:
                del sys.modules[name]
            try:
                importlib.import_module(module)
            except ImportError as error:
                sys.exit(f"{{module}}: {{error}}")
    """
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
