"""Conditions as IF and Filter have them from version 2 on: operators by pairs of values.

Each case is one operator with one left value; its items bring the right values. A Switch shows three results: output 0
takes what matches and what fails, the extra output takes the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from ..cases import Document, Family, NodeCase

MISSING = object()
"""A field that is not there."""
NOTHING: tuple[object, ...] = (None, MISSING, "", " ")
OTHERS: tuple[object, ...] = (*NOTHING, "a", 0, 1, True, False, [], ["a"], {}, {"a": 1})
TEXTS = ("abc", "ABC", "b", "1", "true", "null", "[1,2]", "\u00df", "\u00c9")
NUMBERS = (-1, 1.5, 1e21, "1", "1.0", " 1 ", "01", "1e3", "0x10", "12px", "NaN", "Infinity", "1,5", [1])
TRUTHS = ("true", "TRUE", "False", "yes", "0", "1", "0.0", 2)
MILLIS = 1778407872000
DATES = (
    "2026-05-10",
    "2026-05-10T10:11:12",
    "2026-05-10T10:11:12Z",
    "2026-05-10T10:11:12.000+02:00",
    "2026-05-10 10:11:12",
    "2026-05-10 10:11:12Z",
    "Sun, 10 May 2026 10:11:12 GMT",
    "Sun, 10 May 2026 06:11:12 -0400",
    "May 10, 2026",
    "05/10/2026",
    "10.05.2026",
    "2026-5-1",
    "2026",
    "2026-W19",
    "10:11",
    str(MILLIS),
    MILLIS,
)
LISTS: tuple[object, ...] = ([0], [1, 2], ["A", "b"], [None], [[1]], [{"a": 1}], "[1,2]", "['a']", "{}", "[")
OBJECTS: tuple[object, ...] = ({"length": 2}, "{}", '{"a":1}', "{a:1}", "{'a': 'b'}", "null", "[1]", "{a: }")

VALUES: Mapping[str, Sequence[object]] = {
    "string": TEXTS,
    "number": NUMBERS,
    "dateTime": DATES,
    "boolean": TRUTHS,
    "array": LISTS,
    "object": OBJECTS,
}
ELEMENTS: tuple[object, ...] = ("a", "A", 1, "1", 0, None, MISSING, True, [1])
COUNTS: tuple[object, ...] = (0, 1, 2, "1", "x", "", " ", None, MISSING, True, [1], [])
OPERATIONS: Mapping[str, Sequence[str]] = {
    "string": [
        "equals",
        "notEquals",
        "contains",
        "notContains",
        "startsWith",
        "notStartsWith",
        "endsWith",
        "notEndsWith",
    ],
    "number": ("equals", "notEquals", "gt", "lt", "gte", "lte"),
    "dateTime": ("equals", "notEquals", "after", "before", "afterOrEquals", "beforeOrEquals"),
    "boolean": ("equals", "notEquals"),
    "array": ("contains", "notContains"),
}
LENGTHS = ("lengthEquals", "lengthNotEquals", "lengthGt", "lengthLt", "lengthGte", "lengthLte")
SINGLE = ("exists", "notExists", "empty", "notEmpty")
MODES: Mapping[str, Document] = {
    "strict": {"caseSensitive": True, "typeValidation": "strict", "version": 2},
    "loose 1": {"caseSensitive": True, "typeValidation": "loose", "version": 1},
    "loose 2": {"caseSensitive": False, "typeValidation": "loose", "version": 2},
    "loose 3": {"caseSensitive": True, "typeValidation": "loose", "version": 3},
}


def distinct(values: Iterable[object]) -> list[object]:
    """In their order, without repetitions; 1 and true are two."""
    return list({shown(value): value for value in values}.values())


def item_of(name: str, value: object) -> Document:
    return {"json": {} if value is MISSING else {name: value}}


def block(conditions: Sequence[Document], combinator: str = "and", **options: object) -> Document:
    return {"combinator": combinator, "conditions": list(conditions), "options": options}


def switch(conditions: Document, version: float = 3.2, **options: object) -> Document:
    """Output 0 for what matches and what fails, output 1 for the rest."""
    return {
        "type": "n8n-nodes-base.switch",
        "typeVersion": version,
        "onError": "continueRegularOutput",
        "parameters": {
            "rules": {"values": [{"conditions": conditions}]},
            "options": {"fallbackOutput": "extra", **options},
        },
    }


def pair(kind: str, operation: str, left: object, right: object, **operator: object) -> Document:
    made: Document = {"id": "one", "operator": {"type": kind, "operation": operation, **operator}}
    for name, value in (("leftValue", left), ("rightValue", right)):
        if value is not MISSING:
            made[name] = value
    return made


def shown(value: object) -> str:
    return "missing" if value is MISSING else repr(value)


def _cases(
    mode: str,
    kind: str,
    operations: Iterable[str],
    lefts: Iterable[object],
    rights: Iterable[object],
    **operator: object,
) -> Iterator[NodeCase]:
    items = [item_of("right", value) for value in rights]
    for operation in operations:
        for left in lefts:
            asked = pair(kind, operation, left, "={{ $json.right }}", **operator)
            node = switch(block([asked], **MODES[mode]))
            name = " ".join((f"{kind}:{operation}", *map(str, operator.values())))
            yield NodeCase(f"{mode}: {shown(left)} {name}", node, items)


def pairs(kind: str) -> Iterable[NodeCase]:
    operations, values = OPERATIONS[kind], VALUES[kind]
    rights = ELEMENTS if kind == "array" else distinct((*values, *OTHERS))
    yield from _cases("loose 2", kind, operations, distinct((*values, *OTHERS)), rights)
    yield from _cases("strict", kind, operations, distinct((*values[:3], *OTHERS[:8])), rights)
    for mode in ("loose 1", "loose 3"):
        lefts = (*values[:2], *NOTHING, []) if kind in ("number", "boolean") else values[:2]
        yield from _cases(mode, kind, operations[:3], lefts, rights)
    if kind == "array":
        for right in ("any", "number", "string"):
            yield from _cases("loose 2", kind, operations, LISTS[:4], ELEMENTS, rightType=right)
        yield from _cases("loose 3", kind, LENGTHS, distinct((*values[:2], *OTHERS)), COUNTS)
        yield from _cases("strict", kind, LENGTHS[:2], ([1], None, "[1]"), COUNTS)


def single() -> Iterable[NodeCase]:
    """Operators without a right value; `any` takes every type."""
    for kind, values in {**VALUES, "any": (), "unheard": ()}.items():
        operations = (*SINGLE, "true", "false") if kind == "boolean" else SINGLE
        items = [item_of("left", value) for value in distinct((*values, *OTHERS))]
        for name, options in MODES.items():
            for operation in operations:
                asked = pair(kind, operation, "={{ $json.left }}", MISSING, singleValue=True)
                yield NodeCase(f"{name}: {kind}:{operation}", switch(block([asked], **options)), items)


FAMILIES = (
    *(Family(f"conditions: {kind}", partial(pairs, kind)) for kind in OPERATIONS),
    Family("conditions: without a right value", single),
)
