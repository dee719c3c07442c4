"""The README: its commands run in order in an empty folder and print the lines it shows; its Python runs."""

import re

import pytest

from aligner.links.symmetrize import SYMMETRIZATIONS
from aligner.recipe.builtin import builtin_recipes
from tests.documents import ROOT, needs_shell, run_document, steps_of

README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.slow
@needs_shell
@pytest.mark.usefixtures("align_on_path")
def test_the_commands_and_the_python_run(tmp_path):
    assert sum(len(step.promised) for step in steps_of("README.md")) >= 8
    run_document("README.md", tmp_path)


def test_recipes_in_the_readme_are_built_in():
    named = set(re.findall(r"(?:-c|configs) ([a-z][a-z0-9-]+)\b", README)) - {*SYMMETRIZATIONS}
    assert set() < named <= set(builtin_recipes())


def test_the_readme_is_short():
    assert len(README.split()) <= 700


def test_links_of_the_readme_and_of_contributing_are_files():
    for name in ("README.md", "CONTRIBUTING.md", "scripts/README.md"):
        path = ROOT / name
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{name}: {target}"
