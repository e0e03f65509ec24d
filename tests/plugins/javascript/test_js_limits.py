"""Sources that ask for too much time, memory or depth, and what becomes of the next one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from jackfield.api.scripts import ScriptData, ScriptError
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

TIMEOUT = 0.4
EMPTY = ScriptData(input=[{"json": {"text": "x"}}])


@pytest.fixture
async def limited() -> AsyncIterator[JavaScriptEngine]:
    settings = JavaScriptSettings(
        expression_workers=1, code_workers=1, expression_timeout=TIMEOUT, expression_memory=16, code_memory=16
    )
    made = JavaScriptEngine(settings, SharedWorkerPool())
    await made.evaluate(["1"], EMPTY, [0])  # so that no test measures the start of a worker
    yield made
    await made.close()


ENDLESS = [
    "(() => { for (;;); })()",
    "(() => { for (;;) try { for (;;); } catch {} finally { continue } })()",
    "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    "('a'.repeat(4e5)).indexOf('a'.repeat(2e5) + 'b')",
    "[].indexOf.call({length: 2 ** 53 - 1}, 1)",
    "(function* () { for (;;) yield 1 })().next() && [...(function* () { for (;;); })()]",
    "({ get a() { for (;;); } }).a",
    "({ toJSON() { for (;;); } })",
    "({ toString() { for (;;); } }) + ''",
    "[1, 2].sort(() => { for (;;); })",
    "'a'.replace(/a/, () => { for (;;); })",
    "JSON.parse('[1]', () => { for (;;); })",
    "new (class { static { for (;;); } })",
]


@pytest.mark.parametrize("source", ENDLESS)
async def test_time_is_limited(limited: JavaScriptEngine, source: str) -> None:
    with pytest.raises(ScriptError) as caught:
        await limited.evaluate([source], EMPTY, [0])
    assert caught.value.kind == "timeout"
    assert await limited.evaluate(["1 + 1"], EMPTY, [0]) == [[2]]


BOMBS = [
    "(() => { const a = []; for (;;) a.push({}); })()",
    "(() => { const a = []; for (;;) a.push('x'.repeat(1e5) + a.length); })()",
    "'x'.repeat(2 ** 29)",
    "new Array(1e7).fill({}).map(() => ({}))",
    "new Uint8Array(2 ** 30)",
    "new ArrayBuffer(2 ** 40)",
    "JSON.stringify(Array(1e6).fill('x'.repeat(100)))",
    "Array(1e6).fill('x'.repeat(100))",
    "(() => { let a = []; for (;;) a = [a, a.concat(a), {a}]; })()",
    "'x'.repeat(1e6).split('').map((c) => [c])",
    "(() => { const m = new Map(); for (let i = 0; ; i++) m.set(i, {i}); })()",
    "'a'.repeat(1e6).replace(/a/g, 'b'.repeat(1000))",
    "Array.from({length: 2 ** 32})",
    "[..." + "'x'.repeat(1e7)]",
    "(() => { try { const a = []; for (;;) a.push([a]); } catch { return 'x'.repeat(1e8) } })()",
]


@pytest.mark.parametrize("source", BOMBS)
async def test_memory_is_limited(limited: JavaScriptEngine, source: str) -> None:
    """The engine refuses what is impossible at once (undefined then); what grows ends at the limit."""
    try:
        found = await limited.evaluate([source], EMPTY, [0])
    except ScriptError as exc:
        assert exc.kind in ("memory", "timeout")  # noqa: PT017
    else:
        assert found == [[None]]
    assert await limited.evaluate(["1 + 1"], EMPTY, [0]) == [[2]]


async def test_memory_at_its_limit_is_said(limited: JavaScriptEngine) -> None:
    with pytest.raises(ScriptError) as caught:
        await limited.evaluate([BOMBS[0]], EMPTY, [0])
    assert caught.value.kind == "memory"


async def test_a_text_that_doubles_is_undefined_or_refused(limited: JavaScriptEngine) -> None:
    source = "(() => { let s = 'x'; for (;;) s += s; })()"
    try:
        assert await limited.evaluate([source], EMPTY, [0]) == [[None]]
    except ScriptError as exc:
        assert exc.kind == "memory"  # noqa: PT017


DEEP = [
    "(function f() { return f() + 1 })()",
    "(() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a) })()",
    "JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))",
    "new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('')",
    "(() => { let f = () => 1; for (let i = 0; i < 1e5; i++) { const g = f; f = () => g(); } return f() })()",
    "[..." * 3000 + "1" + "]" * 3000,
    "(" * 100_000 + "1" + ")" * 100_000,
    "[" * 100_000,
    "x" + ".x" * 50_000,
    "!" * 200_000 + "1",
    "1" + "+1" * 100_000,
    "(() => { const o = {}; o.toString = () => o + ''; return o + '' })()",
]


@pytest.mark.parametrize("source", DEEP, ids=range(len(DEEP)))
async def test_depth_is_limited(limited: JavaScriptEngine, source: str) -> None:
    try:
        (found,) = await limited.evaluate([source], EMPTY, [0])
    except ScriptError as exc:
        assert exc.kind in ("memory", "timeout")  # noqa: PT017
    else:
        assert len(found) == 1
    assert await limited.evaluate(["1 + 1"], EMPTY, [0]) == [[2]]


async def test_many_items_fit_and_have_more_time() -> None:
    """30 MB of items within 48 MiB: an item is parsed when its turn comes, and let go."""
    engine = JavaScriptEngine(JavaScriptSettings(expression_workers=1, expression_memory=48), SharedWorkerPool())
    try:
        data = ScriptData(input=[{"json": {"text": "x" * 10_000, "n": n}} for n in range(3000)])
        rows = await engine.evaluate(["$json.n + $json.text.length"], data, range(3000))
        assert rows == [[n + 10_000] for n in range(3000)]
    finally:
        await engine.close()


async def test_more_data_than_memory() -> None:
    """With time to spare: on a busy machine 40 MB may take longer to arrive than a short limit allows."""
    roomy = JavaScriptEngine(
        JavaScriptSettings(expression_workers=1, expression_memory=16, expression_timeout=30), SharedWorkerPool()
    )
    try:
        data = ScriptData(input=[{"json": {"text": "x" * (40 << 20)}}])
        with pytest.raises(ScriptError) as caught:
            await roomy.evaluate(["$json.text.length"], data, [0])
        assert caught.value.kind == "memory"
        assert await roomy.evaluate(["1 + 1"], EMPTY, [0]) == [[2]]
    finally:
        await roomy.close()


async def test_many_different_expressions_stay_within_memory() -> None:
    engine = JavaScriptEngine(
        JavaScriptSettings(expression_workers=1, expression_memory=16, expression_timeout=10), SharedWorkerPool()
    )
    try:
        for start in range(0, 3000, 100):
            sources = [f"{number} + '{'y' * 1000}'.length" for number in range(start, start + 100)]
            assert (await engine.evaluate(sources, EMPTY, [0]))[0][-1] == start + 99 + 1000
    finally:
        await engine.close()


async def test_no_more_than_may_wait() -> None:
    few = JavaScriptEngine(
        JavaScriptSettings(expression_workers=1, max_waiting=1, expression_timeout=TIMEOUT), SharedWorkerPool()
    )
    try:
        calls = [few.evaluate(["(() => { for (;;); })()"], EMPTY, [0]) for _ in range(3)]
        found = await asyncio.gather(*calls, return_exceptions=True)
        assert [getattr(error, "kind", None) for error in found] == ["timeout", "timeout", "busy"]
    finally:
        await few.close()


async def test_waiting_for_a_worker_ends() -> None:
    slow = JavaScriptEngine(
        JavaScriptSettings(expression_workers=1, max_wait=0.1, expression_timeout=1), SharedWorkerPool()
    )
    try:
        calls = [slow.evaluate(["(() => { for (;;); })()"], EMPTY, [0]) for _ in range(2)]
        found = await asyncio.gather(*calls, return_exceptions=True)
        assert [getattr(error, "kind", None) for error in found] == ["timeout", "busy"]
    finally:
        await slow.close()
