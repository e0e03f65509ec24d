"""Expressions: each is the value of one field of an item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..cases import Document, Family, NodeCase

ITEM: Document = {
    "json": {
        "text": "Hello World",
        "blank": "",
        "number": 12.345,
        "zero": 0,
        "negative": -7,
        "yes": True,
        "no": False,
        "none": None,
        "list": [3, 1, 2],
        "empty": [],
        "objects": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}, {"id": 1, "name": "Ann"}],
        "object": {"a": 1, "b": "two", "c": None},
        "bare": {},
        "date": "2026-05-10T10:11:12.000Z",
        "day": "2026-05-10",
    }
}


def expression_case(source: str, items: Sequence[Document] = (ITEM,)) -> NodeCase:
    return template_case(f"{{{{ {source} }}}}", items, name=source)


def template_case(template: str, items: Sequence[Document] = (ITEM,), name: str | None = None) -> NodeCase:
    """The value as it is: neither side converts a type that it does not know. name: by default the template."""
    value = {"id": "value", "name": "value", "value": f"={template}", "type": "any"}
    node = {
        "type": "n8n-nodes-base.set",
        "typeVersion": 3.4,
        "onError": "continueRegularOutput",
        "parameters": {"assignments": {"assignments": [value]}, "options": {"dotNotation": False}},
    }
    return NodeCase(template if name is None else name, node, items, fields=("value", "error"))


def expression_cases(sources: Iterable[str]) -> Iterator[NodeCase]:
    return (expression_case(source) for source in dict.fromkeys(sources))


GLOBALS = (
    "isNaN('x')",
    "isNaN('12')",
    "isNaN(undefined)",
    "isNaN(null)",
    "isFinite('12')",
    "isFinite('x')",
    "isFinite(null)",
    "parseInt('12px')",
    "parseInt('ff', 16)",
    "parseInt('')",
    "parseFloat('1.5e3x')",
    "Number('0x1f')",
    "Number('')",
    "String(null)",
    "Boolean('false')",
    "$json.none",
    "1/0",
    "0/0",
    "-0",
)


def globals_() -> Iterable[NodeCase]:
    return expression_cases(GLOBALS)


FAMILIES = (Family("expressions: global functions", globals_),)
