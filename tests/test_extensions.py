"""The programs in docstrings, which extend the aligner, run and are short."""

from textwrap import dedent

import pytest

from aligner import criteria
from aligner.criteria import CRITERIA
from aligner.decoding import methods
from aligner.decoding.methods import LINK_METHODS


@pytest.mark.parametrize("module", [criteria, methods], ids=["criterion", "method"])
def test_the_program_in_the_docstring_runs(trained, monkeypatch, module):
    program = dedent(module.__doc__.partition("::\n")[2])
    assert 10 < len(program.splitlines()) < 60
    monkeypatch.chdir(trained)
    # Restore the registries: a name can be registered once.
    for registry in (CRITERIA, LINK_METHODS):
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    exec(compile(program, module.__name__, "exec"), {"__name__": "extension"})
