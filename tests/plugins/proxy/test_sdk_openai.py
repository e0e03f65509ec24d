"""The official client of OpenAI, unchanged, in both of its dialects, before a proxy in front of a provider that speaks
Messages, and in front of one that knows Chat Completions alone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel
from scripted import FRESH, OUTPUT, Say
from sdk_lab import PIXEL, PLACE, Bench, bench_of

WEATHER: Any = {"type": "function", "function": {"name": "get_weather", "parameters": PLACE, "strict": False}}
FLAT: Any = {"type": "function", "name": "get_weather", "parameters": PLACE, "strict": False}
CALLS = (("toolu_1", "get_weather", {"place": "Köln ☔"}), ("toolu_2", "get_weather", {"place": "Trier"}))
ASK: Any = {"model": "gpt-x", "messages": [{"role": "user", "content": "ping"}]}
PICTURE = f"data:image/png;base64,{PIXEL}"


class Answer(BaseModel):
    word: str


@pytest.fixture(params=["anthropic", "openai"])
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    async with bench_of(request.param) as made:
        yield made


@pytest.fixture
async def other() -> AsyncIterator[Bench]:
    async with bench_of("anthropic") as made:
        yield made


# --------------------------------------------------------------------------------------------------- Chat Completions


async def test_completion_with_usage(bench: Bench) -> None:
    bench.says.append(Say("pong", cached=40))
    found = await bench.gpt.chat.completions.create(**ASK, max_completion_tokens=99)
    assert found.choices[0].message.content == "pong"
    assert found.choices[0].finish_reason == "stop"
    usage = found.usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens) == (FRESH + 40, OUTPUT)
    assert usage.prompt_tokens_details is not None
    assert usage.prompt_tokens_details.cached_tokens == 40
    (served,) = bench.proxy.pipe.served
    assert (served.input, served.output, served.cache_read, served.answer) == (FRESH, OUTPUT, 40, found.id)


async def test_streamed_completion_is_put_together_by_the_client(bench: Bench) -> None:
    bench.says.append(Say("I look.", calls=CALLS, cached=5))
    more: Any = {"stream_options": {"include_usage": True}}
    async with bench.gpt.chat.completions.stream(**ASK, tools=[WEATHER], **more) as stream:
        kinds = [event.type async for event in stream]
        found = await stream.get_final_completion()
    assert "content.delta" in kinds
    assert "tool_calls.function.arguments.done" in kinds
    message = found.choices[0].message
    assert message.content == "I look."
    calls = message.tool_calls or []
    assert [(one.id, json.loads(one.function.arguments)) for one in calls] == [
        (name, given) for name, _, given in CALLS
    ]
    assert found.choices[0].finish_reason == "tool_calls"
    assert found.usage is not None
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (FRESH + 5, OUTPUT)


async def test_two_turns_with_parallel_tools(other: Bench) -> None:
    other.says += [Say("I look.", calls=CALLS), Say("Both wet.")]
    first = await other.gpt.chat.completions.create(**ASK, tools=[WEATHER], tool_choice="required")
    message = first.choices[0].message
    results = [{"role": "tool", "tool_call_id": one.id, "content": "rain"} for one in message.tool_calls or []]
    turns: Any = [*ASK["messages"], message, *results]
    second = await other.gpt.chat.completions.create(model="gpt-x", messages=turns, tools=[WEATHER])
    assert second.choices[0].message.content == "Both wet."
    asked, told = other.asked(0), other.asked(1)
    assert asked["tool_choice"] == {"type": "any"}
    assert asked["tools"][0]["input_schema"]["required"] == ["place"]
    assert [turn["role"] for turn in told["messages"]] == ["user", "assistant", "user"]
    assert [block["type"] for block in told["messages"][1]["content"]] == ["text", "tool_use", "tool_use"]
    assert [block["tool_use_id"] for block in told["messages"][2]["content"]] == ["toolu_1", "toolu_2"]


async def test_picture_and_reasoning(other: Bench) -> None:
    other.says.append(Say("A pixel.", thinking="Small."))
    parts: Any = [{"type": "text", "text": "What?"}, {"type": "image_url", "image_url": {"url": PICTURE}}]
    turns: Any = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": parts}]
    found = await other.gpt.chat.completions.create(model="gpt-x", messages=turns, reasoning_effort="high")
    assert found.choices[0].message.content == "A pixel."
    asked = other.asked()
    assert asked["system"][0]["text"] == "Be brief."
    picture = asked["messages"][0]["content"][1]
    assert picture["source"] == {"type": "base64", "media_type": "image/png", "data": PIXEL}
    assert asked["thinking"]["type"] == "enabled"
    assert asked["thinking"]["budget_tokens"] < asked["max_tokens"]


async def test_parsed_answer(other: Bench) -> None:
    other.says.append(Say('{"word": "pong"}'))
    found = await other.gpt.chat.completions.parse(**ASK, response_format=Answer)
    assert found.choices[0].message.parsed == Answer(word="pong")
    assert other.asked()["output_config"]["format"]["type"] == "json_schema"


# ---------------------------------------------------------------------------------------------------------- Responses


async def test_response_with_usage(bench: Bench) -> None:
    bench.says.append(Say("pong", cached=40))
    found = await bench.gpt.responses.create(model="gpt-x", input="ping", instructions="Be brief.")
    assert (found.output_text, found.status) == ("pong", "completed")
    usage = found.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (FRESH + 40, OUTPUT)
    assert usage.input_tokens_details.cached_tokens == 40
    (served,) = bench.proxy.pipe.served
    assert (served.input, served.output, served.answer) == (FRESH, OUTPUT, found.id)


async def test_streamed_response_is_put_together_by_the_client(bench: Bench) -> None:
    bench.says.append(Say("I look.", thinking="Two places.", calls=CALLS, cached=5))
    more: Any = {"reasoning": {"effort": "high", "summary": "auto"}}
    async with bench.gpt.responses.stream(model="gpt-x", input="ping", tools=[FLAT], **more) as stream:
        kinds = [event.type async for event in stream]
        found = await stream.get_final_response()
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds[-1] == "response.completed"
    assert [item.type for item in found.output] == ["reasoning", "message", "function_call", "function_call"]
    assert found.output_text == "I look."
    calls = [item for item in found.output if item.type == "function_call"]
    assert [(one.call_id, json.loads(one.arguments)) for one in calls] == [(name, given) for name, _, given in CALLS]
    assert found.usage is not None
    assert (found.usage.input_tokens, found.usage.output_tokens) == (FRESH + 5, OUTPUT)


async def test_two_turns_of_responses(bench: Bench) -> None:
    bench.says += [Say("I look.", thinking="Two.", calls=CALLS), Say("Both wet.")]
    more: Any = {"reasoning": {"effort": "high"}, "include": ["reasoning.encrypted_content"], "store": False}
    first = await bench.gpt.responses.create(model="gpt-x", input="ping", tools=[FLAT], **more)
    calls = [item for item in first.output if item.type == "function_call"]
    results = [{"type": "function_call_output", "call_id": one.call_id, "output": "rain"} for one in calls]
    turns: Any = [{"role": "user", "content": "ping"}, *first.output, *results]
    second = await bench.gpt.responses.create(model="gpt-x", input=turns, tools=[FLAT], **more)
    assert second.output_text == "Both wet."
    told = bench.asked()
    if bench.proxy.server.plan.upstreams["north"].family == "anthropic":
        kinds = [[block["type"] for block in turn["content"]] for turn in told["messages"]]
        assert kinds == [["text"], ["thinking", "text", "tool_use", "tool_use"], ["tool_result", "tool_result"]]
        assert told["messages"][1]["content"][0]["signature"] == "c2lnbmVk"
    else:
        assert [turn["role"] for turn in told["messages"]] == ["user", "assistant", "tool", "tool"]


async def test_picture_in_a_response(bench: Bench) -> None:
    bench.says.append(Say("A pixel."))
    parts: Any = [
        {"type": "input_text", "text": "What?"},
        {"type": "input_image", "image_url": PICTURE, "detail": "auto"},
    ]
    found = await bench.gpt.responses.create(model="gpt-x", input=[{"role": "user", "content": parts}])
    assert found.output_text == "A pixel."
    assert PIXEL in json.dumps(bench.asked()["messages"][0]["content"][1])


async def test_models(bench: Bench) -> None:
    assert [model.id async for model in bench.gpt.models.list()] == ["their-model"]
    assert (await bench.gpt.models.retrieve("their-model")).owned_by == "jackfield"
