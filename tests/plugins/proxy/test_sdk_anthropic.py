"""The official client of Anthropic, unchanged, before a proxy in front of a provider that speaks Chat Completions, and
in front of one of its own dialect."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from scripted import FRESH, OUTPUT, Say
from sdk_lab import PIXEL, PLACE, Bench, bench_of

WEATHER: Any = {"name": "get_weather", "description": "Weather of a place.", "input_schema": PLACE}
CALLS = (("call_1", "get_weather", {"place": "Köln ☔"}), ("call_2", "get_weather", {"place": "Trier"}))
ASK: Any = {"model": "claude-x", "max_tokens": 4096, "messages": [{"role": "user", "content": "ping"}]}
THINK: Any = {"type": "enabled", "budget_tokens": 2048}


@pytest.fixture(params=["openai", "anthropic"])
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    async with bench_of(request.param) as made:
        yield made


@pytest.fixture
async def other() -> AsyncIterator[Bench]:
    """In front of the other dialect alone."""
    async with bench_of("openai") as made:
        yield made


async def test_whole_answer_with_usage(bench: Bench) -> None:
    bench.says.append(Say("pong", cached=40))
    found = await bench.claude.messages.create(**ASK, extra_body={"temperature": 0.5}, stop_sequences=["END"])
    assert [block.text for block in found.content if block.type == "text"] == ["pong"]
    assert (found.type, found.role, found.stop_reason) == ("message", "assistant", "end_turn")
    usage = found.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens) == (FRESH, OUTPUT, 40)
    assert found._request_id
    asked = bench.asked()
    assert (asked["model"], asked["max_tokens"], asked["temperature"]) == ("their-model", 4096, 0.5)
    (served,) = bench.proxy.pipe.served
    assert (served.input, served.output, served.cache_read, served.answer) == (FRESH, OUTPUT, 40, found.id)


async def test_stream_helper_builds_the_same_message(bench: Bench) -> None:
    say = Say("It is raining in both.", thinking="First I look.", calls=CALLS, cached=5)
    bench.says += [say, say]
    kinds, said, thought = [], "", ""
    async with bench.claude.messages.stream(**ASK, tools=[WEATHER], thinking=THINK) as stream:
        async for event in stream:
            kinds.append(event.type)
            if event.type == "text":
                said += event.text
            elif event.type == "thinking":
                thought += event.thinking
        streamed = await stream.get_final_message()
    assert (said, thought) == (say.text, say.thinking)
    assert kinds[0] == "message_start"
    assert kinds[-1] == "message_stop"
    whole = await bench.claude.messages.create(**ASK, tools=[WEATHER], thinking=THINK)
    for found in (streamed, whole):
        blocks = {block.type: block for block in found.content}
        assert list(blocks) == ["thinking", "text", "tool_use"]
        calls = [(b.id, b.name, b.input) for b in found.content if b.type == "tool_use"]
        assert calls == [*CALLS]
        assert found.stop_reason == "tool_use"
        assert (found.usage.output_tokens, found.usage.cache_read_input_tokens) == (OUTPUT, 5)
    assert (streamed.usage.input_tokens, whole.usage.input_tokens) == (FRESH, FRESH)


async def test_raw_events_in_order(other: Bench) -> None:
    other.says.append(Say("pong", calls=CALLS))
    stream = await other.claude.messages.create(**ASK, tools=[WEATHER], stream=True)
    kinds = [event.type async for event in stream]
    assert kinds[0] == "message_start"
    assert kinds[-2:] == ["message_delta", "message_stop"]
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 3


async def test_two_turns_with_parallel_tools_and_the_thinking_sent_back(other: Bench) -> None:
    other.says += [Say("I look.", thinking="Two places.", calls=CALLS), Say("Both wet.")]
    first = await other.claude.messages.create(**ASK, tools=[WEATHER], thinking=THINK, tool_choice={"type": "any"})
    results: Any = [
        {"type": "tool_result", "tool_use_id": block.id, "content": [{"type": "text", "text": block.name + " rain"}]}
        for block in first.content
        if block.type == "tool_use"
    ]
    turns: Any = [
        *ASK["messages"],
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": [*results, {"type": "text", "text": "So?"}]},
    ]
    second = await other.claude.messages.create(**{**ASK, "messages": turns}, tools=[WEATHER])
    assert [block.text for block in second.content if block.type == "text"] == ["Both wet."]
    asked, told = other.asked(0), other.asked(1)
    assert asked["tool_choice"] == "required"
    assert asked["tools"][0]["function"]["parameters"]["required"] == ["place"]
    roles = [message["role"] for message in told["messages"]]
    assert roles == ["user", "assistant", "tool", "tool", "user"]
    calls = told["messages"][1]["tool_calls"]
    assert [call["id"] for call in calls] == [m["tool_call_id"] for m in told["messages"][2:4]] == ["call_1", "call_2"]


async def test_picture(other: Bench) -> None:
    other.says.append(Say("A pixel."))
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    turns: Any = [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}]
    await other.claude.messages.create(**{**ASK, "messages": turns})
    parts = other.asked()["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url"]
    assert parts[1]["image_url"]["url"] == f"data:image/png;base64,{PIXEL}"


async def test_count_tokens_and_models(bench: Bench) -> None:
    if bench.proxy.server.plan.upstreams["north"].family == "openai":
        found = await bench.claude.messages.count_tokens(model="claude-x", messages=ASK["messages"], tools=[WEATHER])
        assert 1 <= found.input_tokens < 200
    listed = [model.id async for model in bench.claude.models.list()]
    assert listed == ["their-model"]
    assert (await bench.claude.models.retrieve("their-model")).display_name == "their-model"
