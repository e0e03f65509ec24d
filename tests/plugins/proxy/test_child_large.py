"""Large requests are worked on by another process, so that they hold up nobody else."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest
from aiohttp import web
from proxy_lab import ASKED, MESSAGE, Provider_, plan, proxy_of, rule, until, upstream

from jackfield.api.dialects.model import DialectError, DialectName
from jackfield_proxy.child.incoming import helpers as helper_processes
from jackfield_proxy.child.incoming import large
from jackfield_proxy.child.incoming.client_request import NOT_NAMED, ClientRequest
from jackfield_proxy.child.incoming.helpers import HelperProcesses
from jackfield_proxy.child.incoming.large import LARGE, LargeClientRequest, read, request_of
from jackfield_proxy.child.incoming.raw_model import require_one_reading, with_model
from jackfield_proxy.child.incoming.references import of_text
from jackfield_proxy.plan import ProxyLimits, Target

HEADERS = [("X-Session-Id", "s1"), ("User-Agent", "agent")]
LONG = ProxyLimits(retries=0, first_byte_timeout=60.0, stop_grace=0.0)


def turns(size: int) -> list[dict[str, Any]]:
    """A conversation with calls of tools, of so many bytes at least."""
    made: list[dict[str, Any]] = [{"role": "user", "content": "ping"}]
    for number in range(size // 2000 + 1):
        use = {"type": "tool_use", "id": f"toolu_{number}", "name": "read", "input": {"path": "/a", "lines": [1, 2]}}
        text = {"type": "text", "text": "a line of code\n" * 130}
        made.append({"role": "assistant", "content": [use]})
        made.append({"role": "user", "content": [{**text, "type": "tool_result", "tool_use_id": use["id"]}]})
        made[-1]["content"] = [{"type": "tool_result", "tool_use_id": use["id"], "content": [text]}]
    return made


def body(size: int = 2 * LARGE, **more: Any) -> bytes:
    tools = [{"name": "read", "input_schema": {"type": "object", "properties": {}}}]
    return json.dumps({**ASKED, "tools": tools, "messages": turns(size), **more}).encode()


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


@pytest.fixture
async def helpers() -> AsyncIterator[HelperProcesses]:
    made = HelperProcesses()
    yield made
    made.close()


def answering(family: str) -> tuple[Any, list[bytes]]:
    got: list[bytes] = []
    choice = {"index": 0, "message": {"role": "assistant", "content": "pong"}, "finish_reason": "stop"}
    chat = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        got.append(await request.read())
        return web.json_response(MESSAGE if family == "anthropic" else chat)

    return answer, got


async def test_a_large_call_is_the_same_as_a_small_one(helpers: HelperProcesses, north: Provider_) -> None:
    told = [{"role": "user", "content": "ping " * 60_000}]
    plain = json.dumps({"model": "asked", "messages": told, "input": told}).encode()
    given: dict[DialectName, bytes] = {"anthropic": body(), "chat": plain, "responses": plain}
    for dialect, asked in given.items():
        one = ClientRequest(dialect, asked, HEADERS, "")
        other = await request_of(dialect, asked, HEADERS, "", helpers, counts=False)
        assert isinstance(other, LargeClientRequest)
        assert await one.attributes() == await other.attributes()
        for name in ("model", "stream", "headers", "session", "conversation", "mixed"):
            assert getattr(one, name) == getattr(other, name), name
        assert await one.counted("anthropic", "n") == await other.counted("anthropic", "n")
        for family in ("anthropic", "openai"):
            for model in ("asked", "another"):
                target = Target("north", model)
                there = upstream(north, family=family)
                assert await one.for_upstream(there, target, {}) == await other.for_upstream(there, target, {})
        assert one.asked == other.asked


async def test_what_is_wrong_with_it_is_told(helpers: HelperProcesses) -> None:
    space = b" " * LARGE
    for given, says in ((b"[" + space + b"]", "not a JSON object"), (b"{" + space, "JSON"), (b"{}" + space, "model")):
        with pytest.raises(DialectError, match=says) as raised:
            await request_of("chat", given, [], "", helpers, counts=False)
        assert (raised.value.status, raised.value.kind) == (400, "invalid_request_error")


def test_an_error_keeps_all_that_it_says() -> None:
    error = DialectError(429, "no cormorants", "rate_limit_error", code="c", param="p", overflow=True, retry_after=2.5)
    assert vars(pickle.loads(pickle.dumps(error))) == vars(error)
    assert str(pickle.loads(pickle.dumps(error))) == "no cormorants"


@pytest.mark.parametrize("work", [require_one_reading, partial(of_text, dialect="chat")])
async def test_a_process_that_has_read_nothing_else_tells_what_is_wrong(
    helpers: HelperProcesses, work: Callable[[bytes], object]
) -> None:
    with pytest.raises(DialectError, match="more than once"):
        await read(helpers, work, b'{"file_id": 1, "file_id": 2, "x": "%b"}' % (b"x" * LARGE))


async def test_other_processes_give_what_this_one_would(helpers: HelperProcesses) -> None:
    asked = b'{"model": "m", "input": [{"file_id": "file-1"}], "x": "%b"}' % (b"x" * LARGE)
    assert await read(helpers, of_text, asked, "chat") == of_text(asked, "chat") == ["file-1"]
    assert await read(helpers, with_model, asked, "n") == with_model(asked, "n")


@pytest.mark.parametrize("family", ["anthropic", "openai"])
async def test_it_reaches_the_provider_whole(north: Provider_, family: str) -> None:
    north.answer, got = answering(family)
    given = body(500_000)
    async with proxy_of(plan({"north": upstream(north, family=family)}, rule("r", "north/n"), limits=LONG)) as proxy:
        status, answer = await proxy.post(given)
    assert (status, json.loads(answer)["content"][0]["text"]) == (200, "pong")
    sent = json.loads(got[0])
    assert sent["model"] == "n"
    if family == "anthropic":
        assert sent == {**json.loads(given), "model": "n"}
    else:
        calls = [turn["tool_calls"][0]["id"] for turn in sent["messages"] if turn.get("tool_calls")]
        assert calls == [f"toolu_{number}" for number in range(500_000 // 2000 + 1)]
    (served,) = proxy.pipe.served
    assert served.estimated_tokens > 100_000


class Gate:
    """Work that is not done until it may be."""

    def __init__(self) -> None:
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def run(self, work: Callable[..., Any], *given: object) -> Any:
        self.asked.set()
        await self.go.wait()
        return work(*given)

    def close(self) -> None:
        self.go.set()


async def test_others_are_served_while_it_is_worked_on(north: Provider_) -> None:
    north.answer, _ = answering("anthropic")
    async with proxy_of(plan({"north": upstream(north)}, limits=LONG)) as proxy:
        gate = proxy.server._helpers = Gate()  # type: ignore[assignment]
        waiting = asyncio.create_task(proxy.post(body()))
        await gate.asked.wait()
        assert (await proxy.post(ASKED))[0] == 200
        assert [one.estimated_tokens < 100 for one in proxy.pipe.served] == [True], "the large one is not there yet"
        gate.go.set()
        assert (await waiting)[0] == 200


async def test_a_process_that_dies_fails_its_request_alone(north: Provider_) -> None:
    north.answer, _ = answering("anthropic")
    async with proxy_of(plan({"north": upstream(north)}, limits=LONG)) as proxy:
        with pytest.raises(DialectError, match="has died"):
            await proxy.server._helpers.run(os._exit, 3)
        assert (await proxy.post(body()))[0] == 200


async def test_a_process_that_dies_leaves_those_of_later_requests_alone(helpers: HelperProcesses) -> None:
    dying = asyncio.create_task(helpers.run(os._exit, 3))
    await asyncio.sleep(0)
    helpers._pool = None  # as another request of the same processes finds it out before
    later = helpers._processes()
    with pytest.raises(DialectError, match="has died"):
        await dying
    assert helpers._pool is later


async def test_without_another_process_it_is_done_here(
    helpers: HelperProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(helpers, "_processes", refused)
    assert await helpers.run(os.getpid) == os.getpid()


async def test_idle_processes_end(helpers: HelperProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helper_processes, "IDLE", 0.01)
    await helpers.run(os.getpid)
    await until(lambda: helpers._pool is None)
    assert await helpers.run(os.getpid) != os.getpid(), "and come again"


def test_only_signatures_of_its_own_calls_go_along() -> None:
    read = large._read("anthropic", body(), [], NOT_NAMED)
    call = LargeClientRequest(
        "anthropic", b"", [], "", counts=False, read=read, named=NOT_NAMED, helpers=HelperProcesses()
    )
    assert call.known({"toolu_1": "a", "toolu_x": "b"}) == {"toolu_1": "a"}
