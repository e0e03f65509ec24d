"""Code nodes: what programs may return, see and use, and how their errors read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..cases import Document, Family, NodeCase

ITEMS: Sequence[Document] = (
    {"json": {"n": 3, "t": "Ann", "list": [3, 1, 2], "o": {"a": {"b": 1}}, "d": "2026-05-10T10:11:12.000Z"}},
    {"json": {"n": 1, "t": "Bob", "none": None}, "binary": {"file": {"data": "aGk=", "mimeType": "text/plain"}}},
    {"json": {"n": 2, "t": "éß"}},
)
MODES = {"all": "runOnceForAllItems", "each": "runOnceForEachItem"}


def code(source: str, mode: str, on_error: str = "continueRegularOutput", version: float = 2) -> Document:
    return {
        "type": "n8n-nodes-base.code",
        "typeVersion": version,
        "onError": on_error,
        "parameters": {"mode": MODES[mode], "jsCode": source},
    }


def cases(sources: Iterable[str], modes: Sequence[str], items: Sequence[Document] = ITEMS) -> Iterator[NodeCase]:
    for source in dict.fromkeys(sources):
        for mode in modes:
            yield NodeCase(f"{mode}: {source}", code(source, mode), items, texts=True)


RETURNED = (
    "null", "undefined", "5", "'text'", "true", "NaN", "() => 1", "Symbol('a')", "[]", "[[]]", "[[{json: {}}]]", "[null]", "[1]",
    "['a']", "[undefined]", "{}", "{a: 1}", "{json: {a: 1}}", "{json: {a: 1}, b: 2}", "[{a: 1}]", "[{json: {a: 1}}]",
    "[{json: {a: 1}, b: 2}]", "[{json: {a: 1}}, {b: 2}]", "[{json: 5}]", "[{json: null}]", "[{json: []}]", "[{json: 'a'}]",
    "[{json: undefined}]", "{json: null}", "{json: 5}", "{json: []}", "{json: undefined}", "[{binary: {}}]", "{binary: {}}",
    "[{a: 1, binary: {}}]", "[{binary: {}}, {a: 1}]", "[{json: {}, binary: 5}]", "[{json: {}, binary: null}]",
    "[{json: {}, binary: {f: {data: 'aGk=', mimeType: 'text/plain', fileName: 'a.txt'}}}]", "[{json: {a: 1}, pairedItem: 0}]",
    "[{json: {a: 1}, pairedItem: {item: 1}}]", "[{json: {a: 1}, pairedItem: [{item: 0}, {item: 2}]}]", "[{json: {a: 1}, index: 4}]",
    "[{json: {a: 1}, error: 'x'}]", "[{json: {a: 1}, error: {message: 'x'}}]", "[{error: 'x'}]", "{error: 'x'}", "{error: {message: 'x'}}",
    "[{pairedItem: 0, a: 1}]", "[{index: 1}]", "[{a: new Date(0)}]", "[{a: NaN, b: Infinity, c: -0}]", "[{a: undefined, b: null}]",
    "[{a: 10n}]", "[{a: new Map([[1, 2]]), b: new Set([1])}]", "[{a: /x/g}]", "[{a: () => 1, b: Symbol('x')}]", "[{a: new Error('x')}]",
    "[{a: [undefined, () => 1, NaN]}]", "[{a: new Uint8Array([1, 2])}]", "[{a: Buffer.from('hi')}]", "[{a: DateTime.fromMillis(0)}]",
    "[{a: {toJSON() { return 'own'; }}}]", "[new Map([['a', 1]])]", "new Map()", "new Date(0)", "[new Date(0)]", "new (class A { a = 1 })()",
    "[{get a() { return 1; }}]", "[Object.create({inherited: 1})]", "{a: Promise.resolve(1)}", "Promise.resolve([{a: 1}])",
    "[{a: new Proxy({x: 1}, {})}]", "[{a: new String('s'), b: new Number(1), c: new Boolean(false)}]", "[{a: [,1]}]", "[{'': 1, '__a': 2}]",
    "$input.all()", "$input.first()", "$input.item", "items", "item", "$json", "$input.last()", "new Array(3).fill({json: {a: 1}})",
    "Array.from({length: 2}, (_, i) => ({json: {i}, pairedItem: i}))", "{json: {a: 1}, pairedItem: {item: 2}}", "[{json: {a: 1}}, null]",
    "{json: {a: 1}, binary: {f: {data: 'aGk=', mimeType: 'text/plain'}}}", "0", "''", "false", "[{json: new Date(0)}]", "[{json: new Map()}]",
)  # fmt: skip
PROGRAMS = (
    "", "   ", "// nothing", "return", "a.a", "const a = {}; a.a = a; return a;", "const a = {}; a.a = a; return [{json: a}];",
    "for (const item of $input.all()) item.json.x = 1; return $input.all();", "items[0].json.x = 1; return items;",
    "items.push({json: {more: 1}}); return items;", "return items.map((item) => ({json: {n: item.json.n}}));",
    "return items.filter((item) => item.json.n > 1);", "return items.slice().sort((a, b) => a.json.n - b.json.n);",
    "return [{json: {sum: items.reduce((sum, item) => sum + item.json.n, 0)}}];", "return items.reverse();",
    "$input.item.json.x = 1; return $input.item;", "item.json.x = 2; return item;", "$json.x = 3; return $json;",
    "return {...$json, x: 1};", "return {json: {x: $json.n * 2}};", "return $json.n > 1 ? {n: $json.n} : null;",
    "return $json.n > 1 ? {n: $json.n} : undefined;", "if ($json.n === 1) throw new Error('one'); return {ok: $json.n};",
)  # fmt: skip


def returned() -> Iterable[NodeCase]:
    yield from cases((f"return {value};" for value in RETURNED), ("all", "each"))
    yield from cases(PROGRAMS, ("all", "each"))
    yield from (
        NodeCase(f"one item: {case.name}", case.node, ITEMS[:1], True)
        for case in cases((f"return {value};" for value in RETURNED[:60]), ("all",))
    )


ERRORS = (
    "null.x", "undefined.foo.bar", "({}).a.b", "null.x = 1", "missing", "missing.x", "({}).foo()", "const o = {a: {}}; o.a.b.c()",
    "const o = {a: {}}; o.a.b()", "const f = 5; f()", "const o = {}; o.x.y = 5", "const c = 1; c = 2", "new 5", "x; let x = 1",
    "for (const a of 5);", "const n = null; for (const a of n);", "const {p} = null", "const o = {}; const {p: {q}} = o", "const [p] = undefined",
    "const v = 5; [...v]", "Object.keys(null)", "Object.entries(undefined)", "[].reduce((a, b) => a)", "'a'.repeat(-1)",
    "new Date(NaN).toISOString()", "new Array(-1)", "(1.5).toFixed(101)", "1n + 1", "JSON.parse('{a')", "JSON.parse('')",
    "JSON.parse(undefined)", "JSON.parse('abc')", "JSON.parse('{\"a\": 1,}')", "JSON.parse('[1,')", "JSON.parse('{\"a\" 1}')", "JSON.parse(\"{'a': 1}\")",
    "JSON.parse({})", "JSON.parse('null x')", "JSON.parse('{\"a\":\"b')", "JSON.parse('[1 2]')", "JSON.parse('\\n\\n{x}')",
    "JSON.parse('<html><body>Some long text that goes on and on, further than V8 shows of it</body></html>')", "JSON.parse('tru')",
    "JSON.parse('01')", "JSON.parse('\"a\\nb\"')", "JSON.parse('\"\\\\x\"')", "decodeURIComponent('%')", "new RegExp('(')", "new RegExp('[')",
    "new RegExp('*')", "({}) instanceof 5", "'x' in 'abc'", "class A {} A()", "function f() { f(); } f()", "`${Symbol()}`", "null[0]",
    "BigInt(1.5)", "BigInt('x')", "JSON.stringify(10n)", "const a = {}; a.self = a; JSON.stringify(a)", "new Map(5)", "new Set(5)",
    "let z; z.push(1)", "$json.missing.x", "$json.o.a.b.c.d", "$json.t.foo()", "items[9].json", "items.foo()", "$input.foo()",
    "$json.n.map((x) => x)", "$json.list.map(5)", "$json.list.forEach()", "$json.foo.map((x) => x)", "$('Start').foo()",
    "Math.foo(1)", "new Date().foo()", "[1, 2].foo()", "'a'.foo()", "(await 5).foo()", "Promise.resolve().then().foo()", "const k = 'q'; ({})[k]()",
    "const a = [1]; a[0]()", "const a = {b: [{}]}; a.b[0].c()", "this.foo()", "$json()", "structuredClone(() => 1)", "Array.from(null)",
    "Object.fromEntries(5)", "'a'.normalize('x')", "'a'.matchAll(/a/)", "'a'.replaceAll(/a/, 'b')", "(123.456).toString(1)",
    "(1).toPrecision(101)", "String.fromCodePoint(-1)", "[3, 1].sort(5)", "'abc'.startsWith(/a/)", "undefined()", "new Uint8Array(-1)",
    "const d = new Date('x'); d.toISOString()", "parseInt(Symbol())", "new Intl.NumberFormat('xx-invalid-locale-zz')",
    "new Intl.DateTimeFormat('en', {timeZone: 'Nope/Nope'})", "(5).toLocaleString('en', {style: 'currency'})",
    "require('fs')", "require('axios')", "require('nothing')", "require('crypto').createHash('nope')", "fetch('http://x')", "process.exit()",
    "eval('1')", "new Function('return 1')()", "document.title", "window.x", "import('fs')", "module.foo()", "globalThis.foo()",
)  # fmt: skip
THROWN = (
    "throw new Error('own')", "throw new Error('')", "throw new TypeError('type')", "throw new Error('a: b')", "throw new Error('one\\ntwo')",
    "throw 'text'", "throw 5", "throw null", "throw undefined", "throw {message: 'object'}", "throw {a: 1}", "throw [1]", "throw new Date(0)",
    "class MyError extends Error {}\nthrow new MyError('mine')",
    "class MyError extends Error { constructor(m) { super(m); this.name = 'MyError'; } }\nthrow new MyError('mine')",
    "const e = new Error('late');\n\nthrow e", "const e = new Error('before'); e.message = 'after'; throw e",
    "throw new AggregateError([new Error('a')], 'many')", "throw new Error('outer', {cause: new Error('inner')})", "return Promise.reject(new Error('rejected'))",
    "await Promise.reject(new Error('awaited'))", "await Promise.all([Promise.resolve(1), Promise.reject(new Error('all'))])",
    "await new Promise((done) => setTimeout(done, 1));\nthrow new Error('after a timer')", "await null;\nmissing", "await Promise.any([])",
    "function named() {\n  throw new Error('inside');\n}\nnamed();", "const arrow = () => {\n  throw new Error('inside');\n};\n\narrow();",
    "[1].map((x) => {\n  return x.a.b;\n});", "[1].map(\n  (x) => x.a.b);", "\n\nconst o = {};\no.a.b();", "const o = {\n  m() {\n    this.x.y;\n  }\n};\no.m();",
    "class A {\n  constructor() {\n    throw new Error('new');\n  }\n}\nnew A();", "async function f() {\n  await null;\n  throw new Error('async');\n}\n\nawait f();",
    "try { null.x } catch (e) { throw new Error(e.message) }", "throw Object.assign(new Error('x'), {code: 5})",
)  # fmt: skip
CAUGHT = (
    "null.x",
    "missing()",
    "$json.o.x.y",
    "JSON.parse('{x')",
    "const f = {}; f.g()",
    "c; const c = 1",
    "items.foo()",
    "undefined.x.y()",
)
SYNTAX = ("const", "return {", "if (", "a b", "const a = 1; const a = 2;", "return 5 5", "}", ")", "'abc", "`abc", "await", "let let = 1", "return await",
          "function", "import x from 'y'", "export default 1", "1 = 2", "var x = ;", "[1, 2", "for (;;", "return new", "yield 1", "class {}", "/abc", "\\u{1}",
          "const x", "break", "continue", "super.x", "new.target.x", "a => {", "return\nreturn", "({a: 1, a: 2})", "0777n", "1.e", "@x")  # fmt: skip


def errors() -> Iterable[NodeCase]:
    yield from cases(ERRORS, ("all",), ITEMS[:1])
    yield from cases(THROWN, ("all",), ITEMS[:1])
    yield from cases((*THROWN, *ERRORS[:20]), ("each",))
    caught = (
        "try { %s } catch (e) { return [{json: {m: e.message, n: e.name, t: typeof e.stack, i: e instanceof Error}}]; }"
    )
    yield from cases((caught % source for source in CAUGHT), ("all",), ITEMS[:1])


def syntax() -> Iterable[NodeCase]:
    yield from cases(SYNTAX, ("all",), ITEMS[:1])


FAMILIES = (
    Family("Code: what is returned", returned),
    Family("Code: errors", errors),
    Family("Code: errors of syntax", syntax),
)
