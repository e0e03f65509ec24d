"""The published ways out of n8n's expressions and code sandboxes, and tricks of their kind.

CVE-2025-68613: `this` of a function, `process.mainModule.require`. CVE-2026-1470: a `constructor` that no filter of the
source sees, by `with`, computed names and aliases. CVE-2026-0863: exceptions and text formatting that hand over frames
or objects of the host; that one is Python's, and what it leans on is tried here in JavaScript's terms.
"""

# ruff: noqa: E501 - the attempts are easier to read on one line each
from __future__ import annotations

import pytest

from jackfield.api.scripts import ExpressionError, ScriptData, ScriptError
from jackfield_javascript.engine import JavaScriptEngine

GOAL = "process.mainModule.require('child_process').execSync('echo ESC' + 'APED').toString()"
CODE = f"return {GOAL} + 'ESC' + 'APED'"
HOST = "typeof process !== 'undefined' || typeof require === 'function' || typeof globalThis.process !== 'undefined'"

FUNCTION_THIS = [
    "(function () { return this.process.mainModule.require('child_process').execSync('id').toString() })()",
    "(function () { return this })().process",
    "(function () { return typeof this })() + typeof this",
    "(() => this.process)()",
    "[0].map(function () { return this }, globalThis)[0].process",
    "(function () { return this ?? 'none' }).call(undefined)",
    "(function () { return this ?? 'none' }).bind()()",
    "({ get x() { return this } }).x.process",
    "[].concat.call(...[,]).process",
    "Array.prototype.map.call([1], function () { return this })[0]?.process",
    "JSON.parse('1', function () { return this.process ?? typeof this })",
    "'a'.replace(/a/, function () { return typeof this })",
    "[2, 1].sort(function () { return this === undefined ? 1 : this.process })",
    "new (function () { this.p = this.process })().p",
    "((a = this) => a)()?.process",
    "(class { static p = this.process }).p",
    "(function* () { yield this })().next().value?.process",
]
CONSTRUCTORS = [
    f"(function (){{ return 1 }})[`constr${{'uctor'}}`]({CODE!r})()",
    f"(({{ ['constructor']: make }}) => make({CODE!r})())(() => 0)",
    f"(({{ constructor: make }}) => make({CODE!r})())(() => 0)",
    f"(() => {{ const {{ constructor }} = () => 0; return constructor({CODE!r})() }})()",
    f"(() => {{ var constructor = 1; return (function () {{}})['const' + 'ructor']({CODE!r})() }})()",
    f"(() => {{ let make; ({{ constructor: make }} = function () {{}}); return make({CODE!r})() }})()",
    f"Object.entries({{ constructor: 1 }}).map(([k]) => (() => 0)[k]({CODE!r})())[0]",
    f"['constructor'].map((k) => [][k][k]({CODE!r})())[0]",
    f"((k) => (async () => 0)[k]({CODE!r})())(atob?.('Y29uc3RydWN0b3I=') ?? 'constructor')",
    f"((k) => (function* () {{}})[k]({CODE!r})().next().value)(String.fromCharCode(99) + 'onstructor')",
    f"((k) => (async function* () {{}})[k]({CODE!r})())('\\x63onstructor')",
    f"({{}})['\\u0063onstructor']['\\u0063onstructor']({CODE!r})()",
    f"(() => 0).\\u0063onstructor({CODE!r})()",
    f"(() => 0)?.['constructor']?.({CODE!r})?.()",
    f"Object.getOwnPropertyNames((() => 0).__proto__ ?? {{}}).map((k) => (() => 0)[k]).filter((f) => f?.name === 'Function')[0]?.({CODE!r})()",
    f"Object.values(Object.getOwnPropertyDescriptors?.(Function.prototype) ?? {{}}).map((d) => d.value)[0]?.({CODE!r})()",
    f"Function.prototype.toString.call(() => 0)['constructor']['constructor']({CODE!r})()",
    f"Symbol.iterator.description['constructor']['constructor']({CODE!r})()",
    f"((o) => o[Symbol.species]?.['constructor']({CODE!r})())(Array)",
    f"Array[Symbol.species]?.from([0])['constructor']['constructor']({CODE!r})()",
    f"[].concat({{ length: 1, 0: 1, [Symbol.isConcatSpreadable]: true }})['constructor']['constructor']({CODE!r})()",
    f"new (class extends Array {{ get ['constructor']() {{ return super['constructor'] }} }})()['constructor']['constructor']({CODE!r})()",
    f"DateTime['constructor']({CODE!r})()",
    f"DateTime.now['constructor']({CODE!r})()",
    f"$now.toISO['constructor']({CODE!r})()",
    f"$now.loc['constructor']['constructor']({CODE!r})()",
    f"$now.zone['constructor']['constructor']({CODE!r})()",
    f"Duration.fromMillis(1).matrix['constructor']['constructor']({CODE!r})()",
    f"Intl['constructor']['constructor']({CODE!r})()",
    f"new Intl.NumberFormat('en').format['constructor']({CODE!r})()",
    f"Intl.DateTimeFormat.prototype.formatToParts['constructor']({CODE!r})()",
    f"$jmespath['constructor']({CODE!r})()",
    f"$jmespath({{a: 1}}, '@')['constructor']['constructor']({CODE!r})()",
    f"$execution.customData.set['constructor']({CODE!r})()",
    f"$fromAI['constructor']({CODE!r})()",
]
SCOPES = [
    f"(function () {{ with (this) {{ return Function({CODE!r})() }} }})()",
    "(function () { with ({}) { return 1 } })()",
    "(() => { try { throw this } catch (e) { return e.process } })()",
    "(() => { try { throw globalThis } catch ({ process }) { return process ?? 'none' } })()",
    "(() => { try { null.f() } catch (constructor) { return constructor['constructor']('return process')() } })()",
    "(() => { label: for (;;) { break label } return typeof process })()",
    "(function () { return arguments.callee.caller })()",
    "(function f() { return f.caller ?? f.arguments })()",
    "(function () { 'use strict'; return (function () { return typeof this })() })()",
    "((scope) => typeof scope.process)({})",
    "scope?.process ?? kit?.host ?? current?.head",
    "typeof run + typeof made + typeof compile + typeof check + typeof globals",
    "(() => { var Object = { prototype: 1 }; return Object.prototype })()",
    "((undefined) => undefined.process)({ process: 'mine' })",
]
ERRORS = [
    "(() => { Error.prepareStackTrace = (e, s) => s; return new Error().stack[0].getThis().process })()",
    "(() => { try { throw new Error('x') } catch (e) { e.constructor_ = 1; return e.stack.constructor_ } })()",
    "(() => { Error.stackTraceLimit = { valueOf() { return this.process } }; return new Error().stack.process })()",
    "(() => { const o = {}; Error.captureStackTrace?.(o); return o.stack?.process })()",
    "(() => { class E extends Error { get name() { return process } } try { throw new E() } catch (e) { return `${e}` } })()",
    "(() => { try { (function f() { f() })() } catch (e) { return e['constructor']?.('return process')?.() } })()",
    "(() => { try { JSON.parse('{') } catch (e) { return e['constructor']['constructor']('return process')() } })()",
    "(() => { try { $('gone').item } catch (e) { return e['constructor']['constructor']('return process')() } })()",
    "(() => { try { ''.toNumber.call('x') } catch (e) { return Object.keys(e).join() } })()",
    "`${{ toString() { return this.process } }}`",
    "({ [Symbol.toPrimitive]: (hint) => process }) + ''",
    "String.raw({ raw: { length: 1, get 0() { return process } } })",
    "JSON.stringify({ toJSON() { return process } })",
    "new Intl.DateTimeFormat({ toString() { return process } }).format()",
    "DateTime.fromFormat('x', { toString() { return process } })",
]
MIRRORS = [
    "new Proxy({}, { get: (_, k) => process })['x']",
    "Proxy.revocable({}, {}).proxy",
    "Reflect.ownKeys(globalThis).join()",
    "Reflect.construct(Function, ['return process'])()",
    "Reflect.apply(Function, null, ['return process'])()",
    "Object.getOwnPropertyNames(globalThis).filter((n) => /process|require|host|std|os/.test(n)).join()",
    "Object.keys(globalThis).join()",
    "new WeakRef(globalThis).deref().process",
    "new FinalizationRegistry(() => process)",
    "Atomics.wait(new Int32Array(4), 0, 0)",
    "import('os').then((m) => m.system('id'))",
    "import.meta",
    "new Worker('x')",
    "structuredClone(globalThis)",
    "queueMicrotask(() => process)",
    "Iterator.prototype.map.call([1].values(), () => process).next().value",
    "Array.fromAsync([1]).then(() => process)",
    "new ShadowRealm().evaluate('process')",
    "eval.call(null, 'process')",
    "eval?.('process')",
    "(0, eval)('process')",
    "setTimeout('process', 0)",
    "new Function.prototype.constructor('return process')()",
    "Function.prototype.apply.call(Function, null, ['return process'])()",
    "Object.defineProperty({}, 'x', { get: () => process }).x",
    "({ __proto__: globalThis }).process",
    "({ __proto__: { get process() { return 'mine' } } }).process.length > 99",
    "Object.create(globalThis).process",
    "new Map([[1, globalThis]]).get(1).process",
]


