"""Simple expressions compiled to Python closures: defaults, conditionals, comparisons, template literals, methods of
texts, lists and dates, and small functions over property paths. A worker process would cost many times more.

The values are JavaScript's to the last digit, or `NotExact` is raised and the expression goes to JavaScript after all.
The time of all expressions for an item is limited. It is looked at between steps, none of which can do more work than
in proportion to its data. Regular expressions are matched with short texts alone if they may take longer.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence

from jackfield.api.javascript import UNDEFINED, NotExact, Special, to_boolean
from jackfield_expressions import operators as js
from jackfield_expressions.dates.luxon import LuxonDate
from jackfield_expressions.dates.script import new_date
from jackfield_expressions.evaluator.callbacks import Value
from jackfield_expressions.evaluator.chains import WORDS, Chains, in_time
from jackfield_expressions.evaluator.parsing import NotSimple, Tree, parse
from jackfield_expressions.operators import Thrown
from jackfield_expressions.scope import ItemScope

_clock = time.perf_counter
_SHORT = 0.000_1
"""Seconds that an expression may take without being counted: a node may have hundreds of small ones."""
_LARGE = 1000
"""Characters of a text from which on the time is looked at."""

_OPERATORS: Mapping[str, Callable[[object, object], object]] = {
    "-": js.subtract,
    "*": js.multiply,
    "/": js.divide,
    "%": js.remainder,
    "===": js.equal,
    "!==": lambda left, right: not js.equal(left, right),
    "==": js.loosely_equal,
    "!=": lambda left, right: not js.loosely_equal(left, right),
    "<": js.less,
    ">": lambda left, right: js.less(right, left),
    "<=": js.at_most,
    ">=": lambda left, right: js.at_most(right, left),
}


def compile_expression(source: str, undefined: object = None) -> Value | None:
    """A closure that gives the source's value; None when the source is more than simple. Its value has null as None,
    undefined as `undefined`, and may be NaN or infinite. Raises `NotExact`, and `ExpressionProblem` for a broken
    reference."""
    try:
        value = _compiled(parse(source))
    except (NotSimple, RecursionError):
        return None
    multiplies = "=>" in source

    def get(scope: ItemScope) -> object:
        begun = _clock()
        if scope.left < 0:
            raise NotExact
        if begun > scope.due:
            scope.look(begun)
        scope.until = begun + scope.left
        try:
            made = value(scope)
        except Thrown:
            made = UNDEFINED
        except RecursionError:
            raise NotExact from None
        if (multiplies or scope.unsettled) and (type(made) is list or type(made) is dict):
            js.sized(made)
        if scope.unsettled:
            scope.unsettled = False
            made = settled(made)
        spent = _clock() - begun
        if spent > _SHORT:
            scope.spend(spent)
        return undefined if made is UNDEFINED else made

    return get


_DEEPEST = 50


def settled(value: object, depth: int = 0) -> object:
    """The value with JSON alone in its lists and objects: what is undefined is null or left out, a date is a text."""
    if depth > _DEEPEST:
        raise NotExact
    if type(value) is list:
        return [None if one is UNDEFINED else _inner(one, depth) for one in value]
    if type(value) is dict:
        return {key: _inner(one, depth) for key, one in value.items() if one is not UNDEFINED}
    return value


def _inner(value: object, depth: int) -> object:
    if isinstance(value, LuxonDate):
        return value.json()
    if not js.is_settled(value):
        raise NotExact  # a template prints it otherwise than JSON
    return settled(value, depth + 1)


class Evaluator:
    """Sources compiled for the places that they stand in. Each is None when the source is more than simple."""

    @staticmethod
    def compiled(source: str, undefined: object) -> Value | None:
        """See `compile_expression`."""
        return compile_expression(source, undefined)

    @staticmethod
    def as_json(source: str, undefined: object = None) -> Value | None:
        """The value as JSON gives it: NaN and what is infinite are null, a date is a text. undefined: in its place."""
        value = compile_expression(source, undefined)
        if value is None:
            return None

        def get(scope: ItemScope) -> object:
            made = value(scope)
            if type(made) is float:
                return made if math.isfinite(made) else None
            return made.json() if isinstance(made, Special) else made

        return get

    @staticmethod
    def exact(source: str, undefined: object) -> Value | None:
        """As `as_json`, but NaN stays what it is."""
        value = compile_expression(source, undefined)
        if value is None:
            return None

        def get(scope: ItemScope) -> object:
            made = value(scope)
            if type(made) is float:
                return made if not math.isinf(made) else None
            return made.json() if isinstance(made, Special) else made

        return get

    @staticmethod
    def as_text(source: str) -> Value | None:
        """The value for a template, with lists and objects printed."""
        value = compile_expression(source)
        if value is None:
            return None

        def get(scope: ItemScope) -> object:
            made = value(scope)
            return js.to_text(made) if type(made) is list or type(made) is dict else made

        return get


def _compiled(tree: Tree) -> Value:
    return _KINDS[tree[0]](tree)


_CHAINS = Chains(_compiled)


def _literal(tree: Tree) -> Value:
    value = tree[1]
    return lambda scope: value


def _group(tree: Tree) -> Value:
    return _compiled(tree[1])


def _name(tree: Tree) -> Value:
    name = tree[1]
    if name in WORDS:
        value = WORDS[name]
        return lambda scope: value
    return _CHAINS.root(name, ())[0]


def _list(tree: Tree) -> Value:
    parts = [_compiled(part) for part in tree[1]]
    return lambda scope: [_element(scope, part(scope)) for part in parts]


def _object(tree: Tree) -> Value:
    parts = [(key, _compiled(part)) for key, part in tree[1]]
    if any(key is None for key, _ in parts):
        return _extended(parts)
    return lambda scope: {key: _element(scope, part(scope)) for key, part in parts}


def _extended(parts: Sequence[tuple[str | None, Value]]) -> Value:
    """`{key: value, ...others}`; None: the entries of the value."""

    def get(scope: ItemScope) -> object:
        made: dict[str, object] = {}
        for key, part in parts:
            value = part(scope)
            if key is not None:
                made[key] = _element(scope, value)
            elif type(value) is dict and not any(map(str.isdigit, value)):
                made.update(value)
                in_time(scope)
            elif isinstance(value, (str, list, dict, Special)):
                raise NotExact  # letters, places, or keys that come first
        if len(made) > js.MOST_ENTRIES:
            raise NotExact
        return made

    return get


def _element(scope: ItemScope, value: object) -> object:
    """A value inside a list or an object, where JSON has no place for some."""
    if not js.is_settled(value):
        scope.unsettled = True
    return value


def _local(tree: Tree) -> Value:
    place = tree[1]
    return lambda scope: scope.locals[place]


def _new(tree: Tree) -> Value:
    if len(tree[1]) > 1:
        raise NotSimple
    given = [_compiled(argument) for argument in tree[1]]
    return lambda scope: new_date(scope, *[argument(scope) for argument in given])


def _refused(tree: Tree) -> Value:
    """A function or a pattern where none is expected."""
    raise NotSimple


def _template(tree: Tree) -> Value:
    fixed = [part if isinstance(part, str) else "" for part in tree[1]]
    holes = [(place, _compiled(part)) for place, part in enumerate(tree[1]) if not isinstance(part, str)]

    def get(scope: ItemScope) -> object:
        made = fixed.copy()
        size = 0
        for place, part in holes:
            value = part(scope)
            text = value if type(value) is str else js.to_text(value)
            made[place] = text
            if len(text) > _LARGE:
                size += len(text)
                if size > js.LONGEST:
                    raise NotExact
                in_time(scope)
        return js.checked_text("".join(made))

    return get


def _if(tree: Tree) -> Value:
    condition, yes, no = map(_compiled, tree[1:])
    return lambda scope: yes(scope) if to_boolean(condition(scope)) else no(scope)


def _unary(tree: Tree) -> Value:
    mark, value = tree[1], _compiled(tree[2])
    if mark == "!":
        return lambda scope: not to_boolean(value(scope))
    if mark == "-":
        return lambda scope: js.negate(value(scope))
    return lambda scope: js.to_number(value(scope))


def _binary(tree: Tree) -> Value:
    mark, left, right = tree[1], _compiled(tree[2]), _compiled(tree[3])
    if mark == "||":
        return lambda scope: made if to_boolean(made := left(scope)) else right(scope)
    if mark == "&&":
        return lambda scope: right(scope) if to_boolean(made := left(scope)) else made
    if mark == "??":
        return lambda scope: right(scope) if (made := left(scope)) is None or made is UNDEFINED else made
    if mark == "+":
        return _sum(left, right)
    operate = _OPERATORS[mark]
    return lambda scope: operate(left(scope), right(scope))


def _sum(left: Value, right: Value) -> Value:
    def get(scope: ItemScope) -> object:
        made = js.add(left(scope), right(scope))
        if type(made) is str and len(made) > _LARGE:
            in_time(scope)
        return made

    return get


_KINDS: Mapping[str, Callable[[Tree], Value]] = {
    "literal": _literal,
    "group": _group,
    "name": _name,
    "list": _list,
    "object": _object,
    "template": _template,
    "if": _if,
    "unary": _unary,
    "binary": _binary,
    "chain": _CHAINS.chain,
    "local": _local,
    "new": _new,
    "arrow": _refused,
    "regex": _refused,
}
