"""OAuth at the daemon's MCP server: the official client registers, is let in, calls, refreshes, is revoked."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import httpx2
import pytest

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon

pytest.importorskip("mcp")

from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

REDIRECT = "http://127.0.0.1:3999/callback"
FORWARDED = {"Via": "1.1 elsewhere"}
"""Whoever passes on a request is not known by the process."""
ACCEPT = {"Accept": "application/json, text/event-stream", **FORWARDED}
LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
LIMIT = 60


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    limits = "oauth_registrations = 60\noauth_clients = 20\noauth_attempts = 1000\n"
    daemon = Daemon(tmp_path_factory.mktemp("oauth"), settings=f"[mcp]\n{limits}")
    try:
        yield daemon.start()
    finally:
        daemon.close()


@dataclass
class Kept:
    """Where the client keeps what it has."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    asked: list[str] = field(default_factory=list)

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def decided(daemon: Daemon, address: str, api: httpx.Client, allow: bool = True, scopes: Any = None) -> dict[str, str]:
    """What a user does in the browser, without it: the client's answer."""
    page = daemon.client().get(address.removeprefix(daemon.base_url), headers=FORWARDED)
    assert page.status_code == 302, page.text
    where = urlsplit(page.headers["location"])
    assert where.path == "/oauth/consent"
    (name,) = parse_qs(where.query)["request"]
    shown = api.get(f"/mcp/authorizations/{name}").raise_for_status().json()
    granted = shown["asked"] or ["workflows:read"] if scopes is None else scopes
    body = {"allow": allow, "scopes": granted if allow else []}
    told = api.post(f"/mcp/authorizations/{name}", json=body).raise_for_status().json()
    assert api.post(f"/mcp/authorizations/{name}", json=body).status_code == 404, "it is decided once"
    return {key: values[0] for key, values in parse_qs(urlsplit(told["redirect"]).query).items()}


def provider(daemon: Daemon, kept: Kept, scope: str) -> OAuthClientProvider:
    answers: list[dict[str, str]] = []

    async def redirect(url: str) -> None:
        kept.asked.append(url)
        answers.append(await asyncio.to_thread(decided, daemon, url, daemon.admin()))

    async def callback() -> AuthorizationCodeResult:
        answer = answers.pop()
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    metadata = OAuthClientMetadata(client_name="A <b>test</b>", redirect_uris=[REDIRECT], scope=scope)  # type: ignore[list-item]
    return OAuthClientProvider(f"{daemon.base_url}/mcp", metadata, kept, redirect, callback)


