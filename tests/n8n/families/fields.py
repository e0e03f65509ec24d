"""Nodes that write and rename fields: Edit Fields (Set), Rename Keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..cases import Document, Family, NodeCase

VALUES: Document = {
    "text": "Hello",
    "blank": "",
    "space": " ",
    "digits": "12",
    "decimal": "1.5e3",
    "padded": " 7 ",
    "hex": "0x1f",
    "comma": "1,5",
    "large": "12345678901234567890",
    "trueText": "true",
    "upper": "TRUE",
    "falseText": "false",
    "oneText": "1",
    "zeroText": "0",
    "yesText": "yes",
    "number": 12.5,
    "whole": 12,
    "zero": 0,
    "one": 1,
    "negative": -3,
    "yes": True,
    "no": False,
    "none": None,
    "list": [1, "a", None],
    "emptyList": [],
    "object": {"a": 1, "b": {"c": None}},
    "emptyObject": {},
    "listText": "[1, 2]",
    "objectText": '{"a": 1}',
    "brokenText": "{a: 1, 'b': 2}",
    "date": "2026-05-10T10:11:12.000Z",
    "day": "2026-05-10",
    "clock": "10:11:12",
}
FILE: Document = {"data": "SGVsbG8=", "mimeType": "text/plain", "fileName": "a.txt", "fileExtension": "txt"}
ITEMS: Sequence[Document] = (
    {"json": {"a": 1, "b": {"c": 2, "d": [1, {"e": "x"}]}, "b.c": "dotted", "keep": "k"}, "binary": {"file": FILE}},
    {"json": {"a": None, "keep": ""}},
    {"json": {"b": "no object", "list": [1, 2]}},
)
KINDS = ("string", "number", "boolean", "array", "object")
OPTIONS: Sequence[Document] = ({}, {"ignoreConversionErrors": True})
GOES_ON = "continueRegularOutput"


def set_node(version: float, parameters: Document, **more: object) -> Document:
    return {
        "type": "n8n-nodes-base.set",
        "typeVersion": version,
        "onError": GOES_ON,
        "parameters": parameters,
        **more,
    }


def legacy_values() -> Iterator[NodeCase]:
    for version in (1, 2):
        for kind in KINDS[:3]:
            for name in (*VALUES, "missing", "missing * 2"):
                values = {kind: [{"name": "made", "value": f"={{{{ $json.{name} }}}}"}]}
                parameters = {"keepOnlySet": True, "values": values, "options": {}}
                yield NodeCase(f"v{version} {kind} {name}", set_node(version, parameters), ({"json": VALUES},))


LEGACY: dict[str, Document] = {
    "nothing": {},
    "only what is set": {"keepOnlySet": True},
    "no value": {"values": {"string": [{"name": "made"}], "number": [{"name": "n"}], "boolean": [{"name": "yes"}]}},
    "no name": {"values": {"string": [{"value": "x"}]}},
    "no name or value": {"values": {"string": [{}], "number": [{}], "boolean": [{}]}, "keepOnlySet": True},
    "literal kinds": {
        "values": {
            "string": [{"name": "s", "value": 5}, {"name": "s2", "value": True}, {"name": "s3", "value": None}],
            "number": [{"name": "n", "value": "5"}, {"name": "n2", "value": "x"}, {"name": "n3", "value": None}],
            "boolean": [{"name": "b", "value": "false"}, {"name": "b2", "value": 0}, {"name": "b3", "value": None}],
        }
    },
    "order": {"values": {"string": [{"name": "x", "value": "s"}], "boolean": [{"name": "x", "value": True}]}},
    "dots": {"values": {"string": [{"name": "b.new", "value": "v"}, {"name": "q.r[1].s", "value": "v"}]}},
    "list": {"values": {"string": [{"name": "b.d[0]", "value": "v"}, {"name": "b.d[1].e", "value": "v"}]}},
    "no dots": {"values": {"string": [{"name": "b.new", "value": "v"}]}, "options": {"dotNotation": False}},
    "dots through null": {"values": {"string": [{"name": "a.b", "value": "v"}]}},
    "own dotted name": {"values": {"string": [{"name": "b.c", "value": "v"}]}},
    "brackets": {"values": {"string": [{"name": "x['y z'].w", "value": "v"}, {"name": 'x["q.r"]', "value": "v"}]}},
    "computed name": {"values": {"string": [{"name": "={{ $json.keep }}", "value": "v"}]}},
    "empty name": {"values": {"string": [{"name": "", "value": "v"}]}},
    "previous": {"values": {"string": [{"name": "a", "value": "={{ $json.a }}!"}]}},
    "unknown kind": {"values": {"array": [{"name": "a", "value": "[1]"}]}},
    "computed switch": {"keepOnlySet": "={{ $json.keep === 'k' }}"},
}


def legacy_forms() -> Iterator[NodeCase]:
    for version in (1, 2):
        for name, parameters in LEGACY.items():
            yield NodeCase(f"v{version} {name}", set_node(version, parameters), ITEMS)


TYPED_VERSIONS = (3, 3.1, 3.2)
LATER_VERSIONS = (3.3, 3.4, 3.5)


def typed(version: float, name: str, kind: str, value: object) -> Document:
    """The parameters that set one field."""
    if version in TYPED_VERSIONS:
        return {"fields": {"values": [{"name": name, "type": f"{kind}Value", f"{kind}Value": value}]}}
    return {"assignments": {"assignments": [{"id": "1", "name": name, "type": kind, "value": value}]}}


def conversions() -> Iterator[NodeCase]:
    for version in (*TYPED_VERSIONS, *LATER_VERSIONS):
        for kind in KINDS:
            for options in OPTIONS:
                for name in (*VALUES, "missing", "missing * 2"):
                    given = typed(version, "made", kind, f"={{{{ $json.{name} }}}}")
                    parameters = {**given, "include": "none", "options": options}
                    title = f"v{version} {kind} {name}{' unchecked' if options else ''}"
                    yield NodeCase(title, set_node(version, parameters), ({"json": VALUES},))


def other_kinds() -> Iterator[NodeCase]:
    for version in LATER_VERSIONS:
        for kind in ("dateTime", "time", "any", "", "url"):
            for name in ("text", "yes", "none", "missing", "list", "date", "day"):
                node = set_node(version, typed(version, "made", kind, f"={{{{ $json.{name} }}}}"))
                yield NodeCase(f"v{version} {kind or 'empty'} {name}", node, ({"json": VALUES},))
        for value in ("file", "={{ $binary.file }}", "gone"):
            node = set_node(version, typed(version, "made", "binary", value))
            yield NodeCase(f"v{version} binary {value}", node, ITEMS[:1])


LITERALS: dict[str, Sequence[object]] = {
    "string": ("", "x", "5", 5, True, None, [1], {"a": 1}, "={{ [1] }} x", "={{ $json.b }} x", "=plain"),
    "number": ("", "5", 5, " 6 ", "={{ 1 }}{{ 2 }}", None),
    "boolean": ("true", "FALSE", "1", 0, True, "={{ 'tr' }}ue"),
    "array": ("[1]", [1], "={{ '[' }}1]", "=[{{ $json.a }}, {{ $json.a }}]"),
    "object": ('{"a": 1}', '={"x": {{ $json.a }}}', '={"x": {{ $json.b }}}', '={"x": "{{ $json.keep }}"}'),
}
UNFIT: dict[str, object] = {"number": "x", "boolean": "", "array": "5", "object": "[1]"}


def literals() -> Iterator[NodeCase]:
    for version in (*TYPED_VERSIONS, *LATER_VERSIONS):
        for kind in KINDS:
            for literal in LITERALS[kind]:
                node = set_node(version, typed(version, "made", kind, literal))
                yield NodeCase(f"v{version} {kind} literal {literal!r}", node, ITEMS[:1])
    for version in (3, 3.4):
        for kind, literal in UNFIT.items():
            node = set_node(version, typed(version, "made", kind, literal))
            yield NodeCase(f"v{version} {kind} unfit literal", node, ITEMS[:1])


def modern_forms() -> Iterator[NodeCase]:
    for version in (*TYPED_VERSIONS, *LATER_VERSIONS):
        for title, parameters in _modern(version):
            yield NodeCase(f"v{version} {title}", set_node(version, parameters), ITEMS)


def _modern(version: float) -> Iterator[tuple[str, Document]]:
    one = typed(version, "made", "string", "v")
    yield "nothing", {}
    yield "one", one
    for include in ("all", "none", "selected", "except"):
        for fields in ("a, b.c ,missing", "b", "", "b.d[1].e,keep"):
            for options in ({}, {"dotNotation": False}):
                chosen = {"include": include, "includeFields": fields, "excludeFields": fields, "options": options}
                for other in (True, False) if version in LATER_VERSIONS else (None,):
                    more = {} if other is None else {"includeOtherFields": other}
                    yield f"{include} {fields!r} {options} {other}", {**one, **chosen, **more}
    for option in ("includeBinary", "stripBinary"):
        for value in (True, False):
            for more in ({}, {"includeOtherFields": True}, {"include": "none"}, {"include": "all"}):
                yield f"{option} {value} {more}", {**one, **more, "options": {option: value}}
    for name in ("b.new", "b.d[0]", "b.d[1].e", "a.b", "b.c", "x['y z'].w", 'x["q.r"]', "", "x..y", "[0]", "1.2"):
        for options in ({}, {"dotNotation": False}):
            given = typed(version, name, "string", "v")
            yield f"name {name!r} {options}", {**given, "includeOtherFields": True, "options": options}
    yield "computed name", {**typed(version, "={{ $json.keep }}", "string", "v"), "includeOtherFields": True}
    yield "copies", {**one, "duplicateItem": True, "duplicateCount": 2}
    yield "copies without a count", {**one, "duplicateItem": True}
    yield "copies not asked for", {**one, "duplicateItem": False, "duplicateCount": 2}
    for left_out in ("name", "type", "value", "id"):
        if version in TYPED_VERSIONS:
            row = {"name": "made", "type": "numberValue", "numberValue": "5"}
            row.pop({"value": "numberValue"}.get(left_out, left_out), None)
            yield f"without {left_out}", {"fields": {"values": [row]}}
        else:
            row = {"name": "made", "type": "number", "value": "5", "id": "1"}
            row.pop(left_out)
            yield f"without {left_out}", {"assignments": {"assignments": [row]}}
    if version in TYPED_VERSIONS:
        for kind in ("string", "number", "boolean", "object"):
            yield f"no value for {kind}", {"fields": {"values": [{"name": "made", "type": f"{kind}Value"}]}}
    else:
        yield "flat list", {"assignments": [{"name": "made", "type": "string", "value": "v"}]}
        yield "bare list", {"assignments": {"assignments": []}}


RAW: dict[str, object] = {
    "left out": None,
    "object": '{"x": 1, "b": {"z": 2}}',
    "dotted": '{"x.y": 1, "b.c": 3}',
    "bare list": "={{ '[1]' }}",
    "number": "={{ '5' }}",
    "null": "={{ 'null' }}",
    "empty": "={{ '' }}",
    "broken": "={{ '{x: 1,}' }}",
    "new line": "={{ '{\"x\": \"a' + String.fromCharCode(10) + 'b\"}' }}",
    "comments": "={{ '/* a */ {x: 1, // b' + String.fromCharCode(10) + ' y: 2}' }}",
    "bare words": "={{ '{x: some text, y: NaN, z: undefined, t: True, n: None}' }}",
    "inner quotes": '={{ \'{"x": "say "hi" now", "y": 1}\' }}',
    "never closed": '={{ \'{"x": [1, {"y": 2\' }}',
    "no commas": '={{ \'{"x": 1 "y": [1 2]}\' }}',
    "address": "={{ '{x: https://example.com/a?b=1, y: 12abc}' }}",
    "no value": '={{ \'{"x":, "y":}\' }}',
    "typographic": "={{ '{\u201cx\u201d: \u201ca\u201d}' }}",
    "python": "={{ \"{'x': True, 'y': None, 'z': ['a']}\" }}",
    "computed number": '={"x": {{ Number($json.keep) }}, "y": {{ 0 / 0 }}}',
    "hopeless": "={{ '{{{' }}",
    "computed object": "={{ $json }}",
    "computed text": "={{ JSON.stringify($json) }}",
    "computed parts": '={"x": "{{ $json.keep }}", "o": {{ $json.b }}, "m": {{ $json.missing }}}',
    "computed quoted": '={"x": {{ JSON.stringify($json.keep) }}}',
    "computed missing": "={{ $json.missing }}",
    "computed list": "={{ $json.list }}",
}


def raw() -> Iterator[NodeCase]:
    for version in (*TYPED_VERSIONS, *LATER_VERSIONS):
        for title, output in RAW.items():
            for include in ("all", "none"):
                parameters: Document = {"mode": "raw", "include": include, "includeOtherFields": include == "all"}
                if output is not None:
                    parameters["jsonOutput"] = output
                yield NodeCase(f"v{version} {include} {title}", set_node(version, parameters), ITEMS)
    for version in (3.2, 3.4):
        parameters = {"mode": "raw", "jsonOutput": '{"x.y": 1}', "options": {"dotNotation": False}}
        yield NodeCase(f"v{version} no dots", set_node(version, parameters), ITEMS)


MODES: dict[str, Document] = {
    "stops": {"onError": "stopWorkflow"},
    "goes on": {"onError": "continueRegularOutput"},
    "own output": {"onError": "continueErrorOutput"},
    "old switch": {"onError": None, "continueOnFail": True},
    "once": {"executeOnce": True},
    "always data": {"alwaysOutputData": True},
}


def errors() -> Iterator[NodeCase]:
    items = ({"json": {"n": "1"}, "binary": {"file": FILE}}, {"json": {"n": "x", "o": 1}}, {"json": {"n": "3"}})
    for version in (*TYPED_VERSIONS, *LATER_VERSIONS):
        for title, settings in MODES.items():
            more = {key: value for key, value in settings.items() if value is not None}
            node = set_node(version, typed(version, "m", "number", "={{ $json.n }}"), **more)
            if settings.get("onError", "") is None:
                del node["onError"]
            yield NodeCase(f"v{version} {title}", node, items)


def rename_node(parameters: Document, **more: object) -> Document:
    return {"type": "n8n-nodes-base.renameKeys", "typeVersion": 1, "onError": GOES_ON, "parameters": parameters, **more}


RENAMED: dict[str, Sequence[tuple[str, str]]] = {
    "one": [("a", "z")],
    "nested": [("b.c", "b.z")],
    "nested to top": [("b.d[1].e", "e")],
    "into a new object": [("a", "n.m")],
    "swap": [("a", "keep"), ("keep", "a")],
    "chain": [("a", "z"), ("z", "y")],
    "missing": [("missing", "z")],
    "same": [("a", "a")],
    "empty name": [("", "z")],
    "empty new name": [("a", "")],
    "list element": [("list[0]", "first")],
    "over another": [("a", "keep")],
    "into a text": [("a", "b.x")],
}
PATTERNS: Sequence[Document] = (
    {"searchRegex": "^(.)", "replaceRegex": "p_$1"},
    {"searchRegex": "E", "replaceRegex": "_", "options": {"caseInsensitive": True}},
    {"searchRegex": "c", "replaceRegex": "q", "options": {"depth": 0}},
    {"searchRegex": "e", "replaceRegex": "q", "options": {"depth": 1}},
    {"searchRegex": "e", "replaceRegex": "q", "options": {"depth": 2}},
    {"searchRegex": "e", "replaceRegex": "q", "options": {"depth": -1}},
    {"searchRegex": "(", "replaceRegex": "q"},
    {"searchRegex": "", "replaceRegex": "q"},
    {"searchRegex": "a"},
    {"replaceRegex": "a"},
    {},
)


def renames() -> Iterator[NodeCase]:
    yield NodeCase("nothing", rename_node({}), ITEMS)
    for title, rows in RENAMED.items():
        keys = {"key": [{"currentKey": old, "newKey": new} for old, new in rows]}
        yield NodeCase(title, rename_node({"keys": keys}), ITEMS)
    yield NodeCase("without a new name", rename_node({"keys": {"key": [{"currentKey": "a"}]}}), ITEMS)
    yield NodeCase("without a name", rename_node({"keys": {"key": [{"newKey": "a"}]}}), ITEMS)
    computed = {"key": [{"currentKey": "={{ $json.keep ? 'a' : 'keep' }}", "newKey": "z"}]}
    yield NodeCase("computed", rename_node({"keys": computed}), ITEMS)
    for number, row in enumerate(PATTERNS):
        options = {"regexReplacement": {"replacements": [row]}}
        yield NodeCase(f"pattern {number} {row}", rename_node({"additionalOptions": options}), ITEMS)
    several = {"regexReplacement": {"replacements": [PATTERNS[0], PATTERNS[1]]}}
    yield NodeCase("patterns", rename_node({"additionalOptions": several}), ITEMS)


def set_cases() -> Iterable[NodeCase]:
    yield from legacy_values()
    yield from legacy_forms()


def modern_cases() -> Iterable[NodeCase]:
    yield from conversions()
    yield from other_kinds()
    yield from literals()


def form_cases() -> Iterable[NodeCase]:
    yield from modern_forms()
    yield from raw()
    yield from ((NodeCase(f"error {case.name}", case.node, case.items)) for case in errors())


FAMILIES = (
    Family("Set, versions 1 and 2", set_cases),
    Family("Set, version 3: conversions", modern_cases),
    Family("Set, version 3: forms", form_cases),
    Family("Rename Keys", renames),
)
