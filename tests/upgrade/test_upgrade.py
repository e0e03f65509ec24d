"""A configuration directory of an earlier commit, left by kill -9 with open executions in it, goes on."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
from upgrade_lab import UpgradedDaemon

from jackfield.testing.daemon import poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.shell import add_shell

SECRET = "s3cret-of-the-earlier-daemon"


class Slow:
    """A server that answers when it is told to, and counts."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.asked = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.asked += 1
                outer.go.wait(60)
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def close(self) -> None:
        self.go.set()
        self._server.shutdown()
        self._server.server_close()


def status(api: httpx.Client, execution: str) -> str:
    return str(api.get(f"/executions/{execution}").json()["status"])


def begin(daemon: UpgradedDaemon, document: dict[str, Any], path: str) -> str:
    daemon.live(document)
    answer = daemon.client().post(f"/webhook/{path}", json={"n": 1})
    return str(answer.json()["executionId"])


def test_open_executions_go_on(daemon: UpgradedDaemon) -> None:
    slow = Slow()
    try:
        daemon.start()
        api = daemon.admin()
        url = set_fields("Url", url="={{ $execution.resumeUrl }}")
        wait = node("Wait", "wait", {"resume": "webhook"}, version=1.1)
        called = begin(daemon, chain("Called", webhook("called"), url, wait, set_fields("After", done=True)), "called")
        sleeps = begin(
            daemon,
            chain(
                "Sleeps",
                webhook("sleeps"),
                node("Wait", "wait", {"amount": 3, "unit": "seconds"}, version=1.1),
                set_fields("After", done=True),
            ),
            "sleeps",
        )
        request = node("Ask", "httpRequest", {"method": "POST", "url": slow.url, "options": {}}, version=4.2)
        asks = begin(daemon, chain("Asks", webhook("asks"), request, set_fields("After", done=True)), "asks")
        poll(lambda: slow.asked == 1 and status(api, called) == "waiting", "they are open")
        outputs = api.get(f"/executions/{called}").json()["nodes"]["Url"][0]["outputs"]
        resume = str(outputs[0][0]["json"]["url"]).removeprefix(daemon.base_url)
        daemon.kill()
        daemon.upgraded = True
        slow.go.set()
        daemon.start()
        api = daemon.admin()
        for execution in (sleeps, asks):
            poll(lambda execution=execution: status(api, execution) == "success", "it ends", timeout=30)
        assert status(api, called) == "waiting"
        assert daemon.client().get(resume).status_code == 200
        poll(lambda: status(api, called) == "success", "it ends")
    finally:
        slow.close()


def test_users_keys_secrets_and_settings_stay(daemon: UpgradedDaemon) -> None:
    daemon.start()
    api = daemon.admin()
    key = api.post("/api-keys", json={"name": "ci", "scopes": ["workflows:read"]}).json()
    held = api.post(
        "/credentials",
        json={"name": "Upstream", "kind": "httpHeaderAuth", "values": {"name": "X-Key", "value": SECRET}},
    )
    assert held.is_success, held.text
    secret = webhook("signed", authentication="hmac", authConfig={"secret": SECRET, "header": "X-Signature"})
    workflow = daemon.live(chain("Signed", secret, set_fields("After", done=True)))
    before = api.get(f"/workflows/{workflow}").json()
    daemon.kill()
    daemon.upgraded = True
    daemon.start()
    api = daemon.admin()
    assert api.get(f"/workflows/{workflow}").json()["nodes"][1] == before["nodes"][1]
    assert SECRET not in api.get(f"/workflows/{workflow}").text
    assert [one["name"] for one in api.get("/credentials").json()["data"]] == ["Upstream"]
    by_key = daemon.client(headers={"X-API-Key": key["key"]}).get("/api/v1/workflows")
    assert by_key.status_code == 200
    refused = daemon.client().post("/webhook/signed", json={})
    assert refused.status_code == 401
    told = daemon.tail(100_000)
    assert "responseTimeout" in told
    assert "response_timeout" in told


def test_a_terminal_of_the_earlier_daemon_is_taken_over(daemon: UpgradedDaemon) -> None:
    add_shell(daemon)
    daemon.start()
    client = daemon.client()
    client.post(
        "/api/profiles", json={"agent_id": "shell", "alias": "one", "provider_id": "self", "model": "none"}
    ).raise_for_status()
    body = {"profile_alias": "one", "args": ["-c", "echo begun; read line; echo said $line; read x"], "persist": True}
    session = client.post("/api/terminal/sessions", json=body).json()["data"]["session_id"]

    def shown(text: str) -> bool:
        screen = daemon.client().get(f"/api/terminal/sessions/{session}/screen")
        return screen.is_success and text in screen.json()["data"]["text"]

    poll(lambda: shown("begun"), "it prints")
    daemon.kill()
    daemon.upgraded = True
    daemon.start()
    poll(lambda: shown("begun"), "the new daemon has its output")
    daemon.client().post(
        f"/api/terminal/sessions/{session}/input", json={"text": "hello", "keys": ["enter"]}
    ).raise_for_status()
    poll(lambda: shown("said hello"), "the agent answers")
    assert daemon.client().delete(f"/api/terminal/sessions/{session}").is_success