async def test_the_official_client_is_let_in_and_refreshes(daemon: Daemon) -> None:
    kept = Kept()
    auth = provider(daemon, kept, "workflows:read executions:read")
    async with asyncio.timeout(LIMIT), httpx2.AsyncClient(auth=auth, headers=FORWARDED, timeout=LIMIT) as http:
        transport = streamable_http_client(f"{daemon.base_url}/mcp", http_client=http)
        async with Client(transport, mode="legacy") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"list_workflows", "create_workflow", "explain_failure", "read_rows"} <= names
            assert not names & {"list_profiles", "run_profile", "read_terminal_screen"}
            assert not (await client.call_tool("list_workflows", {})).is_error
    assert len(kept.asked) == 1
    asked = parse_qs(urlsplit(kept.asked[0]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert "agents:write" not in asked["scope"][0]
    assert asked["resource"] == [f"{daemon.base_url}/mcp"]
    assert kept.client is not None
    assert kept.client.client_secret is None
    before = kept.tokens
    assert before is not None
    assert before.refresh_token is not None
    assert (before.access_token[:6], before.refresh_token[:6]) == ("jf_oa_", "jf_or_")
    again = refreshed(daemon, kept.client.client_id, before.refresh_token)
    assert again.status_code == 200
    assert listed(daemon, before.access_token) == 401, "the earlier one ends with it"
    assert listed(daemon, again.json()["access_token"]) == 200
    stolen = refreshed(daemon, kept.client.client_id, before.refresh_token)
    assert stolen.json()["error"] == "invalid_grant"
    assert listed(daemon, again.json()["access_token"]) == 401, "used twice: the grant ends"


def listed(daemon: Daemon, token: str) -> int:
    headers = {**ACCEPT, "Authorization": f"Bearer {token}"}
    return daemon.client().post("/mcp", json=LISTING, headers=headers).status_code


def refreshed(daemon: Daemon, client_id: str, token: str, **more: str) -> httpx.Response:
    body = {"grant_type": "refresh_token", "refresh_token": token, "client_id": client_id, **more}
    return daemon.client().post("/oauth/token", data=body)


def registered(daemon: Daemon, **more: Any) -> httpx.Response:
    return daemon.client().post("/oauth/register", json={"redirect_uris": [REDIRECT], "client_name": "c", **more})


@dataclass
class Flow:
    """One client by hand."""

    daemon: Daemon
    client_id: str
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    def address(self, **more: str | None) -> str:
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        given: dict[str, str | None] = {
            "response_type": "code", "client_id": self.client_id, "redirect_uri": REDIRECT, "state": "st",
            "code_challenge": challenge, "code_challenge_method": "S256", "scope": "workflows:read", **more,
        }  # fmt: skip
        return "/oauth/authorize?" + urlencode({key: value for key, value in given.items() if value is not None})

    def exchange(self, code: str, **more: str) -> httpx.Response:
        body = {
            "grant_type": "authorization_code", "code": code, "client_id": self.client_id, "redirect_uri": REDIRECT,
            "code_verifier": self.verifier, **more,
        }  # fmt: skip
        return self.daemon.client().post("/oauth/token", data=body)


@pytest.fixture
def flow(daemon: Daemon) -> Flow:
    return Flow(daemon, registered(daemon).raise_for_status().json()["client_id"])


def test_metadata_says_where_everything_is(daemon: Daemon) -> None:
    client = daemon.client()
    refused = client.post("/mcp", json=LISTING, headers=ACCEPT)
    assert refused.status_code == 401
    base = daemon.base_url
    where = f"{base}/.well-known/oauth-protected-resource/mcp"
    told = refused.headers["www-authenticate"]
    assert told.startswith(f'Bearer realm="jackfield", resource_metadata="{where}", scope="')
    assert "agents:" not in told
    assert "machine:" not in told
    resource = client.get(where).json()
    assert resource["resource"] == f"{base}/mcp"
    assert resource["authorization_servers"] == [base]
    for path in ("oauth-authorization-server", "openid-configuration"):
        server = client.get(f"/.well-known/{path}").json()
        assert server["issuer"] == base
        assert server["code_challenge_methods_supported"] == ["S256"]
        assert server["authorization_endpoint"] == f"{base}/oauth/authorize"
    other = client.post("/api/v1/workflows", json={}, headers=FORWARDED)
    assert "resource_metadata" not in other.headers["www-authenticate"]
    assert client.post("/oauth/authorization", data={}).status_code == 404
    assert client.get("/oauth/token").status_code == 405


def test_a_code_is_good_once_for_its_client_its_verifier_and_its_address(daemon: Daemon, flow: Flow) -> None:
    code = decided(daemon, flow.address(), daemon.admin())
    assert code["state"] == "st"
    assert code["iss"] == daemon.base_url
    other = registered(daemon).json()["client_id"]
    assert Flow(daemon, other, flow.verifier).exchange(code["code"]).json()["error"] == "invalid_grant"
    assert flow.exchange(code["code"], code_verifier="x" * 64).json()["error"] == "invalid_grant"
    wrong = flow.exchange(code["code"], redirect_uri="http://127.0.0.1:3999/other")
    assert wrong.json()["error"] in ("invalid_grant", "invalid_request")
    issued = flow.exchange(code["code"])
    assert issued.status_code == 200, issued.text
    token = issued.json()["access_token"]
    assert listed(daemon, token) == 200
    assert flow.exchange(code["code"]).json()["error"] == "invalid_grant"
    assert listed(daemon, token) == 401, "a code that comes twice ends what it has made"


def test_a_token_is_good_at_mcp_alone(daemon: Daemon, flow: Flow) -> None:
    token = flow.exchange(decided(daemon, flow.address(), daemon.admin())["code"]).json()["access_token"]
    headers = {**FORWARDED, "Authorization": f"Bearer {token}"}
    for path in ("/api/v1/workflows", "/api/profiles", "/metrics", "/mcp/elsewhere", "/ws"):
        answer = daemon.client().get(path, headers=headers)
        assert answer.status_code in (401, 404), path
    stored = b"".join(path.read_bytes() for path in daemon.config_dir.rglob("*") if path.is_file())
    assert token.encode() not in stored
    assert token not in daemon.tail(200_000)


def test_a_user_grants_what_they_may_and_what_was_asked_for(daemon: Daemon, flow: Flow) -> None:
    api = daemon.admin()
    page = daemon.client().get(flow.address(scope="workflows:read agents:write"))
    name = parse_qs(urlsplit(page.headers["location"]).query)["request"][0]
    path = f"/mcp/authorizations/{name}"
    assert api.get(path).json()["scopes"] == ["agents:write", "workflows:read"]
    for scopes in ([], ["workflows:write"], ["admin"]):
        assert api.post(path, json={"allow": True, "scopes": scopes}).status_code == 400
    body = {"username": "looker", "password": "correct-horse-battery", "role": "viewer"}
    user = api.post("/users", json=body).raise_for_status().json()
    login = {"username": "looker", "password": body["password"]}
    token = daemon.client().post("/api/v1/auth/login", json=login).json()["token"]
    viewer = daemon.client(headers={"Authorization": f"Bearer {token}"})
    viewer.base_url = httpx.URL(f"{daemon.base_url}/api/v1")
    assert viewer.get(path).json()["scopes"] == ["workflows:read"]
    assert viewer.post(path, json={"allow": True, "scopes": ["agents:write"]}).status_code == 400
    for limit in ({"scopes": ["workflows:read"]}, {"projects": ["jackfield"]}):
        key = api.post("/api-keys", json={"name": "k", **limit}).raise_for_status().json()["key"]
        limited = daemon.client().get(f"/api/v1{path}", headers={"X-API-Key": key})
        assert limited.status_code == 403
    assert daemon.client().get(f"/api/v1{path}").status_code == 401
    told = viewer.post(path, json={"allow": True, "scopes": ["workflows:read"]}).raise_for_status().json()["redirect"]
    code = parse_qs(urlsplit(told).query)["code"][0]
    access = flow.exchange(code).raise_for_status().json()["access_token"]
    assert listed(daemon, access) == 200
    grants = viewer.get("/mcp/grants").json()["data"]
    assert [grant["scopes"] for grant in grants] == [["workflows:read"]]
    api.patch(f"/users/{user['id']}", json={"disabled": True}).raise_for_status()
    assert listed(daemon, access) == 401


def test_a_refusal_reaches_the_client_and_grants_are_revoked(daemon: Daemon, flow: Flow) -> None:
    api = daemon.admin()
    assert decided(daemon, flow.address(), api, allow=False)["error"] == "access_denied"
    for end in ("client", "user", "access", "command"):
        issued = flow.exchange(decided(daemon, flow.address(), api)["code"]).json()
        token = issued["access_token"]
        assert listed(daemon, token) == 200
        (grant,) = [one for one in api.get("/mcp/grants").json()["data"] if one["clientId"] == flow.client_id]
        if end == "command":
            assert grant["id"] in command(daemon, "grants")
            assert "let in no more" in command(daemon, "revoke", grant["id"])
        elif end == "user":
            assert api.delete(f"/mcp/grants/{grant['id']}").status_code == 204
            assert api.delete(f"/mcp/grants/{grant['id']}").status_code == 404
        else:
            body = {
                "token": issued["refresh_token" if end == "client" else "access_token"],
                "client_id": flow.client_id,
            }
            assert daemon.client().post("/oauth/revoke", data={**body, "client_secret": ""}).status_code == 200
        assert listed(daemon, token) == 401
        assert refreshed(daemon, flow.client_id, issued["refresh_token"]).json()["error"] == "invalid_grant"


def command(daemon: Daemon, *arguments: str) -> str:
    program = Path(sys.executable).with_name("jackfield")
    called = [str(program), "mcp", *arguments, "--config-dir", str(daemon.config_dir)]
    return subprocess.run(called, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "more",
    [
        {"code_challenge": None},
        {"code_challenge_method": "plain"},
        {"response_type": "token"},
        {"resource": "https://elsewhere.example/mcp"},
        {"scope": "everything"},
    ],
)
def test_requests_that_are_not_oauth_2_1_are_refused_at_the_client(
    daemon: Daemon, flow: Flow, more: dict[str, str | None]
) -> None:
    answer = daemon.client().get(flow.address(**more))
    assert answer.status_code == 302
    where = answer.headers["location"]
    assert where.startswith(REDIRECT + "?")
    assert "error" in parse_qs(urlsplit(where).query)


@pytest.mark.parametrize(
    "uri",
    [
        "https://evil.example/",
        "http://127.0.0.1:3999/other",
        "http://localhost:3999/callback",
        "http://bank.example@127.0.0.1:3999/callback",
        "http://127.0.0.1:3999/callback#there",
    ],
)
def test_an_address_that_is_not_registered_is_never_sent_to(daemon: Daemon, flow: Flow, uri: str) -> None:
    answer = daemon.client().get(flow.address(redirect_uri=uri))
    assert answer.status_code == 400
    assert "location" not in answer.headers
    port = daemon.client().get(flow.address(redirect_uri="http://127.0.0.1:40001/callback"))
    assert port.status_code == 302, "an application at this machine chooses its port as it starts"


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)",
        "http://evil.example/cb",
        "data:text/html,x",
        "https://a@evil.example/",
        "https://x/#f",
        "other://x",
    ],
)
def test_addresses_that_no_client_may_have(daemon: Daemon, uri: str) -> None:
    answer = registered(daemon, redirect_uris=[uri])
    assert answer.status_code == 400
    assert answer.json()["error"] in ("invalid_redirect_uri", "invalid_client_metadata")


