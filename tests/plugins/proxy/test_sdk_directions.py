"""The official clients of the four dialects, unchanged, before providers of each of them: three turns with tools in
sixteen directions, whole and streamed."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from google.genai import types
from scripted import FRESH, OUTPUT, Say
from sdk_lab import PLACE, Bench, bench_of

Turn = tuple[str, list[tuple[str, dict[str, Any]]], tuple[int, int, int]]
"""Text, calls, and tokens of the input, of the output and of the cache."""
PLACES = ("Köln ☔", "Trier", 'a "quoted"\nplace')
SAYS = [
    Say("One moment.", calls=[("toolu_1", "get_weather", {"place": PLACES[0]})], cached=40),
    Say("", calls=[(f"toolu_{n + 2}", "get_weather", {"place": place}) for n, place in enumerate(PLACES[1:])]),
    Say("", calls=[("toolu_4", "get_weather", {"place": PLACES[0]})], cached=7),
    Say("Wet everywhere."),
]
UPSTREAMS: dict[str, dict[str, Any]] = {
    "anthropic": {"family": "anthropic"},
    "chat": {"family": "openai"},
    "responses": {"family": "openai", "responses": ["*"]},
    "gemini": {"family": "gemini"},
}


class Messages:
    """A conversation of Anthropic's client."""

    def __init__(self, bench: Bench, stream: bool) -> None:
        self._client, self._stream = bench.claude, stream
        self._turns: list[Any] = [{"role": "user", "content": "How is the weather?"}]

    async def turn(self) -> Turn:
        tool: Any = {"name": "get_weather", "description": "Weather.", "input_schema": PLACE}
        asked: Any = {"model": "m", "max_tokens": 99, "messages": self._turns, "tools": [tool]}
        if self._stream:
            async with self._client.messages.stream(**asked) as stream:
                found = await stream.get_final_message()
        else:
            found = await self._client.messages.create(**asked)
        calls = [one for one in found.content if one.type == "tool_use"]
        self._turns.append({"role": "assistant", "content": found.content})
        results = [{"type": "tool_result", "tool_use_id": one.id, "content": f"rain {one.input}"} for one in calls]
        self._turns.append({"role": "user", "content": results})
        text = "".join(one.text for one in found.content if one.type == "text")
        usage, cached = found.usage, found.usage.cache_read_input_tokens or 0
        return text, [(one.name, dict(one.input)) for one in calls], (usage.input_tokens, usage.output_tokens, cached)


class Completions:
    """A conversation of OpenAI's client in Chat Completions."""

    def __init__(self, bench: Bench, stream: bool) -> None:
        self._client, self._stream = bench.gpt, stream
        self._turns: list[Any] = [{"role": "user", "content": "How is the weather?"}]

    async def turn(self) -> Turn:
        tool = {"type": "function", "function": {"name": "get_weather", "description": "Weather.", "parameters": PLACE}}
        asked: Any = {"model": "m", "messages": self._turns, "tools": [tool]}
        if self._stream:
            more: Any = {"stream_options": {"include_usage": True}}
            async with self._client.chat.completions.stream(**asked, **more) as stream:
                found: Any = await stream.get_final_completion()
        else:
            found = await self._client.chat.completions.create(**asked)
        message = found.choices[0].message
        calls = message.tool_calls or []
        self._turns.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
        for one in calls:
            said = f"rain {one.function.arguments}"
            self._turns.append({"role": "tool", "tool_call_id": one.id, "content": said})
        usage, cached = found.usage, found.usage.prompt_tokens_details.cached_tokens
        tokens = (usage.prompt_tokens - cached, usage.completion_tokens, cached)
        return message.content or "", [(one.function.name, json.loads(one.function.arguments)) for one in calls], tokens


class Responses:
    """A conversation of OpenAI's client in Responses."""

    def __init__(self, bench: Bench, stream: bool) -> None:
        self._client, self._stream = bench.gpt, stream
        self._turns: list[Any] = [{"role": "user", "content": "How is the weather?"}]

    async def turn(self) -> Turn:
        tool = {"type": "function", "name": "get_weather", "description": "Weather.", "parameters": PLACE}
        asked: Any = {"model": "m", "input": self._turns, "tools": [{**tool, "strict": False}], "store": False}
        if self._stream:
            async with self._client.responses.stream(**asked) as stream:
                found: Any = await stream.get_final_response()
        else:
            found = await self._client.responses.create(**asked)
        calls = [one for one in found.output if one.type == "function_call"]
        self._turns += [one.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for one in found.output]
        for one in calls:
            said = f"rain {one.arguments}"
            self._turns.append({"type": "function_call_output", "call_id": one.call_id, "output": said})
        usage, cached = found.usage, found.usage.input_tokens_details.cached_tokens
        tokens = (usage.input_tokens - cached, usage.output_tokens, cached)
        return found.output_text, [(one.name, json.loads(one.arguments)) for one in calls], tokens


