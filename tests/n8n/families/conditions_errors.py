"""Where an item goes that IF, Filter or Switch cannot test."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from ..cases import Document, Family, NodeCase
from .conditions import block, pair
from .conditions_nodes import BIGGER, ITEMS, LOOSE, STRICT, node

ERROR_MODES = ("stopWorkflow", "continueRegularOutput", "continueErrorOutput")


def errors() -> Iterable[NodeCase]:
    """Where an item goes that cannot be tested."""
    strict = block([BIGGER], **STRICT)
    legacy = {"dateTime": [{"value1": "={{ $json.d }}", "operation": "after", "value2": "2026-05-10"}]}
    regex = block([pair("string", "regex", "={{ $json.t }}", "(")], **LOOSE)
    nodes: list[tuple[str, float, Document]] = [
        *(("if", version, {"conditions": rows}) for version in (2, 2.2) for rows in (strict, regex)),
        *(("filter", version, {"conditions": rows}) for version in (2, 2.2) for rows in (strict, regex)),
        *(("switch", 3.2, {"rules": {"values": [{"conditions": rows}]}}) for rows in (strict, regex)),
        ("switch", 3.2, {"mode": "expression", "numberOutputs": 3, "output": "={{ $json.n }}"}),
        ("switch", 2, {"mode": "expression", "outputsAmount": 3, "output": "={{ $json.n }}"}),
        ("switch", 1, {"mode": "expression", "output": "={{ $json.n }}"}),
        ("if", 1, {"conditions": legacy}),
        ("filter", 1, {"conditions": legacy}),
        ("switch", 1, {"dataType": "dateTime", "value1": "={{ $json.d }}", "rules": {"rules": [{"value2": "2026"}]}}),
    ]
    lists = {"five": ITEMS, "one": ITEMS[2:3], "good": ITEMS[:2]}
    for index, (kind, version, parameters) in enumerate(nodes):
        for mode, (name, items) in product(ERROR_MODES, lists.items()):
            yield NodeCase(f"{kind} {version} {index} {mode}: {name}", node(kind, version, mode, **parameters), items)


FAMILIES = (Family("conditions: errors", errors),)
