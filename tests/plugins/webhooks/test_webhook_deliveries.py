"""One delivery is one execution, and every repeat gets the first answer."""

from __future__ import annotations

import asyncio
import base64
import hmac
from collections.abc import Callable
from typing import Any

import pytest

from jackfield.api.engine import Outcome
from jackfield.api.errors import StoreUnavailable
from jackfield.api.nodes import NodeAnswer
from jackfield.api.storage import Delivery, FinishedExecution, StoredAnswer
from jackfield_webhooks.calls.deliveries import InFlight, delivery_key, header_names

Bench = Any
KEY = {"Idempotency-Key": "one"}


@pytest.mark.parametrize("name", ["Idempotency-Key", "webhook-id", "X-GitHub-Delivery", "X-Mine"])
async def test_a_repeat_gets_the_first_answer(make_bench: Callable[..., Bench], name: str) -> None:
    bench = make_bench({"delivery_headers": ["x-mine"]})
    for mode in ("onReceived", "lastNode", "responseNode"):
        ident = await bench.hook(mode, responseMode=mode)
        bench.engine.items = [{"json": {"n": 1}}]
        bench.engine.answer = NodeAnswer(202, (), b"first")
        first = await bench.call(mode, headers={name: "k"})
        bench.engine.items = [{"json": {"n": 2}}]
        bench.engine.answer = NodeAnswer(200, (), b"second")
        again = await bench.call(mode, headers={name: "k"})
        assert (again.status, again.body, again.raw_headers) == (first.status, first.body, first.raw_headers)
        other = await bench.call(mode, headers={name: "other"})
        assert other.body != first.body
        assert len(await bench.calls(ident)) == 2


async def test_repeats_at_once_wait_for_the_first(bench: Bench) -> None:
    await bench.hook("slow", responseMode="lastNode")
    bench.engine.hold = True
    waiting = [asyncio.create_task(bench.call("slow", headers=KEY)) for _ in range(20)]
    while not bench.engine.executions:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    bench.engine.end(bench.engine.executions[0])
    answers = await asyncio.gather(*waiting)
    assert len(bench.engine.requests) == 1
    assert {answer.body for answer in answers} == {answers[0].body}
    assert {answer.status for answer in answers} == {200}


async def test_a_failure_is_repeated_with_the_repeats_own_id(bench: Bench) -> None:
    await bench.hook("bad", responseMode="lastNode")
    bench.engine.failure = "no"
    first = (await bench.call("bad", headers=KEY)).json()
    bench.engine.failure = None
    again = (await bench.call("bad", headers=KEY)).json()
    assert again == {**first, "requestId": "r2"}


async def test_no_respond_node_is_repeated(bench: Bench) -> None:
    await bench.hook("bad", responseMode="responseNode")
    for _ in range(2):
        assert (await bench.call("bad", headers=KEY)).code == "NO_RESPONSE_NODE"


async def test_an_answer_that_died_is_made_again(bench: Bench) -> None:
    """The first call's process was killed after its acceptance was stored."""
    await bench.hook("dead", responseMode="lastNode")
    bench.engine.hold = True
    first = asyncio.create_task(bench.call("dead", headers=KEY))
    while not bench.engine.executions or not bench.engine.executions[0].accepted.done():
        await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    execution = bench.engine.executions[0]
    assert not execution.finished.cancelled()
    answer = await bench.call("dead", headers=KEY)
    assert (answer.status, answer.code) == (504, "EXECUTION_TIMEOUT")
    bench.engine.outcomes[execution.id] = Outcome("success", [{"json": {"late": True}}])
    assert (await bench.call("dead", headers=KEY)).json() == [{"late": True}]
    bench.engine.outcomes[execution.id] = Outcome("failed")
    assert (await bench.call("dead", headers=KEY)).code == "EXECUTION_FAILED"
    await bench.store.finish_execution(FinishedExecution(execution.id, "failed", 1, 0))
    await bench.store.delete_execution(execution.id)
    assert (await bench.call("dead", headers=KEY)).json()["executionId"] == execution.id


async def test_a_call_that_was_too_slow_is_answered_later(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"response_timeout": 0.02})
    await bench.hook("late", responseMode="lastNode")
    bench.engine.hold = True
    assert (await bench.call("late", headers=KEY)).status == 504
    bench.engine.end(bench.engine.executions[0])
    bench.engine.items = []
    assert (await bench.call("late", headers=KEY)).json() == [{"n": 1}, {"n": 2}]


