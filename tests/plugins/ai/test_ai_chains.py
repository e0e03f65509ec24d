"""Chains: one prompt, extraction, classification, sentiment, summaries; and parsers inside agents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ai_lab import AiLab, flow, model, node

from jackfield.api.workflows import Document


def parser(kind: str = "outputParserStructured", version: float = 1.3, **parameters: Any) -> dict[str, Any]:
    return node("Parser", kind, parameters, typeVersion=version)


def with_model(main: dict[str, Any], *parts: Any) -> Document:
    return flow(main, parts=[(model(), "ai_languageModel", main["name"]), *parts])


def chain(version: float = 1.7, **parameters: Any) -> dict[str, Any]:
    return node(
        "Chain", "chainLlm", {"promptType": "define", "text": "={{ $json.q }}", **parameters}, typeVersion=version
    )


async def test_a_chain_asks_once(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": " Hello \n"}]
    messages = {
        "messageValues": [{"message": "=Be {{ $json.how }}"}, {"type": "AIMessagePromptTemplate", "message": "Hm"}]
    }
    assert await lab.items(with_model(chain(messages=messages)), {"q": "Hi", "how": "kind"}) == [{"text": "Hello"}]
    assert lab.asked[0]["messages"] == [
        {"role": "system", "content": "Be kind"},
        {"role": "assistant", "content": "Hm"},
        {"role": "user", "content": "Hi"},
    ]


async def test_a_chain_with_a_parser(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": '```json\n{"a": 1}\n```'}]
    example = parser(jsonSchemaExample='{"a": 5}')
    document = with_model(chain(hasOutputParser=True), (example, "ai_outputParser", "Chain"))
    assert await lab.items(document, {"q": "Hi"}) == [{"output": {"a": 1}}]
    assert lab.asked[0]["response_format"] == {"type": "json_object"}
    assert '"required":["a"]' in lab.asked[0]["messages"][-1]["content"]


async def test_an_answer_that_does_not_fit_fails_the_chain(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": '{"b": 1}'}]
    document = with_model(
        chain(hasOutputParser=True), (parser(jsonSchemaExample='{"a": 5}'), "ai_outputParser", "Chain")
    )
    message = await lab.failure(document, {"q": "Hi"})
    assert message == (
        "The model's answer does not have the required format. The JSON does not fit its schema: a is missing."
    )


async def test_a_parser_mends_with_its_model(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "no"}, {"text": '{"a": 2}'}]
    fixing = node("Fixing", "outputParserAutofixing", typeVersion=1)
    document = flow(
        chain(hasOutputParser=True),
        parts=[
            (model(), "ai_languageModel", "Chain"),
            (fixing, "ai_outputParser", "Chain"),
            (model(), "ai_languageModel", "Fixing"),
            (
                parser(schemaType="manual", inputSchema='{"type": "object", "required": ["a"]}'),
                "ai_outputParser",
                "Fixing",
            ),
        ],
    )
    assert await lab.items(document, {"q": "Hi"}) == [{"output": {"a": 2}}]


async def test_a_list_parser(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "- a\n- b"}]
    document = with_model(chain(hasOutputParser=True), (parser("outputParserItemList", 1), "ai_outputParser", "Chain"))
    assert await lab.items(document, {"q": "Hi"}) == [{"data": ["a", "b"]}]


AGENT = {"promptType": "define", "text": "hi", "hasOutputParser": True}


def agent_with_parser(*more: Any, schema: str = '{"type": "object", "required": ["a"]}') -> Document:
    made = node("Agent", "agent", AGENT, typeVersion=2)
    written = parser(schemaType="manual", inputSchema=schema)
    return flow(made, parts=[(model(), "ai_languageModel", "Agent"), (written, "ai_outputParser", "Agent"), *more])


CALCULATOR = (node("Calc", "toolCalculator", typeVersion=1), "ai_tool", "Agent")


async def test_an_agent_answers_with_json(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "Well."}, {"text": '{"a": 1}'}]
    assert await lab.items(agent_with_parser(), {}) == [{"output": {"a": 1}}]
    assert "not the JSON that was asked for" in lab.asked[1]["messages"][-1]["content"]


async def test_an_agent_gives_up_on_answers_that_do_not_fit(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "Well."}] * 3
    assert "required format" in await lab.failure(agent_with_parser(), {})


async def test_an_agent_with_tools_has_a_tool_for_its_answer(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    final = "format_final_json_response"
    lab.says = [
        {"calls": [("calculator", {"input": "2^3"})]},
        {"calls": [(final, {"b": 1})]},
        {"calls": [(final, {"a": 8})]},
    ]
    assert await lab.items(agent_with_parser(CALCULATOR), {}) == [{"output": {"a": 8}}]
    assert [tool["function"]["name"] for tool in lab.asked[0]["tools"]] == ["calculator", final]
    assert lab.asked[1]["messages"][-1]["content"] == "8"
    assert "a is missing" in lab.asked[2]["messages"][-1]["content"]


async def test_an_answer_that_is_a_list_is_wrapped_for_the_tool(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"calls": [("format_final_json_response", {"output": [1, 2]})]}]
    document = agent_with_parser(CALCULATOR, schema='{"type": "array", "items": {"type": "number"}}')
    assert await lab.items(document, {}) == [{"output": [1, 2]}]


async def test_extraction_by_attributes(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": '{"mood": "good", "when": null}'}]
    attributes = {
        "attributes": [{"name": "mood", "required": True, "description": "d"}, {"name": "when", "type": "date"}]
    }
    main = node("X", "informationExtractor", {"text": "={{ $json.t }}", "attributes": attributes}, typeVersion=1)
    assert await lab.items(with_model(main), {"t": "sunny"}) == [{"output": {"mood": "good", "when": None}}]
    system, user = lab.asked[0]["messages"]
    assert '"required":["mood"]' in system["content"]
    assert user["content"] == "sunny"


async def test_extraction_needs_text_and_attributes(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    empty = node("X", "informationExtractor", {"text": ""}, typeVersion=1)
    assert "The parameter text is empty" in await lab.failure(with_model(empty), {})
    nothing = node("X", "informationExtractor", {"text": "t"}, typeVersion=1)
    assert "no attributes" in await lab.failure(with_model(nothing), {})


def classifier(**options: Any) -> dict[str, Any]:
    rows = [{"category": "bug ", "description": "broken"}, {"category": "wish"}]
    parameters = {"inputText": "={{ $json.t }}", "categories": {"categories": rows}, "options": options}
    return node("C", "textClassifier", parameters, typeVersion=1.1)


def sorting(main: dict[str, Any], outputs: int) -> Any:
    """One note per output."""
    document: Any = with_model(main)
    for output in range(outputs):
        document["nodes"].append(node(f"Out {output}", "n8n-nodes-base.noOp"))
    document["connections"][main["name"]] = {
        "main": [[{"node": f"Out {output}", "type": "main", "index": 0}] for output in range(outputs)]
    }
    return document


async def outputs_of(lab: AiLab, document: Any, *items: Any) -> dict[str, list[Any]]:
    outcome = await lab.run(document, *items)
    assert outcome.status == "success", outcome.failure
    found = {}
    for record in await lab.records():
        if record["node"].startswith("Out"):
            found[record["node"]] = [item["json"] for item in record["outputs"][0]]
    return found


async def test_a_classifier_chooses_outputs(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": json.dumps(one)} for one in ({"bug": True}, {"wish": True, "bug": False}, {"bug": False})]
    document = sorting(classifier(fallback="other"), 3)
    found = await outputs_of(lab, document, {"t": "1"}, {"t": "2"}, {"t": "3"})
    assert found == {"Out 0": [{"t": "1"}], "Out 1": [{"t": "2"}], "Out 2": [{"t": "3"}]}
    assert "bug, wish" in lab.asked[0]["messages"][0]["content"]


async def test_several_categories_and_none(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": '{"bug": true, "wish": true}'}, {"text": "{}"}]
    found = await outputs_of(lab, sorting(classifier(multiClass=True), 2), {"t": "1"}, {"t": "2"})
    assert found == {"Out 0": [{"t": "1"}], "Out 1": [{"t": "1"}]}


async def test_a_classifier_mends_what_is_no_json(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "a bug"}, {"text": '{"bug": true}'}]
    assert await outputs_of(lab, sorting(classifier(), 2), {"t": "1"}) == {"Out 0": [{"t": "1"}]}


async def test_sentiment(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": '{"sentiment": "Negative", "strength": 0.9, "confidence": 1}'}]
    parameters = {"inputText": "={{ $json.t }}", "options": {"includeDetailedResults": True}}
    document = sorting(node("S", "sentimentAnalysis", parameters, typeVersion=1), 3)
    expected = {"t": "bad", "sentimentAnalysis": {"category": "Negative", "strength": 0.9, "confidence": 1}}
    assert await outputs_of(lab, document, {"t": "bad"}) == {"Out 2": [expected]}


@pytest.mark.parametrize(("method", "count"), [("map_reduce", 3), ("refine", 2), ("stuff", 1)])
async def test_summaries(lab: AiLab, method: str, count: int) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": f"s{number}"} for number in range(count)]
    options = {"summarizationMethodAndPrompts": {"values": {"summarizationMethod": method}}}
    parameters = {"chunkSize": 30, "chunkOverlap": 0, "options": options}
    main = node("S", "chainSummarization", parameters, typeVersion=2.1)
    found = await lab.items(with_model(main), {"t": "one two three four five six"})
    assert found == [{"output": {"text": f"s{count - 1}"}}]
    assert len(lab.asked) == count
    last = lab.asked[-1]["messages"][0]["content"]
    # Of two requests at once either may be answered first.
    joined = any(text in last for text in ("s0\n\ns1", "s1\n\ns0"))
    assert joined == (method == "map_reduce")
    assert ('"s0"' in last) == (method == "refine")
