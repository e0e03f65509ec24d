"""Files of calls: large ones are kept outside of the items, and answered from there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from jackfield.api.binary import BinaryError, BinaryStore, Streamed
from jackfield.api.engine import WaitingCall
from jackfield.api.ids import is_uuid, new_id
from jackfield.api.nodes import NodeAnswer
from jackfield.api.records import replace
from jackfield.api.resume import ResumeLinks
from jackfield.api.workflows import Node, Workflow, WorkflowSettings
from jackfield.testing.binary import MemoryBinary

Bench = Any
LARGE = bytes(range(256)) * 400


def kept(bench: Bench) -> dict[str, bytes]:
    store: MemoryBinary = bench.context.port(BinaryStore)
    return store.shared.kept


async def test_a_large_file_of_a_form_is_kept_for_the_execution(bench: Bench) -> None:
    await bench.hook("files")
    parts = [("small", b"little"), ("large", LARGE)]
    body = b"".join(
        f'--x\r\nContent-Disposition: form-data; name="{name}"; filename="{name}.bin"\r\n'
        "Content-Type: image/png\r\n\r\n".encode()
        + content
        + b"\r\n"
        for name, content in parts
    )
    await bench.call("files", body=body + b"--x--\r\n", headers={"content-type": "multipart/form-data; boundary=x"})
    files: Any = bench.engine.requests[-1].items[0]["binary"]
    assert files["small"]["data"] == "bGl0dGxl"
    assert "id" not in files["small"]
    large = files["large"]
    assert (large["data"], large["fileName"], large["mimeType"], large["bytes"]) == (
        "", "large.bin", "image/png", len(LARGE),
    )  # fmt: skip
    assert kept(bench)[large["id"]] == LARGE
    given = bench.engine.requests[-1].id
    assert given is not None
    assert is_uuid(given)


async def test_a_call_without_large_files_leaves_the_id_to_the_engine(bench: Bench) -> None:
    await bench.hook("files")
    await bench.call("files", body=b"little", headers={"content-type": "image/png"})
    assert bench.engine.requests[-1].id is None
    assert kept(bench) == {}


async def test_a_full_disk_is_503_and_starts_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await bench.hook("files")

    async def full(*_: object, **__: object) -> Any:
        raise BinaryError("The file could not be kept: the disk is full.")

    monkeypatch.setattr(bench.context.port(BinaryStore).shared, "write", full)
    answer = await bench.call("files", body=LARGE, headers={"content-type": "image/png"})
    assert (answer.status, answer.code) == (503, "BINARY_STORE_UNAVAILABLE")
    assert bench.engine.requests == []


async def test_a_kept_file_is_answered(bench: Bench) -> None:
    await bench.hook("file", responseMode="lastNode", responseData="firstEntryBinary")
    file = await bench.context.port(BinaryStore).files("e").write(LARGE, mime_type="image/png", file_name="a.png")
    bench.engine.items = [{"json": {}, "binary": {"data": file}}]
    answer = await bench.call("file")
    assert (answer.status, answer.body, answer.headers["content-type"]) == (200, LARGE, "image/png")
    kept(bench).clear()
    answer = await bench.call("file")
    assert (answer.status, answer.code) == (500, "EXECUTION_FAILED")
    assert answer.json()["message"] == "The workflow's answer is a file that cannot be read."


async def test_a_large_file_of_a_call_that_is_waited_for(bench: Bench) -> None:
    ident = new_id()
    node = Node("n", "Wait", "n8n-nodes-base.wait", "wait", 1.1, {})
    workflow = Workflow("w", "W", 1, True, {"Wait": node}, {}, WorkflowSettings(), {}, {})
    call: Any = {"kind": "webhook", "parameters": {"httpMethod": "POST"}}
    bench.engine.waits[ident] = WaitingCall(ident, 3, workflow, node, "webhook", call)
    token = ResumeLinks(bench.context).token(ident)
    answer = await bench.waiting(token, body=LARGE, headers={"content-type": "image/png"})
    assert answer.status == 200
    file = bench.engine.resumed[0][0]["binary"]["data"]
    assert (file["data"], kept(bench)[file["id"]]) == ("", LARGE)


# -------------------------------------------------------------------------------------------------- answered in pieces


SCOPE = {
    "type": "http", "method": "POST", "path": "/webhook/file", "raw_path": b"/webhook/file", "query_string": b"",
    "headers": [], "jackfield.client": "127.0.0.1", "jackfield.request_id": "r",
}  # fmt: skip


async def content(bench: Bench, body: bytes = LARGE) -> Streamed:
    store: MemoryBinary = bench.context.port(BinaryStore)
    made = await store.files("e").content(await store.files("e").write(body, mime_type="image/png"))
    assert isinstance(made, Streamed)
    return made


@pytest.mark.parametrize("method", ["POST", "HEAD"])
async def test_a_respond_node_answers_with_a_kept_file(bench: Bench, method: str) -> None:
    ident = await bench.hook("file", responseMode="responseNode", httpMethod=method)
    body = LARGE * 6
    headers = (("content-type", "image/png"), ("content-disposition", 'filename="a.png"'))
    bench.engine.answer = NodeAnswer(206, headers, await content(bench, body))
    answer = await bench.call("file", method=method)
    assert (answer.status, answer.body) == (206, body if method == "POST" else b"")
    shown = {**answer.headers}
    assert (shown["content-length"], shown["content-disposition"]) == (str(len(body)), 'filename="a.png"')
    (entry,) = await bench.calls(ident)
    assert entry.response_truncated
    assert entry.response_body == body[:65_536].decode("utf-8", "replace")


@pytest.mark.parametrize("limit", [1_048_576, 5])
async def test_a_repeat_gets_the_file_again(make_bench: Callable[..., Bench], limit: int) -> None:
    bench = make_bench({"delivery_answer_bytes": limit})
    await bench.hook("file", responseMode="responseNode")
    bench.engine.answer = NodeAnswer(201, (("x-mine", "yes"),), await content(bench))
    first = await bench.call("file", headers={"Idempotency-Key": "k"})
    bench.engine.answer = NodeAnswer(200, (), b"second")
    again = await bench.call("file", headers={"Idempotency-Key": "k"})
    assert (again.status, again.raw_headers, again.body) == (first.status, first.raw_headers, LARGE)
    kept(bench).clear()
    gone = await bench.call("file", headers={"Idempotency-Key": "k"})
    if limit > len(LARGE):
        assert gone.body == LARGE
    else:
        assert gone.json()["executionId"] == bench.engine.executions[0].id


async def test_repeats_at_once_share_the_file(bench: Bench) -> None:
    await bench.hook("file", responseMode="responseNode")
    bench.engine.answer, bench.engine.hold = NodeAnswer(200, (), await content(bench)), True
    calls = [asyncio.create_task(bench.call("file", headers={"Idempotency-Key": "k"})) for _ in range(5)]
    while not bench.engine.executions:
        await asyncio.sleep(0)
    bench.engine.end(bench.engine.executions[0])
    assert {answer.body for answer in await asyncio.gather(*calls)} == {LARGE}


async def test_an_answer_whose_file_breaks_off_is_not_ended(bench: Bench) -> None:
    """The server sees an application that left without the end, and closes the connection."""
    await bench.hook("file", responseMode="responseNode")
    whole = await content(bench)
    bench.engine.answer = NodeAnswer(200, (), replace(whole, size=whole.size + 1))
    sent: list[Any] = []

    async def receive() -> Any:
        if sent:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await bench.call._app(SCOPE, receive, send)
    assert dict(sent[0]["headers"])[b"content-length"] == str(len(LARGE) + 1).encode()
    assert b"".join(message["body"] for message in sent[1:]) == LARGE
    assert all(message["more_body"] for message in sent[1:])


async def test_a_file_is_not_read_on_for_a_caller_who_left(bench: Bench) -> None:
    await bench.hook("file", responseMode="responseNode")
    read = 0

    async def chunks() -> AsyncGenerator[bytes, None]:
        nonlocal read
        for _ in range(100):
            read += 1
            yield b"x"

    bench.engine.answer = NodeAnswer(200, (), Streamed(100, chunks))
    messages = [{"type": "http.request", "body": b"", "more_body": False}, {"type": "http.disconnect"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        nonlocal read
        if not sent:
            read = 0  # without what the history shows
        sent.append(message)
        await asyncio.sleep(0)

    await bench.call._app(SCOPE, receive, send)
    assert sent[0]["status"] == 200
    assert read < 5
