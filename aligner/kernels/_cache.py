"""Kernels' machine code on disk, quick to load and safe to edit kernels under.

This relies on insides of Numba, which it does not promise to keep: importing this module fails without them.
"""

import hashlib
import io
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import llvmlite
import numba
from llvmlite import binding as llvm
from numba.core.caching import CompileResultCacheImpl, NullCache
from numba.core.codegen import JitEngine
from numba.core.compiler import CompileResult, compile_result
from numba.core.environment import Environment, _rebuild_env, lookup_environment
from numba.core.runtime import _nrt_python  # type: ignore[attr-defined]
from numba.core.serialize import dumps

_NEEDED = (
    (CompileResult, "_reduce"),
    (JitEngine, "get_function_address"),
    (llvm.ExecutionEngine, "add_object_file"),
    (_nrt_python, "c_helpers"),
)
if not all(hasattr(*needed) for needed in _NEEDED):
    raise ImportError("another kind of Numba")


@cache
def _sources() -> str:
    """A checksum of this room's sources."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _sources_with(own: str) -> str:
    """The same, and of a function's own source, should that be elsewhere."""
    path = Path(own)
    if path.parent == Path(__file__).parent or not path.is_file():
        return _sources()
    return f"{_sources()}-{hashlib.sha256(path.read_bytes()).hexdigest()}"


@cache
def _provide_runtime() -> None:
    """Tell LLVM where the functions of Numba's run-time system are that machine code calls.

    Numba compiles others anew in every process: those are part of machine code that was cached.
    """
    for name, address in _nrt_python.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else "NRT_" + name, address)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """What machine code was compiled in, without importing the parts of Numba that compiled it.

    Only what runs interpreted looks into its module's names. To import where Numba keeps array functions
    takes 0.05 s.
    """
    if not module.startswith("numba.") or module in sys.modules or lookup_environment(name) is not None:
        return _rebuild_env(module, constants, name)
    made = Environment({"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    Environment._memo[name] = made
    return made


class _Unpickler(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str) -> Any:
        found = super().find_class(module_name, global_name)
        return _environment if found is _rebuild_env else found


class CodeFile:
    """A file with what was compiled of one kernel for arguments of some types, on one kind of processor.

    sources: a checksum of all that may be part of it; other ones make it stale.
    """

    def __init__(self, path: Path, sources: str) -> None:
        self._path, self._sources = path, sources

    def load(self) -> Any:
        """What was saved; None if there is nothing, or if it is stale or damaged."""
        try:
            content = self._path.read_bytes()
        except OSError:
            return None
        head, _, data = content.partition(b"\n")
        return _Unpickler(io.BytesIO(data)).load() if head == self._head(data) else None

    def save(self, what: Any) -> None:
        """Put this into the file, all at once, or not at all: a kernel can be compiled again."""
        data = dumps(what)
        part = self._path.with_suffix(f".{uuid4().hex}")
        with suppress(OSError):  # a full disk; on Windows, another process that reads the file
            try:
                part.parent.mkdir(parents=True, exist_ok=True)
                part.write_bytes(self._head(data) + b"\n" + data)
                part.replace(self._path)
            finally:
                part.unlink(missing_ok=True)

    def _head(self, data: bytes) -> bytes:
        return f"{self._sources} {len(data)}".encode()


@cache
def _target(codegen: Any) -> str:
    """What code is compiled for and by, which only these can run."""
    return repr((codegen.magic_tuple(), sys.version, numba.__version__, llvmlite.__version__))


_folders: dict[str, str | None] = {}


def _folder(function: Callable[..., Any]) -> str | None:
    """Where Numba's own cache would be of what a function's folder defines; None if it has no place."""
    sources = os.path.dirname(function.__code__.co_filename)
    if sources not in _folders:
        try:
            _folders[sources] = CompileResultCacheImpl(function).locator.get_cache_path()
        except RuntimeError:
            _folders[sources] = None
    return _folders[sources]


class KernelCache(NullCache):
    """A kernel's cache on disk; where there is no place to write to, kernels are compiled anew in every run.

    Numba's own also loads what other functions would be compiled with, though none calls a kernel, and before
    that registers all that it could compile. Without that, 36 kernels load in 0.02 s, not in 0.2.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @property
    def cache_path(self) -> str | None:
        return _folder(self._function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        file = self._file(sig, target_context.codegen())
        saved = file.load() if file else None
        return _linked(target_context, *saved) if saved else None

    def save_overload(self, sig: Any, cres: Any) -> None:
        file = self._file(sig, cres.codegen)
        if file and not cres.library.has_dynamic_globals:
            library, description, environment, signature, *_, environments = cres._reduce()
            code, _ = library[2]
            file.save((code, description, environment, signature, environments))

    def _file(self, sig: Any, codegen: Any) -> CodeFile | None:
        """Where the code for arguments of these types is, if there is a place for it.

        Any change in this room makes it stale: a kernel holds its helpers' code, wherever they are.
        """
        if self.cache_path is None:
            return None
        name = f"{self._function.__module__.rpartition('.')[2]}.{self._function.__name__}"
        key = hashlib.sha256(f"{sig} {_target(codegen)}".encode()).hexdigest()
        sources = _sources_with(self._function.__code__.co_filename)
        return CodeFile(Path(self.cache_path, f"{name}-{key[:16]}.nbc"), sources)


def _linked(
    target_context: Any, code: bytes, description: Any, environment: Any, signature: Any, environments: Any
) -> Any:
    """Machine code that can be called, in the form of what Numba has compiled."""
    _provide_runtime()
    codegen = target_context.codegen()
    codegen._engine._ee.add_object_file(llvm.ObjectFileRef.from_data(code))
    for used in environments:
        codegen.set_env(used.env_name, used)
    library = _Loaded(codegen)
    return compile_result(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=target_context.get_executable(library, description, environment),
        fndesc=description,
        signature=signature,
        objectmode=False,
        lifted=(),
        referenced_envs=environments,
    )


class _Loaded:
    """Machine code, in the place of the library that Numba has of what it has compiled."""

    def __init__(self, codegen: Any) -> None:
        self.codegen = codegen
        self.get_pointer_to_function = codegen._engine.get_function_address
