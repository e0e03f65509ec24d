"""What goes along when a request is translated: hosted tools that are missing are named, marks for a cache are carried,
and models that take Responses alone are reached from every dialect."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from aiohttp import web
from proxy_lab import ASKED, TOKEN, Provider_, daemon_of, plan, profile, proxy_of, rule, sse, upstream
from scripted import Say, chat_answer, chat_stream

from jackfield_proxy.daemon.records import CountedAnswers, Records
from jackfield_proxy.messages import ServedRequest

SEARCH = {"type": "web_search_20250305", "name": "web_search"}
CODE = {"type": "code_execution_20250825", "name": "code_execution"}
OWN = {"name": "mine", "input_schema": {"type": "object"}}
MARK = {"type": "ephemeral"}
HI = [{"role": "user", "content": "hi"}]


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        made.answer = answering
        yield made


async def answering(request: web.BaseRequest) -> web.StreamResponse:
    stream = bool(json.loads(await request.read()).get("stream"))
    if request.path.endswith("/responses"):
        return responses_stream() if stream else web.json_response(RESPONSE)
    if request.path.endswith("/chat/completions"):
        return chat_stream(Say("pong")) if stream else chat_answer(Say("pong"))
    return web.json_response(
        {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {}}
    )


PART = {"type": "output_text", "text": "pong", "annotations": []}
ITEM = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [PART]}
USAGE = {"input_tokens": 12, "output_tokens": 3, "total_tokens": 15}
RESPONSE = {"id": "resp_1", "object": "response", "status": "completed", "model": "m", "output": [ITEM], "usage": USAGE}


def responses_stream() -> web.Response:
    at = {"output_index": 0, "content_index": 0, "item_id": "msg_1"}
    body = sse(
        {"type": "response.created", "response": {**RESPONSE, "output": [], "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**ITEM, "content": []}},
        {"type": "response.content_part.added", **at, "part": {**PART, "text": ""}},
        {"type": "response.output_text.delta", **at, "delta": "pong"},
        {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
        {"type": "response.completed", "response": RESPONSE},
    )
    return web.Response(body=body, headers={"Content-Type": "text/event-stream"})


# -------------------------------------------------------------------------------------------------------- hosted tools


@pytest.mark.parametrize("stream", [False, True])
async def test_hosted_tools_that_the_provider_does_not_have_are_named(north: Provider_, stream: bool) -> None:
    asked = {**ASKED, "tools": [SEARCH, CODE, OWN], "stream": stream}
    async with proxy_of(plan({"north": upstream(north, family="openai")})) as proxy:
        async with proxy.client.post("/v1/messages", json=asked) as answer:
            assert answer.headers["x-jackfield-missing-tools"] == "web_search, code_execution"
            await answer.read()
        assert proxy.pipe.served[0].missing == ("web_search", "code_execution")
    assert [tool["function"]["name"] for tool in json.loads(north.asked[0].body)["tools"]] == ["mine"]


async def test_a_web_search_that_another_dialect_has_as_well_is_not_missing(north: Provider_) -> None:
    asked = {"model": "m", "input": "hi", "tools": [{"type": "web_search"}, {"type": "image_generation"}]}
    async with (
        proxy_of(plan({"north": upstream(north, native=True)})) as proxy,
        proxy.client.post("/v1/responses", json=asked) as answer,
    ):
        assert answer.headers["x-jackfield-missing-tools"] == "image_generation"
    assert [tool["type"] for tool in json.loads(north.asked[0].body)["tools"]] == ["web_search_20250305"]


async def test_what_passes_has_lost_nothing(north: Provider_) -> None:
    async with (
        proxy_of(plan({"north": upstream(north)})) as proxy,
        proxy.client.post("/v1/messages", json={**ASKED, "tools": [CODE]}) as answer,
    ):
        assert "x-jackfield-missing-tools" not in answer.headers


async def test_listeners_are_warned(tmp_path: Path) -> None:
    context = daemon_of(tmp_path, profile())
    records = Records(context, "p", CountedAnswers(), 10)
    served = ServedRequest("req_1", 1, "anthropic", "m", "north", "m", 200, 5, False, missing=("web_search",))
    await records.take(served, "agent")
    request, warning = context.events.published
    assert (request.type, request.data["missing_tools"]) == ("proxy_request", ["web_search"])
    assert (warning.type, warning.data["message"]) == (
        "proxy_warning",
        "north/m has no web_search; a request was served without.",
    )


# ------------------------------------------------------------------------------------------------------ Responses alone


@pytest.mark.parametrize("model", ["gpt-5.5-pro", "gpt-5"])
@pytest.mark.parametrize("stream", [False, True])
async def test_clients_of_messages_and_chat_reach_models_of_responses_alone(
    north: Provider_, model: str, stream: bool
) -> None:
    made = upstream(north, family="openai", native=True, responses=("*-pro",))
    async with proxy_of(plan({"north": made}, rule("all", f"north/{model}"))) as proxy:
        base = str(proxy.client._base_url).rstrip("/")
        async with anthropic.AsyncAnthropic(auth_token=TOKEN, base_url=base, max_retries=0) as claude:
            message = await said_by_claude(claude, stream=stream)
        async with openai.AsyncOpenAI(api_key=TOKEN, base_url=f"{base}/v1", max_retries=0) as gpt:
            chat = await gpt.chat.completions.create(model="x", messages=[{"role": "user", "content": "hi"}])
        assert message.content[0].text == "pong"
        assert chat.choices[0].message.content == "pong"
        assert [one.input for one in proxy.pipe.served] == [12 if model.endswith("-pro") else 90] * 2
    path = "/v1/responses" if model.endswith("-pro") else "/v1/chat/completions"
    assert [one.path for one in north.asked] == [path, path]


async def said_by_claude(client: anthropic.AsyncAnthropic, *, stream: bool) -> Any:
    if not stream:
        return await client.messages.create(model="x", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
    async with client.messages.stream(model="x", max_tokens=9, messages=[{"role": "user", "content": "hi"}]) as events:
        return await events.get_final_message()


# -------------------------------------------------------------------------------------------------------------- caches


def marked(text: str) -> dict[str, object]:
    return {"type": "text", "text": text, "cache_control": MARK}


async def sent(north: Provider_, body: Mapping[str, Any], path: str, **more: Any) -> Any:
    async with proxy_of(plan({"north": upstream(north, **more)})) as proxy:
        assert (await proxy.post(body, path))[0] == 200
    return json.loads(north.asked[0].body)


RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "42"}
MESSAGES = {
    "model": "m",
    "max_tokens": 9,
    "system": [{"type": "text", "text": "one"}, marked("two")],
    "messages": [
        {"role": "user", "content": [marked("hi")]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "mine", "input": {}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "42", "cache_control": MARK}],
        },
    ],
    "tools": [OWN],
}


async def test_marks_go_to_chat_completions_that_take_them(north: Provider_) -> None:
    found = (await sent(north, MESSAGES, "/v1/messages", family="openai", cache_control=True))["messages"]
    assert found[0]["content"] == [{"type": "text", "text": "one"}, marked("two")]
    assert found[1]["content"] == [marked("hi")]
    assert (found[3]["role"], found[3]["content"]) == ("tool", [marked("42")])


async def test_others_get_plain_texts(north: Provider_) -> None:
    found = (await sent(north, MESSAGES, "/v1/messages", family="openai"))["messages"]
    assert [one["content"] for one in found] == ["one\n\ntwo", "hi", None, "42"]


async def test_marks_of_a_chat_client_go_to_anthropic_and_none_are_added(north: Provider_) -> None:
    body = {"model": "m", "messages": [{"role": "system", "content": [marked("one")]}, *HI]}
    found = await sent(north, body, "/v1/chat/completions")
    assert found["system"] == [marked("one")]
    assert found["messages"] == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]


async def test_without_marks_of_the_client_the_prefix_is_marked(north: Provider_) -> None:
    body = {"model": "m", "messages": [{"role": "system", "content": "one"}, *HI]}
    found = await sent(north, body, "/v1/chat/completions")
    assert found["system"] == [marked("one")]
    assert found["messages"][0]["content"] == [marked("hi")]
