"""Simple expressions compiled to Python closures: defaults, conditionals, comparisons, template literals and methods of
texts and lists over property paths. A fifth of what real workflows use; a worker process would cost many times more.

The values are JavaScript's to the last digit, or `Beyond` is raised and the expression goes to JavaScript after all.
No expression can do more work than in proportion to its data, as there are no loops and no functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from jackfield_workflows import jsoperators as js
from jackfield_workflows.jsfunctions import FUNCTIONS, Function
from jackfield_workflows.jsmethods import METHODS, call_method
from jackfield_workflows.jsoperators import UNDEFINED, Thrown
from jackfield_workflows.jsparse import NotSimple, Tree, parse
from jackfield_workflows.jsvalues import Beyond, array_index, text_length
from jackfield_workflows.scope import Scope

Value: TypeAlias = Callable[[Scope], object]

_OBJECT = frozenset(
    """
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor hasOwnProperty
    isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
    """.split()  # noqa: SIM905 - a list of so many names is a page long
)
"""Names under which an object has something although it has no such property of its own."""
_INHERITED = _OBJECT | frozenset(
    """
    anchor at big blink bold charAt charCodeAt codePointAt concat endsWith fixed fontcolor fontsize includes
    indexOf isWellFormed italics lastIndexOf link localeCompare match matchAll normalize padEnd padStart repeat
    replace replaceAll search slice small split startsWith strike sub substr substring sup toLocaleLowerCase
    toLocaleUpperCase toLowerCase toUpperCase toWellFormed trim trimEnd trimLeft trimRight trimStart copyWithin
    entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach join keys map pop push
    reduce reduceRight reverse shift some sort splice toReversed toSorted toSpliced unshift values with
    toExponential toFixed toPrecision
    """.split()  # noqa: SIM905 - a list of so many names is a page long
)
"""The same for texts, lists and numbers."""

_OPERATORS: Mapping[str, Callable[[object, object], object]] = {
    "+": js.add,
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
_WORDS = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}


def compile_expression(source: str) -> Value | None:
    """A closure that gives the source's value; None when the source is more than simple. What it gives is null and
    undefined as None and may be NaN or infinite. It raises `Beyond`, and `ExpressionProblem` for a broken reference."""
    try:
        value = _compiled(parse(source))
    except NotSimple:
        return None

    def get(scope: Scope) -> object:
        try:
            found = value(scope)
        except Thrown:
            return None
        return None if found is UNDEFINED else found

    return get


def as_json(value: Value) -> Value:
    """The same as JSON gives it: NaN and what is infinite are null."""

    def get(scope: Scope) -> object:
        found = value(scope)
        return None if type(found) is float and not math.isfinite(found) else found

    return get


def _compiled(tree: Tree) -> Value:
    return _KINDS[tree[0]](tree)


def _literal(tree: Tree) -> Value:
    value = tree[1]
    return lambda scope: value


def _group(tree: Tree) -> Value:
    return _compiled(tree[1])


def _name(tree: Tree) -> Value:
    name = tree[1]
    if name in _WORDS:
        value = _WORDS[name]
        return lambda scope: value
    return _root(name, ())[0]


def _list(tree: Tree) -> Value:
    parts = [_compiled(part) for part in tree[1]]
    return lambda scope: [_element(part(scope)) for part in parts]


def _object(tree: Tree) -> Value:
    parts = [(key, _compiled(part)) for key, part in tree[1]]
    return lambda scope: {key: _element(part(scope)) for key, part in parts}


def _element(value: object) -> object:
    """A value inside a list or an object, where JSON has no place for some."""
    if value is UNDEFINED or (type(value) is float and not math.isfinite(value)):
        raise Beyond
    return value


def _template(tree: Tree) -> Value:
    parts = [part if isinstance(part, str) else _compiled(part) for part in tree[1]]

    def get(scope: Scope) -> object:
        return js.checked_text("".join([part if isinstance(part, str) else js.to_text(part(scope)) for part in parts]))

    return get


def _if(tree: Tree) -> Value:
    condition, yes, no = map(_compiled, tree[1:])
    return lambda scope: yes(scope) if js.truthy(condition(scope)) else no(scope)


def _unary(tree: Tree) -> Value:
    mark, value = tree[1], _compiled(tree[2])
    if mark == "!":
        return lambda scope: not js.truthy(value(scope))
    if mark == "-":
        return lambda scope: js.negate(value(scope))
    return lambda scope: js.to_number(value(scope))


def _binary(tree: Tree) -> Value:
    mark, left, right = tree[1], _compiled(tree[2]), _compiled(tree[3])
    if mark == "||":
        return lambda scope: found if js.truthy(found := left(scope)) else right(scope)
    if mark == "&&":
        return lambda scope: right(scope) if js.truthy(found := left(scope)) else found
    if mark == "??":
        return lambda scope: right(scope) if (found := left(scope)) is None or found is UNDEFINED else found
    operate = _OPERATORS[mark]
    return lambda scope: operate(left(scope), right(scope))


# -- member access and calls


class _Short(Exception):
    pass


def _chain(tree: Tree) -> Value:
    root, steps = tree[1], tree[2]
    if root[0] == "name":
        value, used = _root(root[1], steps)
    else:
        value, used = _compiled(root), 0
    rest = steps[used:]
    place = 0
    while place < len(rest):
        value, taken = _step(value, rest[place:])
        place += taken
    if not any(step[1] for step in steps):
        return value

    def get(scope: Scope) -> object:
        try:
            return value(scope)
        except _Short:
            return UNDEFINED

    return get


def _step(value: Value, steps: Sequence[Tree]) -> tuple[Value, int]:
    """The value of one step on, and how many steps that took: a method's name and its call are two."""
    kind, optional, key = steps[0]
    if kind == "call":
        raise NotSimple
    if len(steps) > 1 and steps[1][0] == "call":
        if steps[1][1] or key[0] != "literal" or key[1] not in METHODS:
            raise NotSimple
        return _method(_guarded(value, optional), key[1], steps[1][2]), 2
    if key[0] == "literal":
        return _member(_guarded(value, optional), key[1]), 1
    return _computed(_guarded(value, optional), _compiled(key)), 1


