"""A virtual environment with a real installation of a copy of the repository, for tests."""

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[1]


def install(folder, *, editable):
    """Copy the repository to a folder, and install it from there; return the copy and the new Python."""
    pytest.importorskip("setuptools", minversion="77", reason="setuptools is missing")
    copy, python = folder / "repository", folder / "venv" / "bin" / "python"
    for name in ("aligner", "cli", "configs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    hook = f"from setuptools import build_meta; build_meta.build_{'editable' if editable else 'wheel'}('..')"
    subprocess.run([sys.executable, "-c", hook], cwd=copy, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", python.parents[1]], check=True)
    (packages,) = python.parents[1].glob("lib/python*/site-packages")
    (packages / "others.pth").write_text("".join(f"{path}\n" for path in sys.path if "-packages" in path))
    with ZipFile(*folder.glob("*.whl")) as wheel:
        wheel.extractall(packages)
    return copy, python
