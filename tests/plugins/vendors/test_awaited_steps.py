"""Steps that wait: for an answer that says what is waited for, for an event, and those that come last."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Loopback, Seen, reply
from service_lab import Services
from vendor_lab import Lab

from jackfield.api.http_client import HttpReply
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.testing.node_runs import items
from jackfield_vendors.requests.answers import MOST_EVENT, FirstEvent, from_base64

HEAD = HttpReply(200, "OK", [], b"", "https://a.example")
EVENTS = [{"event": "status", "id": 1}, {"event": "ready", "id": 2}, {"event": "ready", "id": 3}]
STREAM = b": hello\n\n" + b"".join(b"event: x\ndata: " + json.dumps(one).encode() + b"\n\n" for one in EVENTS)
NODE = """
[node]
kind = "acme"
title = "Acme"
base_url = "{base}"
errors = {{ bad = "errors", message = ["errors.0.message"] }}

[[operations]]
value = {{ state = "{{$state.status}}" }}
parameters = [{{ name = "seconds", type = "number", default = 5 }}]

[[operations.steps]]
name = "job"
method = "POST"
path = "/jobs"

[[operations.steps]]
name = "state"
path = "/jobs/{{$job.id}}"
until = {until}
pause = 0.001
within = "{{seconds}}"

[[operations.lastly]]
name = "noted"
needs = "{{$failed}}"
method = "POST"
path = "/failed"

