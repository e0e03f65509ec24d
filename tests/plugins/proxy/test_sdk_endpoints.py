"""Endpoints beside those of conversations: what an official client sends through a proxy is what it sends without one,
and it reads the same answer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anthropic
import openai
import pytest
from aiohttp import web
from proxy_lab import KEY, TOKEN, Asked, Provider_, Proxy, failing, plan, proxy_of, rule, until, upstream
from yarl import URL

from jackfield_proxy.plan import ProxyLimits, Target, Upstream

BIG = b"x" * 300_000
Call = Callable[[Any], Awaitable[object]]
"""Any: either family's client."""


def bodies(path: str) -> web.StreamResponse:
    """What fits most endpoints; the clients read leniently."""
    if path.endswith(("/content", "/speech", "/results")):
        return web.Response(body=b'{"a": 1}\n{"a": 2}\n' + BIG, content_type="application/octet-stream")
    if path.endswith("/embeddings"):
        vector = {"object": "embedding", "index": 0, "embedding": [0.5]}
        usage = {"prompt_tokens": 7, "total_tokens": 7}
        return web.json_response({"object": "list", "model": "e", "data": [vector], "usage": usage})
    answer = {"id": "x_1", "object": "x", "type": "x", "data": [], "results": [], "output": [], "text": "said"}
    usage = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    return web.json_response({**answer, "input_tokens": 5, "usage": usage, "results_url": None})


async def answering(request: web.BaseRequest) -> web.StreamResponse:
    return bodies(request.path)


@contextlib.asynccontextmanager
async def both(family: str, *rules: Any, **more: Any) -> AsyncIterator[tuple[Provider_, Proxy, Any, Any]]:
    """A provider, a proxy in front of it, and two clients: of the provider, and of the proxy."""
    async with contextlib.AsyncExitStack() as stack:
        north = await stack.enter_async_context(Provider_().serving())
        north.answer = answering
        made = plan({"north": upstream(north, family=family, native=True)}, *rules, **more)
        proxy = await stack.enter_async_context(proxy_of(made))
        base = str(proxy.client._base_url).rstrip("/")
        direct, through = [_client(family, *place) for place in ((north.url, KEY), (base, TOKEN))]
        await stack.enter_async_context(direct)
        await stack.enter_async_context(through)
        yield north, proxy, direct, through


def _client(family: str, url: str, key: str) -> Any:
    if family == "openai":
        return openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
    return anthropic.AsyncAnthropic(base_url=url, api_key=key, max_retries=0)


def told(asked: Asked) -> tuple[object, ...]:
    """Without what differs from connection to connection."""
    kind = re.sub(r"boundary=\S+", "boundary=", asked.headers.get("content-type", ""))
    body = re.sub(rb"--[0-9a-f]{32}", b"--", asked.body)
    credentials = asked.headers.get("authorization", "") + asked.headers.get("x-api-key", "")
    assert KEY in credentials
    assert TOKEN not in str(asked)
    names = {"anthropic-version", "anthropic-beta", "openai-beta", "accept"}
    kept = {name: value for name, value in asked.headers.items() if name in names}
    return asked.method, asked.path, kind, body, kept


async def read(answer: object) -> object:
    if hasattr(answer, "read"):
        found = answer.read()
        return found if isinstance(found, bytes) else await found
    if hasattr(answer, "__aiter__"):
        return [str(one) async for one in answer]
    return answer


OPENAI: dict[str, Call] = {
    "embeddings": lambda c: c.embeddings.create(model="e", input=["hi"], encoding_format="float"),
    "moderations": lambda c: c.moderations.create(model="m", input="hi"),
    "images": lambda c: c.images.generate(model="i", prompt="cat"),
    "image edits": lambda c: c.images.edit(model="i", prompt="cat", image=("a.png", b"png", "image/png")),
    "speech": lambda c: c.audio.speech.create(model="t", voice="alloy", input="hi"),
    "transcription": lambda c: c.audio.transcriptions.create(model="w", file=("a.wav", BIG, "audio/wav")),
    "file upload": lambda c: c.files.create(purpose="batch", file=("a.jsonl", BIG, "application/jsonl")),
    "file list": lambda c: c.files.list(purpose="batch"),
    "file content": lambda c: c.files.content("file-1"),
    "file removal": lambda c: c.files.delete("file-1"),
    "batch": lambda c: c.batches.create(input_file_id="f", endpoint="/v1/responses", completion_window="24h"),
    "batch list": lambda c: c.batches.list(after="b_1", limit=3),
    "legacy completion": lambda c: c.completions.create(model="c", prompt="hi"),
    "response": lambda c: c.responses.retrieve("resp_1", include=["reasoning.encrypted_content"]),
    "response removal": lambda c: c.responses.delete("resp_1"),
    "response cancel": lambda c: c.responses.cancel("resp_1"),
    "input items": lambda c: c.responses.input_items.list("resp_1"),
    "input tokens": lambda c: c.responses.input_tokens.count(model="m", input="hi"),
    "compact": lambda c: c.responses.compact(model="m", input="hi"),
    "stored chats": lambda c: c.chat.completions.list(model="m"),
    "vector stores": lambda c: c.vector_stores.create(name="v"),
    "fine tuning": lambda c: c.fine_tuning.jobs.create(model="m", training_file="f"),
}
ANTHROPIC: dict[str, Call] = {
    "batch": lambda c: c.messages.batches.create(
        requests=[{"custom_id": "a", "params": {"model": "m", "max_tokens": 1, "messages": []}}]
    ),
    "batch list": lambda c: c.messages.batches.list(limit=2),
    "batch cancel": lambda c: c.messages.batches.cancel("msgbatch_1"),
    "file upload": lambda c: c.beta.files.upload(file=("a.txt", BIG, "text/plain")),
    "file list": lambda c: c.beta.files.list(),
    "file content": lambda c: c.beta.files.download("file_1"),
    "file removal": lambda c: c.beta.files.delete("file_1"),
}


