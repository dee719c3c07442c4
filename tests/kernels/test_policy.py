"""Kernels as machine code: found again on disk, called without Numba, given what they were compiled for."""

import importlib
import pkgutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from aligner import kernels
from aligner.kernels import _files, _jit, _machine, lexicon

folders = _files._folders.__wrapped__


@pytest.fixture
def file(tmp_path):
    return lambda sources="sources": _files.CodeFile([tmp_path / "kernel"], sources)


def test_code_is_found_until_sources_change(file):
    assert file().load() is None
    file().save(b"1")
    assert file().load() == b"1"
    assert file("others").load() is None
    file("others").save(b"2\n3")
    assert file("others").load() == b"2\n3"
    assert file().load() is None


def test_half_a_file_is_no_code(file, tmp_path):
    """Nor one whose end never reached the disk."""
    file().save(b"code")
    whole = (tmp_path / "kernel").read_bytes()
    for size in (0, 10, len(whole) - 1):
        for rest in (b"", bytes(len(whole) - size)):
            (tmp_path / "kernel").write_bytes(whole[:size] + rest)
            assert file().load() is None


def test_code_goes_where_it_can_be_written(tmp_path):
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a file").touch()
    refused = [tmp_path / "a folder", tmp_path / "a file" / "kernel"]
    assert not _files.CodeFile(refused, "sources").save(b"code")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a file", "a folder"]
    file = _files.CodeFile([*refused, tmp_path / "new" / "kernel", tmp_path / "last"], "sources")
    assert file.save(b"code")
    assert file.load() == b"code"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a file", "a folder", "new"]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["kernel"]


def test_folders_are_the_source_s_then_the_user_s(tmp_path, monkeypatch):
    source = tmp_path / "package" / "kernel.py"
    assert folders(str(source)) == []
    source.parent.mkdir()
    source.touch()
    monkeypatch.delenv("ALIGN_CACHE_DIR", raising=False)
    monkeypatch.setattr(_files, "_user_folder", lambda: tmp_path / "user")
    own, of_user = folders(str(source))
    assert own == source.parent / "__pycache__"
    assert of_user.parent == tmp_path / "user" / "aligner"
    monkeypatch.setattr(_files, "_user_folder", lambda: Path("~nobody-of-this-name").expanduser())
    assert folders(str(source)) == [own]
    monkeypatch.setenv("ALIGN_CACHE_DIR", str(tmp_path / "given"))
    assert folders(str(source)) == [tmp_path / "given"]


@pytest.mark.parametrize(
    ("platform", "variable", "folder"),
    [
        ("linux", "XDG_CACHE_HOME", ".cache"),
        ("darwin", None, "Library/Caches"),
        ("win32", "LOCALAPPDATA", "AppData/Local"),
    ],
)
def test_the_user_s_folder_is_the_system_s(platform, variable, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    if variable:
        monkeypatch.delenv(variable, raising=False)
    assert _files._user_folder() == tmp_path / folder
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "other"))
        assert _files._user_folder() == tmp_path / "other"


def test_every_source_of_the_room_counts(tmp_path, monkeypatch):
    for name in ("a.py", "b.py", "a.code"):
        (tmp_path / name).write_text("x")
    monkeypatch.setattr(_files, "__file__", str(tmp_path / "_files.py"))
    sources = _files._sources.__wrapped__
    before = sources()
    (tmp_path / "a.code").write_text("y")
    assert sources() == before
    (tmp_path / "b.py").write_text("y")
    assert sources() != before


def test_a_kernel_elsewhere_counts_its_own_source_too(tmp_path):
    with_own = _files._sources_with.__wrapped__
    assert with_own(lexicon.__file__) == with_own("<no file>") == _files._sources()
    elsewhere = tmp_path / "kernel.py"
    seen = set()
    for text in "xyx":
        elsewhere.write_text(text)
        seen.add(with_own(str(elsewhere)))
    assert len(seen) == 2
    assert _files._sources() not in seen


@_jit.inlined
def tail(array, size):
    return np.zeros(size) + array[-1]


def last(array, size):
    return tail(array, size)[-1]


class Box(NamedTuple):
    values: np.ndarray
    scale: float
    inner: tuple


def contents(box, number, flag, rest):
    values, (more, offset) = box.values, box.inner
    total = 0.0
    for k in range(len(values)):
        for j in range(more.shape[1]):
            total += values[k] * box.scale * more[k, j]
    return total + offset + number if flag else float(len(rest[0]))


def write(out, value):
    out[0] = value


def how_many(arrays):
    return len(arrays)


def both(array):
    return len(array), array[0]


def whether(array, value):
    return array[0] > value


def needs_numba(array):
    return array.max()


def count_and_allocate(calls, size):
    calls[0] += 1
    return np.empty(size)[0]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    """Code of these kernels is of this test alone."""
    monkeypatch.setattr(_files, "_folders", lambda source: [tmp_path / "code"])


