"""IF and Filter as wholes: versions, left out fields, combinations; and regular expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from ..cases import Document, Family, NodeCase
from .conditions import MISSING, block, pair

ITEMS: Sequence[Document] = (
    {"json": {"n": 1, "t": "a", "d": "2026-05-10T10:00:00Z"}},
    {"json": {"n": 2, "t": "B", "d": "2026-05-11", "x": None}},
    {"json": {"n": "3", "t": "", "d": "soon", "x": [1]}},
    {"json": {}},
    {"json": {"n": None, "t": None, "d": None, "x": 5}},
)
BLOCK_NODES = (("if", (2, 2.1, 2.2, 2.3)), ("filter", (2, 2.1, 2.2, 2.3)))
STRICT = {"caseSensitive": True, "typeValidation": "strict", "version": 2}
LOOSE = {"caseSensitive": True, "typeValidation": "loose", "version": 2}


def node(kind: str, version: float, on_error: str = "continueRegularOutput", **parameters: object) -> Document:
    return {
        "type": f"n8n-nodes-base.{kind}",
        "typeVersion": version,
        "onError": on_error,
        "parameters": {name: value for name, value in parameters.items() if value is not MISSING},
    }


BIGGER = pair("number", "gt", "={{ $json.n }}", 1)
TEXT_A = pair("string", "equals", "={{ $json.t }}", "b")
LATER = pair("dateTime", "after", "={{ $json.d }}", "2026-05-10T12:00:00")


def blocks() -> Iterator[tuple[str, object]]:
    yield "none", MISSING
    yield "empty", {}
    yield "no conditions", block([], **STRICT)
    yield "no conditions or", block([], "or", **STRICT)
    yield "without options", {"combinator": "and", "conditions": [TEXT_A]}
    yield "without combinator", {"conditions": [BIGGER], "options": LOOSE}
    yield "another combinator", block([TEXT_A], "xor", **LOOSE)
    yield "without conditions", {"combinator": "and", "options": LOOSE}
    yield "condition without sides", block([{"operator": {"type": "string", "operation": "equals"}}], **STRICT)
    yield "condition without sides number", block([{"operator": {"type": "number", "operation": "gte"}}], **STRICT)
    yield "version 1's form", {"string": [{"value1": "a", "value2": "b"}]}
    for name, options in (("strict", STRICT), ("loose", LOOSE), ("partly", {"typeValidation": "loose"})):
        for combinator in ("and", "or"):
            yield f"{name} {combinator}", block([BIGGER, TEXT_A, LATER], combinator, **options)
    yield "ignoring case", block([TEXT_A], **{**LOOSE, "caseSensitive": False})
    yield "undefined", block([pair("number", "lt", "={{ $json.x }}", 5)], **LOOSE)
    yield "undefined equal", block([pair("number", "equals", "={{ $json.x }}", "={{ $json.y }}")], **LOOSE)
    yield "undefined boolean", block([pair("boolean", "equals", "={{ $json.x }}", "={{ $json.y.z }}")], **LOOSE)
    for code in ("0/0", "1/0", "-1/0", "undefined", "null", "parseInt($json.t)", "", "$json.x?.y", "Number($json.n)"):
        for operation in ("gt", "lt", "equals", "exists"):
            row = pair("number", operation, f"={{{{ {code} }}}}", 1)
            yield f"{{{{ {code} }}}} {operation}", block([row], **STRICT)


def if_and_filter() -> Iterable[NodeCase]:
    for kind, versions in BLOCK_NODES:
        for name, conditions in blocks():
            several = versions if "{{" not in name else versions[2:3]
            for version in several:
                made = node(kind, version, conditions=conditions)
                yield NodeCase(f"{kind} {version}: {name}", made, ITEMS)
        for version, loose, fold in product(versions, (True, False), (True, False)):
            given: Document = {
                "conditions": {"combinator": "and", "conditions": [TEXT_A, BIGGER]},
                "looseTypeValidation": loose,
                "options": {"ignoreCase": fold, "looseTypeValidation": loose},
            }
            yield NodeCase(f"{kind} {version}: the node's options {loose} {fold}", node(kind, version, **given), ITEMS)


PATTERNS = (
    "a", "^A", "/^A/i", "/a/g", "/A/gi", "/a/x", "/a/b/", "a/b", "(", "[", "*", "/(/", "\\d+", "(?<y>\\d{4})",
    "(?<=a)b", "\\p{L}", "/\\p{L}/u", "", "//", "a|", "^$", "/a.b/s", "/^b$/m", ".", "\\", "/A/", "(?i)a", "[^]",
    "\\u{61}", "/ß/iu",
)  # fmt: skip
TEXTS = ("a", "A", "ab", "b", "a/b", "2026", "", "a\nb", "é", "ß", "(", None, 12, True, ["a"], {"a": 1})


def regexes() -> Iterable[NodeCase]:
    items = [{"json": {"t": text}} for text in TEXTS]
    for pattern, operation, fold in product(PATTERNS, ("regex", "notRegex"), (True, False)):
        row = pair("string", operation, "={{ $json.t }}", pattern)
        conditions = block([row], **{**LOOSE, "caseSensitive": not fold})
        given = {"rules": {"values": [{"conditions": conditions}]}, "options": {"fallbackOutput": "extra"}}
        yield NodeCase(f"{operation} {pattern!r} {'fold' if fold else 'exact'}", node("switch", 3.2, **given), items)
        if fold:
            rows = {"string": [{"value1": "={{ $json.t }}", "operation": operation, "value2": pattern}]}
            yield NodeCase(f"1: {operation} {pattern!r}", node("if", 1, conditions=rows), items)


FAMILIES = (
    Family("IF and Filter", if_and_filter),
    Family("conditions: regular expressions", regexes),
)
