"""Forms of a real daemon, as a browser sees them."""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

FIELDS = {
    "values": [
        {"fieldLabel": "Name", "requiredField": True, "placeholder": 'your "name"'},
        {"fieldLabel": "Age", "fieldType": "number"},
        {"fieldLabel": "Colour", "fieldType": "dropdown", "fieldOptions": {"values": [{"option": "red"}]}},
        {"fieldLabel": "Photo", "fieldType": "file", "acceptFileTypes": "image/*"},
        {"fieldLabel": "Ref", "fieldType": "hiddenField"},
        {"fieldType": "html", "html": "<p>fine</p><script>no</script>"},
    ]
}


def node(name: str, kind: str, version: float, **parameters: Any) -> dict[str, Any]:
    made = {"id": name, "name": name, "type": f"n8n-nodes-base.{kind}", "typeVersion": version}
    return {**made, "position": [0, 0], "parameters": parameters}


def chain(*nodes: dict[str, Any]) -> dict[str, Any]:
    names = [each["name"] for each in nodes]
    wires = {left: {"main": [[{"node": right, "type": "main", "index": 0}]]} for left, right in pairwise(names)}
    return {"name": "Forms", "nodes": list(nodes), "connections": wires}


def trigger(path: str, **more: Any) -> dict[str, Any]:
    return node("Form", "formTrigger", 2.2, formTitle="Tell <us>", path=path, **{"formFields": FIELDS, **more})


def sent(**fields: Any) -> dict[str, Any]:
    """Parts of a multipart form."""
    return {
        name.replace("_", "-"): value if isinstance(value, tuple) else (None, value) for name, value in fields.items()
    }


def runs(daemon: Daemon) -> list[dict[str, Any]]:
    api = daemon.admin()
    return [api.get(f"/executions/{row['id']}").json() for row in api.get("/executions").json()["data"]]


def test_a_page_is_shown_checked_and_starts_the_workflow(daemon: Daemon) -> None:
    daemon.live(chain(trigger("start")))
    client = daemon.client()
    page = client.get("/form/start?Ref=%22%3E%3Cscript%3E")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"
    assert "Tell &lt;us&gt;" in page.text
    assert "<script" not in page.text
    assert "<p>fine</p>" in page.text
    for name in re.findall(r'<label for="([^"]+)"', page.text):
        assert f'id="{name}"' in page.text
    wrong = client.post("/form/start", files=sent(field_0=" ", field_1="old"))
    assert wrong.status_code == 400
    assert "Please fill in this field." in wrong.text
    assert 'value="old"' in wrong.text
    assert 'aria-invalid="true"' in wrong.text
    assert runs(daemon) == []
    done = client.post(
        "/form/start?from=mail",
        files=sent(
            field_0="Ann", field_1="41", field_2="red", field_3=("a.png", b"\x89PNG", "image/png"), field_4="r1"
        ),
    )
    assert done.status_code == 200
    assert "Your response has been recorded" in done.text
    poll(lambda: runs(daemon), "the run")
    (run,) = runs(daemon)
    item = run["data"][0]
    assert run["mode"] == "webhook"
    assert {name: item["json"][name] for name in ("Name", "Age", "Colour", "Ref", "formMode")} == {
        "Name": "Ann",
        "Age": 41,
        "Colour": "red",
        "Ref": "r1",
        "formMode": "production",
    }
    assert item["json"]["formQueryParameters"] == {"from": "mail"}
    assert item["binary"]["Photo_0"]["mimeType"] == "image/png"


def test_pages_that_are_not_there(daemon: Daemon) -> None:
    client = daemon.client()
    assert client.get("/form/nowhere").status_code == 404
    assert client.get("/form-waiting/x").status_code == 404
    api = daemon.admin()
    assert api.post("/workflows", json=chain(trigger("draft"))).status_code == 201
    assert client.get("/form/draft").status_code == 503
    assert client.get("/form-test/draft").status_code == 200
    assert client.put("/form-test/draft").status_code == 405
    other = client.post("/form-test/draft", files=sent(field_0="A"), headers={"Origin": "https://evil.example"})
    assert other.status_code == 403
    assert client.post("/form-test/draft", json={}).status_code == 415


def test_an_address_is_live_once_and_activation_names_what_is_wrong(daemon: Daemon) -> None:
    daemon.live(chain(trigger("once")))
    api = daemon.admin()
    second = api.post("/workflows", json=chain(trigger("once"))).json()["id"]
    assert api.post(f"/workflows/{second}/activate").status_code == 409
    bad = api.post("/workflows", json=chain(trigger("bad path", authentication="basicAuth"))).json()["id"]
    refused = api.post(f"/workflows/{bad}/activate")
    assert refused.status_code == 400
    assert set(refused.json()["details"]) == {"nodes[0].parameters.path", "nodes[0].credentials.httpBasicAuth"}


