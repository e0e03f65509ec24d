"""One pool for workers of all kinds: bounds of each kind and of all together, order, and what a close leaves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from jackfield.api.script_workers import WorkerKind
from jackfield.api.scripts import ScriptData, ScriptError
from jackfield.testing.context import FakeContext
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_python.engine import PythonEngine
from jackfield_python.settings import PythonSettings
from jackfield_workers.pool import KindWorkers, SharedWorkerPool, shared_pool
from jackfield_workers.settings import WorkersSettings


class Lab:
    """Workers without processes: a request is answered when the test says so."""

    def __init__(self, most: int = 0, memory: int = 1024) -> None:
        self.pool = SharedWorkerPool(most, memory)
        self.alive: list[FakeWorker] = []
        self.begun: list[str] = []
        self.held: dict[str, asyncio.Future[bytes]] = {}

    def kind(self, name: str, size: int = 4, **more: object) -> KindWorkers[str]:
        async def start() -> FakeWorker:
            await asyncio.sleep(0)
            return FakeWorker(self, name)

        given = {"waiting": 10, "wait": 30.0, **more}
        return self.pool.workers(WorkerKind(start, size, **given))  # type: ignore[arg-type]  # the fields that a test gives

    def names(self) -> list[str]:
        return sorted(worker.name for worker in self.alive)

    async def begin(self, kind: KindWorkers[str], request: str, more_mib: int = 0) -> asyncio.Task[bytes]:
        """Ask for something, as far as it gets without an answer."""
        task = asyncio.create_task(kind.call(request, 5, more_mib << 20))
        await settle()
        return task


class FakeWorker:
    def __init__(self, lab: Lab, name: str) -> None:
        self._lab = lab
        self.name = name
        self.uses = 0
        self.usable = True
        self._held: asyncio.Future[bytes] | None = None
        lab.alive.append(self)

    def lives(self) -> bool:
        return self in self._lab.alive

    async def request(self, request: str, timeout: float) -> bytes:
        self.uses += 1
        self._lab.begun.append(request)
        if request == "now":
            return b"now"
        held = self._held = self._lab.held[request] = asyncio.get_running_loop().create_future()
        try:
            return await held
        except (asyncio.CancelledError, ScriptError):
            self.kill()
            raise

    def kill(self) -> None:
        self.usable = False
        if self in self._lab.alive:
            self._lab.alive.remove(self)
        if self._held is not None and not self._held.done():
            self._held.set_exception(ScriptError("killed", kind="crash"))

    async def ended(self) -> None:
        assert not self.lives()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_kinds_share_one_limit_and_an_idle_process_makes_room() -> None:
    lab = Lab(most=2)
    one, other = lab.kind("one"), lab.kind("other")
    first = await lab.begin(one, "a")
    second = await lab.begin(one, "b")
    third = await lab.begin(other, "c")
    assert lab.names() == ["one", "one"]
    assert lab.begun == ["a", "b"]
    lab.held["a"].set_result(b"A")
    await settle()
    assert await first == b"A"
    assert lab.names() == ["one", "other"], "the idle one was ended for another kind"
    lab.held["c"].set_result(b"C")
    lab.held["b"].set_result(b"B")
    assert [await second, await third] == [b"B", b"C"]
    assert lab.names() == ["one", "other"], "both are idle now, within the limit"


async def test_each_kind_keeps_to_its_own_size() -> None:
    lab = Lab()
    small, large = lab.kind("small", 1), lab.kind("large", 2)
    tasks = [await lab.begin(small, "s1"), await lab.begin(small, "s2")]
    tasks += [await lab.begin(large, f"l{number}") for number in range(3)]
    assert lab.names() == ["large", "large", "small"]
    assert lab.begun == ["s1", "l0", "l1"]
    for name in ("l0", "s1", "l1"):
        lab.held[name].set_result(b"")
    await settle()
    assert lab.begun[3:] == ["l2", "s2"]
    assert lab.names() == ["large", "large", "small"], "nothing was started anew"
    for name in ("l2", "s2"):
        lab.held[name].set_result(b"")
    assert await asyncio.gather(*tasks) == [b""] * 5


async def test_one_process_is_kept_for_an_urgent_kind() -> None:
    lab = Lab(most=3)
    urgent, code = lab.kind("urgent", 2, urgent=True), lab.kind("code", 4)
    tasks = [await lab.begin(code, f"c{number}") for number in range(3)]
    assert lab.begun == ["c0", "c1"]
    tasks.append(await lab.begin(urgent, "u"))
    assert lab.begun == ["c0", "c1", "u"]
    lab.held["u"].set_result(b"")
    await settle()
    assert lab.begun == ["c0", "c1", "u"], "the place that is kept is not for code"
    lab.held["c0"].set_result(b"")
    await settle()
    assert lab.begun[3:] == ["c2"]
    for name in ("c1", "c2"):
        lab.held[name].set_result(b"")
    await asyncio.gather(*tasks)


async def test_one_idle_process_is_promised_once() -> None:
    lab = Lab(most=2)
    one, other = lab.kind("one"), lab.kind("other")
    first, second = await lab.begin(one, "a"), await lab.begin(other, "b")
    waiting = [await lab.begin(one, "c"), await lab.begin(one, "d")]
    lab.held["a"].set_result(b"")
    lab.held["b"].set_result(b"")
    await settle()
    assert lab.names() == ["one", "one"]
    for name in ("c", "d"):
        lab.held[name].set_result(b"")
    await asyncio.gather(first, second, *waiting)
    assert len(lab.alive) == 2


async def test_without_an_urgent_kind_nothing_is_kept_back() -> None:
    lab = Lab()
    code = lab.kind("code", 2)
    tasks = [await lab.begin(code, "a"), await lab.begin(code, "b")]
    assert lab.begun == ["a", "b"]
    await code.close()
    assert all(isinstance(found, ScriptError) for found in await asyncio.gather(*tasks, return_exceptions=True))


async def test_who_came_first_goes_on_first_across_kinds() -> None:
    lab = Lab(most=1)
    one, other = lab.kind("one"), lab.kind("other")
    await lab.begin(one, "a")
    tasks = [await lab.begin(other, "b"), await lab.begin(one, "c"), await lab.begin(other, "d")]
    for name in ("a", "b", "c", "d"):
        lab.held[name].set_result(b"")
        await settle()
    assert lab.begun == ["a", "b", "c", "d"]
    await asyncio.gather(*tasks)


async def test_those_that_wait_are_bounded_in_number_and_time() -> None:
    lab = Lab()
    kind = lab.kind("one", 1, waiting=1, wait=0.05, work="program")
    running = await lab.begin(kind, "a")
    waiting = await lab.begin(kind, "b")
    with pytest.raises(ScriptError, match=r"^Too many programs wait to be run; try again later\.$"):
        await kind.call("c", 1)
    with pytest.raises(ScriptError, match=r"^The program waited too long for a free worker\.$") as late:
        await waiting
    assert late.value.kind == "busy"
    lab.held["a"].set_result(b"A")
    assert await running == b"A"
    assert await kind.call("now", 1) == b"now", "nothing was lost by the one that gave up"


@pytest.mark.parametrize("granted", [False, True])
async def test_one_that_is_cancelled_while_it_waits_loses_no_place(granted: bool) -> None:
    lab = Lab()
    kind = lab.kind("one", 1)
    running = await lab.begin(kind, "a")
    waiting = await lab.begin(kind, "b")
    if granted:
        lab.held["a"].set_result(b"A")
        await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    if not granted:
        lab.held["a"].set_result(b"A")
    assert await running == b"A"
    assert await kind.call("now", 1) == b"now"


async def test_a_worker_is_replaced_after_its_uses_and_when_it_died() -> None:
    lab = Lab()
    kind = lab.kind("one", 1, uses=2)
    workers = []
    for _ in range(4):
        await kind.call("now", 1)
        workers += [worker for worker in lab.alive if worker not in workers]
    assert len(workers) == 2
    await kind.call("now", 1)
    lab.alive[-1].kill()
    assert await kind.call("now", 1) == b"now"


async def test_after_a_close_nothing_is_left_and_the_other_kinds_go_on() -> None:
    lab = Lab()
    one, other = lab.kind("one", 1), lab.kind("other", 1)
    running, waiting = await lab.begin(one, "a"), await lab.begin(one, "b")
    await other.call("now", 1)
    await one.close()
    assert lab.names() == ["other"]
    with pytest.raises(ScriptError, match="killed"):
        await running
    for task in (waiting, asyncio.create_task(one.call("c", 1))):
        with pytest.raises(ScriptError, match=r"^No script is run any more: the daemon is stopping\.$"):
            await task
    assert await other.call("now", 1) == b"now"


async def test_both_languages_under_one_limit(tmp_path: Path) -> None:
    """Real processes: with three in all, two at most run code, of whichever language."""
    pool = shared_pool(FakeContext(tmp_path, tables=[WorkersSettings(processes=3)]))
    javascript, python = JavaScriptEngine(JavaScriptSettings(), pool), PythonEngine(PythonSettings(), pool)
    data = ScriptData(input=[{"json": {}}])
    seen: set[tuple[int, int]] = set()

    async def run(engine: JavaScriptEngine | PythonEngine) -> object:
        result = await engine.run("return 1", data, each=False, timeout=20)
        seen.add((len(javascript._code.alive), len(python._workers.alive)))  # type: ignore[attr-defined]  # of the pool
        return result.value

    try:
        made = await asyncio.gather(*(run(engine) for _ in range(4) for engine in (javascript, python)))
        assert made == [1] * 8
        assert await javascript.evaluate(["1 + 1"], data, [0]) == [[2]]
    finally:
        await asyncio.gather(javascript.close(), python.close())
    assert max(map(sum, seen)) == 2
    assert any(of for of, _ in seen)
    assert any(of for _, of in seen)


async def test_long_inputs_of_all_kinds_share_the_memory_beyond_the_rest() -> None:
    lab = Lab(memory=100)
    one, other = lab.kind("one"), lab.kind("other")
    await lab.begin(one, "60", 60)
    second = await lab.begin(other, "50", 50)
    await lab.begin(one, "20", 20)
    await lab.begin(one, "short")
    assert lab.begun == ["60", "short"], "in order: 20 does not overtake 50"
    lab.held["60"].set_result(b"")
    await settle()
    assert sorted(lab.begun[2:]) == ["20", "50"]
    await lab.begin(one, "500", 500)
    assert "500" not in lab.begun
    lab.held["20"].set_result(b"")
    second.cancel()
    await settle()
    assert lab.begun[-1] == "500", "more than there is runs as the only one"


async def test_memory_that_does_not_come_in_time_is_told_and_given_to_the_next() -> None:
    lab = Lab(memory=100)
    kind, hasty = lab.kind("one"), lab.kind("hasty", wait=0.001, waiting=1)
    await lab.begin(kind, "60", 60)
    late = await lab.begin(hasty, "late", 50)
    with pytest.raises(ScriptError, match="Too many scripts wait for memory"):
        await hasty.call("more", 5, 50 << 20)
    await lab.begin(kind, "40", 40)
    with pytest.raises(ScriptError, match="waited too long for the memory that its input needs") as caught:
        await late
    assert caught.value.kind == "busy"
    await settle()
    assert lab.begun == ["60", "40"]
