"""Tools: workflows, code, HTTP, MCP, the calculator, ordinary nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ai_lab import AiLab, flow, model, node
from hypothesis import given
from hypothesis import strategies as st
from loopback import Seen, reply

from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Document
from jackfield_ai.tools.code import program
from jackfield_ai.tools.simple import calculated

OTHER = "0197a000-0000-7000-8000-0000000000aa"


def agent(*tools: dict[str, Any]) -> Document:
    main = node("Agent", "agent", {"promptType": "define", "text": "go"}, typeVersion=2)
    return flow(main, parts=[(model(), "ai_languageModel", "Agent"), *((tool, "ai_tool", "Agent") for tool in tools)])


async def told(lab: AiLab, document: Document, call: tuple[str, Any], *items: Any) -> str:
    """What the model was told after one call."""
    await lab.credential("openAiApi")
    lab.says = [{"calls": [call]}, *lab.says, {"text": "done"}]
    assert await lab.items(document, *(items or ({"chatInput": "x"},))) == [{"output": "done"}]
    found: str = json.loads(lab.server.seen[-1].body)["messages"][-1]["content"]
    return found


def sub_workflow(*more: dict[str, Any]) -> Document:
    trigger = node("Sub", "n8n-nodes-base.executeWorkflowTrigger", {"inputSource": "passthrough"}, typeVersion=1.1)
    document: Any = flow(*more)
    document["nodes"][0] = trigger
    document["connections"] = {
        "Sub": document["connections"].pop("Start", {"main": [[]]}),
        **document["connections"],
    }
    return document  # type: ignore[no-any-return]


async def test_another_workflow_with_mapped_inputs(lab: AiLab) -> None:
    await lab.save(sub_workflow(), OTHER)
    inputs = {"value": {"city": "={{ $fromAI('city', 'where') }}", "who": "={{ $json.chatInput }}"}, "schema": []}
    parameters = {
        "workflowId": {"__rl": True, "mode": "list", "value": OTHER},
        "description": "Finds things",
        "workflowInputs": inputs,
    }
    tool = node("Find it", "toolWorkflow", parameters, typeVersion=2.2)
    assert json.loads(await told(lab, agent(tool), ("Find_it", {"city": "Bonn"}))) == {"city": "Bonn", "who": "x"}
    (spec,) = lab.asked[0]["tools"]
    assert spec["function"]["parameters"]["properties"] == {"city": {"type": "string", "description": "where"}}


async def test_another_workflow_of_an_old_version(lab: AiLab) -> None:
    await lab.save(
        sub_workflow(
            node(
                "Set",
                "n8n-nodes-base.set",
                {
                    "mode": "raw",
                    "jsonOutput": "={{ {response: $json.query.sql + $json.sql + $json.fixed} }}",
                },
                typeVersion=3.4,
            )
        ),
        OTHER,
    )
    schema = {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}
    parameters = {
        "name": "run_sql",
        "workflowId": OTHER,
        "description": "d",
        "specifyInputSchema": True,
        "schemaType": "manual",
        "inputSchema": json.dumps(schema),
        "fields": {"values": [{"name": "fixed", "stringValue": "!"}]},
    }
    tool = node("T", "toolWorkflow", parameters, typeVersion=1.2)
    assert await told(lab, agent(tool), ("run_sql", {"sql": "S"})) == "SS!"


async def test_a_workflow_that_is_not_there_is_told(lab: AiLab) -> None:
    tool = node("T", "toolWorkflow", {"workflowId": OTHER}, typeVersion=2)
    assert "There is no workflow with the id" in await told(lab, agent(tool), ("T", {}))


async def test_code_with_a_text(lab: AiLab) -> None:
    tool = node(
        "Shout", "toolCode", {"description": "d", "jsCode": "return query.toUpperCase() + '!'"}, typeVersion=1.1
    )
    assert await told(lab, agent(tool), ("Shout", {"query": 'hi "you"\u2028'})) == 'HI "YOU"\u2028!'


async def test_code_with_a_schema_and_its_mistakes(lab: AiLab) -> None:
    parameters = {
        "name": "sum",
        "description": "d",
        "specifyInputSchema": True,
        "jsonSchemaExample": '{"a": 1, "b": 2}',
        "jsCode": "if (query.a < 0) throw new Error('too small');\nreturn {sum: query.a + query.b};",
    }
    tool = node("T", "toolCode", parameters, typeVersion=1.3)
    assert await told(lab, agent(tool), ("sum", {"a": 1, "b": 2})) == '{"sum":3}'
    lab.server.seen.clear()
    lab.says = []
    answer = await told(lab, agent(tool), ("sum", {"a": -1, "b": 2}))
    assert answer.startswith("Error: too small")
    assert "[line 1]" in answer or "line" not in answer


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("return query", "query = {'a': \"it's\"}; return query"),
        ("if query:\n  return 1", "query = {'a': \"it's\"}\nif query:\n  return 1"),
    ],
)
def test_python_gets_its_query(source: str, expected: str) -> None:
    assert program("python", source, {"a": "it's"}) == expected


async def test_code_gets_fields_of_any_name(lab: AiLab) -> None:
    schema = {"type": "object"}
    parameters = {
        "specifyInputSchema": True,
        "schemaType": "manual",
        "inputSchema": json.dumps(schema),
        "jsCode": "return String(query.admin) + Object.keys(query)",
    }
    tool = node("Run", "toolCode", parameters, typeVersion=1.3)
    assert await told(lab, agent(tool), ("Run", {"__proto__": {"admin": True}})) == "undefined__proto__"


async def test_an_http_request_with_placeholders(lab: AiLab) -> None:
    parameters = {
        "toolDescription": "Searches",
        "method": "POST",
        "url": lab.server.url("/find/{topic}"),
        "sendQuery": True,
        "parametersQuery": {
            "values": [
                {"name": "limit", "valueProvider": "modelOptional"},
                {"name": "lang", "valueProvider": "fieldValue", "value": "de"},
            ]
        },
        "sendBody": True,
        "specifyBody": "json",
        "jsonBody": '{"q": "about {topic}", "exact": {exact}, "fixed": "{ no }"}',
        "placeholderDefinitions": {"values": [{"name": "exact", "type": "boolean", "description": "whether"}]},
    }

    def found(seen: Seen) -> bytes:
        assert seen.target == "/find/a%2F..%3Fb%22?limit=3&lang=de"
        assert seen.json == {"q": 'about a/..?b"', "exact": True, "fixed": "{ no }"}
        return reply({"hits": 1})

    lab.says = [found]
    tool = node("Find", "toolHttpRequest", parameters, typeVersion=1.1)
    arguments = {"topic": 'a/..?b"', "exact": True, "limit": 3}
    assert await told(lab, agent(tool), ("Find", arguments)) == '{"hits":1}'
    schema = lab.asked[0]["tools"][0]["function"]["parameters"]
    assert schema["properties"]["exact"] == {"type": "boolean", "description": "whether"}
    assert schema["required"] == ["topic", "exact"]


async def test_an_http_tool_that_is_refused(lab: AiLab) -> None:
    lab.says = [reply("nothing here", "404 Not Found")]
    tool = node("Get", "toolHttpRequest", {"url": lab.server.url("/x")}, typeVersion=1.1)
    assert await told(lab, agent(tool), ("Get", {})) == "Error: The server answered 404: nothing here"


async def test_a_model_cannot_climb_out_of_an_address(lab: AiLab) -> None:
    tool = node("Get", "toolHttpRequest", {"url": lab.server.url("/users/{id}/notes")}, typeVersion=1.1)
    assert "would lead to another address" in await told(lab, agent(tool), ("Get", {"id": ".."}))


async def test_a_model_that_chooses_the_host_gets_no_credential(lab: AiLab) -> None:
    await lab.credential("httpBearerAuth", token="canary-token")
    parameters = {"url": "{where}", "authentication": "genericCredentialType", "genericAuthType": "httpBearerAuth"}
    credentials = {"httpBearerAuth": {"id": "httpBearerAuth", "name": "x"}}
    tool = node("Get", "toolHttpRequest", parameters, typeVersion=1.1, credentials=credentials)
    answer = await told(lab, agent(tool), ("Get", {"where": lab.server.url("/x")}))
    assert answer.startswith("Error: The model chooses the host")
    assert not any("canary" in seen.headers.get("authorization", "") for seen in lab.server.seen)


async def test_an_http_answer_is_made_small(lab: AiLab) -> None:
    lab.says = [reply({"data": [{"a": 1, "b": 2}, {"a": 3, "b": 4}]})]
    parameters = {
        "url": lab.server.url("/x"),
        "optimizeResponse": True,
        "dataField": "data",
        "fieldsToInclude": "selected",
        "fields": "a",
    }
    tool = node("Get", "toolHttpRequest", parameters, typeVersion=1.1)
    assert await told(lab, agent(tool), ("Get", {})) == '[{"a":1},{"a":3}]'


async def test_an_ordinary_node_is_a_tool(lab: AiLab) -> None:
    parameters = {"url": "={{ $fromAI('url', 'which page') }}", "options": {}, "toolDescription": "Reads pages"}
    tool = node("Read page", "n8n-nodes-base.httpRequestTool", parameters, typeVersion=4.2)
    lab.says = [reply({"page": 1})]
    assert await told(lab, agent(tool), ("Read_page", {"url": lab.server.url("/p")})) == '{"page":1}'
    assert lab.asked[0]["tools"][0]["function"]["description"] == "Reads pages"


async def test_the_guard_stands_before_what_a_model_asks_for(lab: AiLab) -> None:
    tool = node("Read", "n8n-nodes-base.httpRequestTool", {"url": "={{ $fromAI('url') }}"}, typeVersion=4.2)
    answer = await told(lab, agent(tool), ("Read", {"url": "http://169.254.169.254/latest"}))
    assert answer.startswith("Error:")
    assert "169.254.169.254" in answer


async def test_a_tool_that_would_wait_cannot(lab: AiLab) -> None:
    tool = node("W", "n8n-nodes-base.waitTool", {"resume": "webhook"}, typeVersion=1.1)
    assert "would wait" in await told(lab, agent(tool), ("W", {}))


async def test_a_large_result_is_cut(lab: AiLab) -> None:
    lab.says = [reply("x" * 150_000)]
    tool = node("Get", "toolHttpRequest", {"url": lab.server.url("/x")}, typeVersion=1.1)
    answer = await told(lab, agent(tool), ("Get", {}))
    assert answer.endswith("[50000 characters more were cut off]")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 * (3 + 4)", 14),
        ("2^10", 1024),
        ("-7 % 3", 2),
        ("sqrt(16) + pi*0", 4),
        ("max(1, 2.5)", 2.5),
        ("10/4", 2.5),
        ("round(2.345, 1)", 2.3),
        ("round(2.6)", 3),
    ],
)
def test_arithmetic(expression: str, value: float) -> None:
    assert calculated(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os')",
        "a.b",
        "[1]",
        "'x'",
        "1/0",
        "9^9^9^9",
        "9**99999",
        "(-8)^0.5",
        "lambda: 1",
        "",
        "f(1)",
        "1" * 2000,
        "round(5, -10^9)",
        "round(5, -1000000000000)",
    ],
)
def test_what_is_no_arithmetic(expression: str) -> None:
    with pytest.raises(NodeError):
        calculated(expression)


@given(st.text(alphabet="0123456789+-*/^(). ", max_size=40))
def test_any_expression_ends(expression: str) -> None:
    try:
        value = calculated(expression)
    except NodeError:
        return
    assert isinstance(value, int | float)
