"""Functions in expressions, as `map` takes them. Their time is limited; `ItemScope` keeps account."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from jackfield.api.javascript import UNDEFINED, NotExact
from jackfield_expressions import operators as js
from jackfield_expressions.evaluator.parsing import NotSimple
from jackfield_expressions.operators import Thrown
from jackfield_expressions.scope import MOST_LOCALS, ItemScope

Function: TypeAlias = Callable[..., object]
Value: TypeAlias = Callable[[ItemScope], object]
_clock = time.perf_counter
_LONGEST = 100_000
"""Entries of a list that is made."""


def function_of(parameters: Sequence[int | tuple[int, ...]], body: Value) -> Callable[[ItemScope], Function]:
    """Makes the function for an evaluation. Its parameters are put in their places among the scope's locals; a tuple
    takes a list apart."""
    if len(parameters) > 3:
        raise NotSimple
    clock = _clock
    simple = [(index, place) for index, place in enumerate(parameters) if isinstance(place, int)]
    apart = [(index, places) for index, places in enumerate(parameters) if isinstance(places, tuple)]
    only = simple[0][1] if len(parameters) == 1 and simple else None
    pair = apart[0][1] if len(parameters) == 1 and apart and len(apart[0][1]) == 2 else None
    key, entry = pair or (0, 0)

    def made(scope: ItemScope) -> Function:
        if not scope.locals:
            scope.locals = [UNDEFINED] * MOST_LOCALS
        places = scope.locals

        def call(*values: object) -> object:
            now = clock()
            if now > scope.until:
                scope.overdue(now)
            if only is not None:
                places[only] = values[0]
                return body(scope)
            if pair is not None and type(first := values[0]) is list and len(first) == 2:
                places[key], places[entry] = first
                return body(scope)
            for index, place in simple:
                places[place] = values[index]
            for index, several in apart:
                _take_apart(places, several, values[index])
            return body(scope)

        return call

    return made


def _take_apart(locals_: list[object], places: tuple[int, ...], value: object) -> None:
    """`([one, other]) =>`: their places follow each other."""
    count = len(places)
    if type(value) is list and len(value) >= count:
        locals_[places[0] : places[0] + count] = value[:count]
    elif value is None or value is UNDEFINED:
        raise Thrown
    elif type(value) is list:
        locals_[places[0] : places[0] + count] = value + [UNDEFINED] * (count - len(value))
    else:
        raise NotExact


def mapped(scope: ItemScope, values: object, function: Function) -> list[object]:
    """`values.map(function)`"""
    if values is None or values is UNDEFINED:
        raise Thrown
    if type(values) is not list or len(values) > _LONGEST:
        raise NotExact
    made = [function(value, place, values) for place, value in enumerate(values)]
    for value in made:
        kind = type(value)
        if kind is not str and kind is not dict and kind is not int and not js.is_settled(value):
            scope.unsettled = True
    return made
