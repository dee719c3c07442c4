"""Faults of an early build in the program, by their numbers in a list. Each test failed on that build.

Fault 1 is tested in ``training/test_memory.py``, fault 4 in ``models/test_hostile_files.py``, fault 5
and the rest of fault 11 in ``kernels/test_policy.py``.
"""

import os
import re
import shutil
import subprocess
from contextlib import suppress
from unittest.mock import Mock

import numpy as np
import pytest

from aligner import DataError
from aligner.files.opening import check_output, open_output
from tests.program import FAST, converse, process
from tests.support import write

ADVICE = "allow more, use fewer threads (-j 1), or train on fewer or shorter pairs"
posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")


# Control characters of a text, on a terminal and in a file


@posix
def test_control_characters_are_shown_on_a_terminal_and_kept_in_files(align, tmp_path):
    pty = pytest.importorskip("pty")
    hostile = "a\x1b[2Jb\x9b1mé\r\x1b[A"
    text, links = write(tmp_path / "text", f"{hostile}\t{hostile}\n"), write(tmp_path / "links", "0-0\n")
    terminal, slave = pty.openpty()
    for command in (
        ["show", links, text],
        ["show", hostile, text],
        ["find", "a", links, text, "--by", "prefix"],
    ):
        process(command, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    with suppress(OSError):  # the end
        while data := os.read(terminal, 1 << 16):
            shown += data
    assert shown.count(rb"\x1b[2Jb\x9b1m" + "é".encode() + rb"\r\x1b[A") >= 5
    assert b"\x1b[1;36m" in shown  # a colour of the program
    assert not re.search(rb"\x1b(?!\[(1;3[26]|0)m)|\xc2[\x80-\x9f]|\r(?!\n)", shown)
    align("show", links, text, "-o", tmp_path / "shown")
    assert hostile in (tmp_path / "shown").read_bytes().decode()


def test_missing_folder_for_temporary_files_is_named(monkeypatch, align, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("tempfile._candidate_tempdir_list", lambda: [str(tmp_path / "none")])
    _, err = align("warmup", status=1)
    assert "No usable temporary directory" in err
    assert "stdout" not in err


# 6: a model overwritten in place


def test_06_model_overwritten_in_place_while_decoding_changes_no_link(program, trained, tmp_path):
    shutil.copy(trained / "model", tmp_path / "model")
    command = [*program, "decode", tmp_path / "model", "-", "-q"]
    lines, links = (
        (trained / name).read_bytes().splitlines(keepends=True) for name in ("train.tsv", "train.links")
    )

    def lines_and_links():
        yield from zip(lines[:5], links[:5], strict=True)
        (tmp_path / "model").write_bytes(b"\xff" * 100)
        yield from zip(lines[5:], links[5:], strict=True)

    decoding = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    converse(decoding, lines_and_links(), decoding.stdout)


# 9: work of other runs


@pytest.fixture
def other_text(tmp_path):
    """Return the path of another text than the sample."""
    return write(tmp_path / "other.tsv", "a b\tc d\nb a\td c\n" * 3)


def test_09_model_of_another_text_is_replaced_on_request_only(trained, align, tmp_path, other_text):
    model = tmp_path / "model"
    shutil.copy(trained / "model", model)
    before = model.read_bytes()
    for resume in ([], ["--resume"]):
        _, err = align("train", other_text, "-m", model, *FAST, *resume, status=1)
        assert "model: found a model of another text" in err
        assert model.read_bytes() == before
    align("train", trained / "train.tsv", "-m", model, *FAST)  # the same text
    assert model.read_bytes() == before
    align("train", other_text, "-m", model, *FAST, "--force")
    assert model.read_bytes() != before


def test_09_checkpoint_of_another_run_is_replaced_on_request_only(
    trained, align, tmp_path, other_text, monkeypatch
):
    """The library's tests cover what the checkpoint depends on, and runs with --resume."""
    options = "-m", tmp_path / "model", *FAST, "--checkpoint-every", "0"
    with monkeypatch.context() as patch:
        patch.setattr("aligner.cli.training_results.save", Mock(side_effect=KeyboardInterrupt))
        align("train", trained / "train.tsv", *options, status=130)
    _, err = align("train", other_text, *options, status=1)
    assert "found a checkpoint of another text, recipe, evidence or version" in err
    align("train", other_text, *options, "--force")
    assert sorted(os.listdir(tmp_path)) == ["model", "other.tsv"]


# 11: tracebacks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-c", "a = " + "[" * 2000 + "]" * 2000], "not valid TOML"),
        (["-c", "a = " + "1" * 5000], "not valid TOML"),
        *(
            (["--set", f"stage.1.iterations={value}"], "stage.1.iterations")
            for value in ("[" * 2000, "1" * 5000, "0x" + "f" * 5000)
        ),
        *((["-j", threads], "1<=x<=4096") for threads in ("5000", "9" * 20)),
        (["--checkpoint-every", "nan"], "expected a number of seconds"),
    ],
)
def test_11_extreme_settings_are_a_message(trained, align, tmp_path, options, message):
    if options[0] == "-c":
        options = "-c", write(tmp_path / "recipe.toml", options[1])
    status = 1 if options[0] in ("-c", "--set") else 2
    assert message in align("train", trained / "dev.tsv", "-m", tmp_path / "m", *options, status=status)[1]


