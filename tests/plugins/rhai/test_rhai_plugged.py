"""Functions that plugins give to scripts in Rhai."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

pytest.importorskip("rhai", reason="rhai-python is not installed")

from jackfield.api.extensions import Given
from jackfield.api.jsontext import Json
from jackfield.api.scripts import RhaiFunction, ScriptData, ScriptError
from jackfield.testing.context import FakeContext
from jackfield_rhai.engine import RhaiEngine
from jackfield_rhai.functions import functions
from jackfield_rhai.settings import RhaiSettings


def engine_with(*given: RhaiFunction, **settings: object) -> RhaiEngine:
    functions = [Given("hello", "hello:Hello", one) for one in given]
    return RhaiEngine(RhaiSettings.model_validate(settings), lambda: functions)


async def refused(engine: RhaiEngine, source: str, **more: Any) -> ScriptError:
    with pytest.raises(ScriptError) as caught:
        await engine.value(source, {}, **more)
    return caught.value


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Functions that hang wait for it."""
    event = threading.Event()
    yield event
    event.set()


async def test_a_script_calls_it_with_plain_values() -> None:
    taken: list[Json] = []

    def take(value: Json) -> Json:
        taken.append(value)
        return {"given": value}

    engine = engine_with(RhaiFunction("hello::take", 1, take), RhaiFunction("hello::none", 0, lambda: None))
    assert await engine.value('hello::take(#{ a: [1, 2.5, "x", true, ()] })', {}) == {
        "given": {"a": [1, 2.5, "x", True, None]}
    }
    assert await engine.value("hello::none()", {}) is None
    assert await engine.value("hello::take(blob(2))", {}) == {"given": "AAA="}  # bytes as base64
    assert taken == [{"a": [1, 2.5, "x", True, None]}, "AAA="]
    await engine.close()


async def test_expressions_and_code_nodes_call_it_too() -> None:
    engine = engine_with(RhaiFunction("hello::twice", 1, lambda number: number * 2))
    data = ScriptData(input=[{"json": {"n": 2}}, {"json": {"n": 5}}])
    assert await engine.evaluate(["hello::twice(json.n)"], data, [0, 1]) == [[4], [10]]
    ran = await engine.run("#{ json: #{ n: hello::twice(json.n) } }", data, each=True, timeout=5)
    assert ran.value == [{"json": {"n": 4}}, {"json": {"n": 10}}]
    await engine.close()


@pytest.mark.parametrize(
    ("name", "arity", "call", "says"),
    [
        ("shout", 1, str.upper, "write it as namespace::function"),
        ("Hello::shout", 1, str.upper, "write it as namespace::function"),
        ("hello::shout", 9, lambda *_: None, "may take 0 to 8 arguments, not 9"),
        ("hello::shout", 2, lambda one: one, "says that it takes 2 arguments, but too many positional arguments"),
        ("hello::shout", 0, lambda one: one, "says that it takes 0 arguments, but missing a required argument"),
    ],
)
def test_a_wrong_one_is_refused_when_it_is_made(name: str, arity: int, call: Callable[..., Json], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        RhaiFunction(name, arity, call)


async def test_a_wrong_number_of_arguments_is_said() -> None:
    engine = engine_with(RhaiFunction("hello::join", 2, lambda one, two: one + two))
    error = await refused(engine, 'let a = 1;\nhello::join("a")')
    assert error.message.startswith("hello::join takes 2 arguments, not 1.")
    assert (error.kind, error.line) == ("runtime", 2)
    await engine.close()


async def test_one_that_raises_fails_its_script_alone() -> None:
    def fail(text: str) -> Json:
        raise KeyError(text)

    engine = engine_with(RhaiFunction("hello::fail", 1, fail), RhaiFunction("hello::odd", 0, lambda: {1, 2}))  # type: ignore[arg-type, return-value]
    error = await refused(engine, 'hello::fail("x")')
    assert error.message == "The function hello::fail of the plugin hello failed: KeyError: 'x'"
    assert error.kind == "runtime"
    error = await refused(engine, "hello::odd()")
    assert error.message == "The function hello::odd of the plugin hello gave no plain JSON value: a set is no JSON."
    data = ScriptData(input=[{"json": {}}])
    assert await engine.evaluate(['hello::fail("x")', "1"], data, [0]) == [[None, 1]]
    assert await engine.value("1 + 1", {}) == 2
    await engine.close()


async def test_one_that_hangs_does_not_hold_its_script_beyond_its_time(gate: threading.Event) -> None:
    engine = engine_with(RhaiFunction("hello::wait", 0, lambda: gate.wait(60)), threads=1, max_hung=2)
    for _ in range(2):
        start = time.monotonic()
        error = await refused(engine, "hello::wait()", timeout=0.1)
        assert error.kind == "timeout"
        assert "The function hello::wait of the plugin hello has not ended." in error.message
        assert time.monotonic() - start < 5
        assert await engine.value("1", {}) == 1  # the only thread for scripts is free again
    error = await refused(engine, "hello::wait()", timeout=0.1)
    assert (error.kind, "2 calls of plugins' functions hang" in error.message) == ("busy", True)
    gate.set()
    answers: list[Json] = []
    async with asyncio.timeout(10):
        while not answers:
            with suppress(ScriptError):  # until a thread has taken note that its call has ended
                answers.append(await engine.value("hello::wait()", {}))
    assert answers == [True]
    await engine.close()


async def test_a_script_cannot_catch_the_end_of_its_time(gate: threading.Event) -> None:
    engine = engine_with(RhaiFunction("hello::wait", 0, lambda: gate.wait(60)))
    error = await refused(engine, "loop { try { hello::wait() } catch { } }", timeout=0.1)
    assert error.kind == "timeout"
    await engine.close()


async def test_the_stop_does_not_wait_for_one_that_hangs(gate: threading.Event) -> None:
    begun = threading.Event()

    def hang() -> Json:
        begun.set()
        return gate.wait(60)

    engine = engine_with(RhaiFunction("hello::hang", 0, hang))
    running = asyncio.create_task(engine.value("hello::hang()", {}, timeout=60))
    await asyncio.to_thread(begun.wait, 10)
    async with asyncio.timeout(10):
        await engine.close()
    with pytest.raises(ScriptError) as caught:
        await running
    assert caught.value.kind == "busy"


async def test_names_of_jackfields_own_are_given_alike(tmp_path: Any) -> None:
    own = functions(FakeContext(tmp_path))  # type: ignore[arg-type]
    assert {one.name: one.arity for one in own} == {
        "json::encode": 1,
        "json::encode_pretty": 1,
        "json::decode": 1,
        "toml::encode": 1,
    }
