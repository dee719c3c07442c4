"""Conflicts between the files of a run."""

import os
import re
import sys
from unittest.mock import patch

import pytest

from aligner.errors import ConfigError
from aligner.files.opening import check_conflicts
from tests.support import write


def test_different_files_do_not_conflict(tmp_path):
    one, two = write(tmp_path / "one", "a"), write(tmp_path / "two", "a")
    check_conflicts({"a": one, "b": one, "c": None, "d": tmp_path / "no"}, {"e": two, "f": None, "g": "new"})
    check_conflicts({"a": tmp_path / "no", "b": tmp_path / "no"}, {})  # reading says that they are missing
    check_conflicts({"a": "-"}, {"b": "-"})
    with open(one, "rb") as file, patch.object(sys, "stdin", file):
        check_conflicts({"a": one, "b": "-"}, {"c": two})
    check_conflicts({}, {"a": os.devnull, "b": os.devnull, "c": "-"})


def conflict(inputs, outputs):
    """Return the part of the error message that names the two conflicting files."""
    with pytest.raises(ConfigError) as caught:
        check_conflicts(inputs, outputs)
    return re.fullmatch("found the same file for (.*); expected .*", str(caught.value))[1]


def test_conflict_is_found_under_any_name(tmp_path):
    text = write(tmp_path / "text", "a")
    os.link(text, tmp_path / "hard")
    for name in (f"{tmp_path}/./text", tmp_path / "hard"):
        assert conflict({"a": text}, {"b": name}) == f"a {text} and b {name}"
    assert conflict({}, {"a": tmp_path / "new", "b": f"{tmp_path}/./new"}).endswith("new")
    with open(text, "rb") as file, patch.object(sys, "stdin", file):
        assert conflict({"a": "-"}, {"b": text}) == f"a - and b {text}"
    with open(text, "ab") as file, patch.object(sys, "stdout", file):
        assert conflict({}, {"a": text, "b": "-"}) == f"a {text} and b -"


@pytest.mark.skipif(os.name == "nt", reason="needs links and pipes with names")
def test_conflict_is_found_through_links_and_pipes(tmp_path):
    (tmp_path / "link").symlink_to("new")
    assert conflict({}, {"a": tmp_path / "new", "b": tmp_path / "link"}).endswith("link")
    write(tmp_path / "new", "a")
    assert conflict({"a": tmp_path / "new"}, {"b": tmp_path / "link"}).endswith("link")
    os.mkfifo(tmp_path / "pipe")
    assert conflict({}, {"a": tmp_path / "pipe", "b": f"{tmp_path}/./pipe"}).endswith("pipe")