def test_a_form_of_several_pages_over_a_kill(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon()
    more = {"values": [{"fieldLabel": "Why", "fieldType": "textarea", "requiredField": True}]}
    pages = chain(
        trigger("pages", formFields={"values": [{"fieldLabel": "Name"}]}),
        node("More", "form", 1, formFields=more, options={"formTitle": "={{ 'Dear ' + $json.Name }}"}),
        node("End", "form", 1, operation="completion", completionTitle="Bye", completionMessage="={{ $json.Why }}!"),
        node("After", "set", 3.4, includeOtherFields=True),
    )
    daemon.live(pages)
    client = daemon.client()
    first = client.post("/form/pages", files=sent(field_0="<Ann>"))
    assert first.status_code == 303
    address = first.headers["location"]
    assert address.startswith("/form-waiting/")
    page = poll(lambda: _shown(client, address, "<form"), "the second page")
    assert "Dear &lt;Ann&gt;" in page.text
    daemon.kill()
    daemon.start()
    client = daemon.client()
    action = re.findall(r'action="([^"]+)"', page.text)[0]
    assert client.post(action, files=sent(field_0="")).status_code == 400
    second = client.post(action, files=sent(field_0="because"))
    assert (second.status_code, second.headers["location"]) == (303, address)
    assert client.post(action, files=sent(field_0="again")).status_code == 409
    end = poll(lambda: _shown(client, address, "Bye"), "the last page")
    assert "because!" in end.text
    poll(lambda: [run["status"] for run in runs(daemon)] == ["success"], "the run ends")
    assert client.post(address, files=sent(field_0="late")).status_code == 409
    (run,) = runs(daemon)
    assert run["data"][0]["json"]["Why"] == "because"


def _shown(client: httpx.Client, address: str, text: str) -> httpx.Response | None:
    page = client.get(address)
    return page if text in page.text else None


@pytest.mark.parametrize("mode", ["onReceived", "lastNode"])
def test_a_wait_for_a_form(new_daemon: Callable[..., Daemon], mode: str) -> None:
    daemon = new_daemon()
    asked = {"values": [{"fieldLabel": "OK?", "fieldType": "radio", "fieldOptions": {"values": [{"option": "yes"}]}}]}
    url = {
        "assignments": {"assignments": [{"name": "u", "type": "string", "value": "={{ $execution.resumeFormUrl }}"}]}
    }
    text = {"assignments": {"assignments": [
        {"name": "formSubmittedText", "type": "string", "value": "={{ 'You said ' + $json['OK?'] }}"}
    ]}}  # fmt: skip
    daemon.live(
        chain(
            node("Hook", "webhook", 2, path="ask", responseMode="onReceived"),
            node("Url", "set", 3.4, **url),
            node("Wait", "wait", 1.1, resume="form", formTitle="Well?", formFields=asked, responseMode=mode),
            node("Text", "set", 3.4, **text),
        )
    )
    client = daemon.client()
    ident = client.get("/webhook/ask").json()["executionId"]
    api = daemon.admin()
    poll(lambda: api.get(f"/executions/{ident}").json()["status"] == "waiting", "it waits")
    shown = api.get(f"/executions/{ident}").json()["nodes"]["Url"][0]["outputs"][0][0]["json"]["u"]
    path = str(shown).removeprefix(daemon.base_url)
    assert "Well?" in client.get(path).text
    assert client.get(path.replace("form-waiting", "webhook-waiting")).status_code == 404
    done = client.post(path, files=sent(field_0="yes"))
    assert done.status_code == 200
    assert ("You said yes" if mode == "lastNode" else "recorded") in done.text
    assert client.post(path, files=sent(field_0="yes")).status_code == 409


def test_a_form_with_a_password(daemon: Daemon) -> None:
    api = daemon.admin()
    credential = api.post(
        "/credentials",
        json={"name": "Door", "kind": "httpBasicAuth", "values": {"user": "u", "password": "open-sesame"}},
    ).json()
    form = trigger("door", authentication="basicAuth")
    form["credentials"] = {"httpBasicAuth": {"id": credential["id"], "name": "Door"}}
    daemon.live(chain(form))
    client = daemon.client()
    refused = client.get("/form/door")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Basic")
    assert client.post("/form/door", files=sent(field_0="A"), auth=("u", "wrong")).status_code == 401
    assert client.get("/form/door", auth=("u", "open-sesame")).status_code == 200


def test_too_large_a_form_is_refused(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon("[forms]\nbody_limit = 2048\n")
    daemon.live(chain(trigger("large")))
    answer = daemon.client().post("/form/large", files=sent(field_0="x" * 5000))
    assert answer.status_code == 413
    assert "too large" in answer.text


def test_a_form_that_drips_is_over_soon_and_one_over_a_slow_line_is_not(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon(settings="[forms]\nbody_timeout = 1.0\nbody_min_rate = 1024\n")
    daemon.live(chain(trigger("start")))
    began = time.monotonic()
    assert slowly_sent(daemon, piece=1024, pause=0.3).startswith(b"HTTP/1.1 200 ")
    assert time.monotonic() - began > 1.5
    began = time.monotonic()
    assert slowly_sent(daemon, piece=16, pause=0.1).startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - began < 5


def slowly_sent(daemon: Daemon, piece: int, pause: float) -> bytes:
    """The answer to a form of 8 KiB that is sent in such pieces with pauses between them."""
    part = '--b\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    body = (part.format("field-0", "Ann") + part.format("more", "x" * 8_000) + "--b--\r\n").encode()
    head = (
        f"POST /form/start HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nContent-Length: {len(body)}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=pause) as line:
        line.sendall(head.encode())
        for begin in range(0, len(body), piece):
            line.sendall(body[begin : begin + piece])
            with contextlib.suppress(TimeoutError):  # the pause
                return line.recv(65536)
        line.settimeout(10)
        return line.recv(65536)
