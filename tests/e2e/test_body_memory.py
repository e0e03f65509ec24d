"""What bodies cost once they are parsed is bounded, whichever way they come in, and given back."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from jackfield.testing.daemon import HOST, Daemon
from jackfield.testing.documents import chain, node, set_fields, webhook

StartDaemon = Callable[..., Daemon]
EACH = 2 * 1024 * 1024
SETTINGS = f"[server]\nbody_memory = {3 * 1024 * 1024}\nbody_memory_per_execution = {EACH}\n"
LARGE = b"[" + b",".join([b"{}"] * 60_000) + b"]"
"""180 kB that become 4.4 MB."""
FITTING = b"[" + b",".join([b"{}"] * 23_000) + b"]"
"""69 kB that become 1.7 MB: one fits, two do not."""
JSON = {"content-type": "application/json"}


@pytest.fixture
def daemon(new_daemon: StartDaemon) -> Daemon:
    return new_daemon(settings=SETTINGS)


def post(daemon: Daemon, path: str, body: bytes, headers: dict[str, str] = JSON) -> httpx.Response:
    return httpx.post(f"{daemon.base_url}{path}", content=body, headers=headers, trust_env=False, timeout=60)


def refused(answer: httpx.Response) -> None:
    assert answer.status_code == 413, answer.text
    assert "server.body_memory_per_execution" in answer.text


def test_a_webhook_refuses_what_would_become_too_large(daemon: Daemon) -> None:
    daemon.live(
        chain("large", webhook("large", responseMode="lastNode"), set_fields("Set", n="={{ $json.body.length }}"))
    )
    refused(post(daemon, "/webhook/large", LARGE))
    refused(post(daemon, "/webhook-test/large", LARGE))
    for _ in range(3):  # each gives back what it took
        assert post(daemon, "/webhook/large", FITTING).json() == [{"n": "23000"}]


def test_the_api_refuses_it_too(daemon: Daemon) -> None:
    ident = daemon.live(chain("run", webhook("run"), set_fields("Set", n=1)))
    api = daemon.admin()
    items = b'{"inputData":' + LARGE.replace(b"{}", b'{"json":{}}') + b"}"
    for path in (f"/workflows/{ident}/execute", f"/workflows/{ident}/execute-async", "/workflows"):
        refused(api.post(path, content=items, headers=JSON))


def test_a_form_refuses_it_too(daemon: Daemon) -> None:
    fields = {"formTitle": "F", "formFields": {"values": [{"fieldLabel": "A"}]}, "path": "f"}
    daemon.live(chain("form", node("Form", "formTrigger", fields, version=2), set_fields("Set", n=1)))
    kind = {"content-type": "application/x-www-form-urlencoded", "origin": daemon.base_url}
    refused(post(daemon, "/form/f", b"a=&" * 30_000, kind))
    assert post(daemon, "/form/f", b"field-0=hello", kind).status_code == 200


def test_a_chat_refuses_it_too(daemon: Daemon) -> None:
    chat = {"public": True, "mode": "webhook", "options": {}}
    made = {**node("Chat", "langchain.chatTrigger", chat, version=1.1), "webhookId": "talk"}
    daemon.live(chain("chat", made, set_fields("Set", n=1)))
    refused(post(daemon, "/chat/talk", b'{"chatInput":"x","more":' + LARGE + b"}"))


def test_an_execution_keeps_its_share_until_it_is_over(daemon: Daemon) -> None:
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": 1, "unit": "seconds"}, version=1.1)
    daemon.live(chain("slow", webhook("slow", responseMode="lastNode"), wait))
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda _: post(daemon, "/webhook/slow", FITTING), range(2)))
    assert sorted(answer.status_code for answer in answers) == [200, 503]
    late = next(answer for answer in answers if answer.status_code == 503)
    assert late.json()["code"] == "MEMORY_EXHAUSTED"
    assert "server.body_memory" in late.json()["message"]
    assert late.headers["Retry-After"] == "2"
    assert post(daemon, "/webhook/slow", FITTING).status_code == 200


def test_a_refused_change_gives_back_what_it_took(daemon: Daemon) -> None:
    ident = daemon.live(chain("kept", webhook("kept"), set_fields("Set", n=1)))
    api = daemon.admin()
    for _ in range(5):
        assert api.put(f"/workflows/{ident}", content=FITTING, headers=JSON).status_code == 400
    assert post(daemon, "/webhook/kept", FITTING).status_code == 200


def test_forms_that_never_come_take_nothing(daemon: Daemon) -> None:
    fields = {"formTitle": "F", "formFields": {"values": [{"fieldLabel": "A"}]}, "path": "f"}
    daemon.live(chain("form", node("Form", "formTrigger", fields, version=2), set_fields("Set", n=1)))
    daemon.live(chain("served", webhook("served"), set_fields("Set", n=1)))
    kind = f"Content-Type: multipart/form-data; boundary=b\r\nOrigin: {daemon.base_url}\r\nContent-Length: 900000"
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            silent = stack.enter_context(socket.create_connection((HOST, daemon.port)))
            silent.sendall(f"POST /form/f HTTP/1.1\r\nHost: {HOST}:{daemon.port}\r\n{kind}\r\n\r\n--b\r\n".encode())
        asked = httpx.get(f"{daemon.base_url}/form/f", trust_env=False)  # the daemon has read what came before
        assert asked.status_code == 200
        assert post(daemon, "/webhook/served", FITTING).status_code == 200
