"""A login at a stranger's provider of OpenID Connect, in the browser's steps, and what hostile pages do with them."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from jackfield.testing.daemon import Daemon

CLIENT_ID, SECRET = "jackfield", "a secret of the client"
GATE = {"Sec-Fetch-Site": "same-origin"}


class Provider(ThreadingHTTPServer):
    """A tiny provider: whoever asks is the person that the test has set."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.person: dict[str, Any] = {"sub": "s-1", "name": "Ada", "groups": ["staff"]}
        self.changes: dict[str, Any] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.exchanged = 0

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def log_in(self, url: str) -> str:
        """The user agrees; the query string with which the browser is sent back."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT_ID)
        code = f"code{len(self.codes)}"
        self.codes[code] = asked
        return urlencode({"code": code, "state": asked["state"], "iss": self.issuer})

    def document(self, path: str) -> dict[str, Any] | None:
        if path == "/keys":
            made = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
            return {"keys": [{**made, "kid": "k"}]}
        if path != "/.well-known/openid-configuration":
            return None
        ends = {"authorization_endpoint": "/in", "token_endpoint": "/token", "jwks_uri": "/keys"}
        return {"issuer": self.issuer, **{name: self.issuer + end for name, end in ends.items()}}

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        self.exchanged += 1
        asked = self.codes.pop(form.get("code", ""), None)
        pair = base64.b64encode(f"{CLIENT_ID}:{SECRET.replace(' ', '+')}".encode()).decode()
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        expected = base64.urlsafe_b64encode(challenge).rstrip(b"=").decode()
        if asked is None or authorization != f"Basic {pair}" or asked["code_challenge"] != expected:
            return 400, {"error": "invalid_grant"}
        if form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 60, "nonce": asked["nonce"]}
        token = jwt.encode({**claims, **self.person, **self.changes}, self.key, "RS256", {"kid": "k"})
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": token}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = cast("Provider", self.server).document(self.path)
        self._answer(404 if found is None else 200, found or {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self._answer(*cast("Provider", self.server).exchange(form, self.headers.get("authorization", "")))

    def _answer(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    made = Provider()
    thread = threading.Thread(target=made.serve_forever, args=(0.05,))
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join(5)


@pytest.fixture(scope="module")
def daemon(
    provider: Provider, install: Callable[..., dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Daemon]:
    settings = f"""
[nodes.http]
allowed_networks = ["127.0.0.0/8"]

