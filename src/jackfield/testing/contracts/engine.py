"""The port `Engine`: what holds for every engine.

    class TestMine(EngineContract):
        engine_name = "mine"

The engine's plugin is installed. The suite chooses it by name and runs it among Jackfield's real plugins.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import ClassVar

import pytest

from ...api.engine import ExecutionRequest
from ...api.errors import Conflict, ExecutionTimeout, NotFound
from ...api.ids import new_id
from ...api.storage import CallUpdate, Delivery, NewCall
from ...api.workflows import Document, Items
from ..documents import chain, node, wires, workflow
from .engine_bench import Control, EngineBench, opened_bench, request

Restart = Callable[[], AbstractAsyncContextManager[EngineBench]]
ITEMS: Items = [{"json": {"n": 1}}, {"json": {"n": 2}}]


def chained(*kinds: str) -> Document:
    """Nodes `0`, `1` ... of these kinds, one behind the other."""
    return chain("Contract", *(node(str(place), f"contract{kind}") for place, kind in enumerate(kinds)))


class EngineContract:
    """Executions from their acceptance to their end, waits, cancelling, and what a restart leaves."""

    engine_name: ClassVar[str] = "embedded"
    """`engine.name` in config.toml."""
    engine_settings: ClassVar[Mapping[str, str]] = {}
    """Further settings: dotted key -> text."""

    @pytest.fixture
    def control(self) -> Control:
        return Control()

    @pytest.fixture
    def restart(self, tmp_path: Path, control: Control) -> Restart:
        """Opens a daemon over the test's directory."""
        return lambda: opened_bench(tmp_path, {"engine.name": self.engine_name, **self.engine_settings}, control)

    @pytest.fixture
    async def bench(self, restart: Restart) -> AsyncIterator[EngineBench]:
        async with restart() as opened:
            yield opened

    async def test_it_has_the_chosen_name(self, bench: EngineBench) -> None:
        assert bench.engine.name == self.engine_name

    @pytest.mark.parametrize("durability", ["accept", "finish"])
    async def test_an_execution_ends_and_is_stored(self, bench: EngineBench, durability: str) -> None:
        saved = await bench.save(chained("Start", "Pass", "Pass"))
        execution = bench.engine.submit(request(saved, durability=durability))
        outcome = await bench.ended(execution)
        assert (outcome.status, outcome.last_node, bench.control.ran) == ("success", "2", ["1", "2"])
        assert [item["json"] for item in outcome.items] == [{"n": 1}, {"n": 2}]
        assert execution.accepted.done()
        stored = await bench.store.execution(execution.id)
        assert stored is not None
        assert (stored.row.status, stored.row.mode, stored.row.workflow_id) == ("success", "webhook", saved.id)

    async def test_the_acceptance_is_durable_before_the_end(self, bench: EngineBench) -> None:
        execution = bench.engine.submit(request(await bench.save(chained("Start", "Gate"))))
        await execution.accepted
        assert await bench.store.execution(execution.id) is not None
        assert not execution.finished.done()
        bench.control.opened.set()
        assert (await bench.ended(execution)).status == "success"

    async def test_a_failure_names_its_node_and_item(self, bench: EngineBench) -> None:
        execution = bench.engine.submit(request(await bench.save(chained("Start", "Fail", "Pass"))))
        outcome = await bench.ended(execution)
        assert outcome.failure is not None
        assert (outcome.status, outcome.failure.node, outcome.failure.item) == ("failed", "1", 0)
        assert "it cannot be done" in outcome.failure.message
        assert bench.control.ran == ["1"]
        await bench.until_status(execution.id, "failed")

    async def test_a_failure_that_is_allowed_goes_on(self, bench: EngineBench) -> None:
        document = chained("Start", "Fail", "Pass")
        document["nodes"][1]["onError"] = "continueRegularOutput"  # type: ignore[index,call-overload]
        outcome = await bench.ended(bench.engine.submit(request(await bench.save(document))))
        assert (outcome.status, bench.control.ran) == ("success", ["1", "2"])

    async def test_each_output_goes_its_own_way(self, bench: EngineBench) -> None:
        nodes = [
            node("0", "contractStart"),
            node("S", "contractSplit"),
            node("A", "contractPass"),
            node("B", "contractPass"),
        ]
        document = workflow("Split", nodes, wires(("0", "S"), ("S", "A", 0), ("S", "B", 1)))
        outcome = await bench.ended(bench.engine.submit(request(await bench.save(document))))
        assert bench.control.ran == ["S", "A", "B"]
        assert (outcome.last_node, [item["json"] for item in outcome.items]) == ("B", [{"n": 2}])

    async def test_it_ends_at_the_node_that_is_asked_for(self, bench: EngineBench) -> None:
        saved = await bench.save(chained("Start", "Pass", "Pass"))
        outcome = await bench.ended(bench.engine.submit(request(saved, until="1")))
        assert (outcome.last_node, bench.control.ran) == ("1", ["1"])

    async def test_a_node_answers_the_caller_before_the_end(self, bench: EngineBench) -> None:
        saved = await bench.save(chained("Start", "Answer", "Gate"))
        execution = bench.engine.submit(request(saved, response_node=True))
        async with asyncio.timeout(20):
            answer = await asyncio.shield(execution.answer)
        assert answer is not None
        assert (answer.status, answer.body) == (201, b"made")
        assert not execution.finished.done()
        bench.control.opened.set()
        await bench.ended(execution)

    async def test_without_an_answer_the_end_is_one(self, bench: EngineBench) -> None:
        execution = bench.engine.submit(request(await bench.save(chained("Start", "Pass")), response_node=True))
        await bench.ended(execution)
        assert await execution.answer is None

    async def test_a_call_is_stored_with_its_execution(self, bench: EngineBench) -> None:
        saved = await bench.save(chained("Start", "Pass"))
        call = NewCall(new_id(), "hook", 1000, "POST", b"{}", "body")
        execution = bench.engine.submit(request(saved, call=call))
        await execution.accepted
        await bench.engine.complete_call(execution, CallUpdate(call.id, "hook", "success", 200))
        await bench.ended(execution)
        page = await bench.store.calls("hook", status=None, offset=0, limit=10)
        found = [(row.id, row.execution_id, row.status, row.response_status) for row in page.rows]
        assert found == [(call.id, execution.id, "success", 200)]

    @pytest.mark.parametrize("durability", ["accept", "finish"])
    async def test_a_delivery_starts_one_execution(self, bench: EngineBench, durability: str) -> None:
        saved = await bench.save(chained("Start", "Effect"))
        given = {"delivery": Delivery("hook", "key", 2**50), "durability": durability}
        await bench.ended(bench.engine.submit(request(saved, **given)))
        second = bench.engine.submit(request(saved, **given))
        with pytest.raises(Conflict):
            await second.accepted
        assert bench.control.ran == ["1"]

    async def test_the_end_can_be_waited_for_by_id(self, bench: EngineBench) -> None:
        execution = bench.engine.submit(request(await bench.save(chained("Start", "Gate"))))
        await execution.accepted
        with pytest.raises(ExecutionTimeout):
            await bench.engine.result(execution.id, 0.01)
        bench.control.opened.set()
        assert (await bench.engine.result(execution.id, 20)).status == "success"
        with pytest.raises(NotFound):
            await bench.engine.result(new_id(), 1)

    async def test_a_running_execution_is_cancelled_once(self, bench: EngineBench) -> None:
        execution = bench.engine.submit(request(await bench.save(chained("Start", "Gate", "Pass"))))
        await bench.until_ran("1")
        await bench.engine.cancel(execution.id)
        assert (await bench.ended(execution)).status == "cancelled"
        await bench.until_status(execution.id, "cancelled")
        assert bench.control.ran == ["1"]
        with pytest.raises(Conflict):
            await bench.engine.cancel(execution.id)
        with pytest.raises(NotFound):
            await bench.engine.cancel(new_id())

    async def test_a_wait_for_a_time_goes_on(self, bench: EngineBench) -> None:
        nodes = [node("0", "contractStart"), node("W", "contractWait", {"ms": 50}), node("A", "contractPass")]
        outcome = await bench.ended(bench.engine.submit(request(await bench.save(chain("Wait", *nodes)))))
        assert (outcome.status, bench.control.ran) == ("success", ["W", "A"])

    async def test_of_two_calls_one_ends_a_wait(self, bench: EngineBench) -> None:
        execution = bench.engine.submit(request(await bench.save(chained("Start", "Wait", "Pass"))))
        await bench.until_status(execution.id, "waiting")
        waiting = await bench.engine.waiting(execution.id)
        assert (waiting.node.name, waiting.call, waiting.start) == ("1", {"method": "POST"}, "0")
        resumed = await bench.engine.resume(waiting, [{"json": {"came": True}}])
        with pytest.raises(Conflict):
            await bench.engine.resume(waiting, [{"json": {"came": False}}])
        outcome = await bench.ended(resumed)
        assert [item["json"] for item in outcome.items] == [{"came": True}]
        with pytest.raises(Conflict):
            await bench.engine.waiting(execution.id)
        with pytest.raises(NotFound):
            await bench.engine.waiting(new_id())

    async def test_a_wait_outlives_the_daemon(self, restart: Restart, control: Control) -> None:
        async with restart() as bench:
            execution = bench.engine.submit(request(await bench.save(chained("Start", "Effect", "Wait", "Pass"))))
            await bench.until_status(execution.id, "waiting")
        async with restart() as bench:
            waiting = await bench.engine.waiting(execution.id)
            outcome = await bench.ended(await bench.engine.resume(waiting, ITEMS))
        assert (outcome.status, control.ran) == ("success", ["1", "2", "3"])

    async def test_an_open_execution_goes_on_after_a_restart_without_its_effects(
        self, restart: Restart, control: Control
    ) -> None:
        async with restart() as bench:
            execution = bench.engine.submit(request(await bench.save(chained("Start", "Effect", "Gate", "Pass"))))
            await bench.until_ran("2")
        assert control.ran == ["1", "2"]
        control.opened.set()
        async with restart() as bench:
            assert (await bench.engine.result(execution.id, 20)).status == "success"
        assert control.ran == ["1", "2", "2", "3"]

    async def test_a_draining_engine_takes_nothing(self, bench: EngineBench) -> None:
        saved = await bench.save(chained("Start", "Gate"))
        bench.engine.submit(request(saved))
        await bench.until_ran("1")
        assert await bench.engine.drain(0) == 1
        with pytest.raises(Conflict):
            bench.engine.submit(request(saved))

    async def test_its_state_counts(self, bench: EngineBench) -> None:
        saved = await bench.save(chained("Start", "Gate"))
        execution = bench.engine.submit(request(saved))
        await bench.until_ran("1")
        assert bench.engine.state()["running"] == 1
        bench.control.opened.set()
        await bench.ended(execution)
        assert bench.engine.state()["running"] == 0

    async def test_many_at_once_all_end(self, bench: EngineBench) -> None:
        saved = await bench.save(chained("Start", "Effect", "Pass"))
        asked: list[ExecutionRequest] = [request(saved, items=[{"json": {"n": number}}]) for number in range(100)]
        outcomes = await asyncio.gather(*(bench.ended(bench.engine.submit(one)) for one in asked))
        assert [outcome.items[0]["json"]["n"] for outcome in outcomes] == list(range(100))
