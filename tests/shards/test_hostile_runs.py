"""Files of a run made on purpose, with right checksums: each is refused by a DataError, or is such a file.

Nothing crashes, and nothing but the errors of the library is raised.
"""

import shutil
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import AlignerError, DataError
from aligner.shards import steps
from aligner.shards.folder import Folder
from aligner.shards.piece_run import current
from aligner.storage import array_file
from tests.hostile import changed_header, changed_layout, changed_values, contents, replaced
from tests.shards.cases import DEFAULT, begin, count_all, finish, go_to, shards_of

FILES = "state.4", "encoded.1", "part.4.1", "part.4.2"


@pytest.fixture(scope="module")
def counted(sentence_pairs, tmp_path_factory):
    """Return the folder of a run whose shards have been counted in an iteration that prunes."""
    folder = begin(tmp_path_factory.mktemp("hostile") / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    go_to(folder, 4)
    count_all(folder)
    return folder


def outcome(counted, name, content, path):
    """Replace a file of a copy of the run; return the error of counting or updating, or None.

    Shards are counted again unless a file of counts is replaced.
    """
    shutil.copytree(counted.path, path)
    folder = Folder(path)
    if not name.startswith("part"):
        folder.remove(["part.4.1", "part.4.2"])
    (path / name).write_bytes(content)
    try:
        count_all(folder)
        steps.update(folder)
    except AlignerError as error:
        return error
    return None


@given(data=st.data())
@pytest.mark.parametrize("change", ["layout", "header", "values"])
def test_changed_file_is_refused_or_counted(change, counted, data, tmp_path_factory):
    name = data.draw(st.sampled_from(FILES))
    header, arrays = array_file.read(counted.path / name)
    if change == "layout":
        header = changed_layout(data, header)
    elif change == "header":
        header = changed_header(data, header)
    else:
        arrays = changed_values(data, arrays)
    outcome(counted, name, contents(deepcopy(header), arrays), tmp_path_factory.mktemp("run") / "run")


@pytest.mark.parametrize(
    ("name", "array", "value"),
    [
        ("state.4", "rows.pairs.columns", 1 << 30),
        ("encoded.1", "shard.index.columns", 1 << 30),
        ("encoded.1", "shard.pairs.source.values", 1 << 30),
        ("encoded.1", "shard.pairs.target.offsets", -1),
        ("part.4.1", "counts.pair_ids", (1 << 32) - 1),
        ("part.4.1", "counts.counts.links", -1),
    ],
)
def test_value_out_of_range_is_refused(name, array, value, counted, tmp_path):
    """Kernels would read or write outside of their arrays."""
    header, arrays = array_file.read(counted.path / name)
    changed = arrays[array].copy()
    changed[len(changed) // 2] = value
    error = outcome(counted, name, contents(header, arrays | {array: changed}), tmp_path / "run")
    assert isinstance(error, DataError)
    assert f"{name}: " in str(error)


@pytest.mark.parametrize("change", ["element type", "a number in place of an array"])
def test_value_of_another_type_is_refused(change, counted, tmp_path):
    header, arrays = array_file.read(counted.path / "state.4")
    if change == "element type":
        (entry,) = (entry for entry in header["arrays"] if entry["name"] == "rows.lexicon.table")
        entry["dtype"] = "<i4"
    else:
        header["values"]["arrays"]["lexicon.null_forward"] = 0
    error = outcome(counted, "state.4", contents(header, arrays), tmp_path / "run")
    assert isinstance(error, DataError)


@pytest.mark.parametrize(("version", "found"), [("0.1", "a run by version 0.1"), (None, "no run")])
def test_run_of_another_version_is_refused(version, found, counted, tmp_path):
    header, arrays = array_file.read(counted.path / "state.4")
    error = outcome(
        counted, "state.4", contents(replaced(header, ("run",), version), arrays), tmp_path / "run"
    )
    assert isinstance(error, DataError)
    assert f"state.4: found a file of {found}; expected one by version" in str(error)


@pytest.fixture
def elsewhere(tmp_path):
    """Return a file that no run may read or change."""
    path = tmp_path / "elsewhere"
    path.write_bytes(b"years of work")
    return path


@pytest.mark.parametrize("dangling", [False, True])
def test_f7_link_with_the_name_of_an_output_is_replaced(dangling, folder, expected, elsewhere, tmp_path):
    target = tmp_path / "missing" if dangling else elsewhere
    for name in "encoded.1", "part.2.1", "model":
        (folder.path / name).symlink_to(target)
    assert finish(folder) == expected
    assert not (folder.path / "model").is_symlink()
    assert elsewhere.read_bytes() == b"years of work"
    assert not (tmp_path / "missing").exists()


def test_f7_link_with_the_name_of_an_input_is_refused(counted, tmp_path):
    shutil.copytree(counted.path, tmp_path / "run")
    (tmp_path / "run" / "encoded.1").rename(tmp_path / "encoded")
    (tmp_path / "run" / "encoded.1").symlink_to(tmp_path / "encoded")
    folder = Folder(tmp_path / "run")
    with pytest.raises(DataError, match=r"encoded\.1: .*it is a symbolic link"):
        folder.identity("encoded.1")
    (tmp_path / "run" / "pieces").symlink_to(tmp_path)
    with pytest.raises(DataError, match="pieces: found a symbolic link"):
        current(folder)
