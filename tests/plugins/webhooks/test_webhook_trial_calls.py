"""`/webhook-test`: every saved webhook, nothing in the history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jackfield.api.errors import NotFound
from jackfield.api.nodes import NodeAnswer

Bench = Any


@pytest.mark.parametrize("mode", ["onReceived", "lastNode", "responseNode"])
async def test_it_serves_what_is_not_active(bench: Bench, mode: str) -> None:
    ident = await bench.hook("draft/:id", active=False, responseMode=mode)
    bench.engine.answer = NodeAnswer(200, (), b"answered")
    answer = await bench.test_call("draft/7", json={"n": 1})
    assert answer.status == 200
    request = bench.engine.requests[0]
    assert (request.mode, request.use_pin_data, request.call, request.delivery) == ("test", True, None, None)
    assert bench.item["executionMode"] == "test"
    assert bench.item["webhookUrl"].endswith("/webhook-test/draft/:id")
    assert bench.item["params"] == {"id": "7"}
    assert await bench.calls(ident) == []
    assert (await bench.call("draft/7")).status == 503


async def test_its_refusals_leave_no_trace(bench: Bench) -> None:
    ident = await bench.hook("door", authentication="headerAuth", headerName="X-Token", headerValue="right")
    assert (await bench.test_call("door")).status == 401
    assert (await bench.test_call("door", "PUT")).status == 405
    assert (await bench.test_call("none")).status == 404
    assert await bench.calls(ident) == []


async def test_its_failures_and_its_time_limit(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"response_timeout": 0.02})
    await bench.hook("slow", responseMode="lastNode")
    bench.engine.failure = "no"
    assert (await bench.test_call("slow")).code == "EXECUTION_FAILED"
    bench.engine.hold = True
    assert (await bench.test_call("slow")).code == "EXECUTION_TIMEOUT"


async def test_of_several_workflows_the_live_one_then_the_newest_is_meant(bench: Bench) -> None:
    first = await bench.hook("same", active=False)
    await bench.clock.advance(10)
    second = await bench.hook("same", active=False)
    await bench.test_call("same")
    assert bench.engine.requests[-1].workflow.id == second
    await bench.clock.advance(10)
    await bench.save(*bench.reader.saved[first].document["nodes"], id=first, active=False)
    await bench.test_call("same")
    assert bench.engine.requests[-1].workflow.id == first
    live = await bench.hook("same")
    await bench.test_call("same")
    assert bench.engine.requests[-1].workflow.id == live


@pytest.mark.parametrize(("setting", "loopback", "on"), [
    (None, True, True), (None, False, False), (True, False, True), (False, True, False),
])  # fmt: skip
async def test_it_is_on_by_default_on_loopback_only(
    make_bench: Callable[..., Bench], setting: bool | None, loopback: bool, on: bool
) -> None:
    bench = make_bench({"test_enabled": setting}, loopback=loopback)
    await bench.hook("trial")
    if on:
        assert (await bench.test_call("trial")).status == 200
    else:
        # The kernel renders errors of a mount.
        with pytest.raises(NotFound):
            await bench.test_call("trial")
    assert (await bench.call("trial")).status == 200
