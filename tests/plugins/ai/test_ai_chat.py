"""The chat trigger: its address, its page, who may call, what is answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from ai_lab import AiLab, node
from quart import typing as quart_typing

from jackfield.api.context import WorkflowReader
from jackfield.api.storage import Credential, StoredWorkflow
from jackfield.api.workflows import Workflow
from jackfield.testing.daemon import Daemon
from jackfield_ai.chat.app import build
from jackfield_ai.chat.trigger import ChatTrigger

ID = "0197a000-0000-7000-8000-000000000001"
MESSAGE = {"sessionId": "s", "chatInput": "hello"}


def chat(parameters: dict[str, Any] | None = None, **more: Any) -> Any:
    trigger = node(
        "Chat", "chatTrigger", {"public": True, **(parameters or {})}, typeVersion=1.3, webhookId="wh-1", **more
    )
    echo = node(
        "Echo",
        "n8n-nodes-base.set",
        {"mode": "raw", "jsonOutput": "={{ {output: $json.chatInput + '!'} }}"},
        typeVersion=3.4,
    )
    wires = {"Chat": {"main": [[{"node": "Echo", "type": "main", "index": 0}]]}}
    return {"name": "W", "nodes": [trigger, echo], "connections": wires}


async def client(lab: AiLab, document: Any, *, active: bool = True) -> quart_typing.TestClientProtocol:
    workflow = lab.context.port(WorkflowReader).parse(document, id=ID, version=1, active=active)
    found = ChatTrigger(lab.context).registrations(workflow)
    await lab.store.add_workflow(StoredWorkflow(ID, "W", active, 1, document, 0, 0), found, None)
    lab.context.ports["Engine"] = lab.engine()
    return build(lab.context).test_client()


async def said(asked: Any) -> tuple[int, Any]:
    answer = await asked
    return answer.status_code, orjson.loads(await answer.get_data())


async def test_a_message_gets_the_last_node_s_answer(lab: AiLab) -> None:
    asking = await client(lab, chat())
    assert await said(asking.post("/chat/wh-1", json=MESSAGE)) == (200, {"output": "hello!"})


async def test_the_item_is_the_message(lab: AiLab) -> None:
    asking = await client(lab, {"name": "W", "nodes": chat()["nodes"][:1], "connections": {}})
    status, body = await said(asking.post("/chat/wh-1", json={**MESSAGE, "metadata": {"a": 1}}))
    assert (status, body) == (200, {"action": "sendMessage", **MESSAGE, "metadata": {"a": 1}})


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ([], "body"),
        ({}, "chatInput"),
        ({"chatInput": 3}, "chatInput"),
        ({"chatInput": "x", "sessionId": 1}, "sessionId"),
        ({"chatInput": "x", "sessionId": "s" * 201}, "sessionId"),
    ],
)
async def test_a_wrong_message_names_its_field(lab: AiLab, body: Any, told: str) -> None:
    asking = await client(lab, chat())
    status, answer = await said(asking.post("/chat/wh-1", json=body))
    assert status == 400
    assert list(answer["details"]) == [told]


async def test_only_json_is_taken(lab: AiLab) -> None:
    asking = await client(lab, chat())
    status, answer = await said(
        asking.post("/chat/wh-1", data=orjson.dumps(MESSAGE), headers={"Content-Type": "text/plain"})
    )
    assert (status, answer["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    status, _ = await said(asking.post("/chat/wh-1", data=b"{", headers={"Content-Type": "application/json"}))
    assert status == 400


async def test_earlier_messages_are_not_pretended(lab: AiLab) -> None:
    asking = await client(lab, chat())
    status, answer = await said(asking.post("/chat/wh-1", json={"action": "loadPreviousSession", "sessionId": "s"}))
    assert status == 400
    assert "cannot be loaded" in answer["message"]


async def test_where_there_is_no_chat(lab: AiLab) -> None:
    asking = await client(lab, chat())
    assert (await said(asking.post("/chat/other", json=MESSAGE)))[0] == 404
    assert (await said(asking.put("/chat/wh-1", json=MESSAGE)))[0] == 405


async def test_a_chat_that_is_not_live(lab: AiLab) -> None:
    asking = await client(lab, chat(), active=False)
    assert (await said(asking.post("/chat/wh-1", json=MESSAGE)))[1]["code"] == "WORKFLOW_INACTIVE"
    assert await said(asking.post("/chat-test/wh-1", json=MESSAGE)) == (200, {"output": "hello!"})


async def test_a_chat_that_is_not_public(lab: AiLab) -> None:
    asking = await client(lab, chat({"public": False}))
    assert (await said(asking.post("/chat/wh-1", json=MESSAGE)))[0] == 404
    assert (await said(asking.post("/chat-test/wh-1", json=MESSAGE)))[0] == 200


async def test_a_test_names_its_workflow(lab: AiLab) -> None:
    asking = await client(lab, chat())
    document = chat()
    document["nodes"][1]["parameters"]["jsonOutput"] = '{"output": "the other"}'
    other = ID[:-1] + "2"
    workflow = lab.context.port(WorkflowReader).parse(document, id=other, version=1, active=False)
    found = ChatTrigger(lab.context).registrations(workflow)
    await lab.store.add_workflow(StoredWorkflow(other, "W", False, 1, document, 0, 0), found, None)
    for meant, answer in ((ID, "hello!"), (other, "the other")):
        asked = asking.post(f"/chat-test/wh-1?workflow={meant}", json=MESSAGE)
        assert await said(asked) == (200, {"output": answer})
    assert (await said(asking.post("/chat-test/wh-1?workflow=none", json=MESSAGE)))[0] == 404
    assert await said(asking.post(f"/chat/wh-1?workflow={other}", json=MESSAGE)) == (200, {"output": "hello!"})


async def test_a_failure_says_nothing_of_the_inside(lab: AiLab) -> None:
    document = chat()
    document["nodes"][1] = node("Echo", "n8n-nodes-base.stopAndError", {"errorMessage": "secret"}, typeVersion=1)
    asking = await client(lab, document)
    status, answer = await said(asking.post("/chat/wh-1", json=MESSAGE))
    assert status == 500
    assert "secret" not in str(answer)


async def test_a_password(lab: AiLab) -> None:
    sealed = lab.context.secrets.seal(orjson.dumps({"user": "u", "password": "right"}))
    await lab.store.put_credential(Credential("c1", "c", "httpBasicAuth", sealed, 0, 0))
    asking = await client(lab, chat({"authentication": "basicAuth"}, credentials={"httpBasicAuth": {"id": "c1"}}))
    answer = await asking.post("/chat/wh-1", json=MESSAGE)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Basic")
    assert (await asking.post("/chat/wh-1", json=MESSAGE, auth=("u", "wrong"))).status_code == 401
    assert (await asking.get("/chat/wh-1", auth=("x", "right"))).status_code == 401
    assert (await asking.post("/chat/wh-1", json=MESSAGE, auth=("u", "right"))).status_code == 200


async def test_a_chat_without_its_credential_is_closed(lab: AiLab) -> None:
    asking = await client(lab, chat({"authentication": "basicAuth"}))
    assert (await asking.post("/chat/wh-1", json=MESSAGE, auth=("", ""))).status_code == 401
    other = chat({"authentication": "n8nUserAuth"})
    workflow: Workflow = lab.context.port(WorkflowReader).parse(other, id=ID)
    (problem,) = await ChatTrigger(lab.context).activation_problems(workflow)
    assert problem.path == "nodes[0].parameters.authentication"


async def test_the_page_shows_texts_as_texts(lab: AiLab) -> None:
    options = {"title": "<b>Help</b>", "subtitle": "&"}
    asking = await client(lab, chat({"options": options, "initialMessages": "Hi <i>\n\nthere"}))
    answer = await asking.get("/chat/wh-1")
    text = (await answer.get_data()).decode()
    assert "<h1>&lt;b&gt;Help&lt;/b&gt;</h1>" in text
    assert "<p>Hi &lt;i&gt;</p><p>there</p>" in text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


async def test_a_chat_without_a_page(lab: AiLab) -> None:
    answer = await (await client(lab, chat({"mode": "webhook"}))).get("/chat/wh-1")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


async def test_other_sites_need_leave(lab: AiLab) -> None:
    headers = {"Origin": "https://a.example"}
    asking = await client(lab, chat())
    assert "Access-Control-Allow-Origin" not in (await asking.post("/chat/wh-1", json=MESSAGE, headers=headers)).headers


async def test_a_site_with_leave(lab: AiLab) -> None:
    headers = {"Origin": "https://a.example"}
    asking = await client(lab, chat({"options": {"allowedOrigins": "https://b.example, https://a.example"}}))
    made = (await asking.options("/chat/wh-1", headers=headers)).headers
    assert made["Access-Control-Allow-Origin"] == "https://a.example"
    assert (
        "Access-Control-Allow-Origin"
        not in (await asking.options("/chat/wh-1", headers={"Origin": "https://c.example"})).headers
    )


async def test_an_address_belongs_to_one_live_workflow(lab: AiLab) -> None:
    await client(lab, chat())
    trigger = ChatTrigger(lab.context)
    other = lab.context.port(WorkflowReader).parse(chat(), id="0197a000-0000-7000-8000-000000000002", version=1)
    (problem,) = await trigger.activation_problems(other)
    assert problem.path == "nodes[0].webhookId"
    own = lab.context.port(WorkflowReader).parse(chat(), id=ID, version=1)
    assert await trigger.activation_problems(own) == []


def test_the_daemon_serves_chats(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        api = daemon.admin()
        made = api.post("/workflows", json=chat()).json()
        assert api.post(f"/workflows/{made['id']}/activate").status_code == 200
        answer = daemon.client().post("/chat/wh-1", json=MESSAGE)
        assert (answer.status_code, answer.json()) == (200, {"output": "hello!"})
        assert "<textarea" in daemon.client().get("/chat/wh-1").text
    finally:
        daemon.close()


@pytest.mark.parametrize(("public", "told"), [(True, "A chat message"), (False, "A chat message in the editor")])
async def test_a_chat_says_when_it_starts(lab: AiLab, public: bool, told: str) -> None:
    workflow = lab.context.port(WorkflowReader).parse(chat({"public": public}), id=ID, version=1)
    assert [start.text for start in await ChatTrigger(lab.context).starts(workflow)] == [told]
