"""Chains of expressions compiled to Python closures: what they begin with, reading members, calls of functions and
methods. The function that `Chains` is given compiles the parts inside of them, such as arguments.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence

from jackfield.api.javascript import UNDEFINED, NotExact
from jackfield_expressions.dates.luxon import FORMATS, FROM_ISO, from_iso, knows
from jackfield_expressions.dates.script import CALLS
from jackfield_expressions.evaluator.callbacks import Value, function_of, mapped
from jackfield_expressions.evaluator.functions import FUNCTIONS, Function, JsonPrinter
from jackfield_expressions.evaluator.members import OBJECT, read
from jackfield_expressions.evaluator.methods import METHODS, PRINTING, call_method
from jackfield_expressions.evaluator.parsing import NotSimple, Tree
from jackfield_expressions.evaluator.roots import plain_key, root_of
from jackfield_expressions.operators import Thrown
from jackfield_expressions.patterns.syntax import NotSame, ScriptPattern, pattern_of
from jackfield_expressions.scope import ItemScope
from jackfield_expressions.values import FORBIDDEN

_clock = time.perf_counter
WORDS: Mapping[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": UNDEFINED,
    "NaN": math.nan,
    "Infinity": math.inf,
}
"""Names that stand for a value."""
_KNOWN_METHODS = METHODS | CALLS | {"map"}
_PATTERN_METHODS = frozenset({"match", "replace", "replaceAll"})


def in_time(scope: ItemScope) -> None:
    """Raises `NotExact` when the expression has run too long. To be asked before everything whose time grows with the
    data."""
    now = _clock()
    if now > scope.until:
        scope.overdue(now)


class _Short(Exception):
    pass


class Chains:
    """compiled: makes the closure of a tree. All of its methods raise `NotSimple`."""

    def __init__(self, compiled: Callable[[Tree], Value]) -> None:
        self._compiled = compiled

    def chain(self, tree: Tree) -> Value:
        """A root with the steps after it."""
        root, steps = tree[1], tree[2]
        if root[0] == "name" and root[1] not in WORDS:
            value, used = self.root(root[1], steps)
        else:
            value, used = self._compiled(root), 0
        rest = steps[used:]
        place = 0
        while place < len(rest):
            value, taken = self._step(value, rest[place:])
            place += taken
        if not any(step[1] for step in steps):
            return value

        def get(scope: ItemScope) -> object:
            try:
                return value(scope)
            except _Short:
                return UNDEFINED

        return get

    def _step(self, value: Value, steps: Sequence[Tree]) -> tuple[Value, int]:
        """The value of one step on, and how many steps that took: a method's name and its call are two."""
        kind, optional, key = steps[0]
        if kind == "call":
            raise NotSimple
        if len(steps) > 1 and steps[1][0] == "call":
            if steps[1][1] or key[0] != "literal" or key[1] not in _KNOWN_METHODS:
                raise NotSimple
            return self._method(_guarded(value, optional), key[1], steps[1][2]), 2
        if key[0] == "literal":
            return _member(_guarded(value, optional), key[1]), 1
        return _computed(_guarded(value, optional), self._compiled(key)), 1

    def _method(self, value: Value, name: str, arguments: Sequence[Tree]) -> Value:
        first = arguments[0] if arguments else None
        if name == "map":
            if first is None or first[0] != "arrow" or len(arguments) > 1:
                raise NotSimple
            function = function_of(first[1], self._compiled(first[2]))
            return lambda scope: mapped(scope, value(scope), function(scope))
        if name in FORMATS and first is not None and first[0] == "literal" and not knows(str(first[1])):
            raise NotSimple
        if name == "match" and (first is None or first[0] != "regex"):
            raise NotSimple
        given = _printer(arguments) if name == PRINTING else [self._argument(name, one) for one in arguments]

        def get(scope: ItemScope) -> object:
            owner, values = value(scope), [argument(scope) for argument in given]
            in_time(scope)
            return call_method(owner, name, values)

        return get

    def _argument(self, method: str, tree: Tree) -> Value:
        if tree[0] != "regex":
            return self._compiled(tree)
        if method not in _PATTERN_METHODS:
            raise NotSimple
        pattern = _pattern(tree)
        return lambda scope: pattern

    def root(self, name: str, steps: Sequence[Tree]) -> tuple[Value, int]:
        """The meaning of a name, and how many of the steps after it belong to that."""
        for size in (1, 0):
            words = (name, *(step[2][1] for step in steps[:size] if plain_key(step)))
            called = len(words) == size + 1 and len(steps) > size and steps[size][0] == "call"
            if called and words in FUNCTIONS:
                return self._function(FUNCTIONS[words], steps[size]), size + 1
            if called and words == FROM_ISO:
                return self._date(steps[size]), size + 1
        return root_of(name, steps)

    def _function(self, entry: tuple[int, int, Callable[[], Function]], call: Tree) -> Value:
        least, most, make = entry
        function = make()
        given = self._arguments(least, most, call)

        def get(scope: ItemScope) -> object:
            values = given(scope)
            in_time(scope)
            return function(*values)

        return get

    def _date(self, call: Tree) -> Value:
        given = self._arguments(1, 1, call)
        return lambda scope: from_iso(scope, *given(scope))

    def _arguments(self, least: int, most: int, call: Tree) -> Callable[[ItemScope], Sequence[object]]:
        _, optional, arguments = call
        if optional:
            raise NotSimple
        if not least <= len(arguments) <= most:
            raise NotSimple
        given = [self._compiled(argument) for argument in arguments]
        return lambda scope: [argument(scope) for argument in given]


def _printer(arguments: Sequence[Tree]) -> list[Value]:
    """The value that is handed to the method that prints JSON."""
    if arguments:
        raise NotSimple
    printer = JsonPrinter()
    return [lambda scope: printer]


def _guarded(value: Value, optional: bool) -> Value:
    if not optional:
        return value

    def get(scope: ItemScope) -> object:
        owner = value(scope)
        if owner is None or owner is UNDEFINED:
            raise _Short
        return owner

    return get


def _pattern(tree: Tree) -> ScriptPattern:
    try:
        return pattern_of(tree[1], tree[2])
    except NotSame:
        raise NotSimple from None


def _member(value: Value, key: object) -> Value:
    if type(key) is not str:
        return lambda scope: read(value(scope), key)
    if key in OBJECT or key in FORBIDDEN:
        raise NotSimple

    def get(scope: ItemScope) -> object:
        owner = value(scope)
        return owner.get(key, UNDEFINED) if type(owner) is dict else read(owner, key)

    return get


def _computed(value: Value, key: Value) -> Value:
    def get(scope: ItemScope) -> object:
        owner, name = value(scope), key(scope)
        if owner is None or owner is UNDEFINED:
            raise Thrown
        if type(name) is list:
            raise NotExact
        return read(owner, name)

    return get
