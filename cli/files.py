"""Files that commands name: their roles, and the check of all of them before a command runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from aligner.errors import DataError
from aligner.files.opening import PathLike, check_conflicts


class NamedFile(NamedTuple):
    """A file, None if it is not used, with its name in messages and its role (see ``FileName``)."""

    name: str
    path: PathLike | None
    role: str = "output"


DerivedFiles = Callable[[Mapping[str, Any]], Iterable[NamedFile]]
"""A function of a command's values: the files that follow from them. They take precedence by their names."""


class FileName(click.ParamType):
    """The name of a file, which shells complete, and which its command checks before it runs.

    role: input; output; model, an output that may replace a model; or place, which is not checked.
    """

    name = "file"

    def __init__(self, role: str = "input") -> None:
        self.role = role

    def path(self, value: Any) -> PathLike | None:
        """Return the path of a value that is not None, or None if it names no file."""
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


FILE = FileName()


class CheckedCommand(click.Command):
    """A command that checks its files before it runs. derived: returns those that follow from its values."""

    def __init__(self, *arguments: Any, derived: DerivedFiles = lambda values: (), **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.derived = derived

    def invoke(self, ctx: click.Context) -> Any:
        files = [file for parameter in self.params for file in _files_of(parameter, ctx.params)]
        check_files([*files, *self.derived(ctx.params)])
        return super().invoke(ctx)


def _files_of(parameter: click.Parameter, values: Mapping[str, Any]) -> Iterator[NamedFile]:
    """Yield the files that a parameter has among the values of a command.

    Their names are the first flag of an option or the name of an argument, and for several files also their
    numbers, their keys or the words of a metavar such as OLD NEW.
    """
    kind, value = parameter.type, values.get(str(parameter.name))
    if not isinstance(kind, FileName) or value is None:
        return
    is_option = isinstance(parameter, click.Option)
    name = parameter.opts[0] if is_option else parameter.human_readable_name.strip("[].")
    several: Mapping[str, Any] = {name: value}
    if isinstance(value, Mapping):
        several = {f"{name} {key}" if is_option else key: path for key, path in value.items()}
    elif isinstance(value, tuple) and parameter.nargs > 1:
        parts = str(parameter.metavar).split()
        several = {f"{name} {part}": path for part, path in zip(parts, value, strict=True)}
    elif isinstance(value, tuple):
        several = {f"{name} {number}": path for number, path in enumerate(value, 1)}
    for found, path in several.items():
        yield NamedFile(found, kind.path(path), kind.role)


def check_files(files: Iterable[NamedFile]) -> None:
    """Check that files do not conflict, and that no output would replace a model or a checkpoint.

    Raises
    ------
    ConfigError
        If files conflict; see ``aligner.files.opening.check_conflicts``.
    DataError
        If an output would replace a model or a checkpoint.
    """
    used = {file.name: file for file in files}.values()
    inputs = {file.name: file.path for file in used if file.role == "input"}
    check_conflicts(inputs, {file.name: file.path for file in used if file.role in ("output", "model")})
    for name, path, role in used:
        if role == "output" and path is not None and os.path.isfile(path) and _is_model(path):
            raise DataError(
                f"{name} {path}: found a model or a checkpoint; expected a new name, or a file of another"
                f" kind; name another file, or delete this one"
            )


def _is_model(path: PathLike) -> bool:
    """Return True if a file begins like a model, a checkpoint or a file of a run."""
    from aligner.storage.array_file import MAGIC

    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:  # writing it may be possible, or fails with a message
        return False