[[operations.lastly]]
name = "gone"
method = "DELETE"
path = "/jobs/{{$job.id}}"
"""
UNTILS = [
    '{ status = ["done", "broken"] }',
    "\"{$state.status | match:'^(?:done|broken)$'}\"".replace("{", "{{").replace("}", "}}"),
]


@pytest.fixture
def services(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Services:
    return Services(lab, monkeypatch)


def acme(lab: Lab, server: Loopback, until: str = UNTILS[0]) -> Any:
    path = lab.directory / "acme.toml"
    path.write_text(NODE.format(base=server.url(""), until=until.replace("{{", "{").replace("}}", "}")))
    return lab.node(path)


def jobs(*states: Any) -> Callable[[Seen], bytes]:
    left = list(states)

    def answer(seen: Seen) -> bytes:
        if seen.method == "GET":
            return reply(left.pop(0) if len(left) > 1 else left[0])
        return reply({"id": "j1"})

    return answer


@pytest.mark.parametrize("until", UNTILS)
async def test_a_step_asks_until_it_holds(lab: Lab, server: Loopback, until: str) -> None:
    server.answer = jobs({"status": "new"}, {}, {"status": "done"})
    assert await lab.json("acme", None, {}, node=acme(lab, server, until)) == [{"state": "done"}]
    assert [one.method for one in server.seen] == ["POST", "GET", "GET", "GET", "DELETE"]


async def test_a_step_does_not_wait_for_ever(lab: Lab, server: Loopback) -> None:
    server.answer = jobs({"status": "new"})
    with pytest.raises(NodeError, match="Acme was not ready within 0 seconds"):
        await lab.json("acme", None, {"seconds": 0}, node=acme(lab, server))
    assert [(one.method, one.target) for one in server.seen[-2:]] == [("POST", "/failed"), ("DELETE", "/jobs/j1")]


@pytest.mark.parametrize("seconds", ["inf", "nan", "1e999", "soon", ""])
async def test_a_time_without_end_is_refused(lab: Lab, server: Loopback, seconds: str) -> None:
    server.answer = jobs({"status": "new"})
    text = NODE.replace('type = "number", default = 5', 'default = "5"')
    path = lab.directory / "acme.toml"
    path.write_text(text.format(base=server.url(""), until=UNTILS[0]))
    async with asyncio.timeout(10):
        with pytest.raises(NodeError, match="no number of seconds"):
            await lab.json("acme", None, {"seconds": seconds}, node=lab.node(path))


async def test_the_first_failure_is_told(lab: Lab, server: Loopback) -> None:
    server.answer = lambda seen: reply(
        {"errors": [{"message": f"{seen.method} fails"}]} if seen.method != "POST" else {"id": "j1"}
    )
    with pytest.raises(NodeError, match="GET fails"):
        await lab.json("acme", None, {}, node=acme(lab, server))
    assert server.seen[-1].method == "DELETE"


async def test_a_cancelled_run_leaves_nothing_open(lab: Lab, server: Loopback) -> None:
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()

    def answer(seen: Seen) -> bytes:
        if seen.method == "GET":
            loop.call_soon_threadsafe(asked.set)
        return reply({"id": "j1", "status": "new"})

    server.answer = answer
    run = asyncio.create_task(lab.json("acme", None, {"seconds": 3600}, node=acme(lab, server)))
    await asked.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert [(one.method, one.target) for one in server.seen[-2:]] == [("POST", "/failed"), ("DELETE", "/jobs/j1")]


async def test_a_failure_at_the_end_is_told(lab: Lab, server: Loopback) -> None:
    good = jobs({"status": "done"})
    server.answer = lambda seen: reply({}, "500 Broken") if seen.method == "DELETE" else good(seen)
    with pytest.raises(NodeError, match="status 500"):
        await lab.json("acme", None, {}, node=acme(lab, server))


async def kept(title: str, content: bytes, cuts: list[int], holds: Callable[[Json], bool]) -> Json:
    places = [0, *sorted(cut % (len(content) + 1) for cut in cuts), len(content)]

    async def chunks() -> AsyncIterator[bytes]:
        for begin, end in pairwise(places):
            yield content[begin:end]

    keeper = FirstEvent(title, holds)
    await keeper.keep(HEAD, chunks())
    return keeper.found


@given(st.lists(st.integers(0, 300)), st.sampled_from([b"\n", b"\r\n"]))
def test_events_are_read_however_they_arrive(cuts: list[int], end: bytes) -> None:
    stream = STREAM.replace(b"\n", end)
    assert asyncio.run(kept("Acme", stream, cuts, lambda one: one["event"] == "ready")) == EVENTS[1]  # type: ignore[index,call-overload]  # an object


@pytest.mark.parametrize(
    ("stream", "told"),
    [(STREAM, "ended its events"), (b"data: {\n\n", "ended its events"), (b"x" * (MOST_EVENT + 1), "more than")],
)
async def test_events_without_the_one_that_is_waited_for(stream: bytes, told: str) -> None:
    with pytest.raises(NodeError, match=told):
        await kept("Acme", stream, [], lambda one: False)


def test_a_body_that_is_no_base64_is_told() -> None:
    assert from_base64("data:image/png;base64,AAAA") == b"\0\0\0"
    with pytest.raises(NodeError, match="base64"):
        from_base64("%")


AIRTOP = ("airtopApi", {"apiKey": "key-of-airtop"})
FILE = {"resource": "file", "operation": "upload", "sessionId": "s1", "windowId": "w1", "fileName": "a.txt"}


async def test_a_file_goes_to_airtop(services: Services, server: Loopback) -> None:
    upload = {"event": "file_upload_status", "fileId": "f1", "status": "available"}
    events = [{**upload, "status": "pending"}, {**upload, "fileId": "f2"}, upload]

    def answer(seen: Seen) -> bytes:
        if seen.target.endswith("/events?all=true"):
            return reply(
                "".join(f"data: {json.dumps(one)}\n\n" for one in events).encode(), content_type="text/event-stream"
            )
        return reply({"data": {"id": "f1", "uploadUrl": server.url("/bucket/f1?signed=1"), "status": "available"}})

    server.answer = answer
    content = base64.b64encode(b"hello").decode()
    [item] = items({})
    item["binary"] = {"data": {"data": content, "mimeType": "text/plain", "fileName": "b.txt"}}
    made = await services.run(
        "airtop", 1.1, {**FILE, "source": "binary", "elementDescription": "the box"}, item, credential=AIRTOP
    )
    assert [one["json"] for one in made] == [
        {"sessionId": "s1", "windowId": "w1", "data": {"fileId": "f1", "message": "File uploaded successfully"}}
    ]
    asked = [(one.method, one.target) for one in server.seen]
    assert asked == [
        ("POST", "/api/v1/files"),
        ("PUT", "/bucket/f1?signed=1"),
        ("GET", "/api/v1/files/f1"),
        ("POST", "/api/v1/files/f1/push"),
        ("GET", "/api/v1/sessions/s1/events?all=true"),
        ("POST", "/api/v1/sessions/s1/windows/w1/file-input"),
    ]
    bucket = server.seen[1]
    assert (bucket.body, "authorization" in bucket.headers, "api-key" in bucket.headers) == (b"hello", False, False)
    assert server.seen[-1].headers["authorization"] == "Bearer key-of-airtop"
    assert server.seen[-1].json == {"fileId": "f1", "elementDescription": "the box", "includeHiddenElements": True}


async def test_a_file_comes_from_an_address_and_fails_in_airtop(services: Services, server: Loopback) -> None:
    failed = {
        "event": "file_upload_status",
        "fileId": "f1",
        "status": "upload_failed",
        "eventData": {"error": "Too large"},
    }

    def answer(seen: Seen) -> bytes:
        if seen.target == "/from/a.txt":
            return reply(b"hello")
        if "/events" in seen.target:
            return reply(f"data: {json.dumps(failed)}\n\n".encode(), content_type="text/event-stream")
        return reply({"data": {"id": "f1", "uploadUrl": server.url("/bucket"), "status": "available"}})

    server.answer = answer
    with pytest.raises(NodeError, match="Too large"):
        await services.run("airtop", 1, {**FILE, "source": "url", "url": server.url("/from/a.txt")}, credential=AIRTOP)
    assert "authorization" not in server.seen[0].headers
    assert [one.body for one in server.seen if one.method == "PUT"] == [b"hello"]


async def test_a_download_is_waited_for_and_fetched(services: Services, server: Loopback) -> None:
    ready = {"event": "file_status", "status": "available", "fileId": "f1", "downloadUrl": server.url("/down/a.txt")}

    def answer(seen: Seen) -> bytes:
        if "/events" in seen.target:
            return reply(f"data: {json.dumps(ready)}\n\n".encode(), content_type="text/event-stream")
        if seen.target == "/down/a.txt":
            return reply(b"hello", content_type="text/plain")
        return reply({"data": {"status": "available", "fileName": "a.txt", "downloadUrl": ready["downloadUrl"]}})

    server.answer = answer
    session = {"resource": "session", "operation": "waitForDownload"}
    [made] = await services.run("airtop", 1, session, *items({"sessionId": "s1"}), credential=AIRTOP)
    assert made["json"] == {"sessionId": "s1", "data": {"fileId": "f1", "downloadUrl": ready["downloadUrl"]}}
    file = {"resource": "file", "operation": "get", "fileId": "f1", "outputBinaryFile": True}
    [made] = await services.run("airtop", 1, file, credential=AIRTOP)
    assert made["json"]["data"]["fileName"] == "a.txt"  # type: ignore[index,call-overload]  # an object
    assert made["binary"]["data"]["fileName"] == "a.txt"
    assert await services.lab.files.read(made["binary"]["data"]) == b"hello"
