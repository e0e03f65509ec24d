"""Documents of n8n answer at the addresses that their callers know."""

from __future__ import annotations

from typing import Any

from jackfield.testing.daemon import Daemon


def node(kind: str, ident: str, version: float, **parameters: Any) -> dict[str, Any]:
    made = {"id": ident, "name": ident, "type": kind, "typeVersion": version, "webhookId": ident}
    return {**made, "position": [0, 0], "parameters": parameters}


def hook(ident: str, path: str, **more: Any) -> dict[str, Any]:
    found = node("n8n-nodes-base.webhook", ident, 2, path=path, responseMode="lastNode", **more)
    return {"name": ident, "nodes": [found], "connections": {}}


def test_a_path_with_parameters_stands_below_its_webhook_id_as_well(daemon: Daemon) -> None:
    daemon.live(hook("first-1", "cust/:id"))
    daemon.live(hook("second-2", "cust/:number"))
    client = daemon.client()
    found = client.get("/webhook/first-1/cust/7")
    assert (found.status_code, found.json()["params"]) == (200, {"id": "7"})
    assert found.json()["webhookUrl"] == f"{daemon.base_url}/webhook/first-1/cust/:id"
    assert client.get("/webhook/second-2/cust/8").json()["params"] == {"number": "8"}
    assert client.get("/webhook/cust/9").json()["params"] == {"id": "9"}, "the older of the two has the short path"
    assert client.get("/webhook-test/second-2/cust/8").json()["params"] == {"number": "8"}
    listed = daemon.admin().get("/webhooks").json()["data"]
    assert {row["path"] for row in listed} >= {"/first-1/cust/:id", "/cust/:id"}


def test_a_path_of_which_somebody_is_sure_goes_before_an_older_guest(daemon: Daemon) -> None:
    daemon.live(hook("guest-1", "shared/:id"))
    owner = hook("owner-1", "shared/:own")
    del owner["nodes"][0]["webhookId"]
    ident = daemon.live(owner)
    assert daemon.client().get("/webhook/shared/1").json()["params"] == {"own": "1"}
    daemon.admin().post(f"/workflows/{ident}/deactivate")
    assert daemon.client().get("/webhook/shared/1").json()["params"] == {"id": "1"}


def test_a_fixed_path_stays_as_it_is(daemon: Daemon) -> None:
    daemon.live(hook("fixed-1", "orders"))
    client = daemon.client()
    assert client.get("/webhook/orders").status_code == 200
    assert client.get("/webhook/fixed-1/orders").status_code == 404


def test_a_chat_answers_below_webhook(daemon: Daemon) -> None:
    chat = node("@n8n/n8n-nodes-langchain.chatTrigger", "chat-1", 1.1, public=True)
    daemon.live({"name": "Chat", "nodes": [chat], "connections": {}})
    client = daemon.client()
    message = {"action": "sendMessage", "sessionId": "s", "chatInput": "hello"}
    for address in ("/webhook/chat-1/chat", "/chat/chat-1", "/webhook-test/chat-1/chat"):
        said = client.post(address, json=message)
        assert (said.status_code, said.json()) == (200, message), address
    assert client.get("/webhook/chat-1/chat").headers["content-type"].startswith("text/html")
    for address in ("/webhook/nobody/chat", "/webhook/a/b/chat", "/webhook-waiting/chat-1/chat"):
        assert client.post(address, json=message).status_code == 404, address


def test_a_webhook_of_this_path_goes_before_the_chat(daemon: Daemon) -> None:
    daemon.live(hook("talk-1", "room/chat", httpMethod="POST"))
    assert daemon.client().post("/webhook/room/chat", json={"a": 1}).json()["body"] == {"a": 1}


def test_a_form_without_a_path_has_its_webhook_id(daemon: Daemon) -> None:
    form = node("n8n-nodes-base.formTrigger", "form-1", 2.2, formTitle="T", formFields={"values": []})
    daemon.live({"name": "Form", "nodes": [form], "connections": {}})
    assert daemon.client().get("/form/form-1").status_code == 200