async def test_a_refused_call_does_not_use_up_its_key(bench: Bench) -> None:
    await bench.hook("door", authentication="headerAuth", headerName="X-Token", headerValue="right")
    assert (await bench.call("door", headers=KEY)).status == 401
    assert (await bench.call("door", headers={**KEY, "X-Token": "right"})).status == 200
    assert (await bench.call("door", headers=KEY)).status == 401


async def test_a_call_that_the_store_refused_may_come_again(bench: Bench) -> None:
    await bench.hook("again")
    await bench.call("again")
    bench.store.fail_with = StoreUnavailable()
    assert (await bench.call("again", headers=KEY)).status == 503
    bench.store.fail_with = None
    assert (await bench.call("again", headers=KEY)).status == 200


async def test_keys_count_per_webhook_and_for_24_hours(bench: Bench) -> None:
    for path in ("a", "b"):
        await bench.hook(path)
    bodies = {(await bench.call(path, headers=KEY)).body for path in ("a", "b", "a", "b")}
    assert len(bodies) == 2
    await bench.clock.advance(24 * 3600 - 1)
    assert (await bench.call("a", headers=KEY)).body in bodies
    await bench.clock.advance(1)
    assert (await bench.call("a", headers=KEY)).body not in bodies


async def test_test_calls_are_never_repeats(bench: Bench) -> None:
    await bench.hook("trial")
    bodies = {(await bench.test_call("trial", headers=KEY)).body for _ in range(2)}
    assert len(bodies) == 2


async def test_large_answers_are_not_kept(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"delivery_answer_bytes": 5})
    await bench.hook("big", responseMode="responseNode")
    bench.engine.answer = NodeAnswer(200, (), b"123456")
    assert (await bench.call("big", headers=KEY)).body == b"123456"
    answer = await bench.call("big", headers=KEY)
    assert answer.json()["executionId"] == bench.engine.executions[0].id


def test_a_signed_id_beats_one_that_anybody_may_add() -> None:
    """Else whoever repeats a signed call makes it a new one, with a header that nobody signed."""
    headers = {"webhook-id": "msg_1", "idempotency-key": "fresh", "x-own": "fresh"}
    names = header_names(["X-Own"])
    assert delivery_key(headers, names) == "x-own:fresh"
    assert delivery_key(headers, names, signed="webhook-id:msg_1") == "webhook-id:msg_1"


async def test_a_repeated_signed_call_runs_once_whatever_is_added(bench: Bench) -> None:
    secret = base64.b64encode(b"k" * 24).decode()
    config = {"preset": "standardWebhooks", "secret": f"whsec_{secret}"}
    await bench.hook("hook", authentication="hmac", authConfig=config)
    moment = str(bench.clock.now_ms() // 1000)
    digest = hmac.digest(b"k" * 24, f"msg_1.{moment}.{{}}".encode(), "sha256")
    signed = {
        "webhook-id": "msg_1",
        "webhook-timestamp": moment,
        "webhook-signature": "v1," + base64.b64encode(digest).decode(),
        "content-type": "application/json",
    }
    added = ({}, {"Idempotency-Key": "a"}, {"Idempotency-Key": "b"})
    answers = [await bench.call("hook", headers=signed | more, body=b"{}") for more in added]
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert len({answer.json()["executionId"] for answer in answers}) == 1


def test_the_key_of_a_call() -> None:
    names = header_names(["X-Mine ", ""])
    assert names[0] == "x-mine"
    assert delivery_key({"webhook-id": "a"}, names) == "webhook-id:a"
    assert delivery_key({"webhook-id": "a", "x-mine": "b"}, names) == "x-mine:b"
    assert delivery_key({"webhook-id": ""}, names) is None
    long = delivery_key({"webhook-id": "a" * 5000}, names)
    assert long is not None
    assert len(long) < 100


async def test_a_cancelled_first_call_lets_the_next_try() -> None:
    flights, runs = InFlight(), []

    answer = StoredAnswer(200, (), b"")

    async def run() -> StoredAnswer:
        runs.append(1)
        if len(runs) == 1:
            await asyncio.get_running_loop().create_future()
        return answer

    first = asyncio.create_task(flights.once(Delivery("w", "k", 1), run))
    await asyncio.sleep(0)
    second = asyncio.create_task(flights.once(Delivery("w", "k", 1), run))
    await asyncio.sleep(0)
    first.cancel()
    assert await second is answer
    assert flights._answers == {}
