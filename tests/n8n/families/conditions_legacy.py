"""IF and Filter version 1, and every version of Switch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from ..cases import Document, Family, NodeCase
from .conditions import DATES, MISSING, OTHERS, block, distinct, item_of, pair, shown
from .conditions_nodes import ITEMS, LOOSE, STRICT, node

OPERATIONS: Mapping[str, Sequence[str]] = {
    "boolean": ("equal", "notEqual"),
    "dateTime": ("after", "before"),
    "number": ("smaller", "smallerEqual", "equal", "notEqual", "larger", "largerEqual"),
    "string": [
        "contains",
        "notContains",
        "endsWith",
        "notEndsWith",
        "equal",
        "notEqual",
        "startsWith",
        "notStartsWith",
    ],
}
VALUES: Mapping[str, Sequence[object]] = {
    "boolean": (True, False, "true", 1, None, MISSING),
    "dateTime": ("2026-05-10T10:11:12Z", "2026-05-10", 1778407872000),
    "number": (0, 1, -1.5, "10", "9", "x", "", None, MISSING, True, [], [2], {}),
    "string": ("abc", "c", "", "1", "null", "undefined", "a,b", "[object Object]"),
}
LEFT: Mapping[str, Sequence[object]] = {
    **VALUES,
    "dateTime": [date for date in DATES if date not in ("10:11", "2026-5-1", "2026-W19", str(1778407872000))],
}


def pairs() -> Iterator[NodeCase]:
    """Without errors, which end the node."""
    for kind, operations in OPERATIONS.items():
        rights = VALUES[kind] if kind != "string" else distinct((*VALUES[kind], *OTHERS))
        items = [item_of("right", value) for value in rights]
        for operation, left in product(operations, LEFT[kind]):
            row: Document = {"operation": operation, "value2": "={{ $json.right }}"}
            if left is not MISSING:
                row["value1"] = f"={{{{ {left!r} }}}}" if left is None else left
            yield NodeCase(f"{shown(left)} {kind}:{operation}", node("if", 1, conditions={kind: [row]}), items)


def single() -> Iterator[NodeCase]:
    items = [item_of("left", value) for value in distinct((*OTHERS, "x", -1, [None], [""]))]
    for kind, operation in product(("number", "string", "boolean"), ("isEmpty", "isNotEmpty")):
        row = {"value1": "={{ $json.left }}", "operation": operation}
        for name in ("if", "filter"):
            yield NodeCase(f"{name} {kind}:{operation}", node(name, 1, conditions={kind: [row]}), items)


def combined() -> Iterator[NodeCase]:
    rows: Mapping[str, Document] = {
        "untouched": {"string": [{}], "number": [{}], "boolean": [{}]},
        "untouched number": {"number": [{}]},
        "string value": {"string": [{"value1": "={{ $json.t }}", "value2": "a"}]},
        "order": {
            "number": [{"value1": "={{ $json.n }}", "value2": 2, "operation": "larger"}],
            "boolean": [{"value1": True}],
        },
        "two": {"string": [{"value1": "={{ $json.t }}", "value2": "a"}, {"value1": "={{ $json.t }}", "value2": "B"}]},
        "none": {},
    }
    for name, given in rows.items():
        for combine in ("all", "any", MISSING):
            yield NodeCase(
                f"if {name} {shown(combine)}", node("if", 1, conditions=given, combineOperation=combine), ITEMS
            )
        for combine in ("AND", "OR", MISSING):
            made = node("filter", 1, conditions=given, combineConditions=combine)
            yield NodeCase(f"filter {name} {shown(combine)}", made, ITEMS)
    yield NodeCase("if without parameters", node("if", 1), ITEMS)
    yield NodeCase("filter without parameters", node("filter", 1), ITEMS)


def legacy() -> Iterable[NodeCase]:
    yield from pairs()
    yield from single()
    yield from combined()


OUTPUTS: Sequence[object] = (0, 1, 3, 4, -1, "1", "x", "", 1.5, True, None, [1], {})


def by_expression() -> Iterator[NodeCase]:
    items = [item_of("to", value) for value in (*OUTPUTS, MISSING)]
    for version in (1, 2, 3, 3.2, 3.4):
        name = "outputsAmount" if version == 2 else "numberOutputs"
        given: Document = {"mode": "expression", "output": "={{ $json.to }}"}
        yield NodeCase(f"{version} expression", node("switch", version, **given), items)
        yield NodeCase(f"{version} expression of 2", node("switch", version, **given, **{name: 2}), items)
        yield NodeCase(f"{version} expression 1", node("switch", version, mode="expression", output=1), items)
        yield NodeCase(f"{version} expression '1'", node("switch", version, mode="expression", output="1"), items)
        yield NodeCase(f"{version} expression without output", node("switch", version, mode="expression"), items)


def by_legacy_rules() -> Iterator[NodeCase]:
    number = {"dataType": "number", "value1": "={{ $json.n }}"}
    rules: Mapping[str, Sequence[Document]] = {
        "two": [{"operation": "equal", "value2": 1}, {"operation": "larger", "value2": 1, "output": 2}],
        "untouched": [{}],
        "none": [],
        "too far": [
            {"operation": "equal", "value2": 1, "output": 9},
            {"operation": "larger", "value2": 0, "output": 1},
        ],
        "named": [
            {"operation": "equal", "value2": 2, "outputKey": "one"},
            {"value2": 5, "outputKey": "two", "output": 3},
        ],
    }
    for version, (name, rows), fallback in product((1, 2), rules.items(), (MISSING, -1, 0, 1, 3, 7, "1")):
        given = {**number, "rules": {"rules": list(rows)}, "fallbackOutput": fallback}
        yield NodeCase(f"{version} {name}, else {shown(fallback)}", node("switch", version, **given), ITEMS)
    text: Document = {"dataType": "string", "value1": "={{ $json.t }}"}
    for version, operation in product((1, 2), (*OPERATIONS["string"], "regex", "notRegex")):
        given = {**text, "rules": {"rules": [{"operation": operation, "value2": "a", "output": 1}]}}
        yield NodeCase(f"{version} string:{operation}", node("switch", version, **given), ITEMS)
    dates: Document = {
        "dataType": "dateTime",
        "value1": "={{ $json.d }}",
        "rules": {"rules": [{"value2": "2026-05-10"}]},
    }
    truth: Document = {"dataType": "boolean", "value1": "={{ !!$json.n }}", "rules": {"rules": [{"value2": True}]}}
    for version, (name, given) in product((1, 2), {"dates": dates, "truth": truth, "nothing": {}}.items()):
        yield NodeCase(f"{version} {name}", node("switch", version, **given), ITEMS)


def by_rules() -> Iterator[NodeCase]:
    one, other = pair("number", "gte", "={{ $json.n }}", 1), pair("number", "lt", "={{ $json.n }}", 3)
    rules: Mapping[str, Sequence[Document]] = {
        "two": [{"conditions": block([one], **LOOSE)}, {"conditions": block([other], **LOOSE)}],
        "strict": [{"conditions": block([one], **STRICT)}, {"conditions": block([other], **STRICT)}],
        "named": [
            {"conditions": block([other], **LOOSE), "renameOutput": True, "outputKey": "few"},
            {"conditions": block([one], **LOOSE), "outputKey": "many", "output": 0},
        ],
        "empty": [{}, {"conditions": {}}],
        "none": [],
    }
    choices: Sequence[object] = (MISSING, "none", "extra", 0, 1, 2, 3, "1", "x", -1)
    for version, (name, rows) in product((3, 3.1, 3.2, 3.4), rules.items()):
        for fallback, every in product(choices if version == 3.2 else choices[:4], (True, False)):
            options: Document = {"allMatchingOutputs": every, "renameFallbackOutput": "Rest"}
            options |= {} if fallback is MISSING else {"fallbackOutput": fallback}
            made = node("switch", version, rules={"values": list(rows)}, options=options)
            yield NodeCase(f"{version} {name}, {'all' if every else 'first'}, else {shown(fallback)}", made, ITEMS)
        yield NodeCase(
            f"{version} {name} without options", node("switch", version, rules={"values": list(rows)}), ITEMS
        )
    for version in (3, 3.2, 3.4):
        yield NodeCase(f"{version} without parameters", node("switch", version), ITEMS)
        yield NodeCase(f"{version} empty rules", node("switch", version, rules={}), ITEMS)


def switches() -> Iterable[NodeCase]:
    yield from by_expression()
    yield from by_legacy_rules()
    yield from by_rules()


FAMILIES = (Family("IF and Filter version 1", legacy), Family("Switch", switches))
