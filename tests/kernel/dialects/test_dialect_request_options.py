"""Options of requests in each dialect: tools, limits, sampling, thinking and formats, one test a rule."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dialect_lab import WEATHER, assistant, call, encoded, messages, result, translated, user
from request_lab import HISTORY, TOOLS, codex, said, to_chat, to_responses

from jackfield.api.dialects import names, of


def test_tools_become_functions() -> None:
    (tool,) = to_chat(tools=[WEATHER])["tools"]
    assert tool == {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Weather of a place.",
            "parameters": WEATHER["input_schema"],
        },
    }


def test_schemas_have_an_object_at_the_root_and_known_formats() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}],
        "properties": {
            "url": {"type": "string", "format": "uri"},
            "at": {"type": "string", "format": "date-time"},
            "format": {"type": "string"},
        },
    }
    (tool,) = to_chat(tools=[{"name": "f", "input_schema": schema}])["tools"]
    found = tool["function"]["parameters"]
    assert found["type"] == "object"
    assert "anyOf" not in found
    assert "$schema" not in found
    assert set(found["properties"]) == {"a", "b", "url", "at", "format"}
    assert found["properties"]["url"] == {"type": "string"}
    assert found["properties"]["at"]["format"] == "date-time"


def test_a_tool_without_parameters_gets_an_empty_object() -> None:
    """7.7: parameters null -> empty object schema."""
    body = {"model": "m", "input": "hi", "tools": [{"type": "function", "name": "f", "parameters": None}]}
    assert translated("responses", "anthropic", body)["tools"][0]["input_schema"] == {
        "type": "object",
        "properties": {},
    }
    assert translated("responses", "chat", body)["tools"][0]["function"]["parameters"]["type"] == "object"


def test_long_names_are_shortened_and_found_again() -> None:
    long = "mcp__" + "a" * 80
    body = to_chat(user("?"), assistant(call(name=long)), user(result()), tools=[{**WEATHER, "name": long}])
    name = body["tools"][0]["function"]["name"]
    assert len(name) == 64
    assert name[:55] == long[:55]
    assert name[55] == "_"
    assert body["messages"][1]["tool_calls"][0]["function"]["name"] == name
    tools = names.asked_tools(of("anthropic").parse_request(encoded(messages(tools=[{**WEATHER, "name": long}]))))
    assert tools[name].name == long


def test_hosted_tools_are_dropped_or_mapped() -> None:
    tools = [{"type": "web_search_20250305", "name": "web_search"}, {"type": "bash_20250124", "name": "bash"}, WEATHER]
    assert len(to_chat(tools=tools)["tools"]) == 1
    assert "web_search_options" not in to_chat(tools=tools)
    assert to_chat(tools=tools, target={"web_search": True})["web_search_options"] == {}
    assert {"type": "web_search"} in to_responses(tools=tools, target={"web_search": True})["tools"]
    assert "tools" not in to_chat(tools=tools[:2])


@pytest.mark.parametrize(
    ("choice", "chat", "responses"),
    [
        ({"type": "auto"}, "auto", "auto"),
        ({"type": "any"}, "required", "required"),
        ({"type": "none"}, "none", "none"),
        (
            {"type": "tool", "name": "get_weather"},
            {"type": "function", "function": {"name": "get_weather"}},
            {"type": "function", "name": "get_weather"},
        ),
    ],
    ids=["auto", "any", "none", "tool"],
)
def test_tool_choice(choice: dict[str, str], chat: Any, responses: Any) -> None:
    assert to_chat(tools=[WEATHER], tool_choice=choice)["tool_choice"] == chat
    assert to_responses(tools=[WEATHER], tool_choice=choice)["tool_choice"] == responses
    back = {
        "model": "m",
        "messages": [user("hi")],
        "tools": [to_chat(tools=[WEATHER])["tools"][0]],
        "tool_choice": chat,
    }
    assert translated("chat", "anthropic", back)["tool_choice"] == choice


def test_a_dropped_tool_is_not_insisted_on() -> None:
    tools = [{"type": "web_search_20250305", "name": "web_search"}, WEATHER]
    choice = {"type": "tool", "name": "web_search"}
    assert "tool_choice" not in to_chat(tools=tools, tool_choice=choice)
    assert "tool_choice" not in to_responses(tools=tools, tool_choice=choice)
    back = {"model": "m", "input": "x", "tools": [{"type": "web_search"}, {"type": "function", "name": "f"}]}
    made = translated("responses", "anthropic", {**back, "tool_choice": {"type": "web_search"}})
    assert "tool_choice" not in made


def test_parallel_calls_are_forbidden() -> None:
    choice = {"type": "auto", "disable_parallel_tool_use": True}
    assert to_chat(tools=[WEATHER], tool_choice=choice)["parallel_tool_calls"] is False
    assert to_responses(tools=[WEATHER], tool_choice=choice)["parallel_tool_calls"] is False
    back = {"model": "m", "input": "x", "tools": [{"type": "function", "name": "f"}], "parallel_tool_calls": False}
    assert translated("responses", "anthropic", back)["tool_choice"] == choice


@pytest.mark.parametrize(
    ("model", "field"),
    [
        ("gpt-4o", "max_tokens"),
        ("o3-mini", "max_completion_tokens"),
        ("o1", "max_completion_tokens"),
        ("gpt-5.1-codex", "max_completion_tokens"),
        ("openai/gpt-5", "max_completion_tokens"),
        ("gpt-5-chat-latest", "max_tokens"),
        ("olmo-7b", "max_tokens"),
    ],
)
def test_the_limits_name_depends_on_the_model(model: str, field: str) -> None:
    body = to_chat(target={"model": model})
    assert body[field] == 256
    assert len({"max_tokens", "max_completion_tokens"} & set(body)) == 1


def test_the_limit_is_clamped() -> None:
    assert to_chat(target={"max_output_tokens": 100})["max_tokens"] == 100
    body = {"model": "m", "messages": [user("x")], "max_tokens": 900}
    assert translated("chat", "anthropic", body, max_output_tokens=100)["max_tokens"] == 100


def test_sampling_and_stop_sequences() -> None:
    more: dict[str, Any] = {"temperature": 0.5, "top_p": 0.9, "top_k": 5, "stop_sequences": ["a", "b", "c", "d", "e"]}
    body = to_chat(**more)
    assert (body["temperature"], body["top_p"], body["stop"]) == (0.5, 0.9, ["a", "b", "c", "d"])
    assert "top_k" not in body
    assert not {"temperature", "top_p", "stop"} & set(to_chat(**more, target={"model": "gpt-5"}))


def test_temperature_above_one_is_clamped_for_anthropic() -> None:
    body = {"model": "m", "messages": [user("x")], "temperature": 1.7, "top_p": 0.5}
    made = translated("chat", "anthropic", body)
    assert made["temperature"] == 1
    assert "top_p" not in made


def test_the_user_is_shortened_and_gives_the_cache_key() -> None:
    person = "user_" + "f" * 64 + "_account__session_0123-4567"
    body = to_chat(metadata={"user_id": person}, target={"cache_key": True})
    assert len(body["user"]) == 64
    assert body["prompt_cache_key"] == "0123-4567"
    assert "prompt_cache_key" not in to_chat(metadata={"user_id": person})
    assert to_responses(metadata={"user_id": json.dumps({"session_id": "s"})})["prompt_cache_key"] == "s"


@pytest.mark.parametrize(
    ("more", "effort"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, "low"),
        ({"thinking": {"type": "enabled", "budget_tokens": 10_000}}, "medium"),
        ({"thinking": {"type": "enabled", "budget_tokens": 31_999}}, "high"),
        ({"thinking": {"type": "adaptive"}}, "medium"),
        ({"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}}, "xhigh"),
        ({"output_config": {"effort": "low"}}, "low"),
        ({"thinking": {"type": "disabled"}}, None),
        ({}, None),
    ],
)
def test_thinking_becomes_an_effort(more: dict[str, Any], effort: str | None) -> None:
    assert to_chat(**more).get("reasoning_effort") == effort
    assert to_responses(**more).get("reasoning", {}).get("effort") == effort
    assert "reasoning_effort" not in to_chat(**more, target={"model": "gpt-4o"})


def test_an_output_schema_is_strict() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}
    schema = {"type": "object", "properties": {"list": {"type": "array", "items": inner}}}
    for more in (
        {"output_config": {"format": {"type": "json_schema", "schema": schema}}},
        {"output_format": {"type": "json_schema", "schema": schema}},
    ):
        made = to_chat(**more)["response_format"]
        assert made["type"] == "json_schema"
        assert made["json_schema"]["strict"] is True
        found = made["json_schema"]["schema"]
        assert (found["additionalProperties"], found["required"]) == (False, ["list"])
        assert found["properties"]["list"]["items"]["required"] == ["a", "b"]
        assert to_responses(**more)["text"]["format"]["schema"] == found


def test_an_output_format_for_anthropic() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}
    wanted = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    body = {"model": "m", "messages": [user("x")], "response_format": wanted}
    made = translated("chat", "anthropic", body)["output_config"]["format"]
    assert made == {"type": "json_schema", "schema": {**schema, "additionalProperties": False}}
    told = translated("chat", "anthropic", body, schema_output=False)["system"][-1]["text"]
    assert '"required":["a"]' in told
    free = translated("chat", "anthropic", {**body, "response_format": {"type": "json_object"}})
    assert "JSON object" in free["system"][-1]["text"]


def test_a_stream_asks_for_usage() -> None:
    body = to_chat(stream=True)
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert "stream" not in to_chat()


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-sonnet-4-5", {"type": "enabled", "budget_tokens": 8192}),
        ("claude-3-7-sonnet-20250219", {"type": "enabled", "budget_tokens": 8192}),
        ("claude-opus-4-6", {"type": "adaptive"}),
        ("claude-3-5-haiku-latest", None),
    ],
)
def test_effort_becomes_thinking(model: str, expected: Any) -> None:
    body = translated("responses", "anthropic", codex(said("user", "x"), reasoning={"effort": "medium"}), model=model)
    assert body.get("thinking") == expected


def test_thinking_is_left_out_where_anthropic_would_refuse_it() -> None:
    """An unsigned tool loop, a forced tool, a limit below the least budget."""
    loop = (said("user", "x"), HISTORY[4], HISTORY[8])
    asked = codex(*loop, reasoning={"effort": "high"})
    assert "thinking" not in translated("responses", "anthropic", asked)
    forced = codex(said("user", "x"), reasoning={"effort": "high"}, tools=TOOLS, tool_choice="required")
    assert "thinking" not in translated("responses", "anthropic", forced)
    small = codex(said("user", "x"), reasoning={"effort": "high"}, max_output_tokens=500)
    assert "thinking" not in translated("responses", "anthropic", small)
    tight = codex(said("user", "x"), reasoning={"effort": "high"}, max_output_tokens=4000, temperature=0.3)
    made = translated("responses", "anthropic", tight)
    assert made["thinking"]["budget_tokens"] == 2000
    assert "temperature" not in made


def test_the_prefix_is_marked_for_the_cache_on_wish() -> None:
    body = translated("responses", "anthropic", codex(said("user", "x"), tools=TOOLS), cache_prompts=True)
    mark = {"type": "ephemeral"}
    assert body["system"][-1]["cache_control"] == body["messages"][-1]["content"][-1]["cache_control"] == mark
    assert "cache_control" not in encoded(translated("responses", "anthropic", codex(said("user", "x")))).decode()
