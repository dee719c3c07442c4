"""The guarantees: each names tests that exist."""

import re

from tests.documents import ROOT


def test_each_guarantee_names_its_tests():
    lines = (ROOT / "docs" / "guarantees.md").read_text("utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ")][1:]
    assert len(rows) >= 8
    for row in rows:
        path, named = "", re.findall(r"`([a-z_/]+\.py)?::(\w+)`", row)
        assert named, row
        for own, name in named:
            path = own or path  # a second test of the same file
            assert f"def {name}(" in (ROOT / "tests" / path).read_text("utf-8"), (row, name)