def test_a_refresh_token_of_long_ago_ends_the_grant_too(daemon: Daemon, flow: Flow) -> None:
    first = flow.exchange(decided(daemon, flow.address(), daemon.admin())["code"]).json()
    last = first
    for _ in range(3):
        last = refreshed(daemon, flow.client_id, last["refresh_token"]).raise_for_status().json()
    assert refreshed(daemon, flow.client_id, "jf_or_unknown.x").json()["error"] == "invalid_grant"
    assert listed(daemon, last["access_token"]) == 200
    assert refreshed(daemon, flow.client_id, first["refresh_token"]).json()["error"] == "invalid_grant"
    assert listed(daemon, last["access_token"]) == 401, "whoever has renewed it may be a thief"


def test_a_user_who_lets_in_many_ends_no_grant_of_others(tmp_path_factory: pytest.TempPathFactory) -> None:
    daemon = Daemon(tmp_path_factory.mktemp("many"), settings="[mcp]\noauth_grants = 3\n")
    try:
        api = daemon.start().admin()
        body = {"username": "eager", "password": "correct-horse-battery", "role": "viewer"}
        api.post("/users", json=body).raise_for_status()
        login = {"username": "eager", "password": body["password"]}
        token = daemon.client().post("/api/v1/auth/login", json=login).raise_for_status().json()["token"]
        eager = daemon.client(headers={"Authorization": f"Bearer {token}"})
        eager.base_url = httpx.URL(f"{daemon.base_url}/api/v1")
        flow = Flow(daemon, registered(daemon).raise_for_status().json()["client_id"])

        def let_in(by: httpx.Client) -> str:
            return str(flow.exchange(decided(daemon, flow.address(), by)["code"]).json()["access_token"])

        mine = let_in(api)
        others = [let_in(eager) for _ in range(4)]
        assert listed(daemon, mine) == 200
        assert [listed(daemon, one) for one in others] == [401, 401, 200, 200]
    finally:
        daemon.close()


