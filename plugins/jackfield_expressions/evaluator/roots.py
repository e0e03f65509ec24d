"""The beginnings of expressions: the variables and names that are known in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from jackfield.api.javascript import UNDEFINED, NotExact
from jackfield_expressions.dates.luxon import now, today
from jackfield_expressions.evaluator.parsing import NotSimple, Tree
from jackfield_expressions.operators import Thrown
from jackfield_expressions.scope import ItemScope

Value: TypeAlias = Callable[[ItemScope], object]


def plain_key(step: Tree) -> bool:
    return step[0] == "key" and not step[1] and step[2][0] == "literal" and type(step[2][1]) is str


def shape_of(step: Tree) -> str:
    """A step in short: the name of a member, `()` for a call of nothing, `'` for a call with one text."""
    kind, optional, what = step
    if optional:
        return "?"
    if kind == "call":
        if not what:
            return "()"
        return "'" if len(what) == 1 and what[0][0] == "literal" and type(what[0][1]) is str else "?"
    return str(what[1]) if what[0] == "literal" and type(what[1]) is str else "?"


def text_of(step: Tree) -> str:
    return str(step[2][0][1])


def _json_of(item: Mapping[str, object] | None) -> object:
    if item is None:
        raise Thrown
    return item["json"]


def _nodes_item(item: Mapping[str, object] | None) -> object:
    return UNDEFINED if item is None else item


def _item(scope: ItemScope) -> object:
    if scope.index >= len(scope.items):
        raise NotExact  # `$input.item` is undefined where `$json` is empty
    return scope.json


def _fact(root: Callable[[ItemScope], Mapping[str, object]], name: str) -> Callable[..., Value]:
    """A root such as `$workflow.id`."""
    return lambda: lambda scope: root(scope).get(name, UNDEFINED)


def root_of(name: str, steps: Sequence[Tree]) -> tuple[Value, int]:
    """The meaning of a name, and how many of the steps after it belong to that."""
    if name in ("$now", "$today") and steps and (len(steps) == 1 or steps[1][0] != "call"):
        raise NotSimple  # a member, such as the year
    shape = tuple(shape_of(step) for step in steps[:4])
    for count in range(len(shape), -1, -1):
        build = ROOTS.get((name, *shape[:count]))
        if build is not None:
            return build(*(text_of(step) for step in steps[:count] if shape_of(step) == "'")), count
    if name == "$node" and len(steps) > 1 and plain_key(steps[0]) and shape_of(steps[1]) == "json":
        node = steps[0][2][1]
        return lambda scope: scope.around.at(node, scope.index)["json"], 2
    if name.startswith("$") or name in GLOBALS:
        raise NotSimple
    return lambda scope: UNDEFINED, 0


def _all(items: Sequence[object]) -> list[object]:
    return items if isinstance(items, list) else list(items)


GLOBALS = frozenset(
    """
    Date Object Array Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array
    Float64Array BigInt64Array BigUint64Array ArrayBuffer DataView Map Set WeakMap WeakSet Error TypeError RangeError
    SyntaxError ReferenceError EvalError URIError AggregateError String RegExp Math Number BigInt JSON Boolean Symbol
    parseInt parseFloat encodeURI encodeURIComponent decodeURI decodeURIComponent NaN Infinity eval Function setTimeout
    setInterval clearTimeout clearInterval require Buffer fetch Promise Proxy Reflect globalThis WebAssembly isNaN
    isFinite Intl DateTime Duration Interval arguments async of get set setImmediate clearImmediate queueMicrotask
    module XMLHttpRequest document global Window self alert prompt confirm uneval escape unescape __dirname __filename
    Generator GeneratorFunction AsyncFunction AsyncGenerator AsyncGeneratorFunction extend extendOptional min max not
    average numberList zip toPathSegment import
    """.split()  # noqa: SIM905 - a list of so many words is a page long
)
"""Names that mean something without a `$`; any other is undefined."""
ROOTS: dict[tuple[str, ...], Callable[..., Value]] = {
    ("$json",): lambda: lambda scope: scope.json,
    ("$input", "item", "json"): lambda: _item,
    ("$input", "first", "()", "json"): lambda: lambda scope: _json_of(scope.items[0] if scope.items else None),
    ("$input", "last", "()", "json"): lambda: lambda scope: _json_of(scope.items[-1] if scope.items else None),
    ("$", "'", "item", "json"): lambda name: lambda scope: scope.around.paired(name, scope.index)["json"],
    ("$input", "all", "()"): lambda: lambda scope: _all(scope.items),
    ("$", "'", "all", "()"): lambda name: lambda scope: _all(scope.around.all(name)),
    ("$now",): lambda: now,
    ("$today",): lambda: today,
    ("$", "'", "first", "()"): lambda name: lambda scope: _nodes_item(scope.around.first(name)),
    ("$", "'", "last", "()"): lambda name: lambda scope: _nodes_item(scope.around.last(name)),
    ("$itemIndex",): lambda: lambda scope: scope.index,
    ("$runIndex",): lambda: lambda scope: scope.around.run_index,
    ("$env",): lambda: lambda scope: scope.around.environment,
    ("$vars",): lambda: lambda scope: scope.around.variables,
    **{("$workflow", key): _fact(lambda scope: scope.around.workflow, key) for key in ("id", "name", "active")},
    **{("$execution", key): _fact(lambda scope: scope.around.execution, key) for key in ("id", "mode", "resumeUrl")},
}
