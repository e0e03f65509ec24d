"""Common constructs with values of every kind. Jackfield has a second, quicker way for these, with the same results."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator

from ..cases import Family, NodeCase
from .expressions import expression_cases, template_case

VALUES = (
    "$json.text", "$json.blank", "$json.number", "$json.zero", "$json.negative", "$json.yes", "$json.no",
    "$json.none", "$json.missing", "$json.list", "$json.empty", "$json.objects", "$json.object", "$json.bare",
    "$json.date", "$json.day", "'10'", "'abc'", "10", "1.5", "null", "undefined", "true", "NaN",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "%", "===", "!==", "==", "!=", "<", ">", "<=", ">=", "||", "&&", "??")
UNARY = ("!", "-", "+", "!!", "typeof ", "~")
METHODS = (
    "toString()", "toLowerCase()", "toUpperCase()", "trim()", "split(' ')", "split('')", "split()", "split(',')",
    "replace('l', 'L')", "replaceAll('l', '')", "replace(/l/g, '-')", "replace(/(\\\\w)o/, '$1')", "match(/o/)",
    "match(/o/g)", "match(/(l+)(o)?/)", "base64Encode()", "toJsonString()", "join()", "join('-')", "first()",
    "last()", "map(x => x)", "map(x => x.id)", "map((x, i) => i)", "map(x => x + 1)", "map(x => ({x}))",
    "map(x => [x])", "map(x => `${x}`)", "length", "name", "id", "a", "[0]", "['a']", "[1].name", "?.name",
    "?.[0]?.name", "a.b", "a?.b", "length.toString()", "toISO()", "format('yyyy')", "plus(1, 'days')", "getTime()",
    "toISOString()", "toFixed(1)", "slice(1)", "includes('o')", "indexOf(1)", "concat('x')", "at(-1)", "charAt(0)",
    "filter(x => x)", "find(x => x)", "reduce((a, b) => a + b)", "sort()", "keys()", "values()", "hasField('a')",
    "isEmpty()",
)  # fmt: skip
FUNCTIONS = (
    "JSON.stringify({v})", "JSON.stringify({v}, null, 2)", "JSON.stringify([{v}])", "JSON.stringify({{x: {v}}})",
    "Number({v})", "String({v})", "Boolean({v})", "parseInt({v})", "[{v}]", "{{x: {v}}}", "[{v}].join()",
    "`${{{v}}}`", "`a${{{v}}}b`", "new Date({v})", "new Date({v}).toISOString()", "new Date({v}).getTime()",
    "{v} ? 1 : 2", "({v})", "$json[{v}]", "$json.list[{v}]", "$json.text[{v}]", "[1, 2].map(x => {v})", "isNaN({v})",
    "{v}?.length", "{v}?.x?.y", "[...[{v}]]", "Array.isArray({v})", "Object.keys({v})", "encodeURIComponent({v})",
    "Math.round({v})", "new Date({v}).plus(1, 'days')", "$fromAI({v})", "[{v}, {v}].first()",
    "{{x: {v}, y: [{v}]}}.toJsonString()",
)  # fmt: skip
DATES = (
    "$now.toISO().length", "$now.format('yyyy').length", "$today.toFormat('HH:mm')",
    "$today.plus(1, 'days') > $today", "$now.plus(1, 'd')", "$now.plus({days: 1}) > $now",
    "$today.plus(1, 'hr').hour", "$today.minus(1, 'days').plus({days: 1}).toISODate() === $today.toISODate()",
    "$now.toISODate().length", "$today.toFormat('x')", "new Date('2026-05-10').plus(1, 'days')",
    "new Date('2026-05-10').minus({months: 1})", "new Date('2026-05-10').format('yyyy-MM-dd HH:mm')",
    "new Date('2026-05-10T10:11:12Z').toJSON()", "new Date('2026-05-10') < new Date('2026-05-11')",
    "new Date('2026-05-10') - 0", "new Date('2026-05-10') + 1", "`${new Date('2026-05-10')}`",
    "[new Date('2026-05-10')]", "{x: new Date('2026-05-10')}", "new Date('2026-05-10').format()", "$now.format()",
    "new Date('2026-05-10').plus(1)", "new Date('2026-05-10').plus(1, 'x')",
    "new Date('2026-05-10').plus('1', 'days')", "new Date('2026-05-10').plus(1.5, 'days')",
    '$today.toFormat("\'it is\' d").length > 0', "JSON.stringify({d: new Date(0)})",
)  # fmt: skip
SOME = 900


def operators() -> Iterator[NodeCase]:
    binary = (f"{one} {mark} {other}" for one, mark, other in itertools.product(VALUES, OPERATORS, VALUES))
    unary = (f"{mark}{value}" for mark in UNARY for value in VALUES)
    return expression_cases([*unary, *_some(binary, SOME)])


def members() -> Iterator[NodeCase]:
    called = (f"{value}{'' if method[0] in '[?' else '.'}{method}" for value in VALUES[:17] for method in METHODS)
    given = (function.format(v=value) for function in FUNCTIONS for value in VALUES)
    return expression_cases([*called, *given, *DATES])


def nested() -> Iterator[NodeCase]:
    """Constructs inside of each other."""
    chance = random.Random(16)
    return expression_cases(_construct(chance, 3) for _ in range(500))


def printed() -> Iterator[NodeCase]:
    return (template_case(f"<{{{{ {value} }}}}>{{{{ 1 }}}}") for value in VALUES)


def _construct(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.2:
        return chance.choice(VALUES)
    inner = [_construct(chance, depth - 1) for _ in range(3)]
    kind = chance.randrange(7)
    if kind == 0:
        return f"({inner[0]} {chance.choice(OPERATORS[:-3])} {inner[1]})"
    if kind == 1:
        return f"({inner[0]} {chance.choice(OPERATORS[-3:])} ({inner[1]}))"
    if kind == 2:
        return f"({inner[0]} ? {inner[1]} : {inner[2]})"
    if kind == 3:
        method = chance.choice([each for each in METHODS if each[0] not in "[?"])
        return f"({inner[0]})?.{method}"
    if kind == 4:
        return f"[{inner[0]}, {inner[1]} ]"
    if kind == 5:
        return f"({{x: {inner[0]} }}).x"
    return chance.choice(FUNCTIONS).format(v=f"({inner[0]} )")


def _some(sources: Iterable[str], count: int) -> list[str]:
    """As many of them, the same ones every time."""
    return random.Random(16).sample(sorted(sources), count)


FAMILIES = (
    Family("expressions: operators on every kind of value", operators),
    Family("expressions: members and functions on every kind of value", members),
    Family("expressions: nested constructs", nested),
    Family("expressions: values in text", printed),
)
