"""Methods that expressions add to values: every one of them on values of every kind, with arguments of every kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..cases import Family, NodeCase
from .expressions import expression_cases

RECEIVERS = (
    "$json.missing",
    "$json.none",
    "$json.blank",
    "$json.text",
    "'12'",
    "'1.5'",
    "'no'",
    "$json.date",
    "$json.day",
    "$json.zero",
    "$json.number",
    "$json.negative",
    "(7)",
    "NaN",
    "$json.yes",
    "$json.no",
    "$json.empty",
    "$json.list",
    "$json.objects",
    "[1, '', null, undefined, 'nil', {}, [], 0, false, {a: null, b: 1}]",
    "$json.bare",
    "$json.object",
    "$json.date.toDateTime()",
    "new Date('2026-05-10T10:11:12.345Z')",
    "(x => x)",
)
ARGUMENTS = ("", "undefined", "null", "''", "'a'", "'id'", "'id', 'name'", "2", "0", "-1", "true", "[1, 2]", "{}",
             "{a: 1}", "[{id: 2, z: 1}]")  # fmt: skip
STRING = """
    hash removeMarkdown removeTags toDate toDateTime toBoolean toDecimalNumber toNumber toFloat toInt toWholeNumber
    toSentenceCase toSnakeCase toTitleCase urlDecode urlEncode quote replaceSpecialChars length isDomain isEmail
    isNumeric isUrl isEmpty isNotEmpty toJsonString extractEmail extractDomain extractUrl extractUrlPath parseJson
    base64Encode base64Decode
""".split()  # noqa: SIM905 - a list of so many names is a page long
ARRAY = """
    removeDuplicates unique first last reverse pluck sum min max average compact smartJoin chunk renameKeys merge
    mergeIntoObject union difference intersection append
""".split()  # noqa: SIM905
NUMBER = "ceil floor format round abs isInteger isEven isOdd".split()  # noqa: SIM905
OBJECT = "hasField removeField removeFieldsContaining keepFieldsContaining urlEncode keys values".split()  # noqa: SIM905
DATE = "beginningOf endOfMonth extract isBetween isDst isInLast isWeekend minus plus diffTo".split()  # noqa: SIM905
METHODS = tuple(dict.fromkeys([*STRING, *ARRAY, *NUMBER, *OBJECT, *DATE]))
"""`randomItem` and `diffToNow` depend on chance and on the clock."""


def on_everything() -> Iterator[NodeCase]:
    """Every method on every kind of value, without arguments."""
    return expression_cases(f"{receiver}.{method}()" for method in METHODS for receiver in RECEIVERS)


TAKES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(["hash", "toDateTime", "toInt", "urlDecode", "urlEncode", "quote", "replaceSpecialChars"],
                    ["$json.text", "'12'", "$json.number", "$json.date"]),
    **dict.fromkeys([name for name in ARRAY if name not in ("sum", "min", "max", "average")],
                    ["$json.list", "$json.objects", "$json.empty"]),
    **dict.fromkeys(["merge", "compact"], ["$json.object", "$json.objects", "$json.list"]),
    **dict.fromkeys(["format", "round", "toDateTime"], ["$json.number", "$json.negative", "$json.zero", "(1e21)"]),
    **dict.fromkeys(OBJECT, ["$json.object", "$json.bare", "$json.text", "$json.objects"]),
    **dict.fromkeys(DATE, ["$json.date", "$json.date.toDateTime()", "new Date(0)", "$json.day"]),
}  # fmt: skip
NEVER = {("(1e21)", "chunk"), ("$json.list", "chunk")}


def with_arguments() -> Iterator[NodeCase]:
    """Methods that take arguments, with arguments of every kind."""
    sources = (
        f"{receiver}.{method}({given})"
        for method, receivers in TAKES.items()
        for receiver in receivers
        for given in ARGUMENTS
        if not (method == "chunk" and given == "-1")  # n8n's engine never ends
    )
    return expression_cases(sources)


FAMILIES = (
    Family("expressions: extensions on every kind of value", on_everything),
    Family("expressions: extensions with arguments", with_arguments),
)