def _guarded(value: Value, optional: bool) -> Value:
    if not optional:
        return value

    def get(scope: Scope) -> object:
        found = value(scope)
        if found is None or found is UNDEFINED:
            raise _Short
        return found

    return get


def _method(value: Value, name: str, arguments: Sequence[Tree]) -> Value:
    given = [_compiled(argument) for argument in arguments]
    return lambda scope: call_method(value(scope), name, [argument(scope) for argument in given])


def _member(value: Value, key: object) -> Value:
    if type(key) is not str:
        return lambda scope: read(value(scope), key)
    if key in _OBJECT:
        raise NotSimple

    def get(scope: Scope) -> object:
        found = value(scope)
        return found.get(key, UNDEFINED) if type(found) is dict else read(found, key)

    return get


def _computed(value: Value, key: Value) -> Value:
    def get(scope: Scope) -> object:
        found, name = value(scope), key(scope)
        if found is None or found is UNDEFINED:
            raise Thrown
        return read(found, name)

    return get


def read(value: object, key: object) -> object:
    """`value[key]`."""
    if value is None or value is UNDEFINED:
        raise Thrown
    name = key if type(key) is str else js.to_text(key)
    if isinstance(value, Mapping):
        if name in value:
            return value[name]
        return js.beyond() if name in _OBJECT else UNDEFINED
    if isinstance(value, (str, list)):
        if name == "length":
            return text_length(value) if isinstance(value, str) else len(value)
        index = array_index(name)
        if index is not None:
            if isinstance(value, str) and not value.isascii():
                raise Beyond
            return value[index] if index < len(value) else UNDEFINED
    if name in _INHERITED:
        raise Beyond
    return UNDEFINED


