"""Lists and objects that expressions make of others, and how they come out as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield_workflows.jscallbacks import kept
from jackfield_workflows.jsdates import DateTime
from jackfield_workflows.jsoperators import UNDEFINED, Thrown, is_settled
from jackfield_workflows.jsvalues import Beyond, Special
from jackfield_workflows.scope import Scope

_DEEPEST = 50
_MOST = 10_000


def joined_lists(scope: Scope, parts: Sequence[tuple[bool, object]]) -> list[object]:
    """`[one, ...others]`; whether a part is several."""
    made: list[object] = []
    for several, value in parts:
        if not several:
            made.append(value)
        elif type(value) is list:
            made += value
        elif isinstance(value, (str, Special)):
            raise Beyond
        else:
            raise Thrown
        if len(made) > _MOST:
            raise Beyond
    return kept(scope, made)


def extended(scope: Scope, parts: Sequence[tuple[str | None, object]]) -> dict[str, object]:
    """`{key: value, ...others}`; None: the entries of the value."""
    made: dict[str, object] = {}
    for key, value in parts:
        if key is not None:
            made[key] = value
            if not is_settled(value):
                scope.unsettled = True
        elif type(value) is dict:
            if any(map(str.isdigit, value)):
                raise Beyond  # they come first
            made.update(value)
        elif isinstance(value, (str, list, Special)):
            raise Beyond
        if len(made) > _MOST:
            raise Beyond
    return made


def settled(value: object, depth: int = 0) -> object:
    """The value with JSON alone in its lists and objects: what is undefined is null or left out, a date is a text."""
    if depth > _DEEPEST:
        raise Beyond
    if type(value) is list:
        return [None if one is UNDEFINED else _inner(one, depth) for one in value]
    if type(value) is dict:
        return {key: _inner(one, depth) for key, one in value.items() if one is not UNDEFINED}
    return value


def _inner(value: object, depth: int) -> object:
    if isinstance(value, DateTime):
        return value.json()
    if not is_settled(value):
        raise Beyond  # a template prints it otherwise than JSON
    return settled(value, depth + 1)