@pytest.mark.parametrize(
    ("family", "call"),
    [
        *(pytest.param("openai", call, id=f"openai {name}") for name, call in OPENAI.items()),
        *(pytest.param("anthropic", call, id=f"anthropic {name}") for name, call in ANTHROPIC.items()),
    ],
)
async def test_an_endpoint_passes_both_ways(family: str, call: Call) -> None:
    async with both(family) as (north, proxy, direct, through):
        expected, found = [await read(await call(client)) for client in (direct, through)]
        assert found == expected
        assert told(north.asked[1]) == told(north.asked[0])
        assert [(one.status, one.provider, one.translated) for one in proxy.pipe.served] == [(200, "north", False)]


async def test_usage_of_an_endpoint_counts_once() -> None:
    async with both("openai") as (_, proxy, _direct, through):
        await through.embeddings.create(model="e", input=["hi"], encoding_format="float")
        await through.responses.retrieve("resp_1")
        assert [(one.model, one.input) for one in proxy.pipe.served] == [("e", 7), ("", None)]


async def test_an_error_of_the_provider_is_the_clients() -> None:
    async with both("openai") as (north, proxy, _, through):
        north.answer = failing(404)
        with pytest.raises(openai.NotFoundError, match="out of order") as caught:
            await through.files.retrieve("file-1")
        assert caught.value.response.headers["x-jackfield-target"] == "north"
        assert [one.status for one in proxy.pipe.served] == [404]


# ------------------------------------------------------------------------------------------------------- who is asked


async def test_rules_of_conversations_choose_no_model_for_embeddings() -> None:
    rules = (rule("all", "north/large"), rule("some", "north/small-vectors", type="path", pattern="/v1/emb*"))
    async with both("openai", rules[0]) as (north, proxy, _, through):
        await through.embeddings.create(model="e", input="hi", encoding_format="float")
        await through.responses.compact(model="m", input="hi")
        assert [json.loads(one.body)["model"] for one in north.asked] == ["e", "large"]
    async with both("openai", *rules) as (north, proxy, _, through):
        await through.embeddings.create(model="e", input="hi", encoding_format="float")
        assert json.loads(north.asked[0].body)["model"] == "small-vectors"
        assert proxy.pipe.served[0].rule == "some"


async def test_an_alias_counts_for_every_endpoint() -> None:
    aliases = {"my-*": Target("north", "their-*")}
    async with both("openai", aliases=aliases) as (north, _, _direct, through):
        await through.moderations.create(model="my-model", input="hi")
        assert json.loads(north.asked[0].body)["model"] == "their-model"


async def test_another_provider_of_the_dialect_serves_where_the_profiles_own_cannot() -> None:
    async with Provider_().serving() as north, Provider_().serving() as south:
        south.answer = answering
        ups = {"north": upstream(north), "south": upstream(south, "south", family="openai")}
        async with proxy_of(plan(ups)) as proxy:
            status, _ = await proxy.post({"model": "e", "input": "hi"}, "/v1/embeddings")
            assert (status, proxy.pipe.served[0].provider) == (200, "south")
    assert not north.asked


async def test_where_nobody_has_the_endpoint_the_client_is_told_so() -> None:
    async with Provider_().serving() as north, proxy_of(plan({"north": upstream(north)})) as proxy:
        status, body = await proxy.post({"model": "e", "input": "hi"}, "/v1/embeddings")
        assert status == 404
        assert json.loads(body)["error"]["code"] == "endpoint_unavailable"
        assert "/v1/embeddings" in json.loads(body)["error"]["message"]
    assert not north.asked


