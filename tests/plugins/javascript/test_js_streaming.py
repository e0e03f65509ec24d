"""Long lists to and from a Code node: in parts, whole or not at all, whatever becomes of the process meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable

import pytest

from jackfield.api.jsontext import LARGE, Json
from jackfield.api.nodes.items import LONG
from jackfield.api.scripting.frames import Frame, framed
from jackfield.api.scripting.rows import ScriptRows
from jackfield.api.scripts import ScriptData, ScriptError
from jackfield.testing.processes import is_running
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_javascript.worker import JavaScriptWorker, ScriptRequest, WorkerStart
from jackfield_workers.pool import SharedWorkerPool

DEADLINE = 20.0
NOTHING = ScriptData(input=[])
STUCK = "Array.from({ length: 30_000 }, (_, n) => n < 20_000 ? { json: { n } } : { toJSON() { for (;;); } })"
"""Most of this list has been given when it hangs."""


@pytest.fixture
async def small() -> AsyncIterator[JavaScriptEngine]:
    engine = JavaScriptEngine(JavaScriptSettings(code_workers=1, code_memory=24, max_memory=32), SharedWorkerPool())
    yield engine
    await engine.close()


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> list[Frame]:
    """Those that came before an answer's last one."""
    found: list[Frame] = []
    take = ScriptRows.take

    async def taken(rows: ScriptRows, frame: Frame) -> None:
        found.append(frame)
        await take(rows, frame)

    monkeypatch.setattr(ScriptRows, "take", taken)
    return found


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[JavaScriptWorker]:
    """Those that were asked, one for each request."""
    found: list[JavaScriptWorker] = []
    request = JavaScriptWorker.request

    async def asked(worker: JavaScriptWorker, *given: object) -> object:
        found.append(worker)
        return await request(worker, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(JavaScriptWorker, "request", asked)
    return found


def numbered(count: int) -> ScriptData:
    return ScriptData(input=[{"json": {"n": n, "text": f"é {n}"}} for n in range(count)])


async def run(
    engine: JavaScriptEngine, source: str, data: ScriptData = NOTHING, timeout: float = DEADLINE, *, each: bool = False
) -> object:
    return (await engine.run(source, data, each=each, timeout=timeout)).value


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not condition():
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("count", [0, 1, 64, 65, 1000, LONG + 3000])
async def test_lists_of_any_length_come_whole(engine: JavaScriptEngine, frames: list[Frame], count: int) -> None:
    data = numbered(count)
    assert await run(engine, "return $input.all()", data) == data.input
    assert await run(engine, "return { ...$json, i: $itemIndex }", data, each=True) == [
        {**item["json"], "i": n} for n, item in enumerate(data.input)
    ]
    assert (len(frames) > 1) == (count > 64)
    assert all(len(frame.body) < 200_000 for frame in frames)


@pytest.mark.parametrize("wanted", [0, 17, 2_999])
async def test_an_item_is_found_wherever_a_script_begins_to_read(engine: JavaScriptEngine, wanted: int) -> None:
    data = numbered(3_000)
    source = f"return [$items()[{wanted}].json.n, $input.last().json.n, $input.first().json.n, $('A').all().length]"
    other: dict[str, Json] = {"A": {"runs": [{"outputs": [[{"json": {}}] * 7]}], "output": 0}}
    given = ScriptData(input=data.input, nodes=other, known=["A"])
    assert await run(engine, source, given) == [wanted, 2_999, 0, 7]
    assert await run(engine, "return [$('A').all().length, $input.all().length]", given) == [7, 3_000]


async def test_elements_are_written_as_in_one_list(engine: JavaScriptEngine) -> None:
    source = """
    const list = Array(100).fill(null).map((_, n) => ({ n }));
    list[70] = undefined; list[71] = NaN; list[72] = { toJSON: () => 'own' }; list[73] = '\\ud800'; delete list[74];
    list[75] = 12n; list[76] = () => 1; list[77] = [undefined, new Date(0)];
    return list"""
    found = await run(engine, source)
    assert isinstance(found, list)
    assert found[70:79] == [
        None,
        None,
        "own",
        "\ufffd",
        None,
        "12",
        None,
        [None, "1970-01-01T00:00:00.000Z"],
        {"n": 78},
    ]
    assert found[:70] == [{"n": n} for n in range(70)]


async def test_a_list_with_a_form_of_its_own_keeps_it(engine: JavaScriptEngine) -> None:
    source = "const list = Array(100).fill(1); list.toJSON = () => ({ own: true }); return list"
    assert await run(engine, source) == {"own": True}


async def test_large_elements_come_by_themselves(engine: JavaScriptEngine, frames: list[Frame]) -> None:
    found = await run(engine, "return Array.from({ length: 80 }, (_, n) => ({ n, text: 'x'.repeat(200_000) }))")
    assert found == [{"n": n, "text": "x" * 200_000} for n in range(80)]
    assert frames[0].number == 16
    assert {frame.number for frame in frames[3:]} == {1}


async def test_a_death_in_the_middle_of_a_list_fails_that_run_alone(
    engine: JavaScriptEngine, frames: list[Frame], workers: list[JavaScriptWorker]
) -> None:
    doomed = asyncio.ensure_future(run(engine, f"return {STUCK}"))
    await until(lambda: len(frames) > 5)
    os.kill(workers[0].pid, signal.SIGKILL)
    with pytest.raises(ScriptError) as caught:
        await doomed
    assert caught.value.kind == "crash"
    assert await run(engine, "return 2") == 2


async def test_a_list_that_is_never_over_ends_with_its_time(engine: JavaScriptEngine, frames: list[Frame]) -> None:
    await run(engine, "return 1")
    with pytest.raises(ScriptError) as caught:
        await run(engine, f"return {STUCK}", timeout=1)
    assert (caught.value.kind, caught.value.message) == ("timeout", "The script did not finish within 1 seconds.")
    assert frames
    assert await run(engine, "return 2") == 2


async def test_a_list_that_needs_too_much_memory_names_the_limit(small: JavaScriptEngine, frames: list[Frame]) -> None:
    grows = "{ toJSON() { const all = []; for (;;) all.push([all]); } }"
    source = f"return Array.from({{ length: 5_000 }}, (_, n) => n < 4_900 ? {{ n }} : {grows})"
    with pytest.raises(ScriptError) as caught:
        await run(small, source)
    assert caught.value.kind == "memory"
    assert "24 MiB" in caught.value.message
    assert "scripts.javascript.code_memory" in caught.value.message
    assert frames
    assert await run(small, "return 2") == 2


async def test_a_list_with_more_data_than_allowed_names_the_limit(small: JavaScriptEngine) -> None:
    with pytest.raises(ScriptError) as caught:
        await run(small, "return Array(4_000).fill({ text: 'x'.repeat(10_000) })")
    assert caught.value.kind == "memory"
    assert "more than the 24 MiB of data that it may" in caught.value.message
    assert "scripts.javascript.code_memory" in caught.value.message
    assert await run(small, "return 2") == 2


async def test_cancelling_in_the_middle_of_a_list_ends_the_process(
    engine: JavaScriptEngine, frames: list[Frame], workers: list[JavaScriptWorker]
) -> None:
    task = asyncio.ensure_future(run(engine, f"return {STUCK}"))
    await until(lambda: frames)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not is_running(workers[0].pid))
    assert await run(engine, "return 2") == 2


