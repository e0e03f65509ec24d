"""A grammar of expressions such as workflows have: what each one makes of `DATA` is the same in every JavaScript.

Two things are left out, in which the engine differs from the standard: a text that is spread into an object, and the
decrement of what a call gives.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

DATA: dict[str, Any] = {
    "name": "  Ada Lovelace ",
    "mail": "ada@example.com",
    "city": "Zürich",
    "empty": "",
    "count": 42,
    "price": 19.99,
    "negative": -7.5,
    "zero": 0,
    "yes": True,
    "no": False,
    "nothing": None,
    "digits": "0123",
    "amount": "12.50",
    "date": "2026-03-29T01:30:00.000Z",
    "tags": ["red", "green", "blue", "red"],
    "numbers": [5, 3, 9, 1.5, -2],
    "mixed": [1, "1", None, True, "x", [2, 3], {"a": 1}],
    "people": [
        {"name": "Ada", "age": 36, "tags": ["a", "b"]},
        {"name": "Bob", "age": 7, "tags": []},
        {"name": "Cy", "age": None},
    ],
    "address": {"street": "Main St 5", "geo": {"lat": 47.4, "lon": 8.5}, "zip": None},
    "text": "The quick brown fox, the lazy dog; and 3 more.",
}

Sources = st.SearchStrategy[str]


def one(*choices: str) -> Sources:
    return st.sampled_from(choices)


def form(pattern: str, **parts: Sources) -> Sources:
    """The pattern with `<name>` replaced by what the part of this name gives."""

    def filled(values: dict[str, str]) -> str:
        text = pattern
        for name, value in values.items():
            text = text.replace(f"<{name}>", value)
        return text

    return st.fixed_dictionaries(dict(parts)).map(filled)


texts: Sources = st.deferred(lambda: st.one_of(text_leaves, text_leaves, text_forms))
numbers: Sources = st.deferred(lambda: st.one_of(number_leaves, number_leaves, number_forms))
truths: Sources = st.deferred(lambda: st.one_of(truth_leaves, truth_forms))
lists: Sources = st.deferred(lambda: st.one_of(list_leaves, list_forms))
objects: Sources = st.deferred(lambda: st.one_of(object_leaves, object_forms))
anything: Sources = st.deferred(lambda: st.one_of(texts, numbers, truths, lists, objects, odd_leaves, odd_forms))

text_leaves = one(
    "$json.name",
    "$json.mail",
    "$json.city",
    "$json.empty",
    "$json['digits']",
    "$json.amount",
    "$json.date",
    "$json.text",
    "$json.address.street",
    "$json.people[0].name",
    "$json.tags[1]",
    "'x'",
    '"a b"',
    "'it\\'s'",
    "`t`",
    "''",
    "'é'",
)
number_leaves = one(
    "$json.count",
    "$json.price",
    "$json.negative",
    "$json.zero",
    "$json.numbers[2]",
    "$json.address.geo.lat",
    "$json.people[0].age",
    "$json.text.length",
    "$json.tags.length",
    "0",
    "1",
    "2",
    "3.5",
    "10",
    "-1",
    "1e3",
    "0x1f",
)
truth_leaves = one("$json.yes", "$json.no", "true", "false", "!$json.nothing")
list_leaves = one("$json.tags", "$json.numbers", "$json.people", "$json.mixed", "$json.people[0].tags", "[]", "[1, 2]")
object_leaves = one("$json.address", "$json.people[1]", "({})", "({a: 1, b: [2]})", "$json.address.geo")
odd_leaves = one(
    "$json.nothing",
    "$json.gone",
    "$json.gone?.deeper",
    "$json.gone.deeper",
    "$json.address?.zip?.x",
    "null",
    "undefined",
    "NaN",
    "$json.people[9]?.name",
    "$json?.['people']?.[1]?.name",
    "$json.address['geo']['lon']",
    "$json.people[9].name",
)

patterns = one(
    "/a/g", "/[aeiou]/gi", "/\\d+/", "/\\s+/g", "/(\\w+) (\\w+)/", "/^\\s+|\\s+$/g", "/[^a-z]/i", "/(?<first>\\w)/u"
)
small = one("0", "1", "2", "3", "-1", "-2", "5")
calls = one(
    "x => x",
    "(x) => x * 2",
    "x => String(x)",
    "x => x?.name",
    "(x, i) => i",
    "(x, i) => `${i}:${x}`",
    "x => [x, x]",
    "({ name, age = 0 } = {}) => `${name}-${age}`",
    "x => ({ x })",
    "x => typeof x",
    "function (x) { return x }",
)
tests = one(
    "x => x",
    "x => x > 2",
    "x => x?.age > 10",
    "(x, i) => i % 2 === 0",
    "x => typeof x === 'string'",
    "x => !!x",
    "({ name } = {}) => name",
    "x => String(x).includes('e')",
)
dates = one(
    "new Date($json.date)",
    "new Date(0)",
    "new Date('2026-02-28')",
    "new Date(2026, 1, 29, 12)",
    "new Date($json.gone)",
    "new Date(Date.UTC(2024, 1, 29))",
    "new Date($json.count * 864e5)",
    "new Date('Mar 5, 2026 10:20')",
)

text_forms = st.one_of(
    form(
        "<a>.<m>()",
        a=texts,
        m=one("trim", "toUpperCase", "toLowerCase", "toString", "trimEnd", "trimStart", "normalize"),
    ),
    form("<a>.slice(<i>, <j>)", a=texts, i=small, j=small),
    form("<a>.<m>(<i>)", a=texts, i=small, m=one("slice", "substring", "charAt", "at", "repeat", "padEnd", "padStart")),
    form("<a>.substring(<i>, <j>)", a=texts, i=small, j=small),
    form("<a>.substr(<i>, 3)", a=texts, i=small),
    form("<a>.replace(<b>, <c>)", a=texts, b=st.one_of(texts, patterns), c=texts),
    form("<a>.replace(<b>, (m) => m.toUpperCase() + m.length)", a=texts, b=patterns),
    form(
        "<a>.replaceAll(<b>, <c>)",
        a=texts,
        b=one("'a'", "' '", "/o/g", "/[a-f]/gi"),
        c=one("'-'", "''", "'$&$&'", "'b'"),
    ),
    form("<a> + <b>", a=texts, b=anything),
    form("`<x>${<a>} and ${<b>}`", x=one("", "v", "a.b "), a=anything, b=anything),
    form("<l>.join(<s>)", l=lists, s=one("", "', '", "'-'", "undefined")),
    form("String(<a>)", a=anything),
    form("JSON.stringify(<a>)", a=anything),
    form("JSON.stringify(<a>, null, 2)", a=anything),
    form(
        "<n>.toFixed(<d>)",
        n=one("$json.price", "$json.negative", "(1.005)", "(0.5)", "$json.count"),
        d=one("0", "1", "2", "3"),
    ),
    form("(<n>).toString(<r>)", n=numbers, r=one("", "2", "16")),
    form("typeof <a>", a=anything),
    form("encodeURIComponent(<a>)", a=texts),
    form("<d>.<m>()", d=dates, m=one("toISOString", "toJSON")),
    form("<a>.split(<s>)[<i>]", a=texts, s=one("' '", "''", "','", "/\\W+/"), i=small),
    form("<a>.match(<p>)?.[0]", a=texts, p=patterns),
    form("<a>.replace(<p>, <r>)", a=texts, p=patterns, r=one("'[$&]'", "'$1$$'", "'$2-$1'", "'$0'", '"$\'"')),
    form("<l>.map((x, i) => `${i + 1}. ${x}\\n`).join('')", l=lists),
    form("<l>.reduce((text, x) => text + x, <a>)", l=lists, a=texts),
)
number_forms = st.one_of(
    form(
        "(<a> <o> <b>)",
        a=numbers,
        b=st.one_of(numbers, anything),
        o=one("+", "-", "*", "/", "%", "**", "&", "|", "^", ">>", "<<"),
    ),
    form("Math.<f>(<a>)", a=numbers, f=one("round", "floor", "ceil", "abs", "sign", "trunc")),
    form("Math.<f>(<a>, <b>)", a=numbers, b=numbers, f=one("max", "min")),
    form("Math.<f>(...<l>)", l=lists, f=one("max", "min")),
    form("<f>(<a>)", a=anything, f=one("Number", "parseInt", "parseFloat", "+")),
    form("parseInt(<a>, <r>)", a=texts, r=one("10", "16", "2")),
    form(
        "<a>.<m>(<b>)",
        a=texts,
        b=one("'a'", "' '", "'o'", "'e'"),
        m=one("indexOf", "lastIndexOf", "search", "codePointAt", "localeCompare"),
    ),
    form("<l>.<m>(<b>)", l=lists, b=anything, m=one("indexOf", "lastIndexOf", "push")),
    form("<l>.reduce((sum, x) => sum + (Number(x) || 0), <n>)", l=lists, n=numbers),
    form(
        "<d>.<m>()",
        d=dates,
        m=one("getTime", "getFullYear", "getMonth", "getDate", "getDay", "getUTCHours", "valueOf", "getTimezoneOffset"),
    ),
    form("-(<a>)", a=st.one_of(numbers, texts)),
    form("~~<a>", a=anything),
    form("<a>.length", a=st.one_of(texts, lists)),
    form("Object.keys(<o>).length", o=objects),
)
truth_forms = st.one_of(
    form("(<a> <o> <b>)", a=anything, b=anything, o=one("===", "!==", "==", "!=")),
    form("(<a> <o> <b>)", a=st.one_of(numbers, texts), b=st.one_of(numbers, texts), o=one("<", ">", "<=", ">=")),
    form("!<a>", a=st.one_of(truths, odd_leaves, texts)),
    form("!!<a>", a=anything),
    form("<a>.<m>(<b>)", a=texts, b=texts, m=one("includes", "startsWith", "endsWith")),
    form("<l>.<m>(<b>)", l=lists, b=st.one_of(texts, numbers), m=one("includes")),
    form("<l>.<m>(<t>)", l=lists, t=tests, m=one("some", "every")),
    form("<p>.test(<a>)", p=patterns, a=texts),
    form("Array.isArray(<a>)", a=anything),
    form("isNaN(<a>)", a=anything),
    form("('name' in <o>)", o=objects),
    form("(<a> instanceof Date)", a=st.one_of(dates, anything)),
)
list_forms = st.one_of(
    form("<l>.map(<f>)", l=lists, f=calls),
    form("<l>.filter(<f>)", l=lists, f=tests),
    form("<l>.flatMap(<f>)", l=lists, f=calls),
    form("[...<l>].<m>()", l=lists, m=one("reverse", "sort", "flat", "toSorted", "toReversed")),
    form("[...<l>].sort((a, b) => a - b)", l=one("$json.numbers", "[3, 1, 2]")),
    form("[...<l>, ...<k>]", l=lists, k=lists),
    form("[<a>, <b>]", a=anything, b=anything),
    form("<l>.slice(<i>, <j>)", l=lists, i=small, j=small),
    form("<l>.concat(<a>)", l=lists, a=anything),
    form("<a>.split(<s>)", a=texts, s=one("' '", "''", "','", "/\\s/", "/(,)/")),
    form("Object.<m>(<o>)", o=objects, m=one("keys", "values", "entries")),
    form("Array.from({ length: <n> }, (_, i) => i)", n=one("0", "3")),
    form("[...new Set(<l>)]", l=lists),
    form("[...<a>.matchAll(<p>)].map(([m]) => m)", a=texts, p=one("/a/g", "/\\w+/g")),
    form("<a>.match(<p>)", a=texts, p=one("/a/g", "/\\d/g", "/z/")),
    form("(([first, ...rest]) => [rest, first])(<l>)", l=lists),
    form("Object.entries(<o>).map(([key, value]) => `${key}: ${value}`)", o=objects),
    form("<l>.map(({ name, age }) => ({ name, years: age }))", l=lists),
    form("<l>.map((x) => ({ ...x, more: <a> }))", l=one("$json.people", "[$json.address, null, {a: 1}]"), a=anything),
    form("<l>.map(x => /* once */ [x, ...<k>])", l=lists, k=lists),
    form("<l>.<m>", l=lists, m=one("filter(Boolean)", "map(String)", "map((x, i, all) => all.length - i)")),
    form("<l>.filter(x => <k>.some(y => y === x))", l=lists, k=lists),
    form("<l>.flatMap(({ tags }) => tags ?? [])", l=lists),
)
object_forms = st.one_of(
    form("({ a: <a>, 'b c': <b> })", a=anything, b=anything),
    form("({ ...<o>, extra: <a> })", o=object_leaves, a=anything),
    form("({ [<k>]: <a> })", k=texts, a=anything),
    form("Object.fromEntries(<l>.map((x, i) => [`k${i}`, x]))", l=lists),
    form("Object.fromEntries(Object.entries(<o>).filter(([, value]) => value))", o=objects),
    form("Object.fromEntries(Object.entries(<o>).map(([key, value]) => [key, String(value)]))", o=objects),
    form("[<a>].map((name) => ({ name, ...<o> }))[0]", o=object_leaves, a=texts),
    form("Object.assign({}, <o>, { z: <a> })", o=objects, a=anything),
    form("(({ name, ...rest } = {}) => ({ name, rest }))(<o>)", o=objects),
    form("JSON.parse(JSON.stringify(<o>))", o=objects),
    form("<l>.find(<t>)", l=lists, t=tests),
    form("<l>.reduce((all, x) => ({ ...all, [x?.name ?? x]: 1 }), {})", l=lists),
    form("({ a: { b: <a> } }).a", a=anything),
)
odd_forms = st.one_of(
    form("(<t> ? <a> : <b>)", t=st.one_of(truths, anything), a=anything, b=anything),
    form("(<a> <o> <b>)", a=anything, b=anything, o=one("||", "&&", "??")),
    form("(<a>)?.<k>", a=anything, k=one("name", "length", "gone", "x?.y", "[0]", "toString?.()", "[0]?.name")),
    form("(<a>).<k>", a=anything, k=one("name", "length", "gone.deeper", "age")),
    form("<l>[<i>]", l=lists, i=st.one_of(small, texts)),
    form("<l>.<m>(<i>)", l=lists, m=one("at", "pop", "shift"), i=small),
    form("((x) => { const y = x; if (y) return y; return 'none'; })(<a>)", a=anything),
    form("(function () { let n = 0; for (const x of <l>) { n += 1; } return n })()", l=lists),
    form("(() => { try { return <a>.x.y } catch (e) { return e.name } })()", a=anything),
    form("(<a>, <b>)", a=anything, b=anything),
    form("<d>", d=dates),
    form("void <a>", a=anything),
)