# 8 and 13: the real cause, and advice that helps


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (lambda *_: np.empty(1 << 50), f"out of memory; {ADVICE}"),
        (Mock(side_effect=SystemError("error return")), f"error return, as without memory; {ADVICE}"),
        (Mock(side_effect=OSError("libllvmlite.so: failed to map")), "libllvmlite.so: failed to map"),
    ],
)
def test_13_the_real_cause_and_advice_when_memory_is_short(trained, align, monkeypatch, load, message):
    monkeypatch.setattr("aligner.load", load, raising=False)
    _, err = align("decode", trained / "model", trained / "dev.tsv", status=1)
    assert err == f"align: {message}\n"


# 14: trifles


@posix
def test_14_pipe_that_is_both_sides_is_an_error(align, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    _, err = align("train", tmp_path / "pipe", tmp_path / "pipe", "-m", tmp_path / "model", status=1)
    assert "found the same pipe for SOURCE" in err


@posix
@pytest.mark.parametrize(("name", "reason"), [("new/", "Is a directory"), ("loop", "symbolic links")])
def test_14_folder_or_link_that_leads_to_itself_is_no_output(tmp_path, name, reason):
    os.symlink("loop", tmp_path / "loop")
    for write_it in (check_output, lambda path: open_output(path).__enter__()):
        with pytest.raises(DataError, match=reason):
            write_it(f"{tmp_path}/{name}")
    assert os.listdir(tmp_path) == ["loop"]
    assert os.path.islink(tmp_path / "loop")


@posix
@pytest.mark.parametrize(
    "command",
    ["verses {0}/a {0}/a -o", "train {1}/dev.tsv -m {0}/m --log", "train {1}/dev.tsv -m {0}/m --plot"],
)
def test_output_through_a_looping_link_is_named_before_the_work(align, trained, tmp_path, command):
    (tmp_path / "a").write_text("\\id MAT\n\\c 1\n\\v 1 word\n")
    os.symlink("loop", tmp_path / "loop")
    _, err = align(*command.format(tmp_path, trained).split(), tmp_path / "loop", status=1)
    assert re.match(rf"align: {tmp_path}/loop: cannot be (used|written) \(.*; check the name", err)


@posix
def test_14_closed_stderr_does_not_end_training(program, trained, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    command = [*program, "train", trained / "train.tsv", "-m", tmp_path / "model", *FAST]
    done = subprocess.run(command, stderr=writer, check=False)
    os.close(writer)
    assert done.returncode == 0
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()


def test_14_temporary_files_of_a_killed_run_are_removed_by_resume(trained, align, tmp_path):
    strange = ["model.0123abcd.tmp.mine", "model.notes.tmp", "model2.0123abcd.tmp"]
    for name in ["model.0123abcd.tmp", "model.checkpoint.89abcdef.tmp", *strange]:
        (tmp_path / name).touch()
    align("train", trained / "train.tsv", "-m", tmp_path / "model", *FAST, "--resume")
    assert sorted(os.listdir(tmp_path)) == sorted(["model", *strange])


def test_14_environment_of_child_processes_has_no_setting_of_numba(trained):
    code = "import os; before = set(os.environ); import aligner.kernels.hmm; print(set(os.environ) - before)"
    done = process(code, capture_output=True, text=True)
    assert done.stdout == "set()\n"
