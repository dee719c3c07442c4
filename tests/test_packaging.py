"""The packaging: all packages and files of the project are part of its distributions."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from aligner import __version__
from aligner.messages import EXTRAS
from tests.installation import ROOT, install

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_every_package_is_installed():
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "aligner").rglob("__init__.py")}
    packages = {".".join(folder.parts) for folder in folders} | {"aligner.cli", "aligner.configs"}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == packages
    # Otherwise, a build warns that the folders of pages are no packages.
    assert PROJECT["tool"]["setuptools"]["include-package-data"] is False


def test_the_sdist_has_what_the_tests_read():
    """Setuptools adds packages, pyproject.toml, the README and the licence."""
    lines = (ROOT / "MANIFEST.in").read_text("utf-8").splitlines()
    included = {name for line in lines if line.startswith(("include", "graft")) for name in line.split()[1:]}
    assert all((ROOT / name).exists() for name in included)
    documents = {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md"}
    assert documents | {".github", "docs", "scripts", "tests"} <= included


def test_u6_messages_about_extras_name_their_packages():
    extras = PROJECT["project"]["optional-dependencies"]
    for extra, packages in EXTRAS.items():
        assert [re.match(r"[\w.]+", required)[0] for required in extras[extra]] == packages


def test_the_citation_is_of_this_version():
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("editable", [False, True])
def test_an_installation_is_found_within_the_repository_and_outside(editable, tmp_path):
    """Within, Python imports ./aligner, beside which the recipes and the commands lie."""
    copy, python = install(tmp_path, editable=editable)
    code = "import aligner.cli.main, aligner as a; a.load_recipe('default'); print(a.__file__)"
    for folder, of_copy in ((copy, True), (tmp_path, editable)):
        done = subprocess.run([python, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
        assert done.stderr == ""
        assert Path(done.stdout).is_relative_to(copy) is of_copy