def compilations(monkeypatch):
    """Of what is compiled from here on: the names."""
    from aligner.kernels import _compile

    done, original = [], _compile.compiled

    def compiled(function, *others):
        done.append(function.__name__)
        return original(function, *others)

    monkeypatch.setattr(_compile, "compiled", compiled)
    return done


def test_what_was_compiled_is_loaded_until_sources_change(monkeypatch):
    done = compilations(monkeypatch)
    for _ in range(2):
        kernel = _jit.kernel(last)
        assert kernel(np.array([1.0, 2.0]), 3) == kernel(np.array([3.0, 2.0]), 1) == 2.0
        assert done == ["last"]
    monkeypatch.setattr(_files, "_sources_with", lambda own: "changed")
    assert _jit.kernel(last)(np.array([1.0, 2.0]), 3) == 2.0
    assert done == ["last", "last"]


def test_without_a_place_to_write_to_each_run_compiles(monkeypatch):
    monkeypatch.setattr(_files, "_folders", lambda source: [])
    done = compilations(monkeypatch)
    for _ in range(2):
        assert _jit.kernel(last)(np.array([1.0, 2.0]), 3) == 2.0
    assert done == ["last", "last"]


def test_arguments_of_another_form_have_other_code(monkeypatch):
    done = compilations(monkeypatch)
    kernel = _jit.kernel(write)
    one, other = np.zeros(1), np.zeros(1, np.int32)
    for value in (0.5, 7.9, np.float64(2.5)):
        kernel(one, value)
        kernel(other, value)
        kernel(other, 3)
        assert one[0] == value
        assert other[0] == 3
    assert len(done) == 2


def test_tuples_are_taken_apart():
    kernel = _jit.kernel(contents)
    values, more = np.array([2.0, 3.0], np.float32), np.array([[1, 2], [3, 4]])
    box = Box(values, np.float32(0.1), (more, 100))
    rest = (np.zeros(7, np.bool_),)
    assert kernel(box, 0.25, True, rest) == pytest.approx(0.1 * (6 + 21) + 100.25)
    assert kernel(box._replace(inner=(more[:, :1].copy(), -1)), 0.5, True, rest) == pytest.approx(
        0.1 * 11 - 0.5
    )
    assert kernel(box, 0.25, False, rest) == 7.0
    assert kernel(box, 0.25, False, (rest[0][:4],)) == 4.0


def test_a_tuple_of_another_size_is_another_form():
    kernel = _jit.kernel(how_many)
    arrays = tuple(np.zeros(3) for _ in range(3))
    assert [kernel(arrays[:size]) for size in (1, 3, 2, 3, 1)] == [1, 3, 2, 3, 1]


def test_numbers_come_back_as_python_s():
    assert _jit.kernel(both)(np.array([5, 6])) == (2, 5)
    assert _jit.kernel(write)(np.zeros(1), 1.0) is None
    assert _jit.kernel(whether)(np.ones(1), 0.5) is True
    assert _jit.kernel(whether)(np.ones(1), 1.5) is False
    assert type(_jit.kernel(last)(np.ones(1), 1)) is float


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((3, 3))[:, 1],
        np.zeros(3, ">f8"),
        np.frombuffer(b"x" * 25, np.uint8)[1:].view(np.float64),
        np.zeros(3).view(np.recarray),
        [1.0],
        None,
    ],
    ids=["strided", "swapped", "unaligned", "subclass", "list", "none"],
)
def test_other_arguments_are_refused_however_often(array):
    kernel = _jit.kernel(last)
    for _ in range(2):
        with pytest.raises(TypeError, match="kernels take"):
            kernel(array, 1)
        assert kernel(np.ones(1), 1) == 1.0
    assert kernel(np.ones(1), np.int64(1)) == 1.0
    for size in ("1", np.True_, 1j, None):
        with pytest.raises(TypeError, match="kernels take"):
            kernel(np.ones(1), size)


def test_what_must_not_be_written_to_is_not():
    values = np.zeros(1)
    kernel = _jit.kernel(write)
    kernel(values, 1.0)
    values.flags.writeable = False
    with pytest.raises(Exception, match=r"[Cc]annot modify readonly array"):
        kernel(values, 2.0)
    assert values[0] == 1.0


def test_what_is_read_only_can_be_read():
    kernel = _jit.kernel(last)
    values = np.array([4.0])
    values.flags.writeable = False
    assert kernel(values, 1) == 4.0
    assert kernel(np.array([5.0]), 1) == 5.0


def test_for_want_of_memory_nothing_is_done_twice():
    kernel, calls = _jit.kernel(count_and_allocate), np.zeros(1, np.int64)
    for tries, size in enumerate((2**50, 2**50, np.int64(2**50), np.uint64(2**50)), 1):
        with pytest.raises(MemoryError, match="count_and_allocate"):
            kernel(calls, size)
        assert calls[0] == tries
    kernel(calls, True)
    assert calls[0] == 5


