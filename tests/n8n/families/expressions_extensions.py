"""Methods that expressions add to values: every one of them on values of every kind, with arguments of every kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from jackfield_javascript.vocabulary import FILE

from ..cases import Family, NodeCase
from .expressions import expression_cases

RECEIVERS = (
    "$json.missing", "$json.none", "$json.blank", "$json.text", "'12'", "'1.5'", "'no'", "$json.date", "$json.day",
    "$json.zero", "$json.number", "$json.negative", "(7)", "NaN", "$json.yes", "$json.no", "$json.empty",
    "$json.list", "$json.objects", "[1, '', null, undefined, 'nil', {}, [], 0, false, {a: null, b: 1}]", "$json.bare",
    "$json.object", "$json.date.toDateTime()", "new Date('2026-05-10T10:11:12.345Z')", "(x => x)",
)  # fmt: skip
ARGUMENTS = (
    "", "undefined", "null", "''", "'id'", "'id', 'name'", "2", "0", "[1, 2]", "{a: 1}", "[{id: 2, z: 1}]",
)  # fmt: skip
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


SUMS = ("sum", "min", "max", "average")
TAKING: Sequence[tuple[Sequence[str], Sequence[str]]] = (
    (
        ("hash", "toDateTime", "toInt", "urlDecode", "urlEncode", "quote", "replaceSpecialChars"),
        ("$json.text", "'12'", "$json.number", "$json.date"),
    ),
    ([name for name in ARRAY if name not in SUMS], ("$json.list", "$json.objects", "$json.empty")),
    (("merge", "compact"), ("$json.object",)),
    (("format", "round", "toDateTime"), ("$json.number", "$json.negative", "(1e21)")),
    (OBJECT, ("$json.object", "$json.bare", "$json.text")),
    (DATE, ("$json.date", "$json.date.toDateTime()", "new Date(0)", "$json.day")),
)
"""Methods, and values that they are called on."""


def with_arguments() -> Iterator[NodeCase]:
    """Methods that take arguments, with arguments of every kind."""
    sources = (
        f"{receiver}.{method}({given})"
        for methods, receivers in TAKING
        for method in methods
        for receiver in receivers
        for given in ARGUMENTS
        if not (method == "chunk" and given == "-1")  # n8n's engine never ends
    )
    return expression_cases(sources)


TEXTS: Mapping[str, Sequence[str]] = {
    "toTitleCase": [
        "hello wORLD, it's me", "the quick brown fox jumps over a lazy dog", "iPhone: a story", "a", "éa öb",
        "re-enter the e-mail", "see http://x.y now", "vs. or", "état d'art",
    ],
    "toSentenceCase": ["hello wORLD. it's me! yes? no", "...a. b", "ärger. öl", "123 go. 4 it", "A.B.C"],
    "toSnakeCase": ["Hello World-andMore", "a.b_c  d", "ÄÖ ü", "x/y:z$", "tab\\tnew\\nline", "– dash"],
    "isNumeric": [
        "1", "1.5", " 1", "1 ", "1e3", "0x1f", "", "abc", "1,5", "Infinity", "-5", "+5", ".5", "5.", "١", "NaN",
    ],
    "isEmail": ["a@b.de", "a@b", "x a@b.de", "<a@b.de>", "a.b+c@d-e.co.uk", '"x y"@b.de', "a@[1.2.3.4]", "a@b.c"],
    "isUrl": [
        "https://a.de/x", "a.de", "http://localhost:80/?a=b#c", "ftp://1.2.3.4", "https://a b.de", "//a.de",
        "HTTPS://A.DE", "https://ä.de", "mailto:a@b.de", "https://a.de/x y", "https://user:pw@a.de",
    ],
    "isDomain": [
        "a.de", "a", "http://a.de", "www.a.de", "a.de/x", "1.2.3.4", "localhost", "a_b.c-d.org", "xn--a.xn--b",
    ],
    "extractEmail": ["mail me at me@example.com, now", "none", "a@b.c", "first@a.de second@b.de", "x@sub.dom.co.uk."],
    "extractDomain": [
        "https://www.a.co.uk:80/x?y", "me@b.com", "c.org/z", "none", "mailto:me@b.com", "//x.y", "see https://a.de",
        "http://1.2.3.4/", "localhost", "ftp://a.de#b", "a.de?b=c",
    ],
    "extractUrl": [
        "see https://a.de/b?c=1 there", "http://a.de.", "(https://a.de/x)", "none", "www.a.de",
        "https://a.de/ü?q=ä#f https://b.de",
    ],
    "extractUrlPath": [
        "https://a.de/b/c?d#e", "https://a.de", "a.de/b", "http://a.de/ü x/../y", "file:///a/b", "mailto:x",
        "https://a.de/a%20b", "https://a.de//x/./y",
    ],
    "removeTags": ["<b>bold</b> text", "a < b > c", "<br", "<a href='>'>x</a>", "1 < 2"],
    "removeMarkdown": [
        "# Title\\n**bold** [link](http://x)", "* one\\n* two", "> quote\\n`code`", "![i](u) ~~s~~", "a\\n===\\nb",
        "1. a\\n2. b", "__x__ *y* ***z***", "```js\\ncode\\n```", "<b>x</b>", "[a]: http://b",
    ],
    "replaceSpecialChars": [
        "Ünïcødé ß", "Ærø Œuvre Łódź", "naïve – “quoted”…", "Привет Київ", "Ελλάδα ψ", "€ ™ №", "½ °C", "ﬁ ２",
        "Ď ť ő ğ ı İ", "½×÷", "Þór Ðe",
    ],
    "toNumber": ["1", "1.5", "", " 7 ", "abc", "$12", "12 €", "1,000", "0x1f", "kr 5", "1e3", "-3"],
    "toInt": ["12px", "", "abc", "1.9", "$5", "-7", "0x1f", "1e3", "£1,000"],
    "toFloat": ["1.5e3x", "", "1,5", "abc", "€2.50", ".5", "-0.1"],
    "toBoolean": ["true", "FALSE", "no", "No", "0", "", "off", " ", "yes", "false "],
    "parseJson": ['{"a": [1, null]}', "{'a': 1}", "", "1", '"x"', "[1,]", "null", "undefined"],
    "quote": ['say "hi"', "back\\\\slash", "", "it's"],
    "hash": ["abc", "", "ü€😀", "a b"],
    "base64Encode": ["abc", "", "ü€😀", "a"],
    "base64Decode": ["YWJj", "w7zigqw=", "", "not base64!", "YWJj YWJj", "YQ", "_-8", "8J+YgA=="],
    "urlEncode": ["a b&c=ü/?", "", "!'()*~", "😀"],
    "urlDecode": ["a%20b", "%C3%BC+x", "%", "%zz", "a+b", "%F0%9F%98%80"],
    "toDate": ["2026-01-02", "2026-01-02T03:04:05Z", "nonsense", "Jan 2, 2026", "2026-01-02 10:00", "", "1/2/2026"],
    "length": ["", "abc", "ü€😀"],
    "isEmpty": ["", " ", "a"],
}  # fmt: skip
MORE: Mapping[str, Sequence[str]] = {
    "hash": ["'md5'", "'sha1'", "'SHA224'", "'sha256'", "'sha384'", "'sha512'", "'sha3'", "'base64'", "'crc'"],
    "quote": ['"\'"', "'`'", "'|'"],
    "urlEncode": ["true", "false"],
    "urlDecode": ["true"],
    "toInt": ["16", "2", "36", "99"],
}  # fmt: skip


def on_texts() -> Iterator[NodeCase]:
    """Methods of texts, on texts that they are made for and on others."""
    sources = [f"{_quoted(text)}.{method}()" for method, texts in TEXTS.items() for text in texts]
    more = [
        f"{_quoted(text)}.{method}({given})"
        for method, every in MORE.items()
        for given in every
        for text in TEXTS[method]
    ]
    return expression_cases([*sources, *more])


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


LISTS = (
    "[{id: 1, name: 'Ann', tags: ['a']}, {id: 2, name: 'Bob'}, {id: 1, name: 'Ann', tags: ['a']}]",
    "[1, 2, 2, '2', null, undefined, NaN, NaN]", "[[1], [1], [2], [], {}]",
    "[{k: 'a', v: 1}, {k: 'b', v: 2}, {k: 'a', v: 3}, {v: 4}, 5]", "[new Date(0), new Date(0), new Date(1)]",
    "[0.1, 0.2, 0.7]", "[true, false, true]", "['b', 'a', '']", "[]",
)  # fmt: skip
ON_LISTS = (
    "removeDuplicates()", "unique()", "unique('id')", "unique('k')", "unique('id', 'name')", "first()", "last()",
    "reverse()", "pluck()", "pluck('name')", "pluck('id', 'name')", "pluck('nothing')", "pluck('name', 'id')",
    "sum()", "min()", "max()", "average()", "compact()", "smartJoin('k', 'v')", "smartJoin('id', 'name')", "chunk(2)",
    "chunk(3)", "chunk(1.5)", "renameKeys('id', 'key')", "renameKeys('id', 'name', 'name', 'id')", "renameKeys('a')",
    "merge()", "merge([{z: 1}])", "merge([{id: 9, z: 1}, {id: 8}])", "mergeIntoObject([{z: 1}])", "union([2, 3])",
    "union([{id: 2, name: 'Bob'}])", "difference([2, '2'])", "difference([[1]])", "intersection([1, 2, 2])",
    "intersection([new Date(0)])", "append(1, [2])", "append()", "isEmpty()", "isNotEmpty()", "toJsonString()",
    "toInt()", "toDateTime()", "length()", "concat([1])", "includes(2)", "indexOf('a')", "join()", "slice(1)",
    "at(-1)", "flat()", "toString()", "keys()", "values()",
)  # fmt: skip


def on_lists() -> Iterator[NodeCase]:
    return expression_cases(f"{values}.{call}" for values in LISTS for call in ON_LISTS)


NUMBERS = ("0", "1", "-1", "1.005", "2.5", "-2.5", "1234567.891", "1e21", "-0.4", "NaN", "Infinity", "99.995", "7")
ON_NUMBERS = (
    "ceil()", "floor()", "abs()", "round()", "round(1)", "round(2)", "round(-1)", "round('1')", "round(101)",
    "isInteger()", "isEven()", "isOdd()", "toBoolean()", "toInt()", "toFloat()", "toNumber()", "toDateTime()",
    "toDateTime('s')", "toDateTime('us')", "toDateTime('excel')", "toDateTime('x')", "format()", "format('de-DE')",
    "isEmpty()", "isNotEmpty()", "toFixed(2)", "toString()", "toString(2)", "toPrecision(3)", "toExponential(2)",
)  # fmt: skip


def on_numbers() -> Iterator[NodeCase]:
    return expression_cases(f"({number}).{call}" for number in NUMBERS for call in ON_NUMBERS)


OPTIONAL = (
    "$json.missing?.isEmpty()", "$json.none?.isEmpty()", "$json.none?.first().x", "$json.missing?.x.isEmpty()",
    "$json.object?.a.isEmpty()", "$json.object?.missing.isEmpty()", "$json.object?.missing?.isEmpty()",
    "$json.text?.toTitleCase()", "$json.text.isEmpty?.()", "$json.missing.isEmpty?.()", "$json.missing?.isEmpty?.()",
    "$json.missing.toTitleCase?.()", "$json.objects?.[0]?.name.toSnakeCase()",
    "$json.objects?.[9]?.name.toSnakeCase()", "$json.objects?.first()?.name", "$json.empty?.first()?.name",
    "$json.empty.first()?.name.toSnakeCase()", "($json.missing?.x).isEmpty()",
    "[$json.missing?.x.y, $json.text.isEmpty()]", "$json.text?.length.isEven()",
    "$json.list?.map(x => x?.y?.isEmpty()).first()", "$json.list.map(v => $json.object?.[v]?.isEmpty())",
    "$json?.['object']?.['a']?.isEmpty()", "$json.object.nothing?.().isEmpty()", "$json.text.trim?.().isEmpty()",
    "$json.text?.split(' ')?.last()", "$json.none?.[$json.missing.isEmpty()]", "!$json.missing?.isEmpty()",
    "$json.missing?.isEmpty() ?? 'nothing'", "`${$json.missing?.x}`.isEmpty()",
    "$json.objects.map(({name}) => name?.length).sum()", "(() => { const a = $json.list?.first(); return a })()",
    "new Date(0)?.format('yyyy')", "$json.missing.isEmpty()", "$json.missing.isNotEmpty()",
    "$json.missing.missing.isEmpty()", "$json['text'].isEmpty()", "$json['text']['isEmpty']()",
    "$json.text . isEmpty ( )", "$json.text\n.toTitleCase()\n.toSnakeCase()",
    "$json.text/* a */.toSnakeCase(/* b */)", "{a: $json.list.first()}", "[...$json.list.unique()]",
    "$json.list.first().toFixed(1).toNumber()", "/a/.isEmpty()", "'a'.isEmpty() ? 1 : 'b'.isEmpty()",
    "-$json.list.first()", "typeof $json.list.first()", "1 + [1, 2].last() * 2", "$if($json.yes, 1, 2)",
    "$if($json.no, 1, 2)", "$if($json.no, 1)", "$if($json.yes)", "$if()", "$if($json.missing, $json.missing.x, 3)",
    "$if($json.yes, 1, $json.missing.x)", "$if($json.yes, $if(false, 1, 2), 3)",
    "$if($json.text.isEmpty(), 'a', 'b').toTitleCase()", "$if(...[true, 1, 2])", "$if(1, 2, 3, $json.missing.x)",
    "[true, false].map(x => $if(x, 1, 2))", "$if ( true , 1 , 2 )", "$json.text.first()", "$json.object.first()",
    "$json.number.isEmpty()", "(0).isEmpty()", "$json.object.keys().first()", "$json.object.hasField('a')",
    "$json.object.hasField('toString')", "$json.object.removeField('a').keys()", "$json.objects.first().keys()",
    "$json.objects.pluck('name').join('-')", "$json.text.split(' ').map(x => x.toSnakeCase())",
    "Object.keys($json.object).isEmpty()", "Object.keys($json.object).length.isEven()", "$json.list.sum().isOdd()",
    "'a,b'.split(',').toJsonString()", "$json.toJsonString()", "$json.isEmpty()", "extend('a', 'isEmpty', [])",
    "$json.text.length()",
)  # fmt: skip


def in_context() -> Iterator[NodeCase]:
    """Calls in chains, in brackets, in functions, and `$if`."""
    return expression_cases(OPTIONAL)


def proposed() -> Iterator[NodeCase]:
    """The examples that the editor shows beside what it proposes, but those whose value is another one every time."""
    vocabulary = json.loads(FILE.read_text("utf-8"))
    members = [member for kind, every in vocabulary.items() if kind not in OF_DATA for member in every]
    sources = [member["example"] for member in members if "result" in member and not member["name"].startswith("$")]
    return expression_cases(sources)


OF_DATA = frozenset({"input", "node", "item", "execution", "customData", "workflow", "prevNode"})
"""Types whose values an execution has."""

FAMILIES = (
    Family("expressions: extensions on every kind of value", on_everything),
    Family("expressions: extensions with arguments", with_arguments),
    Family("expressions: extensions of texts", on_texts),
    Family("expressions: extensions of lists", on_lists),
    Family("expressions: extensions of numbers", on_numbers),
    Family("expressions: extensions in their places", in_context),
    Family("expressions: what the editor proposes", proposed),
)