@pytest.mark.parametrize("source", ["return 7", "throw new Error('at once')", "return ("])
async def test_input_that_nobody_reads_does_not_stay(
    engine: JavaScriptEngine, workers: list[JavaScriptWorker], source: str
) -> None:
    """More than the socket holds; the worker goes on with the next request."""
    data = numbered(60_000)
    if source == "return 7":
        assert await run(engine, source, data) == 7
    else:
        with pytest.raises(ScriptError) as caught:
            await run(engine, source, data)
        assert caught.value.kind in ("runtime", "syntax")
    assert await run(engine, "return $input.all()", numbered(3)) == numbered(3).input
    assert len({worker.pid for worker in workers}) == 1


async def test_a_part_that_is_found_lacking_in_the_middle_gives_each_element_once(
    engine: JavaScriptEngine, frames: list[Frame], workers: list[JavaScriptWorker]
) -> None:
    shown = "{ toJSON: () => new Intl.NumberFormat('de').format(1234.5) }"
    source = f"return Array.from({{ length: 3_000 }}, (_, n) => n < 2_900 ? {{ n }} : {shown})"
    assert await run(engine, source, numbered(20_000)) == [{"n": n} for n in range(2_900)] + ["1.234,5"] * 100
    assert len(workers) == 2
    assert sum(frame.number for frame in frames) > 3_000  # the first worker's come to nothing