@pytest.mark.parametrize(
    "path",
    [
        "/v1/organization/users",
        "/v1/nothing",
        "/v1/files/../organization",
        "/v1/files/%2e%2e/x",
        "/v1/files/..%5c..%5corganization",
        "/openai/deployments/x%2Ffiles/organization/users",
        f"/t/{TOKEN}%2Fv1%2Ffiles/organization/users",
        f"/%74/{TOKEN}/v1/files",
    ],
)
async def test_what_is_no_endpoint_of_a_project_does_not_pass(path: str) -> None:
    async with both("openai") as (north, proxy, *_):
        url = URL(str(proxy.client._base_url).rstrip("/") + path, encoded=True)
        async with proxy.client.get(url) as answer:
            assert answer.status == 404
        assert not [one for one in north.asked if any(part in one.path for part in ("organization", "..", TOKEN))]


# --------------------------------------------------------------------------------------------------------------- bounds


async def test_a_body_is_sent_on_as_it_comes_and_only_as_fast_as_it_is_taken() -> None:
    """The provider takes nothing for a while: the proxy holds little of 64 MB, and the client has to wait."""
    go, sent = asyncio.Event(), 0

    async def parts() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(1024):
            sent += 65_536
            yield b"x" * 65_536

    async def slow(request: web.BaseRequest) -> web.StreamResponse:
        await go.wait()
        return web.json_response({"bytes": sum([len(part) async for part in request.content.iter_any()])})

    limits = ProxyLimits(retries=0, first_byte_timeout=20.0, idle_timeout=20.0, stop_grace=0.0)
    async with contextlib.AsyncExitStack() as stack:
        url = await stack.enter_async_context(_served(slow))
        made = plan({"north": Upstream("north", "openai", f"{url}/v1")}, limits=limits)
        proxy = await stack.enter_async_context(proxy_of(made))
        kind = {"Content-Type": "multipart/form-data"}
        asked = asyncio.create_task(proxy.client.post("/v1/files", data=parts(), headers=kind))
        await until(lambda: sent > 2**20)
        before = -1
        while before != sent:
            before = sent
            await asyncio.sleep(0.2)
        assert sent < 32 * 2**20
        go.set()
        async with await asked as answer:
            assert await answer.json() == {"bytes": 2**26}


@contextlib.asynccontextmanager
async def _served(handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    server = web.Server(handler, access_log=None)
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    finally:
        listener.close()
        await server.shutdown(0)


@pytest.mark.parametrize("sized", [True, False])
async def test_a_body_above_the_limit_is_refused(sized: bool) -> None:
    limits = ProxyLimits(retries=0, upload_limit=100_000, first_byte_timeout=5.0, stop_grace=0.0)
    async with both("openai", limits=limits) as (_, proxy, *_rest):

        async def parts() -> AsyncIterator[bytes]:
            for _ in range(10):
                yield b"x" * 50_000

        data = b"x" * 500_000 if sized else parts()
        async with proxy.client.post("/v1/files", data=data, headers={"Content-Type": "a/b"}) as answer:
            assert answer.status == 413
            assert "at most 100000 bytes" in (await answer.json())["error"]["message"]


async def test_a_streamed_body_is_not_sent_twice_and_a_json_body_is() -> None:
    limits = ProxyLimits(retries=2, first_byte_timeout=5.0, idle_timeout=5.0, stop_grace=0.0)
    async with both("openai", limits=limits) as (north, proxy, *_):
        north.answer = failing(503, **{"Retry-After": "0"})
        async with proxy.client.post("/v1/files", data=b"x", headers={"Content-Type": "a/b"}) as answer:
            assert answer.status == 503
        assert len(north.asked) == 1
        assert (await proxy.post({"model": "e"}, "/v1/embeddings"))[0] == 503
        assert len(north.asked) == 4


async def test_what_cannot_be_counted_is_not_for_a_profile_with_a_budget() -> None:
    async with both("openai", budgeted=True) as (north, proxy, _, through):
        with pytest.raises(openai.PermissionDeniedError, match="No answer tells the cost"):
            await through.batches.create(input_file_id="f", endpoint="/v1/responses", completion_window="24h")
        assert not north.asked
        await through.batches.cancel("batch_1")
        await through.files.create(purpose="batch", file=("a.jsonl", b"x", "application/jsonl"))
        assert [one.status for one in proxy.pipe.served] == [403, 200, 200]


@pytest.mark.parametrize("path", ["/v1/batches", "/v1/fine_tuning/jobs", "/v1/threads/t/runs", "/v1/videos"])
async def test_a_model_in_the_body_makes_no_cost_known(path: str) -> None:
    async with both("openai", budgeted=True) as (north, proxy, *_):
        status, _ = await proxy.post({"model": "gpt-4o", "input_file_id": "f"}, path)
        assert status == 403
        assert not north.asked