[oidc_login]
issuer = "{provider.issuer}"
client_id = "{CLIENT_ID}"
client_secret = "{SECRET}"
member_groups = ["staff"]
admin_groups = ["operators"]
"""
    made = Daemon(tmp_path_factory.mktemp("oidc"), settings=settings, env=install("oidc-login"))
    yield made.start()
    made.close()


@pytest.fixture(autouse=True)
def ordinary(provider: Provider) -> None:
    provider.person = {"sub": "s-1", "name": "Ada", "groups": ["staff"]}
    provider.changes = {}


def browser(daemon: Daemon) -> httpx.Client:
    """One with a jar of its own, at our page."""
    return daemon.client(headers={"Origin": daemon.base_url, **GATE})


def begin(client: httpx.Client) -> str:
    answer = client.post("/api/session/redirect", json={"provider": "oidc"})
    assert answer.status_code == 200, answer.text
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    return str(answer.json()["data"]["url"])


def finish(client: httpx.Client, answer: str, provider: str = "oidc") -> httpx.Response:
    return client.post("/api/session", json={"provider": provider, "answer": answer})


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, str(answer.json().get("code", ""))


def test_a_login_at_the_provider_is_a_session_with_an_api_identity(daemon: Daemon, provider: Provider) -> None:
    client = browser(daemon)
    listed = client.get("/api/session").json()["data"]["logins"]
    assert listed[1] == {"name": "oidc", "title": "Single sign-on", "kind": "redirect"}
    url = begin(client)
    asked = parse_qs(urlsplit(url).query)
    assert asked["redirect_uri"] == [f"{daemon.base_url}/auth/callback/oidc"]
    begun = finish(client, provider.log_in(url))
    assert begun.json()["data"]["user"]["username"] == "Ada@oidc"
    me = client.get("/api/v1/auth/me").json()
    assert (me["role"], me["method"]) == ("member", "session")
    key = client.post("/api/v1/api-keys", json={"name": "ci"}).json()["key"]
    assert daemon.client(headers={"X-API-Key": key}).get("/api/v1/auth/me").json()["id"] == me["id"]
    assert "jackfield_login" not in "".join(client.cookies)
    again = browser(daemon)
    assert finish(again, provider.log_in(begin(again))).json()["data"]["user"]["id"] == me["id"]


def test_the_page_to_which_the_provider_sends_holds_nothing_of_anybody(daemon: Daemon) -> None:
    from_there = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    page = daemon.client().get("/auth/callback/oidc?code=x&state=<script>", headers=from_there)
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "state=" not in page.text
    script = page.text.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert (page.headers["referrer-policy"], page.headers["cache-control"]) == ("no-referrer", "no-store")
    assert "set-cookie" not in page.headers
    for path, method, status in (
        ("/auth/callback", "GET", 404),
        ("/auth/callback/", "GET", 404),
        ("/auth/callback/a/b", "GET", 404),
        ("/auth/callback/oidc", "POST", 405),
    ):
        assert daemon.client().request(method, path).status_code == status
    assert daemon.client().get("/auth/callback/oidc", headers={"Host": "evil.example"}).status_code == 403


def test_another_browser_cannot_use_the_answer_and_cannot_spoil_it(daemon: Daemon, provider: Provider) -> None:
    """Login CSRF: the attacker's own answer in the victim's browser, and the victim's in the attacker's."""
    mine, theirs, fresh = browser(daemon), browser(daemon), browser(daemon)
    answer = provider.log_in(begin(mine))
    begin(theirs)
    for other in (theirs, fresh):
        assert code_of(finish(other, answer)) == (401, "LOGIN_ENDED")
        assert other.get("/api/v1/auth/me").status_code == 401
    assert finish(mine, answer).status_code == 200


def test_an_answer_counts_once(daemon: Daemon, provider: Provider) -> None:
    client = browser(daemon)
    answer = provider.log_in(begin(client))
    exchanged = provider.exchanged
    kept = dict(client.cookies)
    assert finish(client, answer).status_code == 200
    client.cookies.update(kept)
    assert code_of(finish(client, answer)) == (401, "LOGIN_ENDED")
    assert provider.exchanged == exchanged + 1


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda answer: answer.replace("state=", "state=x"), 401),
        (lambda answer: answer + "&state=x", 400),
        (lambda answer: answer + "&code=x", 400),
        (lambda answer: "", 401),
        (lambda answer: "state=", 401),
        (lambda answer: answer + "&a=" + "x" * 9000, 400),
    ],
)
def test_an_answer_that_was_changed_is_refused(
    daemon: Daemon, provider: Provider, change: Callable[[str], str], status: int
) -> None:
    client = browser(daemon)
    assert finish(client, change(provider.log_in(begin(client)))).status_code == status


@pytest.mark.parametrize("changes", [{"nonce": "of another login"}, {"aud": "another"}, {"iss": "http://evil.example"}])
def test_a_token_for_somebody_else_lets_nobody_in(
    daemon: Daemon, provider: Provider, changes: dict[str, object]
) -> None:
    client = browser(daemon)
    provider.changes = changes
    assert code_of(finish(client, provider.log_in(begin(client)))) == (401, "LOGIN_REFUSED")
    assert client.get("/api/v1/auth/me").status_code == 401


def test_who_is_in_no_group_or_says_no_is_refused(daemon: Daemon, provider: Provider) -> None:
    client = browser(daemon)
    provider.person = {"sub": "s-7", "name": "Eve", "groups": ["guests"]}
    refused = finish(client, provider.log_in(begin(client)))
    assert (refused.status_code, "no group" in refused.json()["error"]) == (401, True)
    state = parse_qs(urlsplit(begin(client)).query)["state"][0]
    assert code_of(finish(client, f"error=access_denied&state={state}")) == (401, "LOGIN_REFUSED")


@pytest.mark.parametrize("name", ["local", "nobody", "../oidc", "", "OIDC"])
def test_a_login_that_there_is_not_is_refused(daemon: Daemon, provider: Provider, name: str) -> None:
    client = browser(daemon)
    assert client.post("/api/session/redirect", json={"provider": name}).status_code == 400
    answer = provider.log_in(begin(client))
    assert finish(client, answer, name).status_code == 401


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}]
)
def test_no_page_of_others_begins_or_ends_a_login(daemon: Daemon, provider: Provider, headers: dict[str, str]) -> None:
    client = browser(daemon)
    answer = provider.log_in(begin(client))
    assert client.post("/api/session/redirect", json={"provider": "oidc"}, headers=headers).status_code == 403
    body = {"provider": "oidc", "answer": answer}
    assert client.post("/api/session", json=body, headers=headers).status_code == 403
    assert finish(client, answer).status_code == 200


def test_a_password_does_not_do_for_a_redirect(daemon: Daemon) -> None:
    body = {"username": "Ada", "password": "whatever it is", "provider": "oidc"}
    assert browser(daemon).post("/api/session", json=body).status_code == 400
    assert daemon.client().post("/api/v1/auth/login", json=body).status_code == 400


def test_a_disabled_user_stays_out(daemon: Daemon, provider: Provider) -> None:
    provider.person = {"sub": "s-off", "name": "Off", "groups": ["staff"]}
    client = browser(daemon)
    ident = finish(client, provider.log_in(begin(client))).json()["data"]["user"]["id"]
    daemon.admin().patch(f"/users/{ident}", json={"disabled": True})
    assert client.get("/api/v1/auth/me").status_code == 401
    again = browser(daemon)
    assert code_of(finish(again, provider.log_in(begin(again)))) == (403, "USER_DISABLED")


def test_the_providers_secret_and_codes_are_in_no_log(daemon: Daemon, provider: Provider) -> None:
    client = browser(daemon)
    answer = provider.log_in(begin(client))
    finish(client, answer)
    told = daemon.tail(1 << 20) + "".join(path.read_text() for path in (daemon.config_dir / "logs").glob("*.log*"))
    state = parse_qs(answer)["state"][0]
    assert SECRET not in told
    assert state not in told
