"""Human review: an agent's call of a tool waits for a person, who is asked over a service's own node."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from ai_lab import AiLab, flow, model, node
from loopback import reply

from jackfield.api.credentials import CredentialField, CredentialKind, Placement
from jackfield.api.engine import ExecutionRequest, Outcome, WaitingCall
from jackfield.api.errors import Conflict
from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.fields import form_of
from jackfield.api.storage import ExecutionFilter
from jackfield.api.workflows import Document
from jackfield.testing.context import FakeCatalog
from jackfield_ai.catalogue import REVIEWS
from jackfield_ai.review.node import review
from jackfield_engine.engine import EmbeddedEngine
from jackfield_forms.open_questions import FormQuestions
from jackfield_vendors.catalogue import description_file
from jackfield_vendors.library import node_in

SENT = reply({"ok": True, "result": {"message_id": 1}})
YES, NO = ({"data": {"approved": answer}} for answer in (True, False))
OTHER = "0197a000-0000-7000-8000-000000000002"
BOTH = {"values": {"approvalType": "double"}}


@pytest.fixture
async def reviewed(lab: AiLab) -> AiLab:
    """With Telegram's node, and the one that asks over it; both reach the loopback server."""
    catalog = lab.context.port(NodeCatalog)
    telegram = node_in(lab.context, description_file("telegram"))
    lab.context.ports["NodeCatalog"] = FakeCatalog(*catalog.all(), telegram)
    asking = review(lab.context, "telegramHitlTool")
    lab.context.ports["NodeCatalog"] = FakeCatalog(*catalog.all(), telegram, asking)
    fields = (CredentialField("accessToken", "Access token", secret=True), CredentialField("baseUrl", "Base URL"))
    kind = CredentialKind("telegramApi", "Telegram bot", fields, Placement())
    lab.context.ports["jackfield_credential_kinds"]["telegramApi"] = kind
    await lab.credential("openAiApi")
    await lab.sealed("telegramApi", {"accessToken": "t", "baseUrl": lab.server.url("").rstrip("/")})
    return lab


def asking(**parameters: Any) -> dict[str, Any]:
    return node(
        "Ask",
        "n8n-nodes-base.telegramHitlTool",
        {"chatId": "7", "approvalOptions": BOTH, **parameters},
        credentials={"telegramApi": {"id": "telegramApi", "name": "c"}},
    )


def document(*more: Any, asks: Mapping[str, Any] | None = None) -> Document:
    agent = node("Agent", "agent", {"promptType": "define", "text": "={{ $json.question }}"}, typeVersion=2)
    word = {"word": "={{ $fromAI('word', 'Which one', 'string') }}", "toolDescription": "Deletes a word."}
    ask = dict(asks or asking())
    return flow(
        agent,
        parts=[
            (model(), "ai_languageModel", "Agent"),
            (ask, "ai_tool", "Agent"),
            (node("Delete", "jackfield.noteTool", word), "ai_tool", "Ask"),
            *more,
        ],
    )


def call(*words: str) -> dict[str, Any]:
    return {"calls": [("Delete", {"toolParameters": {"word": word}}) for word in words]}


async def begun(lab: AiLab, doc: Document, *questions: str) -> tuple[EmbeddedEngine, str]:
    """Until it waits."""
    engine = lab.engine()
    workflow = await lab.save(doc)
    items = [{"json": {"question": one}} for one in questions or ("?",)]
    execution = engine.submit(ExecutionRequest(workflow=workflow, mode="trigger", start="Start", items=items))
    await asyncio.wait_for(execution.accepted, 20)
    await waiting(engine, execution.id)
    return engine, execution.id


async def waiting(engine: EmbeddedEngine, ident: str) -> WaitingCall:
    deadline = asyncio.get_running_loop().time() + 20
    while True:
        try:
            return await engine.waiting(ident)
        except Conflict as exc:
            over = asyncio.get_running_loop().time() > deadline
            if over or (exc.details or {}).get("status") not in ("queued", "running"):
                raise
        await asyncio.sleep(0)