def test_large_registrations_leave_room_for_others(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = "[mcp]\noauth_registrations = 100\noauth_clients = 100\n"
    daemon = Daemon(tmp_path_factory.mktemp("large"), settings=settings)
    try:
        daemon.start()
        uris = [f"https://{index}.example/{'x' * 450}" for index in range(5)]
        found = {registered(daemon, redirect_uris=uris).status_code for _ in range(45)}
        assert found == {201}
        assert registered(daemon).status_code == 201
    finally:
        daemon.close()


def test_registrations_are_bounded(daemon: Daemon, flow: Flow) -> None:
    token = flow.exchange(decided(daemon, flow.address(), daemon.admin())["code"]).json()["access_token"]
    waiting = registered(daemon).json()["client_id"]
    seen = [registered(daemon).status_code for _ in range(60)]
    assert seen.count(201) >= 20
    assert seen[-1] == 429
    gone = daemon.client().get(Flow(daemon, waiting).address())
    assert gone.status_code == 400, "the oldest that nobody has let in"
    assert listed(daemon, token) == 200


def test_what_was_granted_outlives_a_restart(tmp_path_factory: pytest.TempPathFactory) -> None:
    daemon = Daemon(tmp_path_factory.mktemp("again"))
    try:
        daemon.start()
        flow = Flow(daemon, registered(daemon).json()["client_id"])
        token = flow.exchange(decided(daemon, flow.address(), daemon.admin())["code"]).json()["access_token"]
        daemon.kill()
        daemon.start()
        assert listed(daemon, token) == 200
    finally:
        daemon.close()


def test_the_consent_page_runs_its_own_script_alone(daemon: Daemon) -> None:
    page = daemon.client().get("/oauth/consent?request=<script>alert(1)</script>")
    assert "alert(1)" not in page.text
    script = page.text.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = page.headers["content-security-policy"]
    assert f"script-src 'sha256-{digest}'" in policy
    assert "frame-ancestors 'none'" in policy
    assert (USERNAME, PASSWORD) != ("", "")
