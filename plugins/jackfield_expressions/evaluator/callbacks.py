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
_LONGEST = 100_000
"""Entries of a list that is made."""


def function_of(parameters: Sequence[int], body: Value) -> Callable[[ItemScope], Function]:
    """Makes the function for an evaluation. Its parameters are put in their places among the scope's locals."""
    if len(parameters) > 3:
        raise NotSimple
    clock = time.perf_counter

    def made(scope: ItemScope) -> Function:
        if not scope.locals:
            scope.locals = [UNDEFINED] * MOST_LOCALS
        places = scope.locals
        until = scope.until

        def call(*values: object) -> object:
            if clock() > until:
                raise NotExact
            for place, value in zip(parameters, values, strict=False):
                places[place] = value
            return body(scope)

        return call

    return made


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