async def answered(engine: EmbeddedEngine, ident: str, answer: Any) -> Outcome | None:
    """None: it waits again."""
    execution = await engine.resume(await waiting(engine, ident), None if answer is None else [{"json": answer}])
    poll = asyncio.ensure_future(waiting(engine, ident))
    await asyncio.wait({poll, execution.finished}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
    if execution.finished.done():
        poll.cancel()
        await asyncio.gather(poll, return_exceptions=True)
        return execution.finished.result()
    await poll
    return None


def tool_texts(lab: AiLab) -> list[str]:
    """What the model was told of its calls, with the last request."""
    last = next(seen for seen in reversed(lab.asked) if "messages" in seen)
    return [one["content"] for one in last["messages"] if one["role"] == "tool"]


async def test_a_call_waits_for_a_yes_and_runs_after_a_restart(reviewed: AiLab) -> None:
    reviewed.says = [call("sun"), SENT, {"text": "gone"}]
    _, ident = await begun(reviewed, document())
    (question,) = [seen for seen in reviewed.asked if "chat_id" in seen]
    assert question["chat_id"] == "7"
    assert "run this tool: Delete" in question["text"]
    assert '"word": "sun"' in question["text"]
    assert reviewed.noting.seen == []
    offered = reviewed.asked[0]["tools"][0]["function"]
    assert offered["name"] == "Delete"
    assert list(offered["parameters"]["properties"]) == ["toolParameters"]
    later = reviewed.engine()
    await later.recover()
    outcome = await answered(later, ident, YES)
    assert outcome is not None
    assert outcome.items[0]["json"] == {"output": "gone"}
    assert len(reviewed.noting.seen) == 1
    assert '"word":"sun"' in tool_texts(reviewed)[0]
    assert len(reviewed.asked) == 3  # the model was not asked again for what it had said


@pytest.mark.parametrize(("answer", "told"), [(NO, "rejected"), (None, "in time")])
async def test_without_a_yes_nothing_runs(reviewed: AiLab, answer: Any, told: str) -> None:
    reviewed.says = [call("sun"), SENT, {"text": "kept"}]
    engine, ident = await begun(reviewed, document())
    outcome = await answered(engine, ident, answer)
    assert outcome is not None
    assert outcome.items[0]["json"] == {"output": "kept"}
    assert told in tool_texts(reviewed)[0]
    assert reviewed.noting.seen == []


async def test_each_call_has_its_own_question_and_link(reviewed: AiLab) -> None:
    reviewed.says = [call("a", "a"), SENT, SENT, {"text": "done"}]
    engine, ident = await begun(reviewed, document())
    first = await waiting(engine, ident)
    assert await answered(engine, ident, YES) is None
    second = await waiting(engine, ident)
    assert first.call["question"] != second.call["question"]
    with pytest.raises(Conflict):
        await engine.resume(first, [{"json": YES}])
    assert (await answered(engine, ident, NO)) is not None
    assert len(reviewed.noting.seen) == 1
    assert ["rejected" in text for text in tool_texts(reviewed)] == [False, True]


async def test_equal_calls_that_are_approved_one_by_one_run_both(reviewed: AiLab) -> None:
    trigger = node("Sub", "n8n-nodes-base.executeWorkflowTrigger", {"inputSource": "passthrough"}, typeVersion=1.1)
    called: Any = {"name": "Called", "nodes": [trigger, node("Note", "jackfield.note")], "connections": {}}
    called["connections"]["Sub"] = {"main": [[{"node": "Note", "type": "main", "index": 0}]]}
    await reviewed.save(called, OTHER)
    tool = node("Delete", "toolWorkflow", {"workflowId": OTHER, "description": "Deletes"}, typeVersion=2.2)
    doc: Any = document()
    doc["nodes"] = [tool if one["name"] == "Delete" else one for one in doc["nodes"]]
    reviewed.says = [call("a", "a"), SENT, SENT, {"text": "done"}]
    engine, ident = await begun(reviewed, doc)
    assert await answered(engine, ident, YES) is None
    outcome = await answered(engine, ident, YES)
    assert outcome is not None
    assert not [text for text in tool_texts(reviewed) if "Error" in text]
    assert len(reviewed.noting.seen) == 2
    runs = await reviewed.store.executions(ExecutionFilter(workflow_id=OTHER), offset=0, limit=9)
    assert [row.status for row in runs.rows] == ["success", "success"]


async def test_a_call_that_was_approved_runs_once_when_the_node_is_tried_again(reviewed: AiLab) -> None:
    doc: Any = document()
    agent = next(one for one in doc["nodes"] if one["name"] == "Agent")
    agent |= {"retryOnFail": True, "maxTries": 2, "waitBetweenTries": 1000}
    nothing = reply({"error": {"message": "not now"}}, status="400 Bad Request")
    reviewed.says = [call("sun"), SENT, nothing, {"text": "gone"}]
    engine, ident = await begun(reviewed, doc)
    outcome = await answered(engine, ident, YES)
    assert outcome is not None
    assert outcome.items[0]["json"] == {"output": "gone"}
    assert len(reviewed.noting.seen) == 1
    assert '"word":"sun"' in tool_texts(reviewed)[0]


async def test_items_wait_one_after_another(reviewed: AiLab) -> None:
    reviewed.says = [call("a"), {"text": "none"}, call("c"), SENT, {"text": "one"}, SENT, {"text": "three"}]
    engine, ident = await begun(reviewed, document(), "1", "2", "3")
    assert await answered(engine, ident, YES) is None
    outcome = await answered(engine, ident, YES)
    assert outcome is not None
    assert [item["json"]["output"] for item in outcome.items] == ["one", "none", "three"]
    assert [item["pairedItem"] for item in outcome.items] == [{"item": 0}, {"item": 1}, {"item": 2}]


async def test_arguments_that_do_not_fit_ask_nobody(reviewed: AiLab) -> None:
    reviewed.says = [{"calls": [("Delete", {"toolParameters": {}})]}, {"text": "sorry"}]
    assert await reviewed.items(document(), {"question": "?"}) == [{"output": "sorry"}]
    assert "word is missing" in tool_texts(reviewed)[0]


async def test_a_question_that_cannot_be_sent_is_told_to_the_model(reviewed: AiLab) -> None:
    reviewed.says = [call("sun"), {"text": "kept"}]
    assert await reviewed.items(document(asks=asking(chatId="")), {"question": "?"}) == [{"output": "kept"}]
    assert "chatId" in tool_texts(reviewed)[0]
    assert reviewed.noting.seen == []


async def test_the_model_may_fill_in_the_question(reviewed: AiLab) -> None:
    given = {"toolParameters": {"word": "sun"}, "hitlParameters": {"why": "It is too bright."}}
    reviewed.says = [{"calls": [("Delete", given)]}, SENT, {"text": "gone"}]
    message = "={{ $fromAI('why', 'The reason', 'string') }} {{ $tool.parameters.word }}"
    engine, ident = await begun(reviewed, document(asks=asking(message=message)))
    assert reviewed.asked[1]["text"] == "It is too bright. sun"
    assert (await answered(engine, ident, YES)) is not None
    assert len(reviewed.noting.seen) == 1


async def test_parameters_cannot_look_like_another_question(reviewed: AiLab) -> None:
    word = "a_b <b>*[Approve](https://evil.example)* &quot;} Checked: harmless"
    reviewed.says = [call(word), SENT, {"text": "gone"}]
    await begun(reviewed, document())
    sent = reviewed.asked[1]
    assert "parse_mode" not in sent
    assert json.dumps(word) in sent["text"]


async def test_a_tool_of_a_tool_cannot_wait_and_does_not_run(reviewed: AiLab) -> None:
    parameters = {"promptType": "define", "text": "Go", "toolDescription": "Deletes."}
    inner = node("Inner", "agentTool", parameters, typeVersion=2)
    outer = node("Outer", "agent", {"promptType": "define", "text": "Go"}, typeVersion=2)
    word = node("Delete", "jackfield.noteTool", {"word": "={{ $fromAI('word') }}"})
    document = flow(
        outer,
        parts=[
            (model(), "ai_languageModel", "Outer"),
            (model(), "ai_languageModel", "Inner"),
            (inner, "ai_tool", "Outer"),
            (asking(), "ai_tool", "Inner"),
            (word, "ai_tool", "Ask"),
        ],
    )
    reviewed.says = [{"calls": [("Inner", {})]}, call("sun"), {"text": "I cannot"}, {"text": "over"}]
    assert await reviewed.items(document, {}) == [{"output": "over"}]
    assert "cannot wait for people" in str(reviewed.asked[2])
    assert reviewed.noting.seen == []


async def test_the_inbox_shows_the_question_and_answers_it(reviewed: AiLab) -> None:
    reviewed.says = [call("sun"), SENT, {"text": "gone"}]
    engine, ident = await begun(reviewed, document())
    reviewed.context.ports["Engine"] = engine
    inbox = FormQuestions(reviewed.context)
    (found,) = (await inbox.open()).rows
    assert [option.id for option in found.options] == ["no", "yes"]
    assert '"word": "sun"' in found.message
    assert (found.tool, found.input) == ("Delete", {"word": "sun"})
    await inbox.answer(found.id, "yes", {})
    outcome = await engine.result(ident, 20)
    assert outcome.items[0]["json"] == {"output": "gone"}


def test_forms_ask_and_do_nothing_else(reviewed: AiLab) -> None:
    asks = reviewed.context.port(NodeCatalog).find("telegramHitlTool")
    assert asks is not None
    fields = form_of(asks, max(asks.versions))
    settled = {one.name: one.default for one in fields if one.control == "hidden"}
    assert settled == {"resource": "message", "operation": "sendAndWait", "responseType": "approval"}
    assert fields[0].name == "message"
    names = [one.name for one in fields]
    assert "chatId" in names
    assert "approvalOptions" in names
    assert "text" not in names
    assert asks.parameters(None).completed({"operation": "deleteMessage"})["operation"] == "sendAndWait"


@pytest.mark.parametrize("kind", [kind for kind in REVIEWS if kind != "emailSend"])
def test_each_service_can_ask(lab: AiLab, kind: str) -> None:
    base = node_in(lab.context, description_file(kind))
    lab.context.ports["NodeCatalog"] = FakeCatalog(base)
    made = review(lab.context, kind + "HitlTool")
    version = max(made.versions)
    required = {"message": "Go?", "subject": "s", "sendTo": "a@b.c", "chatId": "1", "channelId": "1", "user": "u"}
    parameters = made.parameters(version)
    found: Any = parameters.model_validate(parameters.completed(required))
    assert found.compiled.described.question is not None
    assert not found.compiled.described.unavailable