@pytest.mark.parametrize("source", [*FUNCTION_THIS, *CONSTRUCTORS, *SCOPES, *ERRORS, *MIRRORS])
async def test_an_expression_stays_inside(engine: JavaScriptEngine, source: str) -> None:
    data = ScriptData(input=[{"json": {"a": 1}}], nodes={"N": {"runs": [{"outputs": [[]]}]}}, known=["N"])
    row = (await engine.evaluate([source, HOST, "1 + 1"], data, [0]))[0]
    value = row[0]
    assert value is None or isinstance(value, (ExpressionError, str, int, bool, dict, list))
    assert "ESCAPED" not in repr(value)
    assert "uid=" not in repr(value)
    assert row[1:] == [False, 2]


@pytest.mark.parametrize("source", [*FUNCTION_THIS, *CONSTRUCTORS[:20], *ERRORS, *MIRRORS])
async def test_code_has_no_host_to_reach(engine: JavaScriptEngine, source: str) -> None:
    """A Code node may compile text; what it compiles sees no process, no file and no network either."""
    if "Atomics" in source:
        pytest.skip("waits, and is ended by the time limit of the run")
    data = ScriptData(input=[{"json": {"a": 1}}])
    text = f"""
      let found;
      try {{ found = await ({source}) }} catch (e) {{ found = String(e) }}
      return [typeof found, `${{typeof found === 'string' ? found : ''}}`.slice(0, 500)]"""
    try:
        found = (await engine.run(text, data, each=False, timeout=10)).value
    except ScriptError as exc:
        assert exc.kind in ("syntax", "runtime", "crash")  # noqa: PT017
    else:
        assert "ESCAPED" not in repr(found)
        assert "uid=" not in repr(found)
    probe = "return [typeof process, typeof std, typeof os, typeof globalThis.host]"
    assert (await engine.run(probe, data, each=False, timeout=10)).value == ["undefined"] * 4
