"""The guarantees: each names a test that exists."""

import re

from tests.documents import ROOT


def test_each_guarantee_names_its_test():
    lines = (ROOT / "docs" / "guarantees.md").read_text("utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ")][1:]
    assert len(rows) >= 8
    for row in rows:
        path, name = re.search(r"`([a-z_/]+\.py)::(\w+)`", row).groups()
        assert f"def {name}(" in (ROOT / "tests" / path).read_text("utf-8"), row