# -- what expressions begin with


def _root(name: str, steps: Sequence[Tree]) -> tuple[Value, int]:
    """What a name means, and how many of the steps after it belong to that."""
    for size in (1, 0):
        words = (name, *(step[2][1] for step in steps[:size] if _plain_key(step)))
        if len(words) == size + 1 and len(steps) > size and steps[size][0] == "call" and words in FUNCTIONS:
            return _function(FUNCTIONS[words], steps[size]), size + 1
    shape = tuple(_shape(step) for step in steps[:4])
    for count in range(len(shape), -1, -1):
        build = _ROOTS.get((name, *shape[:count]))
        if build is not None:
            return build(*(_text_of(step) for step in steps[:count] if _shape(step) == "'")), count
    raise NotSimple


def _plain_key(step: Tree) -> bool:
    return step[0] == "key" and not step[1] and step[2][0] == "literal" and type(step[2][1]) is str


def _shape(step: Tree) -> str:
    """A step in short: the name of a member, `()` for a call of nothing, `'` for a call with one text."""
    kind, optional, what = step
    if optional:
        return "?"
    if kind == "call":
        if not what:
            return "()"
        return "'" if len(what) == 1 and what[0][0] == "literal" and type(what[0][1]) is str else "?"
    return str(what[1]) if what[0] == "literal" and type(what[1]) is str else "?"


def _text_of(step: Tree) -> str:
    return str(step[2][0][1])


def _function(found: tuple[int, int, Function], call: Tree) -> Value:
    least, most, function = found
    _, optional, arguments = call
    if optional or not least <= len(arguments) <= most:
        raise NotSimple
    given = [_compiled(argument) for argument in arguments]
    return lambda scope: function(*[argument(scope) for argument in given])


def _json_of(item: Mapping[str, object] | None) -> object:
    if item is None:
        raise Thrown
    return item["json"]


def _nodes_item(item: Mapping[str, object] | None) -> object:
    return UNDEFINED if item is None else item


def _item(scope: Scope) -> object:
    if scope.index >= len(scope.items):
        raise Beyond  # `$input.item` is undefined where `$json` is empty
    return scope.json


def _fact(root: Callable[[Scope], Mapping[str, object]], name: str) -> Callable[..., Value]:
    """A root such as `$workflow.id`."""
    return lambda: lambda scope: root(scope).get(name, UNDEFINED)


_ROOTS: dict[tuple[str, ...], Callable[..., Value]] = {
    ("$json",): lambda: lambda scope: scope.json,
    ("$input", "item", "json"): lambda: _item,
    ("$input", "first", "()", "json"): lambda: lambda scope: _json_of(scope.items[0] if scope.items else None),
    ("$input", "last", "()", "json"): lambda: lambda scope: _json_of(scope.items[-1] if scope.items else None),
    ("$", "'", "item", "json"): lambda name: lambda scope: scope.around.paired(name, scope.index)["json"],
    ("$", "'", "first", "()"): lambda name: lambda scope: _nodes_item(scope.around.first(name)),
    ("$", "'", "last", "()"): lambda name: lambda scope: _nodes_item(scope.around.last(name)),
    ("$itemIndex",): lambda: lambda scope: scope.index,
    ("$runIndex",): lambda: lambda scope: scope.around.run_index,
    ("$env",): lambda: lambda scope: scope.around.environment,
    ("$vars",): lambda: lambda scope: scope.around.variables,
    **{("$workflow", key): _fact(lambda scope: scope.around.workflow, key) for key in ("id", "name", "active")},
    **{("$execution", key): _fact(lambda scope: scope.around.execution, key) for key in ("id", "mode", "resumeUrl")},
}
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
    "chain": _chain,
}
