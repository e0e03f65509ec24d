"""Every path of a proxy in front of a provider of either family: whole and streamed, with usage recorded once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from proxy_lab import EVENTS, KEY, MESSAGE, Provider_, plan, proxy_of, rule, sse, upstream

TURN = [{"role": "user", "content": "ping"}]
PATHS: dict[str, dict[str, Any]] = {
    "/v1/messages": {"model": "asked", "max_tokens": 99, "messages": TURN},
    "/v1/chat/completions": {"model": "asked", "messages": TURN, "stream_options": {"include_usage": True}},
    "/v1/responses": {"model": "asked", "input": TURN},
}
LAST = {"/v1/messages": b"message_stop", "/v1/chat/completions": b"[DONE]", "/v1/responses": b"response.completed"}
USAGE = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
HEAD = {"id": "chatcmpl-1", "created": 1, "model": "m"}


def chat_answer(*, stream: bool) -> web.Response:
    if not stream:
        choice = {"index": 0, "message": {"role": "assistant", "content": "pong"}, "finish_reason": "stop"}
        return web.json_response({**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE})
    deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": "pong"}, None), ({}, "stop")]
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas
    ]
    lines = [{**HEAD, "object": "chat.completion.chunk", **one} for one in [*chunks, {"choices": [], "usage": USAGE}]]
    body = b"".join(f"data: {json.dumps(line)}\n\n".encode() for line in lines) + b"data: [DONE]\n\n"
    return web.Response(body=body, headers={"Content-Type": "text/event-stream"})


async def either(request: web.BaseRequest) -> web.StreamResponse:
    stream = bool(json.loads(await request.read()).get("stream"))
    if request.path.endswith("/chat/completions"):
        return chat_answer(stream=stream)
    assert request.path == "/v1/messages"
    if stream:
        return web.Response(body=sse(*EVENTS), headers={"Content-Type": "text/event-stream"})
    return web.json_response(MESSAGE)


@pytest.fixture
async def provider() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        made.answer = either
        yield made


def text_of(path: str, body: bytes) -> str:
    answer = json.loads(body)
    if path == "/v1/messages":
        return str(answer["content"][0]["text"])
    if path == "/v1/chat/completions":
        return str(answer["choices"][0]["message"]["content"])
    return str(answer["output"][-1]["content"][0]["text"])


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("family", ["anthropic", "openai"])
async def test_whole_answer(provider: Provider_, path: str, family: str) -> None:
    async with proxy_of(plan({"north": upstream(provider, family=family)}, rule("all", "north/m"))) as proxy:
        status, body = await proxy.post(PATHS[path], path)
    assert (status, text_of(path, body)) == (200, "pong"), body
    (asked,) = provider.asked
    assert json.loads(asked.body)["model"] == "m"
    assert KEY in asked.headers.get("x-api-key", "") + asked.headers.get("authorization", "")
    assert ("anthropic-version" in asked.headers) is (family == "anthropic")
    (served,) = proxy.pipe.served
    assert (served.input, served.output, served.status) == (12, 3, 200)
    assert served.answer
    assert served.answer in body.decode()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("family", ["anthropic", "openai"])
async def test_streamed_answer(provider: Provider_, path: str, family: str) -> None:
    async with proxy_of(plan({"north": upstream(provider, family=family)}, rule("all", "north/m"))) as proxy:
        status, body = await proxy.post({**PATHS[path], "stream": True}, path)
    assert status == 200, body
    assert b"pong" in body
    assert LAST[path] in body.rstrip().rsplit(b"\n\n", 1)[-1]
    (served,) = proxy.pipe.served
    assert (served.input, served.output, served.stream) == (12, 3, True)
    assert served.answer in body.decode()


async def test_native_openai_is_spoken_to_in_responses_by_a_client_of_responses(provider: Provider_) -> None:
    answer = {"id": "resp_1", "object": "response", "output": [], "usage": {"input_tokens": 5, "output_tokens": 2}}

    async def responses(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response(answer)

    provider.answer = responses
    made = plan({"north": upstream(provider, family="openai", native=True)}, rule("all", "north/m"))
    async with proxy_of(made) as proxy:
        status, body = await proxy.post({**PATHS["/v1/responses"], "unknown": 1}, "/v1/responses")
    assert (status, json.loads(body)) == (200, answer)
    assert provider.asked[0].path == "/v1/responses"
    assert json.loads(provider.asked[0].body) == {**PATHS["/v1/responses"], "unknown": 1, "model": "m"}
    assert (proxy.pipe.served[0].answer, proxy.pipe.served[0].translated) == ("resp_1", False)


@pytest.mark.parametrize("path", PATHS)
async def test_refusal_is_told_in_the_clients_dialect(provider: Provider_, path: str) -> None:
    async def refusing(_request: web.BaseRequest) -> web.StreamResponse:
        error = {"message": "maximum context length is 10 tokens", "code": "context_length_exceeded"}
        return web.json_response({"error": error}, status=400)

    provider.answer = refusing
    async with proxy_of(plan({"north": upstream(provider, family="openai")}, rule("all", "north/m"))) as proxy:
        status, body = await proxy.post(PATHS[path], path)
    assert status == 400
    found = json.loads(body)
    assert "context" in found["error"]["message"]
    assert (found.get("type") == "error") is (path == "/v1/messages")


SPAN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ({"Traceparent": SPAN, "Tracestate": "vendor=1", "X-Own": "secret"}, (SPAN, "vendor=1")),
        ({"Traceparent": SPAN, "Tracestate": "no state"}, (SPAN, None)),
        ({"Traceparent": "00-0-0-01", "Tracestate": "vendor=1"}, (None, None)),
        ({"Tracestate": "vendor=1"}, (None, None)),
    ],
)
@pytest.mark.parametrize("family", ["anthropic", "openai"])
async def test_the_trace_goes_on_and_nothing_else_of_the_client(
    provider: Provider_, family: str, given: dict[str, str], passed: tuple[str | None, str | None]
) -> None:
    path = "/v1/responses"
    async with proxy_of(plan({"north": upstream(provider, family=family)}, rule("all", "north/m"))) as proxy:
        status, body = await proxy.post(PATHS[path], path, **given)
    assert status == 200, body
    (asked,) = provider.asked
    assert (asked.headers.get("traceparent"), asked.headers.get("tracestate")) == passed
    assert "x-own" not in asked.headers
