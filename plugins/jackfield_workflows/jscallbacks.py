"""Functions in expressions, as the methods of lists take them. Their time is limited; `Scope` keeps account."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from jackfield_workflows import jsoperators as js
from jackfield_workflows.jsmembers import OBJECT
from jackfield_workflows.jsoperators import UNDEFINED, Thrown
from jackfield_workflows.jsparse import NotSimple, Tree
from jackfield_workflows.jsvalues import Beyond
from jackfield_workflows.scope import MOST_LOCALS, Scope

Function: TypeAlias = Callable[..., object]
Value: TypeAlias = Callable[[Scope], object]
_LONGEST = 100_000
"""Entries of a list that is made."""


def function_of(patterns: Sequence[Tree], body: Value) -> Callable[[Scope], Function]:
    """What makes the function for an evaluation. Its parameters are put in their places among the scope's locals."""
    bind = _binding(patterns)
    clock = time.perf_counter

    def made(scope: Scope) -> Function:
        if not scope.locals:
            scope.locals = [UNDEFINED] * MOST_LOCALS
        places = scope.locals
        until = scope.until

        def call(*values: object) -> object:
            if clock() > until:
                raise Beyond
            bind(places, values)
            return body(scope)

        return call

    return made


def _binding(patterns: Sequence[Tree]) -> Callable[[list[object], Sequence[object]], None]:
    if len(patterns) == 1 and patterns[0][0] == "place":
        only = patterns[0][1]

        def bind_one(places: list[object], values: Sequence[object]) -> None:
            places[only] = values[0]

        return bind_one
    if len(patterns) == 1 and patterns[0][0] == "list":
        several = patterns[0][1]
        if len(several) == 2:
            return _binding_pair(*several)
        return lambda places, values: _bind_list(places, several, values[0])
    if len(patterns) > 3:
        raise NotSimple

    def bind(places: list[object], values: Sequence[object]) -> None:
        for (kind, what), value in zip(patterns, (*values, UNDEFINED, UNDEFINED), strict=False):
            if kind == "place":
                places[what] = value
            elif kind == "list":
                _bind_list(places, what, value)
            else:
                _bind_fields(places, what, value)

    return bind


def _binding_pair(one: int, other: int) -> Callable[[list[object], Sequence[object]], None]:
    """What entries of objects are taken apart with."""

    def bind_pair(places: list[object], values: Sequence[object]) -> None:
        value = values[0]
        if type(value) is list and len(value) == 2:
            places[one], places[other] = value
        else:
            _bind_list(places, (one, other), value)

    return bind_pair


def _bind_list(places: list[object], what: Sequence[int], value: object) -> None:
    if value is None or value is UNDEFINED:
        raise Thrown
    if type(value) is not list:
        raise Beyond
    for number, place in enumerate(what):
        places[place] = value[number] if number < len(value) else UNDEFINED


def _bind_fields(places: list[object], what: Sequence[tuple[str, int]], value: object) -> None:
    if value is None or value is UNDEFINED:
        raise Thrown
    if type(value) is not dict:
        raise Beyond
    for name, place in what:
        places[place] = value.get(name, UNDEFINED) if name not in OBJECT or name in value else js.beyond()


def _called(function: object) -> Function:
    if not callable(function):
        raise Beyond
    return function


def _map(scope: Scope, values: list[object], function: object) -> object:
    call = _called(function)
    return kept(scope, [call(value, place, values) for place, value in enumerate(values)])


def kept(scope: Scope, values: list[object]) -> list[object]:
    """A new list, and word of it if something in it is no JSON."""
    if len(values) > _LONGEST:
        raise Beyond
    for value in values:
        kind = type(value)
        if kind is not str and kind is not dict and kind is not int and not js.is_settled(value):
            scope.unsettled = True
    return values


def _filter(scope: Scope, values: list[object], function: object) -> object:
    call = _called(function)
    return [value for place, value in enumerate(values) if js.truthy(call(value, place, values))]


def _find(scope: Scope, values: list[object], function: object) -> object:
    call = _called(function)
    return next((value for place, value in enumerate(values) if js.truthy(call(value, place, values))), UNDEFINED)


def _find_index(scope: Scope, values: list[object], function: object) -> object:
    call = _called(function)
    return next((place for place, value in enumerate(values) if js.truthy(call(value, place, values))), -1)


def _some(scope: Scope, values: list[object], function: object) -> object:
    call = _called(function)
    return any(js.truthy(call(value, place, values)) for place, value in enumerate(values))


def _every(scope: Scope, values: list[object], function: object) -> object:
    call = _called(function)
    return all(js.truthy(call(value, place, values)) for place, value in enumerate(values))


def _flat_map(scope: Scope, values: list[object], function: object) -> object:
    call = _called(function)
    made: list[object] = []
    for place, value in enumerate(values):
        one = call(value, place, values)
        made += one if type(one) is list else [one]
        if len(made) > _LONGEST:
            raise Beyond
    return kept(scope, made)


def _reduce(scope: Scope, values: list[object], function: object, start: object) -> object:
    call = _called(function)
    total = start
    for place, value in enumerate(values):
        total = call(total, value, place)
    return total


CALLBACKS: Mapping[str, tuple[int, int, Callable[..., Any]]] = {  # Any: each takes what its method takes
    "map": (1, 1, _map),
    "filter": (1, 1, _filter),
    "find": (1, 1, _find),
    "findIndex": (1, 1, _find_index),
    "some": (1, 1, _some),
    "every": (1, 1, _every),
    "flatMap": (1, 1, _flat_map),
    "reduce": (2, 2, _reduce),
}
"""Methods of lists that take a function first; they are called with the scope, the list and the arguments."""


def call_with(scope: Scope, value: object, name: str, arguments: Sequence[object]) -> object:
    """`value.name(function, ...)`"""
    if value is None or value is UNDEFINED:
        raise Thrown
    if type(value) is not list:
        raise Beyond
    found: object = CALLBACKS[name][2](scope, value, *arguments)
    return found
