"""Gemini's dialect where it differs in kind from the others: ids, signatures, thinking, schemas, ends and counts."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from dialect_lab import assistant, call, cut, encoded, messages, read, result, translated, user, write
from hypothesis import given, settings
from hypothesis import strategies as st

from jackfield.api.dialects import hosted, of
from jackfield.api.dialects.model import (
    ChatTurn,
    DialectError,
    Failed,
    ModelRequest,
    ModelResponse,
    Reasoning,
    TextBlock,
    Thinking,
    TokenCounts,
    ToolDefinition,
    ToolResult,
    ToolUse,
    UpstreamModel,
)
from jackfield.api.dialects.names import is_mixed
from jackfield.api.dialects.whole import collect, events_of

GEMINI = of("gemini")
HI = {"role": "user", "parts": [{"text": "hi"}]}


def parsed(*contents: Any, **more: Any) -> ModelRequest:
    return GEMINI.parse_request(encoded({"contents": [HI, *contents], **more}))


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def calling(name: str, **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **more}}


def answering(name: str, said: str, **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": said}, **more}}


def paired(request: ModelRequest) -> dict[str, str]:
    """Tool -> what its call was answered, each call having its own id."""
    blocks = [block for turn in request.turns for block in turn.content]
    names = {block.id: block.name for block in blocks if isinstance(block, ToolUse)}
    results = {block.id: block.content[0] for block in blocks if isinstance(block, ToolResult)}
    assert len(names) == sum(isinstance(block, ToolUse) for block in blocks)
    return {f"{names[key]} {number}": getattr(text, "text", "") for number, (key, text) in enumerate(results.items())}


# ----------------------------------------------------------------------------------------------------------------- ids


def test_calls_and_results_without_ids_are_paired_by_name_and_order() -> None:
    turns = [
        model(calling("a"), calling("b"), calling("a")),
        user_of(answering("b", "of b"), answering("a", "first a"), answering("a", "second a")),
        model(calling("a")),
        user_of(answering("a", "third a")),
    ]
    found = parsed(*turns)
    assert paired(found) == {"b 0": "of b", "a 1": "first a", "a 2": "second a", "a 3": "third a"}
    longer = parsed(*turns, model({"text": "x"}), HI)
    assert longer.turns[: len(found.turns)] == found.turns, "the same ids in every later request"


def user_of(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def test_ids_count_before_names_and_an_interrupted_call_stays_open() -> None:
    mixed = parsed(
        model(calling("a", id="x"), calling("a")),
        user_of(answering("a", "of the second"), answering("a", "of x", id="x")),
    )
    results = [block for turn in mixed.turns for block in turn.content if isinstance(block, ToolResult)]
    assert [block.id == "x" for block in results] == [False, True]
    turns = parsed(model(calling("a")), user_of({"text": "stop"}), model(calling("a")), user_of(answering("a", "late")))
    calls = [block.id for turn in turns.turns for block in turn.content if isinstance(block, ToolUse)]
    (only,) = [block.id for turn in turns.turns for block in turn.content if isinstance(block, ToolResult)]
    assert only == calls[1], "the latest turn's"


@pytest.mark.parametrize(
    ("response", "said", "failed"),
    [
        ({"output": "x"}, "x", False),
        ({"result": {"a": 1}}, '{"a":1}', False),
        ({"error": "no"}, "no", True),
        ({"a": 1, "b": 2}, '{"a":1,"b":2}', False),
    ],
)
def test_a_response_is_a_text_or_json(response: Any, said: str, failed: bool) -> None:
    part = {"functionResponse": {"name": "a", "response": response}}
    found = parsed(model(calling("a")), user_of(part)).turns[-1].content[0]
    assert isinstance(found, ToolResult)
    assert (found.content, found.is_error) == ((TextBlock(said),), failed)


def test_images_of_results_follow_behind_all_results() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    turns = [
        user("x"),
        assistant(call("t1"), call("t2", "other")),
        user(result("t1", [picture]), result("t2", "12", is_error=True)),
    ]
    parts = translated("anthropic", "gemini", messages(*turns))["contents"][-1]["parts"]
    assert [min(part) for part in parts] == ["functionResponse", "functionResponse", "inlineData"]
    assert parts[1]["functionResponse"] == {"id": "t2", "name": "other", "response": {"error": "12"}}


# ----------------------------------------------------------------------------------------------------------- signatures


def sent(name: str, *blocks: Any, **target: Any) -> list[dict[str, Any]]:
    body = messages(user("x"), assistant(*blocks), user(result("t1"), result("t2")))
    made: list[dict[str, Any]] = translated("anthropic", "gemini", body, model=name, **target)["contents"][1]["parts"]
    return made


def test_a_call_that_nobody_has_signed_says_so_from_3_on() -> None:
    skipped = "skip_thought_signature_validator"
    calls = (call("t1"), call("t2"))
    assert [part.get("thoughtSignature") for part in sent("gemini-3.5-flash", *calls)] == [skipped, None]
    assert [part.get("thoughtSignature") for part in sent("gemini-2.5-flash", *calls)] == [None, None]
    known = sent("gemini-3.5-flash", *calls, signatures={"t1": "c2ln"})
    assert [part.get("thoughtSignature") for part in known] == ["c2ln", None]


@pytest.mark.parametrize("urlsafe", [False, True])
def test_another_providers_signature_comes_back_through_googles_clients(urlsafe: bool) -> None:
    """They decode base64, and encode it in the other alphabet."""
    signed = Thinking("Hm.", "s~?i>g" * 5, "anthropic")
    asked = ModelRequest("gemini", "m", reasoning=Reasoning(summary="auto"))
    body = GEMINI.build_response(ModelResponse(content=(signed, TextBlock("x"))), asked)
    content = json.loads(body)["candidates"][0]["content"]
    if urlsafe:
        raw = base64.b64decode(content["parts"][0]["thoughtSignature"], validate=True)
        content["parts"][0]["thoughtSignature"] = base64.urlsafe_b64encode(raw).decode()
    again = encoded({"contents": [HI, content, HI]})
    assert is_mixed(again), "it must not pass to Gemini as it is"
    request = GEMINI.parse_request(again)
    assert request.turns[1].content[0] == signed
    assert b"s~?i>g" in of("anthropic").build_request(request, UpstreamModel("claude"))
    assert b"thoughtSignature" not in GEMINI.build_request(request, UpstreamModel("gemini-2.5-pro"))


def test_geminis_signature_comes_back_through_anthropics_clients() -> None:
    parts = [{"text": "Hm.", "thought": True}, {"text": "x"}, {"text": "", "thoughtSignature": "c2ln"}]
    answer = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "responseId": "r"}
    response = GEMINI.parse_response(encoded(answer))
    told = json.loads(of("anthropic").build_response(response, ModelRequest("anthropic", "m")))["content"]
    assert [block["type"] for block in told] == ["thinking", "text", "redacted_thinking"]
    again = messages(user("x"), {"role": "assistant", "content": told}, user("y"))
    turn = translated("anthropic", "gemini", again)["contents"][1]
    assert turn["parts"] == [{"text": "x"}, {"text": "", "thoughtSignature": "c2ln"}]


# ------------------------------------------------------------------------------------------------------------- thinking


@pytest.mark.parametrize(
    ("name", "reasoning", "config"),
    [
        ("gemini-3.5-flash", Reasoning(effort="high"), {"includeThoughts": True, "thinkingLevel": "high"}),
        ("gemini-3-pro-preview", Reasoning(effort="medium"), {"includeThoughts": True, "thinkingLevel": "high"}),
        ("gemini-3.1-pro-preview", Reasoning(budget=2000), {"includeThoughts": True, "thinkingLevel": "low"}),
        ("gemini-3.5-flash", Reasoning(enabled=False), {"includeThoughts": False, "thinkingLevel": "minimal"}),
        ("gemini-3.5-flash", Reasoning(), {"includeThoughts": True}),
        ("gemini-2.5-flash", Reasoning(budget=99_999), {"includeThoughts": True, "thinkingBudget": 24_576}),
        ("gemini-2.5-pro", Reasoning(enabled=False), {"includeThoughts": False, "thinkingBudget": 128}),
        ("gemini-2.5-flash", Reasoning(), {"includeThoughts": True, "thinkingBudget": -1}),
        ("gemini-2.0-flash", Reasoning(effort="high"), None),
        ("gemma-3-27b", Reasoning(effort="high"), None),
        ("gemini-3.5-flash", None, None),
    ],
)
def test_thinking_is_told_as_the_model_takes_it(name: str, reasoning: Reasoning | None, config: Any) -> None:
    body = GEMINI.build_request(ModelRequest("chat", "m", reasoning=reasoning), UpstreamModel(name))
    assert json.loads(body).get("generationConfig", {}).get("thinkingConfig") == config


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"thinkingBudget": 0}, Reasoning(enabled=False)),
        ({"thinkingBudget": -1, "includeThoughts": True}, Reasoning(summary="auto")),
        ({"thinking_budget": 2048}, Reasoning(budget=2048)),
        ({"thinkingLevel": "HIGH"}, Reasoning(effort="high")),
        ({}, None),
    ],
)
def test_a_clients_thinking_is_read(config: Any, expected: Reasoning | None) -> None:
    assert parsed(generationConfig={"thinkingConfig": config}).reasoning == expected


def test_thoughts_are_for_clients_that_ask_for_them() -> None:
    response = ModelResponse(content=(Thinking("Hm.", "s", "anthropic"), TextBlock("x")))
    body = json.loads(GEMINI.build_response(response, ModelRequest("gemini", "m")))
    assert body["candidates"][0]["content"]["parts"] == [{"text": "x"}]


# ---------------------------------------------------------------------------------------------- tools, formats, schemas


def test_googles_schemas_become_json_schema() -> None:
    schema = {
        "type": "OBJECT",
        "properties": {
            "type": {"type": "STRING", "nullable": True, "format": "enum", "enum": ["A"]},
            "list": {"type": "ARRAY", "min_items": "2", "items": {"any_of": [{"type": "INTEGER"}, {"type": "NULL"}]}},
        },
        "propertyOrdering": ["type"],
        "required": ["type"],
    }
    (tool,) = parsed(tools=[{"function_declarations": [{"name": "f", "parameters": schema}]}]).tools
    assert tool.schema == {
        "type": "object",
        "properties": {
            "type": {"type": ["string", "null"], "enum": ["A"]},
            "list": {"type": "array", "minItems": 2, "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        },
        "required": ["type"],
    }


def test_a_schema_goes_to_gemini_as_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"const": 1}},
        "additionalProperties": False,
    }
    tools = [{"name": "f", "input_schema": schema}, {"name": "bare", "input_schema": {"type": "object"}}]
    (made,) = translated("anthropic", "gemini", messages(tools=tools))["tools"]
    first, second = made["functionDeclarations"]
    assert first["parametersJsonSchema"] == schema
    assert second == {"name": "bare"}


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        ({"type": "auto"}, {"mode": "AUTO"}),
        ({"type": "any"}, {"mode": "ANY"}),
        ({"type": "none"}, {"mode": "NONE"}),
        ({"type": "tool", "name": "f"}, {"mode": "ANY", "allowedFunctionNames": ["f"]}),
    ],
)
def test_the_choice_of_a_tool_goes_there_and_back(choice: Any, config: Any) -> None:
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    body = translated("anthropic", "gemini", messages(tools=tools, tool_choice=choice))
    assert body["toolConfig"] == {"functionCallingConfig": config}
    assert translated("gemini", "anthropic", {**body, "model": "m"})["tool_choice"] == choice


@pytest.mark.parametrize(("name", "told"), [("gemini-2.5-flash", True), ("gemini-3.5-flash", False)])
def test_a_format_beside_functions_is_told_in_words_before_3(name: str, told: bool) -> None:
    shape = {"type": "json_schema", "schema": {"type": "object", "properties": {"word": {"type": "string"}}}}
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    body = translated("anthropic", "gemini", messages(tools=tools, output_config={"format": shape}), model=name)
    assert ("systemInstruction" in body) == told
    assert body.get("generationConfig", {}).get("responseJsonSchema") == (None if told else shape["schema"])


LIST = {"type": "ARRAY", "items": {"type": "STRING"}}
TEXT = {"type": "STRING", "enum": ["a", "b\u00fc"]}


@pytest.mark.parametrize("schema", [LIST, TEXT, {"anyOf": [LIST, TEXT]}, {"type": "OBJECT", "nullable": True}])
def test_openai_is_told_of_a_schema_without_an_object_in_words(schema: Any) -> None:
    body = {"contents": [HI], "generationConfig": {"responseMimeType": "application/json", "responseSchema": schema}}
    made = parsed(**body).format
    assert made is not None
    chat, responses = translated("gemini", "chat", body), translated("gemini", "responses", body)
    assert ("response_format" in chat, "text" in responses) == (False, False)
    for told in (chat["messages"][0]["content"], responses["instructions"]):
        assert json.loads(told.partition("schema: ")[2]) == made.schema


def test_openai_is_told_of_a_schema_with_an_object_as_a_format() -> None:
    schema = {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}
    body = {"contents": [HI], "generationConfig": {"responseMimeType": "application/json", "responseSchema": schema}}
    assert translated("gemini", "chat", body)["response_format"]["json_schema"]["strict"] is True
    assert translated("gemini", "responses", body)["text"]["format"]["strict"] is True


@pytest.mark.parametrize("dialect", ["chat", "responses", "anthropic", "gemini"])
def test_a_choice_of_texts_is_told_in_words(dialect: Any) -> None:
    generation = {"responseMimeType": "text/x.enum", "responseSchema": TEXT}
    body = translated("gemini", dialect, {"contents": [HI], "generationConfig": generation})
    assert "Answer with one of these values" in json.dumps(body)
    assert "b\u00fc" in json.dumps(body, ensure_ascii=False)
    assert dialect != "gemini" or body["generationConfig"] == generation
    with pytest.raises(DialectError, match="enum"):
        parsed(generationConfig={"responseMimeType": "text/x.enum"})


@pytest.mark.parametrize(
    ("config", "names", "choice"),
    [
        ({"mode": "ANY", "allowedFunctionNames": ["a", "b"]}, ["a", "b"], "required"),
        ({"mode": "any", "allowed_function_names": ["b", "c"]}, ["b", "c"], "required"),
        ({"mode": "VALIDATED", "allowedFunctionNames": ["a"]}, ["a"], "auto"),
        ({"mode": "ANY"}, ["a", "b", "c"], "required"),
        ({"mode": "AUTO", "allowedFunctionNames": ["a"]}, ["a", "b", "c"], "auto"),
        ({"mode": "ANY", "allowedFunctionNames": ["x", "y"]}, ["a", "b", "c"], "required"),
    ],
)
def test_other_dialects_get_the_functions_that_may_be_called(config: Any, names: list[str], choice: str) -> None:
    tools = [{"functionDeclarations": [{"name": name} for name in "abc"]}, {"googleSearch": {}}]
    body = {"contents": [HI], "tools": tools, "toolConfig": {"functionCallingConfig": config}}
    made = translated("gemini", "chat", body)
    assert ([tool["function"]["name"] for tool in made["tools"]], made["tool_choice"]) == (names, choice)
    assert [tool.kind for tool in parsed(**body).tools].count("hosted") == 1


def test_a_search_beside_functions_is_left_out_and_named() -> None:
    search = ToolDefinition("web_search", kind="hosted", dialect="anthropic")
    code = ToolDefinition("code_execution", kind="hosted", dialect="anthropic")
    function, target = ToolDefinition("f"), UpstreamModel("gemini-3.5-flash", web_search=True)
    for tools, made, missing in (
        ((search, code), [{"googleSearch": {}}], ("code_execution",)),
        ((search, function), [{"functionDeclarations": [{"name": "f"}]}], ("web_search",)),
    ):
        body = json.loads(GEMINI.build_request(ModelRequest("anthropic", "m", tools=tools), target))
        assert body["tools"] == made
        assert hosted.missing(tools, "gemini", target) == missing
    own = parsed(tools=[{"googleSearch": {}}, {"codeExecution": {}}]).tools
    assert hosted.missing(own, "chat", UpstreamModel("m")) == ("web_search", "code_execution")
    assert hosted.missing(own, "gemini", UpstreamModel("m")) == ()


# ----------------------------------------------------------------------------------------------------- ends and counts


def candidate(reason: str, *parts: Any, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": reason, **more}], "responseId": "r"}


@pytest.mark.parametrize(
    ("reason", "stop"),
    [("STOP", "end_turn"), ("MAX_TOKENS", "max_tokens"), ("SAFETY", "refusal"), ("RECITATION", "refusal")],
)
def test_reasons_are_read_alike_whole_and_streamed(reason: str, stop: str) -> None:
    body = candidate(reason, {"text": "x"})
    streamed = collect(read(GEMINI.reader(), [b"data: " + encoded(body) + b"\n\n"]))
    assert (GEMINI.parse_response(encoded(body)).stop, streamed.stop) == (stop, stop)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"promptFeedback": {"blockReason": "SAFETY"}}, 400, "blocked the prompt (SAFETY)"),
        (candidate("MALFORMED_FUNCTION_CALL", finishMessage="f(("), 502, "MALFORMED_FUNCTION_CALL): f(("),
        ({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}, 529, "busy"),
    ],
)
def test_what_is_no_answer_is_an_error(body: Any, status: int, says: str) -> None:
    with pytest.raises(DialectError) as whole:
        GEMINI.parse_response(encoded(body))
    (*_, last) = read(GEMINI.reader(), [b"data: " + encoded(body) + b"\n\n"])
    assert isinstance(last, Failed)
    for error in (whole.value, last.error):
        assert says in error.message
        assert error.status == status


def test_counts_are_exact_both_ways() -> None:
    counts = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 40,
        "toolUsePromptTokenCount": 5,
        "candidatesTokenCount": 7,
        "thoughtsTokenCount": 3,
        "totalTokenCount": 115,
    }
    usage = GEMINI.parse_response(encoded({**candidate("STOP"), "usageMetadata": counts})).usage
    assert usage == TokenCounts(65, 10, 40, reasoning=3)
    told = json.loads(GEMINI.build_response(ModelResponse(usage=usage), ModelRequest("gemini", "m")))["usageMetadata"]
    assert told == {
        "promptTokenCount": 105,
        "candidatesTokenCount": 7,
        "totalTokenCount": 115,
        "cachedContentTokenCount": 40,
        "thoughtsTokenCount": 3,
    }


@pytest.mark.parametrize(("stop", "reason"), [("max_tokens", "MAX_TOKENS"), ("tool_use", "MALFORMED_FUNCTION_CALL")])
def test_a_call_that_was_cut_off_is_no_call(stop: Any, reason: str) -> None:
    """No tool runs with half of its arguments, and nothing of them is lost."""
    response = ModelResponse(content=(ToolUse("t", "write", '{"path": "/et'),), stop=stop)
    asked = ModelRequest("gemini", "m")
    whole = json.loads(GEMINI.build_response(response, asked))["candidates"][0]
    last = json.loads(write(GEMINI.writer(asked), events_of(response)).split(b"data: ")[-1])["candidates"][0]
    for found in (whole, last):
        assert not any("functionCall" in part for part in found["content"]["parts"])
        assert (found["finishReason"], '{"path": "/et' in found["finishMessage"]) == (reason, True)


# --------------------------------------------------------------------------------------------------- a recorded stream

HEAD = {"modelVersion": "gemini-3.5-flash", "responseId": "aZ0"}
RECORDED = [
    {"content": {"parts": [{"text": "**Looking**\n\n", "thought": True}], "role": "model"}, "index": 0},
    {"content": {"parts": [{"text": "I think 🚀.", "thought": True}], "role": "model"}, "index": 0},
    {"content": {"parts": [{"text": "I shall "}], "role": "model"}, "index": 0},
    {"content": {"parts": [{"text": "look."}], "role": "model"}, "index": 0},
    {
        "content": {
            "parts": [
                {
                    "functionCall": {"name": "f", "args": {"a": "Köln", "b": [1, 2.5, None]}, "id": "x1"},
                    "thoughtSignature": "c2ln",
                },
                {"functionCall": {"name": "g", "args": {}, "id": "x2"}},
            ],
            "role": "model",
        },
        "index": 0,
    },
    {"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": "STOP", "index": 0},
]
STREAM = b"".join(
    b"data: "
    + json.dumps(
        {
            "candidates": [one],
            "usageMetadata": {"promptTokenCount": 90, "candidatesTokenCount": number, "thoughtsTokenCount": 4},
            **HEAD,
        },
        ensure_ascii=False,
    ).encode()
    + b"\r\n\r\n"
    for number, one in enumerate(RECORDED)
)
ANSWER = ModelResponse(
    "aZ0",
    "gemini-3.5-flash",
    (
        Thinking("**Looking**\n\nI think 🚀.", origin="gemini"),
        TextBlock("I shall look."),
        ToolUse("x1", "f", '{"a":"Köln","b":[1,2.5,null]}', signature="c2ln"),
        ToolUse("x2", "g", "{}"),
    ),
    "tool_use",
    usage=TokenCounts(90, 9, reasoning=4),
)


@given(st.lists(st.integers(0, 10**6), max_size=40))
@settings(max_examples=100)
def test_a_stream_says_the_same_wherever_it_is_cut(places: list[int]) -> None:
    assert collect(read(GEMINI.reader(), cut(STREAM, places))) == ANSWER


def test_a_stream_without_its_end_is_cut_off() -> None:
    for lines in range(1, len(RECORDED)):
        part = b"\r\n\r\n".join(STREAM.split(b"\r\n\r\n")[:lines]) + b"\r\n\r\n"
        (*_, last) = read(GEMINI.reader(), [part])
        assert isinstance(last, Failed)
        assert last.error.status == 502


# -------------------------------------------------------------------------------------------------------------- errors


def test_errors_have_googles_form_and_say_when_to_come_again() -> None:
    error = DialectError(429, "slower", "rate_limit_error", code="c", retry_after=3.2)
    status, body, headers = GEMINI.error_body(error)
    told = json.loads(body)["error"]
    assert (status, told["code"], told["status"], told["message"]) == (429, 429, "RESOURCE_EXHAUSTED", "slower")
    assert told["details"][1]["retryDelay"] == "3s"
    assert ("retry-after", "3") in headers
    again = GEMINI.parse_error(429, body)
    assert (again.kind, again.retry_after, again.message) == ("rate_limit_error", 3.0, "slower")
    too_long = {"error": {"code": 400, "message": "The input token count (9) exceeds the maximum", "status": "X"}}
    assert GEMINI.parse_error(400, encoded([too_long])).overflow


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({}, "contents"),
        ({"contents": [{"role": "robot", "parts": []}]}, "contents.0.role"),
        ({"contents": [HI], "generationConfig": {"candidateCount": 2}}, "generationConfig.candidateCount"),
        ({"contents": [{"parts": [{"functionCall": {}}]}]}, "contents.0.parts.0.functionCall.name"),
        ({"contents": [HI], "toolConfig": {"functionCallingConfig": {"mode": "X"}}}, "functionCallingConfig.mode"),
        ({"contents": [HI], "generation_config": {"top_p": "x"}}, "generationConfig.topP"),
    ],
)
def test_a_mistake_names_its_field(body: Any, names: str) -> None:
    with pytest.raises(DialectError, match=names.replace(".", r"\.")) as raised:
        GEMINI.parse_request(encoded(body))
    assert raised.value.status == 400


def test_what_google_keeps_goes_to_google_alone() -> None:
    request = parsed(cachedContent="cachedContents/x", safetySettings=[])
    with pytest.raises(DialectError, match="cachedContent"):
        of("chat").build_request(request, UpstreamModel("m"))
    again = json.loads(GEMINI.build_request(request, UpstreamModel("gemini-2.5-pro")))
    assert (again["cachedContent"], again["safetySettings"]) == ("cachedContents/x", [])


def test_an_empty_part_of_an_answer_says_nothing() -> None:
    candidate = {"content": {"role": "model", "parts": [{}, {"text": "Hello."}]}, "finishReason": "STOP"}
    found = of("gemini").parse_response(json.dumps({"candidates": [candidate]}).encode())
    assert [block.text for block in found.content if isinstance(block, TextBlock)] == ["Hello."]
    assert len(found.content) == 1


@pytest.mark.parametrize("kind", ["inlineData", "executableCode"])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_signed_part_that_is_no_text_stays_whole(kind: str, streamed: bool) -> None:
    part = {kind: {"mimeType": "image/png", "data": "aWY="}, "thoughtSignature": "sig"}
    answer = encoded({"candidates": [{"content": model(part), "finishReason": "STOP"}]})
    found = (
        collect(read(GEMINI.reader(), [b"data: " + answer + b"\n\n"])) if streamed else GEMINI.parse_response(answer)
    )
    asked = ModelRequest("gemini", "m", turns=(ChatTurn("assistant", found.content),))
    built = json.loads(GEMINI.build_request(asked, UpstreamModel("gemini-2.5-flash")))
    assert built["contents"][-1]["parts"] == [part]


@pytest.mark.parametrize(("sent", "read_as"), [("40.0", 40), ("-1", 0), ("9007199254740992.0", 2**53 - 1)])
def test_the_count_of_choices_is_one_that_others_take(sent: str, read_as: int) -> None:
    body = b'{"contents": [{"parts": [{"text": "hi"}]}], "generationConfig": {"topK": %b}}' % sent.encode()
    request = GEMINI.parse_request(body)
    assert request.top_k == read_as
    assert of("anthropic").parse_request(of("anthropic").build_request(request, UpstreamModel("m"))).top_k == read_as
