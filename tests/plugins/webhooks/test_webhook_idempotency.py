"""An idempotency key stands for its first request; a sender's id of an event for the event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import Delivery
from jackfield.testing.contracts.stores.rows import new
from jackfield_webhooks.calls.deliveries import fingerprint

Bench = Any
KEY = {"Idempotency-Key": "one"}


@pytest.mark.parametrize("mode", ["onReceived", "lastNode"])
async def test_another_body_with_the_same_key_is_refused(bench: Bench, mode: str) -> None:
    ident = await bench.hook("orders", responseMode=mode)
    first = await bench.call("orders", json={"amount": 1}, headers=KEY)
    other = await bench.call("orders", json={"amount": 2}, headers=KEY)
    assert (other.status, other.code) == (422, "IDEMPOTENCY_MISMATCH")
    assert "Idempotency-Key" in other.json()["error"] + other.json()["message"]
    again = await bench.call("orders", json={"amount": 1}, headers=KEY)
    assert (again.status, again.body) == (200, first.body)
    calls = await bench.calls(ident)
    assert sorted(call.response_status for call in calls) == [200, 422]


async def test_another_path_with_the_same_key_is_refused(bench: Bench) -> None:
    await bench.hook("orders/:id")
    assert (await bench.call("orders/1", headers=KEY)).status == 200
    assert (await bench.call("orders/2", headers=KEY)).status == 422
    assert (await bench.call("orders/1?again=1", headers=KEY)).status == 200


async def test_a_call_at_the_same_time_is_held_against_the_first(bench: Bench) -> None:
    await bench.hook("slow", responseMode="lastNode")
    bench.engine.hold = True
    first = asyncio.create_task(bench.call("slow", json={"n": 1}, headers=KEY))
    while not bench.engine.executions:
        await asyncio.sleep(0)
    assert (await bench.call("slow", json={"n": 2}, headers=KEY)).status == 422
    bench.engine.end(bench.engine.executions[0])
    assert (await first).status == 200


@pytest.mark.parametrize("name", ["webhook-id", "X-GitHub-Delivery", "X-Mine"])
async def test_a_senders_id_counts_whatever_the_body_says(make_bench: Callable[..., Bench], name: str) -> None:
    bench = make_bench({"delivery_headers": ["x-mine"]})
    await bench.hook("events")
    first = await bench.call("events", json={"attempt": 1}, headers={name: "k"})
    again = await bench.call("events", json={"attempt": 2}, headers={name: "k"})
    assert (again.status, again.body) == (200, first.body)


async def test_a_key_is_free_when_nothing_was_stored(bench: Bench) -> None:
    await bench.hook("orders")
    bench.store.fail_with = StoreUnavailable()
    assert (await bench.call("orders", json=1, headers=KEY)).status == 503
    bench.store.fail_with = None
    assert (await bench.call("orders", json=2, headers=KEY)).status == 200
    assert (await bench.call("orders", json=1, headers=KEY)).status == 422


async def test_a_delivery_of_an_older_version_has_no_fingerprint_and_counts_as_before(bench: Bench) -> None:
    await bench.hook("orders")
    (webhook,) = (await bench.store.webhooks(offset=0, limit=1, active=None, workflow_id=None)).rows
    delivery = Delivery(webhook.id, "idempotency-key:one", bench.clock.now_ms() + 1000)
    await bench.store.add_execution(new("old", delivery=delivery))
    answer = await bench.call("orders", json={"any": "body"}, headers=KEY)
    assert (answer.status, answer.json()["executionId"]) == (200, "old")


def test_the_boundary_of_a_form_does_not_count() -> None:
    def of(boundary: str, value: str, quote: str = "") -> str:
        kind = f"multipart/form-data; charset=utf-8; boundary={quote}{boundary}{quote}"
        body = f'--{boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n{value}\r\n--{boundary}--\r\n'
        return fingerprint("POST", b"/webhook/a", kind, body.encode())

    assert of("first", "x") == of("second-one", "x") == of("third", "x", '"')
    assert of("first", "x") != of("first", "y")
    assert fingerprint("POST", b"/a", "", b"x") != fingerprint("PUT", b"/a", "", b"x")
    assert fingerprint("POST", b"/a", "", b"x") != fingerprint("POST", b"/b", "", b"x")
    assert fingerprint("POST", b"/a", "application/json; boundary=x", b"x") != fingerprint("POST", b"/a", "", b"")
