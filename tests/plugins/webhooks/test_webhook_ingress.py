"""Calls through the whole ingress: order of the checks, items, answers, history."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import hmac
from collections.abc import Callable
from typing import Any

import pytest

from jackfield.api.caller_secrets import hide
from jackfield.api.errors import Conflict, StoreUnavailable
from jackfield.api.jsontext import dumps
from jackfield.api.nodes import NodeAnswer

TOKEN = {"authentication": "headerAuth", "authConfig": {"headerName": "X-Token", "headerValue": "s3cret-value"}}
RIGHT = {"X-Token": "s3cret-value"}
Bench = Any


async def test_on_received_answers_with_the_execution(bench: Bench) -> None:
    await bench.hook("orders")
    answer = await bench.call("orders", json={"a": 1})
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == {"message": "Workflow triggered", "executionId": bench.engine.executions[0].id}
    request = bench.engine.requests[0]
    assert (request.mode, request.start, request.durability) == ("webhook", "Webhook", "accept")
    assert not request.use_pin_data
    assert not request.response_node


async def test_the_item_has_what_the_specification_names(bench: Bench) -> None:
    await bench.hook("shop/:id", httpMethod="PUT")
    await bench.call("shop/a%20b?x=1&x=2&y=%C3%BC", "PUT", json={"n": 1}, headers={"X-Custom": "Yes"})
    assert bench.item == {
        "headers": {"x-custom": "Yes", "content-type": "application/json"},
        "params": {"id": "a b"},
        "query": {"x": ["1", "2"], "y": "ü"},
        "body": {"n": 1},
        "webhookUrl": "http://127.0.0.1:8765/webhook/shop/:id",
        "httpMethod": "PUT",
        "executionMode": "production",
    }


async def test_unknown_inactive_and_wrong_method(bench: Bench) -> None:
    assert (await bench.call("none")).code == "NOT_FOUND"
    assert (await bench.call("")).code == "NOT_FOUND"
    await bench.hook("asleep", active=False, **TOKEN)
    assert (await bench.call("asleep", "PUT")).code == "WORKFLOW_INACTIVE"
    await bench.hook("live", **TOKEN)
    answer = await bench.call("live", "PUT")
    assert (answer.status, answer.headers["allow"], answer.json()["allowed"]) == (405, "POST", ["POST"])
    assert answer.json()["requestId"] == "r4"


async def test_routes_follow_the_workflow(bench: Bench, node_of: Callable[..., Any]) -> None:
    ident = await bench.hook("one")
    assert (await bench.call("one")).status == 200
    await bench.save(node_of("two"), id=ident)
    assert (await bench.call("one")).status == 404
    assert (await bench.call("two")).status == 200
    await bench.save(node_of("two"), id=ident, active=False)
    assert (await bench.call("two")).status == 503
    await bench.delete(ident)
    assert (await bench.call("two")).status == 404


async def test_routes_are_read_at_the_start(bench: Bench, make_bench: Callable[..., Bench]) -> None:
    ident = await bench.hook("kept")
    other = make_bench()
    other.context.ports.update(Store=bench.store, WorkflowReader=bench.reader)
    other.engine.store = bench.store
    await other.registry.load()
    assert (await other.call("kept")).status == 200
    assert len(await bench.calls(ident)) == 1


async def test_a_hook_is_made_once(bench: Bench) -> None:
    await bench.hook("warm")
    for _ in range(5):
        assert (await bench.call("warm")).status == 200
    assert bench.reader.loads == 1


async def test_ready_hooks_are_bounded(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"cached_webhooks": 2})
    for path in ("a", "b", "c"):
        await bench.hook(path)
    for _ in range(2):
        for path in ("a", "b", "c"):
            assert (await bench.call(path)).status == 200
    assert bench.reader.loads == 6
    assert len(bench.registry._ready) == 2


# ------------------------------------------------------------------------------------------------------------- order


async def test_each_check_comes_in_its_turn(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"rateLimit": {"enabled": True, "requests": 3, "window": 60}, "body_limit": 1024})
    await bench.hook("order", options={"ipWhitelist": "127.0.0.0/8"}, **TOKEN)
    bad = {"content-type": "application/json"}
    large = b"[" * 2000
    assert (await bench.call("order", body=large, headers=bad, client="10.0.0.1")).status == 403
    assert (await bench.call("order", body=large, headers=bad)).status == 401
    assert (await bench.call("order", body=large, headers={**bad, **RIGHT})).status == 413
    assert (await bench.call("order", body=b"{", headers={**bad, **RIGHT})).status == 400
    answer = await bench.call("order", body=large, headers=bad)
    assert (answer.status, answer.headers["retry-after"]) == (429, "60")
    await bench.clock.advance(59.5)
    assert (await bench.call("order", headers=RIGHT)).status == 429
    await bench.clock.advance(0.5)
    assert (await bench.call("order", headers=RIGHT)).status == 200
    assert len(bench.engine.requests) == 1


async def test_a_signature_needs_the_body_first(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"body_limit": 1024})
    await bench.hook("signed", authentication="hmac", authConfig={"secret": "key", "preset": "github"})
    assert (await bench.call("signed", body=b"x" * 2000)).status == 413
    assert (await bench.call("signed", body=b"x" * 1000)).status == 401
    packed = gzip.compress(b"y" * 5000)
    signature = "sha256=" + hmac.new(b"key", packed, hashlib.sha256).hexdigest()
    headers = {"x-hub-signature-256": signature, "content-encoding": "gzip", "content-type": "text/plain"}
    assert (await bench.call("signed", body=packed, headers=headers)).status == 413


async def test_a_bad_content_length_is_400_and_a_large_one_413(bench: Bench) -> None:
    await bench.hook("length")
    assert (await bench.call("length", headers={"content-length": "x"})).status == 400
    assert (await bench.call("length", headers={"content-length": "99999999999"})).status == 413


async def test_a_slow_body_is_408(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"body_timeout": 0.02})
    ident = await bench.hook("slow")
    asked: list[int] = []

    async def stuck() -> dict[str, Any]:
        asked.append(1)
        if len(asked) == 1:
            await asyncio.get_running_loop().create_future()
        return {"type": "http.request", "body": b"", "more_body": False}

    answer = await bench.call("slow", receive=stuck)
    assert (answer.status, answer.code) == (408, "REQUEST_TIMEOUT")
    assert [entry.response_status for entry in await bench.calls(ident)] == [408]


async def test_a_caller_that_goes_away_starts_nothing(bench: Bench) -> None:
    await bench.hook("gone")

    async def gone() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    assert (await bench.call("gone", receive=gone)).status == 0
    assert bench.engine.requests == []


async def test_the_rest_of_a_refused_body_is_taken_off_the_connection(bench: Bench) -> None:
    await bench.hook("early", **TOKEN)
    taken = []

    async def sending() -> dict[str, Any]:
        taken.append(1)
        return {"type": "http.request", "body": b"x" * 1000, "more_body": len(taken) < 50}

    assert (await bench.call("early", receive=sending)).status == 401
    assert len(taken) == 50


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "x-gzip"])
async def test_compressed_bodies_are_decoded(bench: Bench, coding: str) -> None:
    await bench.hook("packed")
    headers = {"content-encoding": coding, "content-type": "application/json"}
    assert (await bench.call("packed", body=gzip.compress(b'{"a": 1}'), headers=headers)).status == 200
    assert bench.item["body"] == {"a": 1}
    assert (await bench.call("packed", body=b"nope", headers=headers)).status == 400
    answer = await bench.call("packed", body=b"nope", headers={**headers, "content-encoding": "zstd"})
    assert (answer.status, answer.code) == (415, "UNSUPPORTED_MEDIA_TYPE")


async def test_large_bodies_are_parsed_in_a_thread(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"parse_in_thread": 10})
    await bench.hook("large")
    assert (await bench.call("large", json={"x": "y" * 100})).status == 200
    assert bench.item["body"] == {"x": "y" * 100}


async def test_bodies_share_a_bounded_memory(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"body_memory": 1 << 20})
    await bench.hook("crowded", responseMode="lastNode")
    part, waiting = b"x" * (600 << 10), asyncio.Event()
    sent = iter([{"type": "http.request", "body": part, "more_body": True}])

    async def half() -> dict[str, Any]:
        message = next(sent, None)
        if message is None:
            await waiting.wait()
            return {"type": "http.disconnect"}
        return message

    first = asyncio.create_task(bench.call("crowded", receive=half))
    await asyncio.sleep(0)
    answer = await bench.call("crowded", body=part, headers={"content-type": "text/plain"})
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    waiting.set()
    assert (await first).status == 0
    assert (await bench.call("crowded", body=part, headers={"content-type": "text/plain"})).status == 200
    assert bench.call._app._app._memory.used == 0


async def test_one_subscriber_has_one_rate_limit(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"rateLimit": {"enabled": True, "requests": 2, "window": 60}})
    await bench.hook("limited")
    addresses = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"]
    assert [(await bench.call("limited", client=address)).status for address in addresses] == [200, 200, 429, 200]


async def test_robots_may_be_ignored(bench: Bench) -> None:
    await bench.hook("human", options={"ignoreBots": True})
    answer = await bench.call("human", headers={"user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)"})
    assert (answer.status, answer.code) == (403, "BOT_IGNORED")
    assert (await bench.call("human", headers={"user-agent": "curl/8"})).status == 200


@pytest.mark.parametrize(
    ("listed", "client", "status"),
    [
        ("192.0.2.1", "192.0.2.1", 200),
        ("192.0.2.1", "192.0.2.10", 403),
        ("10.0.0.0/8, 2001:db8::/32", "2001:db8::5", 200),
        ("10.0.0.0/8", "::ffff:10.1.2.3", 200),
        ("10.0.0.0/8", "unknown", 403),
        ("::/0", "fe80::1%eth0", 200),
        ("", "192.0.2.1", 200),
    ],
)
async def test_the_address_list(bench: Bench, listed: str, client: str, status: int) -> None:
    await bench.hook("listed", options={"ipWhitelist": listed})
    assert (await bench.call("listed", client=client)).status == status


# ----------------------------------------------------------------------------------------------------------- answers


async def test_last_node(bench: Bench) -> None:
    await bench.hook("all", responseMode="lastNode")
    await bench.hook("first", responseMode="lastNode", responseData="firstEntryJson")
    await bench.hook("none", responseMode="lastNode", responseData="noData", responseCode=201)
    await bench.hook("n8n", version=2, responseMode="lastNode")
    assert (await bench.call("all")).json() == [{"n": 1}, {"n": 2}]
    assert (await bench.call("first")).json() == {"n": 1}
    answer = await bench.call("none")
    assert (answer.status, answer.body) == (201, b"")
    assert (await bench.call("n8n", "GET")).json() == {"n": 1}
    bench.engine.items = []
    assert (await bench.call("all")).json() == []
    assert "message" in (await bench.call("first")).json()


async def test_a_file_is_answered_as_it_is(bench: Bench) -> None:
    await bench.hook("file", responseMode="lastNode", responseData="firstEntryBinary")
    data = bytes(range(256))
    bench.engine.items = [
        {"json": {}, "binary": {"data": {"data": base64.b64encode(data).decode(), "mimeType": "image/png"}}}
    ]
    answer = await bench.call("file")
    assert (answer.status, answer.body, answer.headers["content-type"]) == (200, data, "image/png")
    bench.engine.items = [{"json": {}}]
    assert (await bench.call("file")).code == "EXECUTION_FAILED"


async def test_options_shape_the_answer(bench: Bench) -> None:
    entries = [{"name": "X-One", "value": "a"}, {"name": "Content-Type", "value": "text/html"}]
    await bench.hook(
        "shaped",
        version=2,
        httpMethod="POST",
        options={
            "responseCode": {"values": {"responseCode": "customCode", "customCode": 207}},
            "responseData": "<p>thanks</p>",
            "responseHeaders": {"entries": entries},
        },
    )
    answer = await bench.call("shaped")
    assert (answer.status, answer.body) == (207, b"<p>thanks</p>")
    assert answer.headers["x-one"] == "a"
    assert answer.headers["content-type"] == "text/html"
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert answer.headers["x-content-type-options"] == "nosniff"
    await bench.hook("empty", options={"noResponseBody": True})
    assert (await bench.call("empty")).body == b""
    first = {"responseMode": "lastNode", "responseData": "firstEntryJson"}
    await bench.hook("part", **first, options={"responsePropertyName": "a.b[1]"})
    bench.engine.items = [{"json": {"a": {"b": [1, {"c": 2}]}}}]
    assert (await bench.call("part")).json() == {"c": 2}
    options = {"responsePropertyName": "a", "responseContentType": "text/csv"}
    await bench.hook("typed", **first, options=options)
    bench.engine.items = [{"json": {"a": "x,y"}}]
    answer = await bench.call("typed")
    assert (answer.body, answer.headers["content-type"]) == (b"x,y", "text/csv")


async def test_a_lone_surrogate_can_be_answered(bench: Bench) -> None:
    await bench.hook("odd", responseMode="lastNode")
    bench.engine.items = [{"json": {"a": "\ud800"}}]
    answer = await bench.call("odd")
    assert (answer.status, answer.body) == (200, b'[{"a":"\\ud800"}]')


async def test_a_respond_node_answers(bench: Bench) -> None:
    ident = await bench.hook("asked", responseMode="responseNode")
    bench.engine.answer = NodeAnswer(
        418, [("X-A", "b\r\nX-Evil: 1"), ("Content-Length", "9"), ("Content-Type", "text/csv")], b"a,b"
    )
    answer = await bench.call("asked")
    assert (answer.status, answer.body) == (418, b"a,b")
    assert answer.headers["x-a"] == "b X-Evil: 1"
    assert answer.headers["content-length"] == "3"
    assert bench.engine.requests[0].response_node
    (entry,) = await bench.calls(ident)
    assert (entry.status, entry.response_status, entry.response_body) == ("success", 418, "a,b")


async def test_no_respond_node_and_failures(bench: Bench) -> None:
    ident = await bench.hook("asked", responseMode="responseNode")
    answer = await bench.call("asked")
    assert (answer.status, answer.code) == (500, "NO_RESPONSE_NODE")
    assert answer.json()["executionId"] == bench.engine.executions[0].id
    bench.engine.failure = "secret detail"
    answer = await bench.call("asked")
    assert (answer.status, answer.code) == (500, "EXECUTION_FAILED")
    assert b"secret detail" not in answer.body
    assert answer.json()["requestId"] == "r2"
    bench.engine.failure, bench.engine.answer = None, NodeAnswer(99)
    assert (await bench.call("asked")).code == "EXECUTION_FAILED"
    assert [entry.status for entry in await bench.calls(ident)] == ["failed"] * 3


async def test_no_answer_in_time_is_504(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"response_timeout": 0.02})
    for mode in ("lastNode", "responseNode"):
        ident = await bench.hook(mode, responseMode=mode)
        bench.engine.hold = True
        answer = await bench.call(mode)
        assert (answer.status, answer.code) == (504, "EXECUTION_TIMEOUT")
        assert answer.json()["executionId"] == bench.engine.executions[-1].id
        (entry,) = await bench.calls(ident)
        assert (entry.status, entry.response_status) == ("timeout", 504)
        assert not bench.engine.executions[-1].finished.done()


async def test_head_has_no_body(bench: Bench) -> None:
    await bench.hook("head", httpMethod="HEAD")
    answer = await bench.call("head", "HEAD")
    assert (answer.status, answer.body) == (200, b"")
    answer = await bench.call("none", "HEAD")
    assert (answer.status, answer.body) == (404, b"")


async def test_several_methods_have_an_output_each(bench: Bench) -> None:
    await bench.hook("many", httpMethod=["GET", "POST"], multipleMethods=True)
    for method, output in (("GET", 0), ("POST", 1)):
        assert (await bench.call("many", method)).status == 200
        assert bench.engine.requests[-1].start_output == output


async def test_store_trouble_is_503(bench: Bench) -> None:
    await bench.hook("trouble", responseMode="lastNode")
    for error in (StoreUnavailable(), Conflict("draining")):
        bench.engine.refuse = error
        answer = await bench.call("trouble")
        assert (answer.status, answer.code) == (503, "STORE_UNAVAILABLE")
        assert int(answer.headers["retry-after"]) >= 1
    bench.engine.refuse = None
    bench.store.fail_with = StoreUnavailable()
    assert (await bench.call("trouble")).status == 503


async def test_an_unforeseen_failure_is_500_without_details(bench: Bench) -> None:
    await bench.hook("bug")
    bench.engine.refuse = RuntimeError("inner secret")
    answer = await bench.call("bug")
    assert (answer.status, answer.code) == (500, "INTERNAL")
    assert b"inner secret" not in answer.body


# ----------------------------------------------------------------------------------------------------------- history


async def test_the_history_keeps_calls_without_secrets(bench: Bench) -> None:
    ident = await bench.hook("kept", **TOKEN)
    headers = {**RIGHT, "Authorization": "Bearer abc", "Stripe-Signature": "v1=zzz", "X-Plain": "yes"}
    assert (await bench.call("kept", json={"n": 1}, headers=headers)).status == 200
    (entry,) = await bench.calls(ident)
    assert entry.execution_id == bench.engine.executions[0].id
    assert entry.headers == {
        "x-token": "***",
        "authorization": "***",
        "stripe-signature": "***",
        "x-plain": "yes",
        "content-type": "application/json",
    }
    assert (entry.body, entry.truncated, entry.response_status) == ('{"n":1}', False, 200)
    assert bench.item["headers"]["x-token"] == RIGHT["X-Token"]
    assert RIGHT["X-Token"].encode() not in hide(dumps(bench.item), bench.engine.requests[0].hidden)
    assert bench.item["headers"]["authorization"] == "Bearer abc"


async def test_long_bodies_are_cut(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"history": {"body_bytes": 10}})
    ident = await bench.hook("long", responseMode="lastNode")
    assert (await bench.call("long", body=b"\xff" + b"x" * 20)).status == 200
    (entry,) = await bench.calls(ident)
    assert (entry.body, entry.truncated) == ("\ufffd" + "x" * 9, True)
    assert (entry.response_body, entry.response_truncated) == ('[{"n":1},{', True)


async def test_refused_calls_are_kept_without_a_body_and_bounded(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"history": {"rejected_per_minute": 5}})
    ident = await bench.hook("refused", **TOKEN)
    for _ in range(8):
        await bench.call("refused", body=b"private", headers={"X-Token": "nearly"})
    entries = await bench.calls(ident)
    assert {(entry.status, entry.response_status, entry.body) for entry in entries} == {("rejected", 401, "")}
    assert len(entries) == 5
    assert {entry.headers["x-token"] for entry in entries} == {"***"}
    (row,) = await bench.webhooks(ident)
    assert (await bench.store.webhook_stats(row.id)).total_calls == 8
    await bench.clock.advance(61)
    await bench.call("refused", "PUT")
    assert len(await bench.calls(ident)) == 6


async def test_a_call_of_an_inactive_path_leaves_no_trace(bench: Bench) -> None:
    ident = await bench.hook("asleep", active=False)
    assert (await bench.call("asleep")).status == 503
    assert await bench.calls(ident) == []


async def test_a_store_that_refuses_does_not_stop_refusals(bench: Bench) -> None:
    await bench.hook("refused", **TOKEN)
    assert (await bench.call("refused")).status == 401
    bench.store.fail_with = StoreUnavailable()
    assert (await bench.call("refused")).status == 401


async def test_calls_are_published(bench: Bench) -> None:
    ident = await bench.hook("told")
    await bench.call("told")
    event = bench.context.events.published[-1]
    assert (event.topic, event.type, event.data["workflowId"], event.data["status"]) == (
        "webhooks", "webhook.called", ident, 200,
    )  # fmt: skip
