"""Requests that a stranger's method verifies: over method, path, query and body, with a scheme of its own."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from jackfield.testing.daemon import Daemon

Strangers = Callable[..., Daemon]
SECRET = "s" * 32
SETTINGS = f"""
[security.auth]
body_limit = 2000

[signed_requests.keys.ci]
secret = "{SECRET}"
role = "member"

[signed_requests.keys.looks]
secret = "{SECRET}"
role = "viewer"
"""
VARIABLE = b'{"key": "signed", "value": "1"}'
SCHEME = "JACKFIELD-HMAC-SHA256"


def header(
    method: str, target: str, body: bytes = b"", *, key: str = "ci", secret: str = SECRET, moment: int | None = None
) -> str:
    """As a client in another language would make it, from the README."""
    path, _, query = target.partition("?")
    when, nonce = str(int(time.time()) if moment is None else moment), secrets.token_hex(16)
    text = "\n".join([method, path, query, when, nonce, hashlib.sha256(body).hexdigest()])
    made = hmac.digest(secret.encode(), text.encode(), "sha256").hex()
    return f"{SCHEME} key={key}, time={when}, nonce={nonce}, signature={made}"


@pytest.fixture(scope="module")
def daemon(install: Callable[..., dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    made = Daemon(tmp_path_factory.mktemp("signed"), settings=SETTINGS, env=install("signed-requests"))
    yield made.start()
    made.close()


def send(
    daemon: Daemon, method: str, target: str, authorization: str, body: bytes = b"", **headers: str
) -> httpx.Response:
    given = {"Authorization": authorization, "Content-Type": "application/json", **headers}
    return daemon.client().request(method, target, content=body, headers=given)


def test_a_signed_request_is_its_keys(daemon: Daemon) -> None:
    me = send(daemon, "GET", "/api/v1/auth/me", header("GET", "/api/v1/auth/me"))
    assert me.json() == {"id": "signature:ci", "username": "ci", "role": "member", "method": "signature"}


def test_the_view_gets_the_body_that_was_verified(daemon: Daemon) -> None:
    target = "/api/v1/variables?a=%20b&a="
    made = send(daemon, "POST", "/api/v1/variables", header("POST", "/api/v1/variables", VARIABLE), VARIABLE)
    assert (made.status_code, made.json()["key"]) == (201, "signed")
    assert send(daemon, "GET", target, header("GET", target)).status_code in (200, 400)


@pytest.mark.parametrize(
    ("method", "target", "body", "authorization"),
    [
        ("POST", "/api/v1/variables", VARIABLE, header("POST", "/api/v1/variables", b"{}")),
        ("POST", "/api/v1/variables", b"", header("POST", "/api/v1/variables", VARIABLE)),
        ("GET", "/api/v1/users", b"", header("GET", "/api/v1/variables")),
        ("GET", "/api/v1/variables?limit=2", b"", header("GET", "/api/v1/variables?limit=1")),
        ("GET", "/api/v1/%76ariables", b"", header("GET", "/api/v1/variables")),
        ("DELETE", "/api/v1/auth/me", b"", header("GET", "/api/v1/auth/me")),
        ("GET", "/api/v1/auth/me", b"", header("GET", "/api/v1/auth/me", secret="t" * 32)),
        ("GET", "/api/v1/auth/me", b"", header("GET", "/api/v1/auth/me", key="nobody")),
        ("GET", "/api/v1/auth/me", b"", header("GET", "/api/v1/auth/me", moment=int(time.time()) - 3600)),
        ("GET", "/api/v1/auth/me", b"", header("GET", "/api/v1/auth/me", moment=int(time.time()) + 3600)),
        ("GET", "/api/v1/auth/me", b"", SCHEME),
        ("GET", "/api/v1/auth/me", b"", f"{SCHEME} key=ci"),
    ],
)
def test_what_was_changed_or_is_old_is_refused(
    daemon: Daemon, method: str, target: str, body: bytes, authorization: str
) -> None:
    answer = send(daemon, method, target, authorization, body)
    assert (answer.status_code, answer.json()["code"]) == (401, "SIGNATURE_INVALID")


def test_a_request_that_comes_again_is_refused(daemon: Daemon) -> None:
    once = header("GET", "/api/v1/auth/me")
    answers = [send(daemon, "GET", "/api/v1/auth/me", once).status_code for _ in range(3)]
    assert answers == [200, 401, 401]


def test_a_body_above_the_limit_is_refused_before_it_is_all_there(daemon: Daemon) -> None:
    body = b'{"key": "large", "value": "' + b"x" * 3000 + b'"}'
    for chunked in (False, True):
        content = iter([body[:100], body[100:]]) if chunked else body
        signed = {"Authorization": header("POST", "/api/v1/variables", body), "Content-Type": "application/json"}
        answer = daemon.client().post("/api/v1/variables", content=content, headers=signed)
        assert answer.status_code == 413
        assert "security.auth.body_limit" in answer.json()["message"]
    assert daemon.admin().post("/variables", content=body, headers={"Content-Type": "application/json"}).is_success


def test_a_body_in_pieces_is_verified_whole(daemon: Daemon) -> None:
    body = b'{"key": "pieces", "value": "1"}'
    signed = {"Authorization": header("POST", "/api/v1/variables", body), "Content-Type": "application/json"}
    pieces = (body[place : place + 1] for place in range(len(body)))
    assert daemon.client().post("/api/v1/variables", content=pieces, headers=signed).status_code == 201


def test_a_viewers_key_changes_nothing_and_another_credential_must_agree(daemon: Daemon) -> None:
    body = b'{"key": "viewer", "value": "1"}'
    signed = header("POST", "/api/v1/variables", body, key="looks")
    assert send(daemon, "POST", "/api/v1/variables", signed, body).status_code == 403
    key = daemon.admin().post("/api-keys", json={"name": "k"}).json()["key"]
    both = send(daemon, "GET", "/api/v1/auth/me", header("GET", "/api/v1/auth/me"), **{"X-API-Key": key})
    assert both.status_code == 401


def test_our_own_schemes_are_as_ever(daemon: Daemon) -> None:
    assert daemon.admin().get("/auth/me").json()["method"] == "jwt"
    for odd in ("Bearer", "Bearer x", "Digest x", "JACKFIELD-HMAC-SHA256X a", ""):
        assert send(daemon, "GET", "/api/v1/auth/me", odd).status_code == 401


def test_the_gate_stays_first(daemon: Daemon) -> None:
    foreign = send(daemon, "GET", "/api/v1/auth/me", header("GET", "/api/v1/auth/me"), Origin="https://evil.example")
    assert foreign.status_code == 403
    wrong = send(daemon, "GET", "/api/v1/auth/me", header("GET", "/api/v1/auth/me"), Host="evil.example")
    assert wrong.status_code == 403


def test_a_key_works_for_the_daemons_own_side_too(daemon: Daemon) -> None:
    answer = send(daemon, "GET", "/api/profiles", header("GET", "/api/profiles"))
    assert answer.status_code == 200
