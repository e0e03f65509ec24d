"""The agent, over each wire format: its prompt, its tools, their failures, its limits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ai_lab import SECRET, AiLab, flow, model, node
from loopback import Seen, reply

from jackfield.api.context import WorkflowReader
from jackfield.api.workflows import Document

DIALECTS = [
    ("lmChatOpenAi", "openAiApi"),
    ("lmChatAnthropic", "anthropicApi"),
    ("lmChatGoogleGemini", "googlePalmApi"),
    ("lmChatOllama", "ollamaApi"),
    ("lmChatOpenRouter", "openRouterApi"),
    ("lmChatAzureOpenAi", "azureOpenAiApi"),
]
DEFINED = {"promptType": "define", "text": "={{ $json.question }}"}


def agent(parameters: dict[str, Any] | None = None, version: float = 2, **more: Any) -> dict[str, Any]:
    return node("Agent", "agent", parameters if parameters is not None else dict(DEFINED), typeVersion=version, **more)


def with_model(main: dict[str, Any], *parts: Any, chat: dict[str, Any] | None = None) -> Document:
    return flow(main, parts=[(chat or model(), "ai_languageModel", main["name"]), *parts])


def tool(name: str = "Look up", **parameters: Any) -> tuple[dict[str, Any], str, str]:
    given = {
        "toolDescription": "Looks things up.",
        "descriptionType": "manual",
        "word": "={{ $fromAI('word', 'What to look up', 'string') }}",
        "asked": "={{ $json.question }}",
        **parameters,
    }
    return node(name, "jackfield.noteTool", given), "ai_tool", "Agent"


@pytest.mark.parametrize(("kind", "credential"), DIALECTS, ids=[kind for kind, _ in DIALECTS])
async def test_a_tool_is_called_and_its_result_comes_back(lab: AiLab, kind: str, credential: str) -> None:
    await lab.credential(credential)
    chat = model(kind, credential, model="m-1")
    lab.says = [{"calls": [("Look_up", {"word": "sun"})]}, {"text": "It is a star."}]
    found = await lab.items(with_model(agent(), tool(), chat=chat), {"question": "What is the sun?"})
    assert found == [{"output": "It is a star."}]
    assert lab.noting.seen == [[{"question": "What is the sun?"}]]
    first, second = lab.asked
    assert "What is the sun?" in str(first)
    assert "What to look up" in str(first)
    assert "You are a helpful assistant" in str(first)
    assert (
        "'asked': 'What is the sun?'" in str(second)
        or '\\"asked\\":\\"What is the sun?\\"' in str(second)
        or ('"asked":"What is the sun?"' in str(second))
    )
    assert all(SECRET in str(seen.headers) for seen in lab.server.seen)
    assert SECRET in lab.context.secrets.redacted


async def test_gemini_gets_its_signatures_back(lab: AiLab) -> None:
    await lab.credential("googlePalmApi")
    lab.says = [{"calls": [("Look_up", {"word": "a"})]}, {"text": "done"}]
    chat = model("lmChatGoogleGemini", "googlePalmApi", modelName="models/g")
    await lab.items(with_model(agent(), tool(), chat=chat), {"question": "?"})
    assert lab.asked[1]["contents"][1]["parts"][0]["thoughtSignature"] == "sig"
    assert [turn["role"] for turn in lab.asked[1]["contents"]] == ["user", "model", "user"]
    assert lab.server.seen[0].target == "/v1beta/models/g:generateContent"


async def test_anthropic_gets_system_and_turns(lab: AiLab) -> None:
    await lab.credential("anthropicApi")
    lab.says = [{"text": "Hm.", "calls": [("Look_up", {"word": "a"}), ("Look_up", {"word": "b"})]}, {"text": "done"}]
    chat = model("lmChatAnthropic", "anthropicApi", model="c", options={"maxTokensToSample": 50})
    await lab.items(with_model(agent(), tool(), chat=chat), {"question": "?"})
    second = lab.asked[1]
    assert second["max_tokens"] == 50
    assert [turn["role"] for turn in second["messages"]] == ["user", "assistant", "user"]
    assert [block["type"] for block in second["messages"][2]["content"]] == ["tool_result", "tool_result"]
    assert lab.server.seen[0].headers["anthropic-version"] == "2023-06-01"
    assert lab.server.seen[0].target == "/v1/messages"


async def test_calls_side_by_side_keep_their_order(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"calls": [("Look_up", {"word": "a"}), ("Look_up", {"word": "b"})]}, {"text": "done"}]
    parameters = {**DEFINED, "options": {"returnIntermediateSteps": True}}
    (found,) = await lab.items(with_model(agent(parameters), tool()), {"question": "?"})
    results = [message for message in lab.asked[1]["messages"] if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in results] == ["c0", "c1"]
    assert ['"word":"a"' in results[0]["content"], '"word":"b"' in results[1]["content"]] == [True, True]
    assert [step["action"]["toolInput"] for step in found["intermediateSteps"]] == [{"word": "a"}, {"word": "b"}]
    assert '"word":"b"' in found["intermediateSteps"][1]["observation"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("Look_up", "{not json"), "not valid JSON"),
        (("Look_up", "[1]"), "must be a JSON object"),
        (("Look_up", {}), "word is missing"),
        (("Look_up", {"word": 3}), "word must be a string"),
        (("Nothing", {}), "There is no tool Nothing"),
    ],
    ids=["malformed", "list", "missing", "type", "unknown"],
)
async def test_a_wrong_call_is_told_to_the_model(lab: AiLab, call: Any, told: str) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"calls": [call]}, {"text": "sorry"}]
    assert await lab.items(with_model(agent(), tool()), {"question": "?"}) == [{"output": "sorry"}]
    assert told in lab.asked[1]["messages"][-1]["content"]
    assert lab.noting.seen == []


async def test_a_tool_that_fails_is_told_to_the_model(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    broken = node("Stop", "n8n-nodes-base.stopAndErrorTool", {"errorMessage": "closed on Sundays"}, typeVersion=1)
    lab.says = [{"calls": [("Stop", {})]}, {"text": "Come on Monday."}]
    found = await lab.items(with_model(agent(), (broken, "ai_tool", "Agent")), {"question": "?"})
    assert found == [{"output": "Come on Monday."}]
    assert "closed on Sundays" in lab.asked[1]["messages"][-1]["content"]


async def test_rounds_are_bounded(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"calls": [("Look_up", {"word": "a"})]}] * 3
    parameters = {**DEFINED, "options": {"maxIterations": 3}}
    assert "no answer after 3 rounds" in await lab.failure(with_model(agent(parameters), tool()), {"question": "?"})
    assert len(lab.asked) == 3


async def test_a_busy_provider_is_asked_again(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    busy = reply({"error": {"message": "slow down"}}, "429 Too Many Requests", retry_after="7")
    lab.says = [busy, reply("", "503 Service Unavailable", retry_after="nan"), {"text": "now"}]
    assert await lab.items(with_model(agent()), {"question": "?"}) == [{"output": "now"}]
    first, second, *_ = (seconds for seconds in lab.clock.slept if seconds >= 1)  # shorter: events are collected
    assert first == 7
    assert 1 <= second <= 3


async def test_a_provider_that_stays_busy_fails_with_its_words(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [reply({"error": {"message": f"quota of {SECRET} used up"}}, "429 Too Many Requests")] * 5
    message = await lab.failure(with_model(agent()), {"question": "?"})
    assert message == "OpenAI answered 429: quota of *** used up"
    assert len(lab.asked) == 5


@pytest.mark.parametrize(("kind", "credential"), DIALECTS[:3], ids=["openai", "anthropic", "gemini"])
async def test_a_refusal_fails_the_node(lab: AiLab, kind: str, credential: str) -> None:
    await lab.credential(credential)
    lab.says = [{"refusal": "I must not."}]
    assert "declined" in await lab.failure(with_model(agent(), chat=model(kind, credential)), {"question": "?"})


@pytest.mark.parametrize(
    "answer", [b"", b"[]", b"not json", b'{"choices": []}', b'{"choices": [{"message": 3}]}'], ids=str
)
async def test_nonsense_fails_the_node(lab: AiLab, answer: bytes) -> None:
    await lab.credential("openAiApi")
    lab.says = [reply(answer)]
    assert (await lab.failure(with_model(agent()), {"question": "?"})).startswith("OpenAI answered")


async def test_a_credential_goes_to_its_hosts_only(lab: AiLab) -> None:
    await lab.credential("openAiApi", allowedHosts="api.openai.com")
    message = await lab.failure(with_model(agent()), {"question": "?"})
    assert "127.0.0.1" in message
    assert lab.server.seen == []


async def test_the_prompt_is_the_chat_message(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "Hello"}]
    await lab.items(
        with_model(agent({"options": {"systemMessage": "=Be {{ $json.how }}"}})),
        {
            "chatInput": "Hi",
            "how": "kind",
        },
    )
    assert lab.asked[0]["messages"] == [
        {"role": "system", "content": "Be kind"},
        {"role": "user", "content": "Hi"},
    ]
    assert "There is no prompt" in await lab.failure(with_model(agent({})), {"other": 1})


async def test_each_item_is_worked_on_with_its_own_data(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [
        {"calls": [("Look_up", {"word": "a"})]},
        {"text": "one"},
        {"calls": [("Look_up", {"word": "b"})]},
        {"text": "two"},
    ]
    chat = model(model={"__rl": True, "value": "={{ $json.model }}", "mode": "id"})
    found = await lab.items(
        with_model(agent(), tool(), chat=chat), {"question": "q1", "model": "m1"}, {"question": "q2", "model": "m2"}
    )
    assert found == [{"output": "one"}, {"output": "two"}]
    assert [body["model"] for body in lab.asked] == ["m1", "m1", "m2", "m2"]
    assert lab.noting.seen == [[{"question": "q1", "model": "m1"}], [{"question": "q2", "model": "m2"}]]
    assert '"asked":"q2"' in lab.asked[3]["messages"][-1]["content"]


async def test_an_item_that_fails_can_go_on(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [reply({"error": "no such model"}, "404 Not Found"), {"text": "two"}]
    document = with_model(agent(onError="continueRegularOutput"))
    found = await lab.items(document, {"question": "1"}, {"question": "2"})
    assert found == [{"error": "OpenAI answered 404: no such model"}, {"output": "two"}]


async def test_an_agent_can_be_the_tool_of_another(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    inner = node(
        "Expert",
        "agentTool",
        {
            "toolDescription": "Knows",
            "text": "={{ $fromAI('ask') }}",
            "promptType": "define",
        },
        typeVersion=2.2,
    )
    lab.says = [{"calls": [("Expert", {"ask": "why?"})]}, {"text": "because"}, {"text": "He says: because"}]
    document = flow(
        agent(),
        parts=[
            (model(), "ai_languageModel", "Agent"),
            (inner, "ai_tool", "Agent"),
            (model(), "ai_languageModel", "Expert"),
        ],
    )
    assert await lab.items(document, {"question": "?"}) == [{"output": "He says: because"}]
    assert lab.asked[1]["messages"][-1] == {"role": "user", "content": "why?"}
    assert '"output":"because"' in lab.asked[2]["messages"][-1]["content"]


async def test_what_it_cost_and_what_it_called_is_on_record(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"calls": [("Look_up", {"word": "a"})]}, {"text": "a"}]
    await lab.items(with_model(agent(), tool()), {"question": "?"})
    (record,) = [record for record in await lab.records() if record["node"] == "Agent"]
    noted = record["context"]
    assert noted["tokenUsage"] == {"input": 14, "output": 6}
    (call,) = noted["toolCalls"]
    assert (call["item"], call["tool"], json.loads(call["input"])) == (0, "Look_up", {"word": "a"})


async def test_each_run_s_record_has_its_own_calls(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [said for word in "ab" for said in ({"calls": [("Look_up", {"word": word})]}, {"text": word})]
    document: Any = with_model(agent(), tool())
    document["nodes"].append(node("Loop", "n8n-nodes-base.splitInBatches", {"batchSize": 1}, typeVersion=3))
    wires = document["connections"]
    ((first, targets),) = [(name, one["main"]) for name, one in wires.items() if "main" in one]
    wires["Loop"] = {"main": [[], *targets]}
    wires[first] = {"main": [[{"node": "Loop", "type": "main", "index": 0}]]}
    wires["Agent"] = {"main": [[{"node": "Loop", "type": "main", "index": 0}]]}
    await lab.run(document, {"question": 1}, {"question": 2})
    called = [record["context"]["toolCalls"] for record in await lab.records() if record["node"] == "Agent"]
    assert [[json.loads(call["input"])["word"] for call in calls] for calls in called] == [["a"], ["b"]]


async def test_built_in_tools_are_refused_by_name(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    chat = model(builtInTools={"webSearch": {"searchContextSize": "medium"}})
    assert "builtInTools" in await lab.failure(with_model(agent(), chat=chat), {"question": "?"})


async def test_a_fallback_model_takes_over(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    await lab.credential("anthropicApi")
    second = model("lmChatAnthropic", "anthropicApi") | {"name": "Second", "id": "Second"}
    document: Any = with_model(agent({**DEFINED, "needsFallback": True}, 2.2))
    document["nodes"].append(second)
    document["connections"]["Second"] = {
        "ai_languageModel": [[{"node": "Agent", "type": "ai_languageModel", "index": 1}]]
    }
    lab.says = [reply({"error": "gone"}, "404 Not Found"), {"text": "here I am"}]
    assert await lab.items(document, {"question": "?"}) == [{"output": "here I am"}]


async def test_an_image_is_shown(lab: AiLab) -> None:
    await lab.credential("openAiApi")

    def check(seen: Seen) -> Any:
        content = seen.json["messages"][1]["content"]
        assert content[1] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
        return {"text": "a greeting"}

    lab.says = [check]
    workflow = lab.context.port(WorkflowReader).parse(with_model(agent()))
    item: Any = {"json": {"question": "what?"}, "binary": {"data": {"data": "aGk=", "mimeType": "image/png"}}}
    outcome = await lab.started(workflow, [item])
    assert outcome.items[0]["json"] == {"output": "a greeting"}


BASES = [
    ("lmChatOpenAi", "openAiApi", "url", "/openai/deployments/d", "/openai/deployments/d/chat/completions"),
    ("lmChatAnthropic", "anthropicApi", "url", "/a/v1/", "/a/v1/messages"),
    ("lmChatGoogleGemini", "googlePalmApi", "host", "", "/v1beta/models/m-1:generateContent"),
    ("lmChatOllama", "ollamaApi", "baseUrl", "/", "/api/chat"),
    ("lmChatAzureOpenAi", "azureOpenAiApi", "endpoint", "", "/openai/deployments/m-1/chat/completions"),
]


@pytest.mark.parametrize(("kind", "credential", "field", "base", "path"), BASES, ids=[row[0] for row in BASES])
async def test_the_query_of_a_provider_s_address_stays_behind_the_path(
    lab: AiLab, kind: str, credential: str, field: str, base: str, path: str
) -> None:
    values = {field: lab.server.url(f"{base}?api-version=2024-10-21"), "apiVersion": "older"}
    await lab.credential(credential, **values)
    lab.says = [{"text": "It is a star."}]
    await lab.items(with_model(agent(), chat=model(kind, credential, model="m-1")), {"question": "?"})
    assert lab.server.seen[0].target == f"{path}?api-version=2024-10-21"