async def test_what_a_script_changes_about_lists_and_json_harms_itself_alone(engine: JavaScriptEngine) -> None:
    spoil = "Array.prototype.push = Math.max = Array.isArray = JSON.parse = null; return $input.all().slice(0, 100)"
    try:
        await run(engine, spoil, numbered(1_000))
    except ScriptError as exc:
        assert exc.kind in ("runtime", "crash")  # noqa: PT017
    assert await run(engine, "return $input.all()", numbered(1_000)) == numbered(1_000).input


def playing(script: str) -> WorkerStart:
    """A process in a worker's place. script: its Python, behind the answer that it is ready."""
    return WorkerStart(
        [sys.executable, "-c", f"import os\nos.write(0, {framed(b'ready')!r})\n{script}"], 1000, "", DEADLINE
    )


async def test_a_worker_that_says_why_it_ends_is_believed() -> None:
    """It has not read all that it was given."""
    answer = b'{"error": {"kind": "memory"}}'
    worker = await JavaScriptWorker.start(playing(f"os.read(0, 100); os.write(0, {framed(answer)!r})"))
    given = ScriptRequest(deque([framed(b"x" * 10_000_000)]))
    assert await worker.request(given, DEADLINE) == answer
    assert not worker.usable
    await worker.ended()


async def test_a_worker_whose_time_was_over_when_its_answer_was_taken_is_not_asked_again() -> None:
    """The next request would be told at once that its time is over."""
    script = f"os.read(0, 100); os.write(0, {framed(b'[1]', 1) + framed(b'{}')!r}); os.read(0, 1)"
    worker = await JavaScriptWorker.start(playing(script))

    async def take(_: Frame) -> None:
        async with asyncio.timeout(DEADLINE):
            while not worker._stream.has_ended:
                await asyncio.sleep(0.001)

    assert await worker.request(ScriptRequest(deque([framed(b"x")]), take), 0.05) == b"{}"
    assert not worker.usable
    await worker.ended()


FORGING = """
const list = Array.from({ length: 200 }, (_, n) => ({ json: { n } }));
list.__defineGetter__('0', () => {
  Array.prototype.toJSON = function () { this.length = 0; return %s; };
  return {};
});
return list;
"""
"""The part that is written has no elements any more, whatever its text."""


@pytest.mark.parametrize("text", ["{ value: { forged: true } }", "[]", "[1, 2]", "null", "undefined"])
async def test_no_script_answers_for_the_next_one(small: JavaScriptEngine, text: str) -> None:
    """Of another workflow, in the same process."""
    with pytest.raises(ScriptError):
        await small.run(FORGING % text, NOTHING, each=False, timeout=DEADLINE)
    for n in range(3):
        result = await small.run(f"return [{{ json: {{ n: {n} }} }}]", NOTHING, each=False, timeout=DEADLINE)
        assert result.value == [{"json": {"n": n}}]


@pytest.mark.parametrize("late", [False, True])
async def test_a_worker_that_says_more_than_its_answer_is_not_asked_again(late: bool) -> None:
    """late: once its answer was taken."""
    more = f"os.read(0, 1); os.write(0, {framed(b'{}')[:3]!r})" if late else "pass"
    both = framed(b"{}") + (b"" if late else framed(b"{}"))
    worker = await JavaScriptWorker.start(playing(f"os.read(0, 9); os.write(0, {both!r}); {more}; os.read(0, 100)"))
    assert await worker.request(ScriptRequest(deque([framed(b"x")])), DEADLINE) == b"{}"
    assert worker.usable == worker.lives() == late
    if late:
        worker._stream.begin(deque([b"x"]))
        async with asyncio.timeout(DEADLINE):
            while worker.lives():
                await asyncio.sleep(0.001)
        assert is_running(worker.pid)
        worker.kill()
    await worker.ended()


async def test_a_long_answer_with_too_many_levels_is_an_error_of_the_script(small: JavaScriptEngine) -> None:
    """Of a Code node and of an expression."""
    deep = f"let v = 'x'.repeat({LARGE}); for (let i = 0; i < 3000; i++) v = [v];"
    with pytest.raises(ScriptError, match="can't be read"):
        await small.run(f"{deep} return [{{ json: {{ v }} }}];", NOTHING, each=False, timeout=DEADLINE)
    with pytest.raises(ScriptError, match="can't be read"):
        await small.evaluate([f"(() => {{ {deep} return v }})()"], ScriptData(input=[{"json": {}}]), [0])
    assert await small.evaluate(["1 + 1"], ScriptData(input=[{"json": {}}]), [0]) == [[2]]
