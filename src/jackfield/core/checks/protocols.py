"""Does an object have every member of its Protocol, with methods that can be called as the Protocol says?"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import FunctionType
from typing import Any


class ProtocolMismatch(TypeError):
    """An object does not fit its Protocol. The message names the object's class and every member that is wrong."""


def require(thing: object, protocol: Any, check: Callable[[Any], Iterable[str]] | None = None) -> None:
    """Raises `ProtocolMismatch` with all mistakes in one sentence. Any: a Protocol, or an alias like `Kind[Model]`.
    check: finds further mistakes in a thing that has every member."""
    wanted: type = getattr(protocol, "__origin__", protocol)
    found = list(mistakes(thing, wanted)) or (list(check(thing)) if check is not None else [])
    if found:
        raise ProtocolMismatch(
            f"{type(thing).__name__} does not fit {wanted.__module__}.{wanted.__name__}: {'; '.join(found)}"
        )


def mistakes(thing: object, protocol: type) -> Iterator[str]:
    """One clause per member that is missing or cannot be called as the Protocol says."""
    if not getattr(protocol, "_is_protocol", False):
        if not isinstance(thing, protocol):
            yield f"it is no {protocol.__name__}"
        return
    for name, member in sorted(members(protocol).items()):
        try:
            present = getattr(thing, name)
        except AttributeError:
            yield f"it has no {name}"
            continue
        if isinstance(member, FunctionType):
            yield from _method_mistakes(name, member, present)


def members(protocol: type) -> dict[str, object]:
    """Name -> what the Protocol and its bases say of it; None for an attribute that is only annotated."""
    found: dict[str, object] = {}
    for base in protocol.__mro__:
        if base.__name__ in ("Protocol", "Generic", "object"):
            continue
        own: dict[str, object] = dict.fromkeys(inspect.get_annotations(base))
        own.update(vars(base))
        for name, value in own.items():
            if not name.startswith("_") or name == "__call__":
                found.setdefault(name, value)
    return found


def _method_mistakes(name: str, member: FunctionType, present: object) -> Iterator[str]:
    if not callable(present):
        yield f"its {name} cannot be called"
        return
    try:
        signature = inspect.signature(present)
    except (TypeError, ValueError):
        return  # a builtin that tells nothing of itself
    arguments, keywords = _given(member)
    try:
        signature.bind(*arguments, **keywords)
    except TypeError as exc:
        yield f"its {name}{signature} cannot be called as {name}{inspect.signature(member)} ({exc})"


@lru_cache(1024)
def _given(member: FunctionType) -> tuple[list[None], dict[str, None]]:
    """The arguments that a Protocol's method gets, by place and by name."""
    arguments: list[None] = []
    keywords: dict[str, None] = {}
    for parameter in list(inspect.signature(member).parameters.values())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY:
            keywords[parameter.name] = None
        elif parameter.kind is not parameter.VAR_KEYWORD and parameter.kind is not parameter.VAR_POSITIONAL:
            arguments.append(None)
    return arguments, keywords
