"""Code nodes: what a script is given, what it may return, and how its errors show."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Awaitable, Callable

import pytest

from jackfield.api.records import replace
from jackfield.api.scripts import ScriptData, ScriptError, ScriptResult
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

Run = Callable[..., Awaitable[ScriptResult]]

DATA = ScriptData(
    input=[{"json": {"a": 1}}, {"json": {"a": 2}}],
    nodes={"Fetch": {"runs": [{"outputs": [[{"json": {"id": 7}}]], "params": {}}]}},
    paired={"Fetch": [[0, 0], None]},
    environment={"TOWN": "Bonn"},
    node={"name": "Code", "context": {"seen": 1}},
    known=["Code", "Fetch", "Later"],
)

NO_FILES = (
    "Cannot require 'fs': a Code node has no files and no processes; read files with the nodes for files before it. "
    "The modules that a Code node may require are crypto, buffer, url, luxon, jmespath, util."
)
INTERVAL = """
let n = 0;
return new Promise((done) => {
  const timer = setInterval(() => {
    n += 1;
    if (n > 2) clearInterval(timer), done(n);
  }, 1);
});
"""


@pytest.fixture
def run(engine: JavaScriptEngine) -> Run:
    async def start(source: str, *, each: bool = False, data: ScriptData = DATA, timeout: float = 5) -> ScriptResult:
        return await engine.run(source, data, each=each, timeout=timeout)

    return start


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("return items", [{"json": {"a": 1}}, {"json": {"a": 2}}]),
        ("return $input.all().map((item) => ({json: {b: item.json.a * 2}}))", [{"json": {"b": 2}}, {"json": {"b": 4}}]),
        ("for (const item of items) item.json.c = 3; return $input.first()", {"json": {"a": 1, "c": 3}}),
        ("items = items.slice(1); return items.length", 1),
        ("const items = [1]; return items", [1]),
        ("return [$('Fetch').first().json.id, $node['Fetch'].json.id, $('Fetch').item.json.id]", [7, 7, 7]),
        ("return $env.TOWN", "Bonn"),
        ("return await Promise.all([1, Promise.resolve(2)])", [1, 2]),
        ("await new Promise((done) => setTimeout(done, 5)); return 'later'", "later"),
        ("return new Promise((done) => setTimeout(() => done('timer'), 1))", "timer"),
        (INTERVAL, 3),
        ("clearTimeout(setTimeout(() => { throw 1 }, 1)); await new Promise((d) => setTimeout(d, 5)); return 1", 1),
        ("return (await (async function* () { yield 1 })().next()).value", 1),
        ("return", None),
        ("", None),
        ("undeclared = 5; return undeclared", 5),
        ("function add(a, b) { return a + b } return add(1, 2)", 3),
        ("class A { #x = 1; get x() { return this.#x } } return new A().x", 1),
        ("try { null.x } catch (error) { return error.name }", "TypeError"),
        ("return Buffer.from('héllo €😀').toString('base64')", base64.b64encode("héllo €😀".encode()).decode()),
        ("return Buffer.from('aMOpbGxv', 'base64').toString()", "héllo"),
        ("return Buffer.from('68c3a9', 'hex').toString('utf8')", "hé"),
        ("return Buffer.from([104, 105]).toString('hex')", "6869"),
        ("return Buffer.concat([Buffer.from('a'), Buffer.from('b')]).toString()", "ab"),
        ("return [Buffer.isBuffer(Buffer.alloc(2)), Buffer.byteLength('é')]", [True, 2]),
        ("return Buffer.from('ab').equals(Buffer.from('ab'))", True),
        ("return Buffer.from('-_8', 'base64url').toString('hex')", "fbff"),
        ("return Buffer.from([0xff, 0x61, 0xe2, 0x82]).toString()", "\ufffda\ufffd"),
        ("return JSON.parse(JSON.stringify(Buffer.from('a')))", {"type": "Buffer", "data": [97]}),
        ("return [btoa('hi'), atob('aGk=')]", ["aGk=", "hi"]),
        ("return new TextDecoder().decode(new TextEncoder().encode('é'))", "é"),
        ("return structuredClone({a: new Date(0), b: [1], c: new Map([[1, {d: 2}]])}).c.get(1).d", 2),
        ("const { createHash } = require('crypto'); return createHash('sha256').update('a').update('b').digest('hex')",
         hashlib.sha256(b"ab").hexdigest()),
        ("return require('node:crypto').createHmac('sha1', 'key').update('é').digest('base64')",
         base64.b64encode(hmac.digest(b"key", "é".encode(), "sha1")).decode()),
        ("return require('crypto').createHash('md5').update(Buffer.from([0, 255])).digest().toString('hex')",
         hashlib.md5(b"\x00\xff").hexdigest()),
        ("return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(require('crypto').randomUUID())", True),
        ("const c = require('crypto'); return [c.randomBytes(8).length, c.randomInt(5) < 5]", [8, True]),
        ("return new URL('https://u:p@Ex.com:443/a/./b/../c d?x=1#h').href", "https://u:p@ex.com/a/c%20d?x=1#h"),
        ("return new URL('../x?y=1', 'https://ex.com/a/b/c').href", "https://ex.com/a/x?y=1"),
        ("const u = new URL('https://ex.com'); u.searchParams.set('q', 'a b&c'); return u.toString()", "https://ex.com/?q=a+b%26c"),
        ("return [...new URLSearchParams('a=1&b=%C3%A9&a=2')]", [["a", "1"], ["b", "é"], ["a", "2"]]),
        ("return new URLSearchParams({a: 1, b: 'x y'}).toString()", "a=1&b=x+y"),
        ("try { new URL('nonsense') } catch (error) { return error.message }", "Invalid URL: nonsense"),
        ("return DateTime.fromISO('2026-01-31').plus({months: 1}).toISODate()", "2026-02-28"),
        ("const data = $getWorkflowStaticData('global'); data.x = 1; return data", {"x": 1}),
        ("Array.prototype.extra = 1; return [].extra", 1),
        ("return eval('1 + 1')", 2),
        ("return {a: 1n, d: new Date(0), u: undefined, f: () => 1}", {"a": "1", "d": "1970-01-01T00:00:00.000Z"}),
    ],
)  # fmt: skip
async def test_result(run: Run, source: str, value: object) -> None:
    assert (await run(source)).value == value


@pytest.mark.parametrize(
    ("source", "kind", "message", "line"),
    [
        ("const a = 1\n\nreturn a.b.c", "runtime", "Cannot read properties of undefined (reading 'c')", 3),
        ("throw new Error('mine')", "runtime", "mine", 1),
        ("\nthrow 'text'", "runtime", '"text"', None),
        ("throw {message: 'inside'}", "runtime", "inside", None),
        ("throw undefined", "runtime", "Unknown error", None),
        ("const f = () => {\n  throw new RangeError('far')\n}\n[1].map(f)", "runtime", "far", 2),
        ("await Promise.reject(new Error('late'))", "runtime", "late", 1),
        ("await null\nnone()", "runtime", "none is not defined", 2),
        ("setTimeout(() => {\n  null.x }, 1); await new Promise(() => {})", "runtime",
         "Cannot read properties of null (reading 'x')", None),
        ("return 1 +", "syntax", "Unexpected token '}'", None),
        ("const x = 1\nconst x = 2", "syntax", "Identifier 'x' has already been declared", None),
        ("return $('Later').first()", "runtime", "The node 'Later' has not run, so that its data can't be read.", 1),
        ("\nreturn $('Nowhere').all()", "runtime", "There is no node 'Nowhere' in this workflow.", 2),
        ("await new Promise(() => {})", "runtime", "The script waits for something that never happens.", None),
        ("require('fs')", "runtime",
         NO_FILES, 1),
        ("require('crypto').createHash('nope').update('').digest()", "runtime", "Digest method not supported", None),
        ("const a = {}; a.a = a; return a", "runtime", "Converting circular structure to JSON", None),
        ("(function f() { f() })()", "runtime", "Maximum call stack size exceeded", None),
    ],
)  # fmt: skip
async def test_error(run: Run, source: str, kind: str, message: str, line: int | None) -> None:
    with pytest.raises(ScriptError) as caught:
        await run(source)
    assert (caught.value.kind, caught.value.message, caught.value.line) == (kind, message, line)


OF_NODE = [
    ("Buffer.from('abc').indexOf('bc')", 1),
    ("Buffer.from('abc').includes('d')", False),
    ("Buffer.compare(Buffer.from('a'), Buffer.from('ab'))", -1),
    ("Buffer.from('hi').readUInt8(1)", 105),
    ("new TextDecoder('latin1').decode(new Uint8Array([233]))", "é"),
    ("require('crypto').hash('sha1', 'a')", "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"),
    ("require('crypto').createHash('md5').update('a').copy().digest('hex')", "0cc175b9c0f1b6a831c399e269772661"),
    ("$evaluateExpression('{{ 1 + 1 }}')", 2),
    ("$evaluateExpression('n: {{ $json.a }}')", "n: 1"),
]


@pytest.mark.parametrize(("source", "value"), OF_NODE)
async def test_functions_of_node_and_n8n(run: Run, source: str, value: object) -> None:
    assert (await run(f"return {source}")).value == value


STATED = [
    ("({}).foo()", "{}.foo is not a function"),
    ("const o = {a: {}}; o.a.b()", "o.a.b is not a function"),
    ("const o = {}; o.list(1, (x) => x)", "o.list is not a function"),
    ("new Date().foo()", "(intermediate value).foo is not a function"),
    ("[1].map(3)", "number 3 is not a function"),
    ("const c = 1; c = 2", "Assignment to constant variable."),
    ("x; let x = 1", "Cannot access 'x' before initialization"),
    ("'a'.repeat(-1)", "Invalid count value: -1"),
    ("JSON.parse('{x}')", "Expected property name or '}' in JSON at position 1 (line 1 column 2)"),
    ("JSON.parse('<html><body>a long text')", "Unexpected token '<', \"<html><bod\"... is not valid JSON"),
    ("JSON.parse('[1] 2')", "Unexpected non-whitespace character after JSON at position 4 (line 1 column 5)"),
]


@pytest.mark.parametrize(("source", "message"), STATED)
async def test_errors_read_as_in_node_also_for_the_script(run: Run, source: str, message: str) -> None:
    caught = await run(f"try {{ {source} }} catch (error) {{ return error.message }}")
    assert caught.value == message


async def test_once_per_item(run: Run) -> None:
    source = "const twice = $json.a * 2; return {twice, index: $itemIndex, same: item === $input.item}"
    assert (await run(source, each=True)).value == [
        {"twice": 2, "index": 0, "same": True},
        {"twice": 4, "index": 1, "same": True},
    ]


async def test_once_per_item_tells_the_item_that_failed(run: Run) -> None:
    with pytest.raises(ScriptError) as caught:
        await run("if ($json.a === 2) {\nthrow new Error('no')\n} return 1", each=True)
    assert (caught.value.message, caught.value.line, caught.value.item) == ("no", 2, 1)


@pytest.mark.parametrize("mode", ["continueRegularOutput", "continueErrorOutput"])
async def test_once_per_item_goes_on_after_an_error(run: Run, mode: str) -> None:
    data = replace(DATA, node={**DATA.node, "onError": mode})
    source = "if ($json.a === 1) throw new TypeError('no'); return {a: $json.a}"
    assert (await run(source, each=True, data=data)).value == [{"json": {"error": "no [line 1]"}}, {"a": 2}]


async def test_once_per_item_waits_for_each(run: Run) -> None:
    source = "await new Promise((done) => setTimeout(done, 5 - $itemIndex)); return $('Fetch').isExecuted && $json.a"
    assert (await run(source, each=True)).value == [1, 2]


async def test_what_it_prints(run: Run) -> None:
    source = "console.log('a', 1, {b: [2]}, null, undefined); console.error(new Error('x')); console.warn(items[0])"
    assert (await run(source)).logs == ('a 1 {"b":[2]} null undefined', "Error: x", '{"json":{"a":1}}')


async def test_what_it_prints_is_bounded() -> None:
    engine = JavaScriptEngine(JavaScriptSettings(log_lines=3, log_length=10), SharedWorkerPool())
    try:
        source = "for (let i = 0; i < 10; i++) console.log('x'.repeat(50))"
        result = await engine.run(source, DATA, each=False, timeout=5)
        assert result.logs == ("x" * 10,) * 3 + ("(more lines were left out)",)
    finally:
        await engine.close()


async def test_the_nodes_memory_comes_back(run: Run) -> None:
    assert (await run("$input.context.seen += 1; return 1")).context == {"seen": 2}


async def test_runs_share_nothing(run: Run) -> None:
    await run("globalThis.left = 1; Array.prototype.left = 1; JSON.parse = () => 'changed'; Object.prototype.left = 1")
    assert (await run("return [typeof left, [].left, ({}).left, JSON.parse('1')]")).value == [
        "undefined",
        None,
        None,
        1,
    ]


async def test_a_script_that_spoils_its_own_answer(run: Run) -> None:
    with pytest.raises(ScriptError) as caught:
        await run("JSON.stringify = () => 'no JSON'; return 1")
    assert caught.value.kind == "crash"
    assert (await run("return 1")).value == 1


SPOILED = [
    "[[1, 2]]",
    "5",
    "null",
    '"text"',
]


@pytest.mark.parametrize("json", SPOILED)
async def test_a_spoiled_answer_has_the_form_of_one(run: Run, json: str) -> None:
    result = await run(f"JSON.stringify = () => `{json}`; console.log(1); return 1")
    assert isinstance(result.context, dict)
    assert isinstance(result.static, dict)
    assert isinstance(result.custom, dict)
    assert all(isinstance(line, str) for line in result.logs)


@pytest.mark.parametrize("error", ["[1]", "5", '{"kind": {}, "message": [], "line": "x", "item": {}}'])
async def test_a_spoiled_error_has_the_form_of_one(run: Run, error: str) -> None:
    with pytest.raises(ScriptError) as caught:
        await run(f'Array.prototype.join = () => `{{"error": {error}}}`; return 1')
    assert caught.value.kind == "runtime"
    assert (caught.value.line, caught.value.item) == (None, None)


async def test_memory_grows_with_the_input() -> None:
    data = ScriptData(input=[{"json": {"n": n, "text": "x" * 100}} for n in range(20_000)])
    source = "return $input.all().map(({ json }) => ({ json: { ...json, more: [json.text + '!'] } }))"
    bounds = (({}, ""), ({"code_memory_per_input": 0}, "code_memory"), ({"max_memory": 16}, "max_memory"))
    for settings, remedy in bounds:
        engine = JavaScriptEngine(JavaScriptSettings(code_workers=1, code_memory=16, **settings), SharedWorkerPool())
        try:
            if not remedy:
                found = (await engine.run(source, data, each=False, timeout=30)).value
                assert isinstance(found, list)
                assert len(found) == 20_000
                continue
            with pytest.raises(ScriptError, match=rf"than the 16 MiB it may have.*scripts\.javascript\.{remedy}\."):
                await engine.run(source, data, each=False, timeout=30)
        finally:
            await engine.close()


async def test_memory_grows_with_the_bytes_of_the_input_in_any_script() -> None:
    data = ScriptData(input=[{"json": {"text": "語" * (700 * 1024)}}])  # 2 MiB of JSON
    engine = JavaScriptEngine(JavaScriptSettings(code_workers=1, code_memory=16), SharedWorkerPool())
    try:
        held = await engine.run("return new ArrayBuffer(32 * 2 ** 20).byteLength", data, each=False, timeout=30)
        assert held.value == 32 * 2**20
    finally:
        await engine.close()


async def test_memory_is_limited() -> None:
    engine = JavaScriptEngine(JavaScriptSettings(code_workers=1, code_memory=16), SharedWorkerPool())
    try:
        for source in ("const a = []; for (;;) a.push([a])", "await null; const a = []; for (;;) a.push([a])"):
            with pytest.raises(ScriptError) as caught:
                await engine.run(source, DATA, each=False, timeout=10)
            assert caught.value.kind == "memory"
        assert (await engine.run("return 1", DATA, each=False, timeout=5)).value == 1
    finally:
        await engine.close()


async def test_input_can_not_pollute_prototypes(run: Run) -> None:
    data = ScriptData(input=[{"json": {"__proto__": {"x": 1}}}])
    source = "const copy = structuredClone($json); Object.assign({}, {...$json}); return [({}).x, copy]"
    assert (await run(source, data=data)).value == [None, {"__proto__": {"x": 1}}]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("return require('luxon').DateTime.fromISO('2026-01-31').plus({months: 1}).toISODate()", "2026-02-28"),
        ("return require('util').inspect({a: 1})", '{"a":1}'),
        ("return require('jmespath').search({a: [1, 2]}, 'a[1]')", 2),
        ("return $jmespath({a: {b: 3}}, 'a.b')", 3),
        ("return [Duration.fromObject({hours: 2}).as('minutes'), Interval.name]", [120, "Interval"]),
        ("return await new Promise((done) => setTimeout(done, 1, 'args'))", "args"),
        ("return this.helpers === helpers", True),
        ("const f = new FormData(); f.append('a', 1); f.append('a', 2); f.set('b', 3); return [...f]",
         [["a", "1"], ["a", "2"], ["b", "3"]]),
        ("return require('crypto').pbkdf2Sync('a', 'b', 1, 8, 'sha1').toString('hex')", "b08f749cb72e94be"),
        ("return Buffer.from(await require('crypto').webcrypto.subtle.digest('SHA-1', Buffer.from('a'))).length", 20),
        ("return (await helpers.getBinaryDataBuffer(0, 'file')).toString()", "hi"),
        ("return (await this.helpers.getBinaryDataBuffer(0, 'file')).toString('hex')", "6869"),
        ("return await helpers.prepareBinaryData(Buffer.from('hello'), 'a/b.txt', 'text/plain')",
         {"data": "aGVsbG8=", "mimeType": "text/plain", "fileType": "text", "fileSize": "5 B",
          "bytes": 5, "fileName": "a/b.txt", "fileExtension": "txt"}),
        ("try { await helpers.getBinaryDataBuffer(0, 'gone') } catch (e) { return e.message }",
         "The item 0 has no file 'gone'."),
        ("$execution.customData.set('k', 'v'); return $execution.customData.getAll()", {"k": "v"}),
        ("return $fromAI('x', '', 'string', 'given')", "given"),
    ],
)  # fmt: skip
async def test_what_a_code_node_is_offered(run: Run, source: str, value: object) -> None:
    data = ScriptData(
        input=[{"json": {}, "binary": {"file": {"data": "aGk=", "mimeType": "text/plain"}}}],
        execution={"id": "e", "mode": "test"},
        node={"name": "Code", "parameters": {"a": {"b": ["z", "y"]}}},
    )
    assert (await run(source, data=data)).value == value


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("return getNodeParameter('a.b[1]') + getNodeParameter('none', 0, 'x')", "yx"),
        ("return this.getNodeParameter('a.b[0]', 0)", "z"),
        ("return [getWorkflowStaticData('node') === $getWorkflowStaticData('node'), this.getMode()]", [True, "test"]),
        ("return this.helpers === helpers && helpers === $helpers", True),
        ("return Object.defineProperty({}, 'a', {value: 1}).a", 1),
    ],
)
async def test_function_nodes_are_offered_more(run: Run, source: str, value: object) -> None:
    node = {"name": "Function", "type": "function", "parameters": {"a": {"b": ["z", "y"]}}}
    data = ScriptData(input=[{"json": {}}], execution={"id": "e", "mode": "test"}, node=node)
    assert (await run(source, data=data)).value == value


OUTSIDE = [
    ("$json.list instanceof Array", False),
    ("Array.isArray($json.list)", True),
    ("[1] instanceof Array", True),
    ("$json instanceof Object", False),
    ("items instanceof Array", False),
    ("$json.list.map((x) => x) instanceof Array", False),
    ("$json.list.constructor === Array", False),
    ("[$json.list.constructor.name, $json.constructor.name]", ["Array", "Object"]),
    ("$json.list.constructor && $json.list.filter((x) => x > 1)", [2]),
    ("[typeof getNodeParameter, typeof $helpers, typeof $ifEmpty, typeof crypto]", ["undefined"] * 4),
    ("Object.getPrototypeOf([]) === Array.prototype", False),
]


@pytest.mark.parametrize(("source", "value"), OUTSIDE)
async def test_items_are_made_outside_of_the_script(run: Run, source: str, value: object) -> None:
    data = ScriptData(input=[{"json": {"list": [1, 2]}}], node={"name": "Code", "type": "code"})
    assert (await run(f"return {source}", data=data)).value == value


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("await helpers.httpRequest({url: 'http://x'})", "no network"),
        ("await this.helpers.request('http://x')", "no network"),
        ("require('axios')", "no network"),
        ("require('node:fs/promises')", "no files"),
        ("require('child_process')", "no processes"),
        ("require('lodash')", "not part of this engine"),
        ("$getWorkflowStaticData('other')", "'global' or 'node'"),
    ],
)
async def test_what_it_is_refused_says_why(run: Run, source: str, part: str) -> None:
    with pytest.raises(ScriptError) as caught:
        await run(source)
    assert part in caught.value.message


async def test_memory_across_executions_comes_back(run: Run) -> None:
    data = replace(DATA, static={"global": {"n": 1}, "node": {}})
    source = """
      $getWorkflowStaticData('global').n += 1;
      $getWorkflowStaticData('node').seen = $input.all().length;
      $execution.customData.set('a', 'b');
      return []
    """
    result = await run(source, data=data)
    assert result.static == {"global": {"n": 2}, "node": {"seen": 2}}
    assert result.custom == {"a": "b"}


async def test_a_file_that_is_kept_elsewhere_is_not_handed_over(run: Run) -> None:
    data = ScriptData(input=[{"json": {}, "binary": {"file": {"data": "", "mimeType": "x/y", "id": "abc"}}}])
    with pytest.raises(ScriptError) as caught:
        await run("await helpers.getBinaryDataBuffer(0, 'file')", data=data)
    assert "binary.inline_limit" in caught.value.message
