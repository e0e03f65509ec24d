"""Through the real daemon: pagination with real expressions, the way back from a provider, descriptions of nodes.d."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node

ROOT = Path(__file__).resolve().parents[3]


ROBOT = """
[node]
kind = "robot"
title = "Robot"
base_url = "{service}"
parameters = [{{ name = "authentication" }}]

[node.auth]
parameter = "authentication"
default = "oAuth2Api"
choices = {{ serviceAccount = "googleApi" }}

[lists.things]
path = "/things/{{shelf}}"
rows = "things"
needs = ["shelf"]

[lists.broken]
path = "/broken"

[[operations]]
operation = "get"
path = "/robot"
parameters = [{{ name = "shelf" }}, {{ name = "thing", type = "locator" }}]
"""


class Service(BaseHTTPRequestHandler):
    seen: list[tuple[str, str, str]]

    def do_GET(self) -> None:
        self.seen.append((self.command, self.path, self.headers.get("Authorization", "")))
        query = parse_qs(urlsplit(self.path).query)
        page = int(query.get("page", ["1"])[0])
        answer: dict[str, Any] = {"rows": [page], "more": page < 3}
        if self.path == "/token":
            answer = {"access_token": "access-1", "refresh_token": "r", "expires_in": 3600}
        if self.path.startswith("/v2/orders"):
            answer = {"orders": [{"after": query.get("after")}], "next": None if "after" in query else "x"}
        if self.path.startswith("/things"):
            answer = {"things": [{"id": 1, "name": "One"}, {"id": 2, "name": "Two"}]}
        if self.path.startswith("/broken"):
            answer = {"message": "no such thing as access-1"}
        body = json.dumps(answer).encode()
        self.send_response(404 if self.path.startswith("/broken") else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815 - the base class looks for it

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    Service.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def daemon(service: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = '[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'
    settings += f'[credentials]\nservice_account_token_url = "{service}/token"\n'
    made = Daemon(tmp_path_factory.mktemp("vendors"), settings=settings)
    page = (ROOT / "docs/vendors.md").read_text()
    block = re.search(r'```toml title="nodes.d/acme.toml"\n(.*?)```', page, re.DOTALL)
    assert block
    (made.config_dir / "nodes.d").mkdir()
    (made.config_dir / "nodes.d/acme.toml").write_text(block[1].replace("https://api.acme.example", service))
    (made.config_dir / "nodes.d/robot.toml").write_text(ROBOT.format(service=service))
    (made.config_dir / "nodes.d/bad.toml").write_text("[node]\n")
    try:
        yield made.start()
    finally:
        made.close()


def ran(daemon: Daemon, *nodes: Any) -> Any:
    start = node("Start", "manualTrigger", version=1)
    answer = daemon.admin().post("/workflows/run", json={"workflow": chain("W", start, *nodes)})
    return answer.raise_for_status().json()


def test_pagination_with_real_expressions(daemon: Daemon, service: str) -> None:
    rows = [{"name": "page", "value": "={{ $request.qs.page + $pageCount }}"}]
    pagination = {
        "parameters": {"parameters": rows},
        "paginationCompleteWhen": "other",
        "completeExpression": "={{ $response.body.more === false && $response.statusCode == 200 }}",
    }
    parameters: dict[str, Any] = {
        "url": service + "/list",
        "sendQuery": True,
        "queryParameters": {"parameters": [{"name": "page", "value": "={{ 1 }}"}]},
        "options": {"pagination": {"pagination": pagination}},
    }
    found = ran(daemon, node("Get", "httpRequest", parameters, version=4.2))
    assert [item["json"]["rows"] for item in found["data"]] == [[1], [2], [3]]


def test_a_credential_is_connected_through_the_gate_and_stays_out_of_the_execution(
    daemon: Daemon, service: str
) -> None:
    api = daemon.admin()
    values = {
        "clientId": "me",
        "clientSecret": "canary-secret",
        "authUrl": "https://id.example/auth",
        "accessTokenUrl": service + "/token",
    }
    made = api.post("/credentials", json={"name": "P", "kind": "oAuth2Api", "values": values}).json()
    begun = api.get(f"/credentials/{made['id']}/oauth2/authorize").json()
    state = parse_qs(urlsplit(begun["url"]).query)["state"][0]
    # As a browser sends it that comes from another site.
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    back = daemon.client().get(
        "/rest/oauth2-credential/callback", params={"state": state, "code": "c"}, headers=headers
    )
    assert (back.status_code, "connected" in back.text) == (200, True)
    parameters = {"url": service + "/me", "authentication": "genericCredentialType", "genericAuthType": "oAuth2Api"}
    step: Any = node("Get", "httpRequest", parameters, version=4.2)
    step["credentials"] = {"oAuth2Api": {"id": made["id"], "name": "P"}}
    found = ran(daemon, step)
    assert Service.seen[-1] == ("GET", "/me", "Bearer access-1")
    execution = api.get(f"/executions/{found['executionId']}").text
    for secret in ("canary-secret", "access-1"):
        assert secret not in execution
        assert secret not in daemon.output.read_text()


def test_a_service_account_serves_nodes_and_requests(daemon: Daemon, service: str) -> None:
    key = rsa.generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    values = {"email": "robot@x.example", "privateKey": key.decode(), "scopes": "s"}
    api = daemon.admin()
    made = api.post("/credentials", json={"name": "G", "kind": "googleApi", "values": values}).json()
    assert api.post(f"/credentials/{made['id']}/test").json()["valid"] is True
    robot: Any = node("Robot", "robot", {"operation": "get", "authentication": "serviceAccount"}, version=1)
    predefined = {"authentication": "predefinedCredentialType", "nodeCredentialType": "googleApi"}
    get: Any = node("Get", "httpRequest", {"url": service + "/me", **predefined}, version=4.2)
    robot["credentials"] = get["credentials"] = {"googleApi": {"id": made["id"], "name": "G"}}
    found = ran(daemon, robot, get)
    assert found["status"] == "success", found
    asked = [seen for seen in Service.seen if seen[1] in ("/robot", "/me")][-2:]
    assert asked == [("GET", "/robot", "Bearer access-1"), ("GET", "/me", "Bearer access-1")]


def test_requests_are_signed_with_oauth_1(daemon: Daemon, service: str) -> None:
    values = {"consumerKey": "k", "consumerSecret": "canary-consumer", "accessToken": "t", "accessTokenSecret": "u"}
    made = daemon.admin().post("/credentials", json={"name": "O", "kind": "oAuth1Api", "values": values}).json()
    parameters = {"url": service + "/me", "authentication": "genericCredentialType", "genericAuthType": "oAuth1Api"}
    step: Any = node("Get", "httpRequest", parameters, version=4.2)
    step["credentials"] = {"oAuth1Api": {"id": made["id"], "name": "O"}}
    assert ran(daemon, step)["status"] == "success"
    signed = Service.seen[-1][2]
    assert signed.startswith("OAuth ")
    assert 'oauth_consumer_key="k"' in signed
    assert "canary-consumer" not in signed


def test_an_own_description_runs_and_a_bad_one_is_told(daemon: Daemon) -> None:
    api = daemon.admin()
    values = {"key": "acme-key"}
    made = api.post("/credentials", json={"name": "A", "kind": "acmeApi", "values": values}).json()
    assert api.post(f"/credentials/{made['id']}/test").json()["valid"] is True
    step: Any = node("List", "acme", {"returnAll": True}, version=1)
    step["credentials"] = {"acmeApi": {"id": made["id"], "name": "A"}}
    found = ran(daemon, step)
    assert [item["json"]["after"] for item in found["data"]] == [None, ["x"]]
    assert "bad.toml: node.kind: Field required" in daemon.output.read_text()
    form = api.get("/node-types/acme").json()
    assert [one["title"] for one in form["parameters"]["oneOf"]] == ["order_create", "order_getAll"]


def test_a_list_is_asked_of_the_service_with_the_credential_and_its_faults_are_told(daemon: Daemon) -> None:
    api = daemon.admin()
    key = rsa.generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    values = {"email": "robot@x.example", "privateKey": key.decode(), "scopes": "s"}
    made = api.post("/credentials", json={"name": "L", "kind": "googleApi", "values": values}).json()
    other = api.post(
        "/credentials", json={"name": "O", "kind": "httpBasicAuth", "values": {"user": "u", "password": "p"}}
    )
    asked: dict[str, Any] = {"credential": made["id"], "values": json.dumps({"shelf": "a/b"})}
    found = api.get("/node-types/robot/lists/things", params={**asked, "search": "tw"})
    assert found.json() == {"data": [{"value": 2, "label": "Two"}]}
    assert Service.seen[-1] == ("GET", "/things/a%2Fb", "Bearer access-1")
    broken = api.get("/node-types/robot/lists/broken", params=asked)
    assert (broken.status_code, broken.json()["code"]) == (502, "LIST_FAILED")
    assert "no such thing" in broken.text
    assert "access-1" not in broken.text
    empty = api.get("/node-types/robot/lists/things", params={"credential": made["id"]})
    assert (empty.status_code, list(empty.json()["details"])) == (400, ["values.shelf"])
    bare = api.get("/node-types/robot/lists/things", params={"values": asked["values"]})
    assert (bare.status_code, list(bare.json()["details"])) == (400, ["credential"])
    seen = len(Service.seen)
    for path, params, status in (
        ("robot/lists/nothing", asked, 404),
        ("set/lists/things", asked, 404),
        ("robot/lists/things", {**asked, "credential": "nobody"}, 400),
        ("robot/lists/things", {**asked, "credential": other.json()["id"]}, 400),
        ("robot/lists/things", {**asked, "values": "[]"}, 400),
        ("robot/lists/things", {**asked, "values": "{"}, 400),
        ("robot/lists/things", {**asked, "version": "x"}, 400),
        ("robot/lists/things", {**asked, "version": "nan"}, 400),
        ("robot/lists/things", {**asked, "search": "x" * 201}, 400),
    ):
        assert api.get(f"/node-types/{path}", params=params).status_code == status, (path, params)
    assert len(Service.seen) == seen


def test_a_list_wants_the_scopes_of_credentials_and_of_runs(daemon: Daemon) -> None:
    for scopes in (["workflows:read", "workflows:execute"], ["credentials:write"]):
        key = daemon.admin().post("/api-keys", json={"name": "k", "scopes": scopes}).json()
        found = daemon.client(headers={"X-API-Key": key["key"]}).get("/api/v1/node-types/robot/lists/things")
        assert found.status_code == 403
