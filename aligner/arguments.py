"""Arguments of public functions, checked by their annotations: a wrong one is named, with what to pass."""

import os
from collections.abc import Callable, Mapping
from functools import cache, wraps
from inspect import signature
from itertools import chain
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

_TO_PASS = {
    "TrainedModel": "fit(text), load(file) or the model of the last step of train(text)",
    "Bitext": "sentence pairs, [('la maison', 'the house')], two columns of a data frame, frame.collect() in"
    " place of a LazyFrame, or read_bitext(files)",
    "Alignments": "decode(model, text), read_links(file) or Alignments.from_lists(links)",
    "Gold": "read_gold(file) or Gold.from_lists(links)",
    "KnownLinks": "read_known_links(file)",
    "OtherLinks": "join_other_links([read_links(file)])",
    "Decoder": "settings by name, such as threshold=0.3, or Decoder.of(model, threshold=0.3)",
    "Evidence": "Evidence(links=read_known_links(file)) or Evidence.read(files)",
    "Recipe": "load_recipe(name), the name or the TOML file of a recipe",
}
"""How to get an argument, by its type."""

_OF_RECIPE = "; settings of a recipe go into it, as in load_recipe('fast', ['stage.1.iterations=5'])"
"""Where settings go that are no arguments of a function with a recipe."""

_ACCEPTED: dict[type, type] = {int: Integral, float: Real, Path: os.PathLike}
"""More general types that are accepted in place of annotated ones."""


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the front door, which checks its arguments; others call it without checks."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        check_call(function, *arguments, **named)
        return function(*arguments, **named)

    call.__module__ = "aligner"  # by which it is pickled
    return call


def check_call(function: Callable[..., Any], *arguments: Any, **named: Any) -> None:
    """Raise TypeError for arguments that a function does not take, or not with these types."""
    taken = _signature_of(function)
    try:
        values = taken.bind(*arguments, **named).arguments
    except TypeError as error:
        to_pass = _OF_RECIPE if "recipe" in taken.parameters and named.keys() - taken.parameters else ""
        names = ", ".join(taken.parameters)
        raise TypeError(f"{function.__name__}: {error}; expected the arguments {names}{to_pass}") from None
    check_types(function, values)


def check_types(owner: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Raise TypeError for a value of another type than a function or a class is annotated with."""
    for name, value in values.items():
        kinds = _kinds_of(owner).get(name, ())
        is_text = isinstance(value, str | bytes) and str not in kinds  # never meant as a sequence of letters
        if kinds and (is_text or not isinstance(value, tuple(_ACCEPTED.get(kind, kind) for kind in kinds))):
            expected = " or ".join(kind.__name__.removesuffix("Type") for kind in kinds)
            to_pass = [f"; pass {_TO_PASS[kind.__name__]}" for kind in kinds if kind.__name__ in _TO_PASS]
            found = f"{name} of type {type(value).__name__}"
            raise TypeError(f"found {found}; expected {expected}{''.join(to_pass[:1])}")


_signature_of = cache(signature)


@cache
def _kinds_of(owner: Callable[..., Any]) -> dict[str, tuple[type, ...]]:
    """Return the types of each argument or field; none for one of any type."""
    return {name: _kinds(hint) for name, hint in get_type_hints(owner).items()}


def _kinds(hint: Any) -> tuple[type, ...]:
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        kinds = [_kinds(part) for part in get_args(hint)]
        return tuple(chain(*kinds)) if all(kinds) else ()
    kind = get_origin(hint) or hint
    return (kind,) if isinstance(kind, type) and kind is not Any else ()
