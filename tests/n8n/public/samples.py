"""Items for a workflow whose sources are not there: they have the fields that its expressions and programs read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..cases import Document

READ = re.compile(
    r"""\bjson((?:\??\.[A-Za-z_]\w*|(?:\?\.)?\[(?:\d+|"[^"\\]+"|'[^'\\]+'|\\"[^"\\]+\\")\])+)(\s*\()?""", re.VERBOSE
)
STEP = re.compile(r"""\.([A-Za-z_]\w*)|\[(\d+)\]|\[\\?["']([^"'\\]+)\\?["']\]""")
LISTS = frozenset({"map", "filter", "forEach", "reduce", "some", "every", "find", "join", "length", "flatMap", "slice"})
TEXTS = frozenset({"toLowerCase", "toUpperCase", "split", "replace", "trim", "match", "substring", "startsWith"})
SECRET = re.compile("token|secret|password|cookie|authorization|api.?key", re.IGNORECASE)
"""Names that the history masks."""
NUMBER = re.compile(
    r"(?:^|_)(?:id|count|total|price|amount|num|number|age|size|page|index|score|rating)$", re.IGNORECASE
)
VALUES: tuple[tuple[re.Pattern[str], Any], ...] = (
    (re.compile("mail", re.IGNORECASE), "ann@example.com"),
    (re.compile("date|time|_at$|At$"), "2026-05-10T10:11:12.000Z"),
    (re.compile("url|link|href|image", re.IGNORECASE), "https://example.com/a?b=1"),
    (re.compile("^(?:is|has)[A-Z_]"), True),
)
ROWS: list[Any] = [{"id": 1, "name": "Ann", "value": "x"}, {"id": 2, "name": "Bob", "value": ""}]
MOST_IN_LIST = 5
DEEPEST = 8


def sample(document: Document) -> Document:
    """The `json` of an item."""
    made: Document = {"id": 7, "name": "Ann", "text": "Hello, world"}
    for path, method in _read(document):
        if path:
            _put(made, path, _value(str(path[-1]), method))
    for name in _split(document):
        _put(made, name.split("."), ROWS)
    return made


def _read(document: Document) -> Iterator[tuple[list[str | int], str]]:
    """The paths that stand behind `json`, and the method that is called on each."""
    for found in READ.finditer(json.dumps([node.get("parameters") for node in document["nodes"]], ensure_ascii=False)):
        path: list[str | int] = [
            int(place) if place else name or quoted for name, place, quoted in STEP.findall(found[1])
        ][:DEEPEST]
        if path and not any(SECRET.search(str(step)) for step in path):
            called = str(path.pop()) if found[2] or path[-1] == "length" else ""
            yield path, called


def _split(document: Document) -> Iterator[str]:
    """Fields that a node takes apart."""
    for node in document["nodes"]:
        given = (node.get("parameters") or {}).get("fieldToSplitOut")
        if isinstance(given, str) and not given.startswith("="):
            yield from (name.strip() for name in given.split(",") if name.strip() and "[" not in name)


def _value(name: str, method: str) -> Any:
    if method in LISTS:
        return ROWS
    if method in TEXTS:
        return f"{name} One, two"
    if NUMBER.search(name):
        return 42
    return next((value for pattern, value in VALUES if pattern.search(name)), f"a {name}")


def _put(made: Any, path: list[str | int] | list[str], value: Any) -> None:
    """Where something deeper is already there, it stays."""
    for step, behind in zip(path, [*path[1:], None], strict=True):
        empty: Any = value if behind is None else [] if isinstance(behind, int) else {}
        if isinstance(step, int):
            if not isinstance(made, list) or step >= MOST_IN_LIST:
                return
            made.extend({} for _ in range(step + 1 - len(made)))
            if not isinstance(made[step], type(empty)):
                made[step] = empty
        elif not isinstance(made, dict):
            return
        elif step not in made or (isinstance(empty, dict | list) and not isinstance(made[step], dict | list)):
            made[step] = empty if behind is not None else json.loads(json.dumps(value))
        made = made[step]


def items(document: Document) -> tuple[Document, ...]:
    """Two of them: one with all fields, one in which the texts are others and one field in three is null."""
    first = sample(document)
    return ({"json": first}, {"json": _other(first)})


def _other(given: Mapping[str, Any]) -> Document:
    def changed(place: int, value: Any) -> Any:
        if place % 3 == 2 and not isinstance(value, dict | list):
            return None
        return f"{value} again" if isinstance(value, str) and "T10" not in value else value

    return {name: changed(place, value) for place, (name, value) in enumerate(given.items())}
