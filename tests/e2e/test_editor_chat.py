"""The editor's chat: for known callers who may run the workflow, also where test chats are switched off."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node

MESSAGE = {"sessionId": "s", "chatInput": "hello"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """As one that listens beyond loopback: no test chats for strangers."""
    daemon = Daemon(tmp_path_factory.mktemp("chats"), settings="[ai]\nchat_test_enabled = false\n")
    try:
        yield daemon.start()
    finally:
        daemon.close()


def saved(daemon: Daemon, parameters: dict[str, Any], *more: dict[str, Any], **keys: Any) -> str:
    trigger = {**node("Chat", "langchain.chatTrigger", parameters, version=1.3), "webhookId": "one", **keys}
    echo = node("Echo", "set", {"mode": "raw", "jsonOutput": "={{ {output: $json.chatInput + '!'} }}"}, version=3.4)
    answer = daemon.admin().post("/workflows", json=chain("Chat", trigger, *(more or (echo,))))
    return f"/workflows/{answer.json()['id']}/chat/one"


def basic(user: str, password: str) -> dict[str, str]:
    return {"X-Chat-Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def test_a_known_caller_is_answered_and_a_stranger_is_not(daemon: Daemon) -> None:
    path = saved(daemon, {})
    assert daemon.client().post("/chat-test/one", json=MESSAGE).status_code == httpx.codes.NOT_FOUND
    assert daemon.client().post(f"/api/v1{path}", json=MESSAGE).status_code == httpx.codes.UNAUTHORIZED
    answer = daemon.admin().post(path, json=MESSAGE)
    assert (answer.status_code, answer.json()) == (httpx.codes.OK, {"output": "hello!"})
    assert daemon.admin().post(path, json={"chatInput": 3}).json()["details"] == {"chatInput": "this must be a text"}
    assert daemon.admin().post(path + "x", json=MESSAGE).status_code == httpx.codes.NOT_FOUND


def test_a_caller_needs_the_right_to_run_it(daemon: Daemon) -> None:
    path = saved(daemon, {}, node("Run", "executeCommand", {"command": "true"}))

    def keyed(*scopes: str) -> dict[str, str]:
        made = daemon.admin().post("/api-keys", json={"name": " ".join(scopes), "scopes": scopes})
        return {"X-API-Key": made.json()["key"]}

    def asked(*scopes: str) -> httpx.Response:
        return daemon.client().post(f"/api/v1{path}", json=MESSAGE, headers=keyed(*scopes))

    assert asked("workflows:read").json()["details"] == {"scope": "workflows:execute"}
    assert asked("workflows:execute").json()["details"]["scope"] == "machine:write"


def test_a_chat_with_a_login_wants_it_in_a_header_of_its_own(daemon: Daemon) -> None:
    values = {"user": "ünter", "password": "right"}
    kept = daemon.admin().post("/credentials", json={"name": "Login", "kind": "httpBasicAuth", "values": values}).json()
    path = saved(
        daemon,
        {"public": True, "authentication": "basicAuth"},
        credentials={"httpBasicAuth": {"id": kept["id"], "name": "Login"}},
    )
    for headers in ({}, basic("ünter", "wrong"), basic("", "")):
        refused = daemon.admin().post(path, json=MESSAGE, headers=headers)
        # Not 401: at that a browser asks by itself.
        assert (refused.status_code, refused.headers.get("WWW-Authenticate")) == (httpx.codes.FORBIDDEN, None)
        assert "user name and a password" in refused.json()["message"]
    assert daemon.admin().post(path, json=MESSAGE, headers=basic("ünter", "right")).json() == {"output": "hello!"}


def test_it_streams(daemon: Daemon) -> None:
    say = node("Say", "respondToWebhook", {"respondWith": "text", "responseBody": "hi"}, version=1.5)
    path = saved(daemon, {"options": {"responseMode": "streaming"}}, say)
    assert '"content":"hi"' in daemon.admin().post(path, json=MESSAGE).text