class Contents:
    """A conversation of Google's client."""

    def __init__(self, bench: Bench, stream: bool) -> None:
        self._client, self._stream = bench.google.aio, stream
        self._turns: list[Any] = [types.Content(role="user", parts=[types.Part(text="How is the weather?")])]

    async def turn(self) -> Turn:
        declared = types.FunctionDeclaration(name="get_weather", description="Weather.", parameters_json_schema=PLACE)
        config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])])
        asked: Any = {"model": "m", "contents": self._turns, "config": config}
        if self._stream:
            chunks = [one async for one in await self._client.models.generate_content_stream(**asked)]
        else:
            chunks = [await self._client.models.generate_content(**asked)]
        contents = [found.content for one in chunks for found in one.candidates or () if found.content]
        parts: list[types.Part] = [part for content in contents for part in content.parts or ()]
        calls = [part.function_call for part in parts if part.function_call]
        self._turns.append(types.Content(role="model", parts=parts))
        results = [types.Part.from_function_response(name=str(one.name), response={"output": "rain"}) for one in calls]
        self._turns.append(types.Content(role="user", parts=results))
        assert chunks[-1].candidates
        assert chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP
        text = "".join(part.text or "" for part in parts if not part.thought)
        usage = chunks[-1].usage_metadata
        assert usage is not None
        cached, thoughts = usage.cached_content_token_count or 0, usage.thoughts_token_count or 0
        tokens = ((usage.prompt_token_count or 0) - cached, (usage.candidates_token_count or 0) + thoughts, cached)
        assert usage.total_token_count == sum(tokens)
        return text, [(str(one.name), dict(one.args or {})) for one in calls], tokens


CLIENTS: dict[str, Callable[[Bench, bool], Any]] = {
    "anthropic": Messages,
    "chat": Completions,
    "responses": Responses,
    "gemini": Contents,
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("upstream", UPSTREAMS)
@pytest.mark.parametrize("client", CLIENTS)
async def test_three_turns_with_tools(client: str, upstream: str, stream: bool) -> None:
    async with bench_of(**UPSTREAMS[upstream]) as bench:
        bench.says += SAYS
        conversation = CLIENTS[client](bench, stream)
        turn: Callable[[], Awaitable[Turn]] = conversation.turn
        turns = [await turn() for _ in SAYS]
        for said, (text, calls, tokens) in zip(SAYS, turns, strict=True):
            assert text == said.text
            assert calls == [(name, given) for _, name, given in said.calls]
            assert tokens == (FRESH, OUTPUT, said.cached)
        counted = [(one.input, one.output, one.cache_read) for one in bench.proxy.pipe.served]
        assert counted == [(FRESH, OUTPUT, said.cached) for said in SAYS]
        assert [one.dialect for one in bench.proxy.pipe.served] == [client] * len(SAYS)
        assert _pairs(bench.asked()) == [*PLACES, PLACES[0]]


def _pairs(body: Any) -> list[str]:
    """The places that calls of the last request name, in order; each call has its result."""
    calls: list[tuple[str, Any]] = []
    results: list[str] = []
    for one in _objects(body.get("messages", body.get("input", body.get("contents")))):
        match one:
            case {"type": "tool_use", "id": str(name), "input": given}:
                calls.append((name, given))
            case {"type": "tool_result", "tool_use_id": str(name)} | {"role": "tool", "tool_call_id": str(name)}:
                results.append(name)
            case {"function": {"arguments": str(given)}, "id": str(name)}:
                calls.append((name, json.loads(given)))
            case {"type": "function_call", "call_id": str(name), "arguments": str(given)}:
                calls.append((name, json.loads(given)))
            case {"type": "function_call_output", "call_id": str(name)}:
                results.append(name)
            case {"functionCall": {"args": given, **call}}:
                calls.append((call.get("id", f"bare {len(calls)}"), given))
            case {"functionResponse": {"name": "get_weather", **result}}:
                results.append(result.get("id", f"bare {len(results)}"))
    assert [name for name, _ in calls] == results
    return [given["place"] for _, given in calls]


def _objects(value: Any) -> Sequence[dict[str, Any]]:
    if isinstance(value, list):
        return [found for one in value for found in _objects(one)]
    if not isinstance(value, dict):
        return []
    return [value, *(found for name, one in value.items() if name != "input" for found in _objects(one))]