def test_memory_is_given_back():
    kernel, calls = _jit.kernel(count_and_allocate), np.zeros(1, np.int64)
    for _ in range(150_000):  # in all, more than a process can have addresses for
        kernel(calls, 1 << 27)
    assert calls[0] == 150_000


def test_threads_may_use_a_kernel_for_different_forms():
    kernel = _jit.kernel(both)
    arrays = [np.full(n, n, kind) for n in range(1, 40) for kind in (np.int64, np.int32, np.uint8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(kernel, arrays * 20))
    assert found == [(len(array), len(array)) for array in arrays * 20]


def test_a_kernel_that_needs_numba_runs_within_it(monkeypatch):
    """As all do with a Numba that puts other functions of its own into machine code."""
    done = compilations(monkeypatch)
    for _ in range(2):
        kernel = _jit.kernel(needs_numba)
        assert kernel(np.array([1.0, 3.0, 2.0])) == 3.0
        assert kernel(np.array([1, 4])) == 4
    assert done == ["needs_numba"] * 2
    assert not list(_files._folders("")[0].glob("*"))


def test_the_first_compilation_is_told_once():
    told = []
    _jit.on_first_compilation(lambda: told.append(1))
    _jit.kernel(last)(np.ones(1), 1)
    _jit.kernel(both)(np.ones(1, np.int64))
    assert told == [1]
    _jit.on_first_compilation(lambda: told.append(2))
    _jit.kernel(last)(np.ones(1), 1)
    assert told == [1]


def test_who_waits_each_time_is_told_why(monkeypatch):
    told = []
    monkeypatch.setattr(_files.CodeFile, "save", lambda *_: False)
    _jit.on_first_compilation(lambda: told.append("compiling"), lambda: told.append("lost"))
    for _ in range(2):
        _jit.kernel(last)(np.ones(3, np.int32), 1)
    assert told == ["compiling", "lost"]


def test_kernels_call_no_kernels():
    """Each is compiled once, with all that it calls."""
    rooms = [
        importlib.import_module(f"aligner.kernels.{room.name}")
        for room in pkgutil.iter_modules(kernels.__path__)
    ]
    compiled = [f for room in rooms for f in vars(room).values() if isinstance(f, _jit.Declared)]
    assert len(compiled) > 100
    for function in compiled:
        names = function.py_func.__code__.co_names
        used = [function.py_func.__globals__.get(name) for name in names]
        assert not any(isinstance(other, _jit.Kernel) for other in used), function.py_func


def test_intrinsics_are_declared_as_they_are_written():
    from aligner.kernels import _intrinsics, _lanes, simd

    declared = {name: f for name, f in vars(simd).items() if isinstance(f, _jit.Intrinsic)}
    rooms = vars(_lanes), vars(_intrinsics)
    written = [name for room in rooms for name, f in room.items() if hasattr(f, "_defn")]
    assert sorted(declared) == sorted(written)
    for name, function in declared.items():
        _, *arguments = (rooms[0] | rooms[1])[name]._defn.__code__.co_varnames
        taken = function.py_func.__code__.co_argcount
        assert arguments[:taken] == list(function.py_func.__code__.co_varnames), name


def test_only_kernels_can_be_called():
    assert callable(_jit.kernel(last))
    assert not callable(tail)
    assert lexicon.uniform.__doc__.startswith("table[k] = ")


def test_code_survives_its_file():
    places, numbers = [[], [0, 1]], [[2]]
    code = _machine.Code("symbol", places, numbers, ["int64"], ["bool"], ["malloc", "log"], b"\0\n{}\n\xff")
    assert _machine.Code.from_bytes(code.to_bytes()) == code


def test_indices_are_not_looked_at_in_kernels_and_nowhere_else():
    """Numba lets them count from an array's end, and whoever else uses it relies on that."""
    from aligner.kernels import _numba

    assert _numba._numba_index is not None
    assert _numba.arrayobj.fix_integer_index is _numba._index

    @_numba.numba.njit
    def at(array, index):
        return array[index]

    assert at(np.arange(3), -1) == 2


def test_numba_neither_emits_what_kernels_are_made_of_nor_optimises_it_more_than_once(monkeypatch):
    from aligner.kernels import _numba

    done = []
    for step in ("_optimize_final_module", "_finalize_final_module"):
        original = getattr(_numba.JITCodeLibrary, step)

        def record(library, step=step, original=original):
            done.append((step, library.name))
            original(library)

        monkeypatch.setattr(_numba.JITCodeLibrary, step, record)
    assert _jit.kernel(last)(np.ones(1), 1) == 1.0
    own = [(step, name) for step, name in done if name in ("entry", "last", "tail")]
    assert own == [("_optimize_final_module", "entry")]
