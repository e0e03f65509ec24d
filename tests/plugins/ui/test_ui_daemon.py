"""The interface's files and sessions over the real daemon: who gets in, and what a cookie is good for."""

from __future__ import annotations

import base64
import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon, poll

LOGIN = {"username": USERNAME, "password": PASSWORD}
FORWARDED = {"X-Forwarded-For": "203.0.113.9"}
"""Whoever comes with this is not the daemon's own user: the way to be a stranger in a test."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("ui")).start()
    yield found
    found.close()


@pytest.fixture
def browser(daemon: Daemon) -> httpx.Client:
    """Sends what a page of ours sends."""
    return daemon.client(headers={"Origin": daemon.base_url, "Sec-Fetch-Site": "same-origin"})


@pytest.fixture
def stranger(daemon: Daemon) -> httpx.Client:
    """The browser of somebody else."""
    return daemon.client(headers={"Origin": daemon.base_url, "Sec-Fetch-Site": "same-origin", **FORWARDED})


def session(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def test_the_page_is_there_for_everybody_with_a_strict_policy(daemon: Daemon, stranger: httpx.Client) -> None:
    for path in ("/", "/ui", "/ui/", "/ui/workflows/1", "/ui/login?next=//evil.test"):
        answer = stranger.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"
        policy = answer.headers["content-security-policy"]
        scripts = f"127.0.0.1:{daemon.port}/ui/"
        assert policy.startswith(f"default-src 'none'; script-src {scripts}; ")  # not the webhooks'
        assert f"worker-src {scripts};" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "base-uri 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son[a-z]+=|javascript:", answer.text)
        assert "__CSP_NONCE__" not in answer.text
    head = stranger.head("/")
    assert (head.status_code, head.content) == (200, b"")


def test_other_sites_hosts_and_methods_do_not_get_the_page(daemon: Daemon) -> None:
    client = daemon.client()
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert client.get("/", headers={"Host": "evil.test"}).status_code == 403
    assert client.post("/ui").status_code == 405
    missing = client.get("/ui/assets/none-12345678.js")
    assert (missing.status_code, missing.json()["code"]) == (404, "NOT_FOUND")


def test_the_owner_needs_no_login(browser: httpx.Client) -> None:
    before = session(browser.get("/api/session"))
    assert (before["method"], before["owner_available"], before["login_needed"]) == ("owner", True, False)
    assert browser.get("/api/v1/workflows").status_code == 401
    begun = browser.post("/api/session", json={})
    assert (session(begun)["kind"], session(begun)["user"]["role"]) == ("owner", "admin")
    cookie = begun.headers["set-cookie"]
    assert "HttpOnly; SameSite=Strict" in cookie
    assert "Domain" not in cookie
    assert browser.get("/api/v1/workflows").status_code == 200
    assert browser.get("/api/v1/auth/me").json()["method"] == "session"
    assert browser.get("/api/profiles").status_code == 200


def test_a_stranger_is_asked_to_log_in(stranger: httpx.Client) -> None:
    before = session(stranger.get("/api/session"))
    assert (before["authenticated"], before["login_needed"], before["user"]) == (False, True, None)
    assert stranger.post("/api/session", json={}).json()["code"] == "AUTH_REQUIRED"
    wrong = stranger.post("/api/session", json={**LOGIN, "password": "x"})
    assert (wrong.status_code, wrong.json()["code"]) == (401, "INVALID_CREDENTIALS")
    assert stranger.post("/api/session", json={"username": USERNAME}).json()["details"] == {"password": "is missing"}
    assert session(stranger.post("/api/session", json=LOGIN))["kind"] == "user"
    assert stranger.get("/api/profiles").status_code == 200
    assert stranger.get("/api/v1/workflows").status_code == 200


def test_a_logout_ends_the_session_everywhere(daemon: Daemon, stranger: httpx.Client) -> None:
    stranger.post("/api/session", json=LOGIN)
    kept = dict(stranger.cookies)
    assert stranger.delete("/api/session").json() == {"success": True, "data": {"url": None}}
    assert not stranger.cookies
    again = daemon.client(headers=dict(stranger.headers), cookies=kept)
    assert again.get("/api/profiles").json()["code"] == "SESSION_EXPIRED"
    assert session(again.get("/api/session"))["login_needed"]
    assert again.delete("/api/session").status_code == 200


def test_a_new_session_takes_the_place_of_the_old_one(daemon: Daemon, stranger: httpx.Client) -> None:
    stranger.post("/api/session", json=LOGIN)
    first = dict(stranger.cookies)
    stranger.post("/api/session", json=LOGIN)
    assert dict(stranger.cookies) != first
    assert daemon.client(headers=dict(stranger.headers), cookies=first).get("/api/profiles").status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 400),
    ],
)
def test_a_cookie_changes_things_from_our_own_pages_alone(
    daemon: Daemon, browser: httpx.Client, headers: dict[str, str], status: int
) -> None:
    browser.post("/api/session", json={})
    other = daemon.client(cookies=dict(browser.cookies))
    assert other.post("/api/v1/workflows", json=[], headers=headers).status_code == status
    assert other.post("/api/profiles", json=[], headers=headers).status_code == status
    origin = headers.get("Origin") or ("http://evil.test" if headers.get("Sec-Fetch-Site") == "same-site" else None)
    for path in ("/ws", "/ws/terminal/none"):
        if headers.get("Sec-Fetch-Site") == "same-origin":
            continue
        with pytest.raises(InvalidStatus) as refused:
            connect(
                f"ws://127.0.0.1:{daemon.port}{path}",
                proxy=None,
                origin=origin,  # type: ignore[arg-type]
                additional_headers={"Cookie": "; ".join(f"{n}={v}" for n, v in browser.cookies.items())},
            )
        assert refused.value.response.status_code == 403


def test_a_cookie_opens_websockets_of_our_own_pages(daemon: Daemon, stranger: httpx.Client) -> None:
    stranger.post("/api/session", json=LOGIN)
    cookie = "; ".join(f"{name}={value}" for name, value in stranger.cookies.items())
    with connect(
        f"ws://127.0.0.1:{daemon.port}/ws",
        proxy=None,
        origin=daemon.base_url,  # type: ignore[arg-type]
        additional_headers={"Cookie": cookie, **FORWARDED},
    ) as client:
        client.send('{"type": "ping"}')
        assert client.recv(5) == '{"type":"pong"}'


def test_a_logout_closes_what_the_session_has_opened(daemon: Daemon, stranger: httpx.Client) -> None:
    stranger.post("/api/session", json=LOGIN)
    cookie = "; ".join(f"{name}={value}" for name, value in stranger.cookies.items())
    with connect(
        f"ws://127.0.0.1:{daemon.port}/ws",
        proxy=None,
        origin=daemon.base_url,  # type: ignore[arg-type]
        additional_headers={"Cookie": cookie, **FORWARDED},
    ) as client:
        client.send('{"type": "ping"}')
        assert client.recv(5) == '{"type":"pong"}'
        stranger.delete("/api/session")
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(10)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4401


def test_a_logout_ends_the_streams_that_the_session_has_opened(daemon: Daemon, stranger: httpx.Client) -> None:
    stranger.post("/api/session", json=LOGIN)
    other = daemon.client(headers=stranger.headers)
    with stranger.stream("GET", "/api/logs/stream", timeout=10) as stream:
        assert stream.status_code == 200
        lines = stream.iter_lines()
        assert next(lines) == ": connected"
        other.delete("/api/session", headers={"Cookie": f"{'; '.join(map('='.join, stranger.cookies.items()))}"})
        with contextlib.suppress(httpx.RemoteProtocolError):  # it is cut off, in the middle of the answer
            list(lines)  # a read of one that goes on would time out
    assert stranger.get("/api/session").json()["data"]["login_needed"] is True


def test_a_stream_that_was_cut_off_leaves_room_for_another(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, settings="[events]\nlog_streams = 1\n").start()
    try:
        browser = daemon.client(headers={"Origin": daemon.base_url}, timeout=10)
        browser.post("/api/session", json={})
        with browser.stream("GET", "/api/logs/stream") as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": connected"
            daemon.client(headers=browser.headers, cookies=dict(browser.cookies)).delete("/api/session")
            with contextlib.suppress(httpx.RemoteProtocolError):
                list(lines)
        browser.post("/api/session", json={})

        def opens() -> bool:
            with browser.stream("GET", "/api/logs/stream") as another:
                return another.status_code == 200

        poll(opens, "the stream's place is free")
    finally:
        daemon.close()


def member(daemon: Daemon, name: str, role: str = "admin") -> tuple[str, dict[str, str]]:
    """A user's id, and the header of an API key of theirs."""
    api, login = daemon.admin(), {"username": name, "password": PASSWORD}
    made = api.post("/users", json={**login, "role": role}).raise_for_status().json()
    token = api.post("/auth/login", json=login).raise_for_status().json()["token"]
    key = api.post("/api-keys", json={"name": name}, headers={"Authorization": f"Bearer {token}"})
    return made["id"], {"X-API-Key": key.raise_for_status().json()["key"]}


def revoke(daemon: Daemon, user: str, credential: dict[str, str]) -> None:
    listed = daemon.client(headers=credential).get("/api/v1/api-keys").json()["data"]
    daemon.client(headers=credential).delete(f"/api/v1/api-keys/{listed[0]['id']}").raise_for_status()


def demote(daemon: Daemon, user: str, credential: dict[str, str]) -> None:
    daemon.admin().patch(f"/users/{user}", json={"role": "viewer"}).raise_for_status()


def delete(daemon: Daemon, user: str, credential: dict[str, str]) -> None:
    daemon.admin().delete(f"/users/{user}").raise_for_status()


@pytest.mark.parametrize("end", [revoke, demote, delete])
def test_what_ends_a_keys_rights_closes_what_it_has_opened(daemon: Daemon, end: Callable[..., None]) -> None:
    user, credential = member(daemon, f"key-{end.__name__}")
    address = f"ws://127.0.0.1:{daemon.port}/ws"
    client = daemon.client(headers=credential)
    with (
        client.stream("GET", "/api/logs/stream", timeout=10) as stream,
        connect(address, proxy=None, additional_headers=credential) as socket,
    ):
        lines = stream.iter_lines()
        assert next(lines) == ": connected"
        end(daemon, user, credential)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(10)
        with contextlib.suppress(httpx.RemoteProtocolError):
            list(lines)  # a read of one that goes on would time out
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


def test_a_logout_closes_what_the_token_has_opened(daemon: Daemon) -> None:
    api = daemon.admin()
    credential = {"Authorization": api.headers["Authorization"]}
    with connect(f"ws://127.0.0.1:{daemon.port}/ws", proxy=None, additional_headers=credential) as socket:
        socket.send('{"type": "ping"}')
        assert socket.recv(5) == '{"type":"pong"}'
        api.post("/auth/logout").raise_for_status()
        with pytest.raises(ConnectionClosed):
            socket.recv(10)


def test_a_new_password_closes_what_basic_has_opened(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, settings="[security.basic_auth]\nenabled = true\nremember = 0\n").start()
    try:
        caller = daemon.client(auth=(USERNAME, PASSWORD))
        pair = base64.b64encode(f"{USERNAME}:{PASSWORD}".encode()).decode()
        with connect(
            f"ws://127.0.0.1:{daemon.port}/ws", proxy=None, additional_headers={"Authorization": f"Basic {pair}"}
        ) as socket:
            with pytest.raises(TimeoutError):
                socket.recv(2.5)  # it outlives some looks
            body = {"current": PASSWORD, "new": "another long password"}
            caller.post("/api/v1/auth/password", json=body).raise_for_status()
            with pytest.raises(ConnectionClosed):
                socket.recv(10)
    finally:
        daemon.close()


def test_pages_of_origins_that_cors_allows_have_no_use_of_the_cookie(tmp_path: Path) -> None:
    origin = "http://127.0.0.1:3000"
    daemon = Daemon(tmp_path, settings=f'[security.cors]\nenabled = true\nallowed_origins = ["{origin}"]\n').start()
    try:
        browser = daemon.client(headers={"Origin": daemon.base_url})
        browser.post("/api/session", json={})
        for method in ("GET", "POST"):
            answer = browser.request(method, "/api/v1/workflows", headers={"Origin": origin})
            assert answer.status_code == 403
        assert browser.get("/api/v1/workflows").status_code == 200
    finally:
        daemon.close()


def test_a_session_of_our_own_user_is_of_no_use_to_others(daemon: Daemon, browser: httpx.Client) -> None:
    """A browser shows its cookies to every port of the machine, whoever listens there."""
    browser.post("/api/session", json={})
    stolen = daemon.client(headers=FORWARDED, cookies=dict(browser.cookies))
    assert stolen.get("/api/profiles").json()["code"] == "SESSION_EXPIRED"
    assert stolen.get("/api/v1/workflows").json()["code"] == "SESSION_EXPIRED"
    stolen.delete("/api/session", headers={"Origin": daemon.base_url})
    assert browser.get("/api/v1/workflows").status_code == 200


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another user")
def test_another_user_of_the_machine_is_a_stranger(daemon: Daemon, browser: httpx.Client) -> None:
    browser.post("/api/session", json={})
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    script = (
        "import encodings.idna, http.client, os\n"
        "os.setgid(65533); os.setuid(65533)\n"
        f"c = http.client.HTTPConnection('127.0.0.1', {daemon.port})\n"
        "c.request('POST', '/api/session', '{}', {'Content-Type': 'application/json'})\n"
        "print(c.getresponse().status)\n"
        f"c = http.client.HTTPConnection('127.0.0.1', {daemon.port})\n"
        f"c.request('GET', '/api/v1/workflows', headers={{'Cookie': '{cookie}'}})\n"
        "print(c.getresponse().status)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=20)
    assert done.stdout.split() == ["401", "401"], done.stderr


def open_address(daemon: Daemon) -> str:
    program = Path(sys.executable).with_name("jackfield")
    command = [program, "open", "--print", "--config-dir", daemon.config_dir]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    return done.stdout.strip()


def test_jackfield_open_lets_a_browser_in_once(daemon: Daemon, stranger: httpx.Client) -> None:
    address, _, fragment = open_address(daemon).partition("#")
    assert address == f"{daemon.base_url}/"
    code = fragment.removeprefix("code=")
    assert session(stranger.post("/api/session", json={"code": code}))["kind"] == "owner"
    assert stranger.get("/api/v1/workflows").status_code == 200
    again = stranger.post("/api/session", json={"code": code})
    assert (again.status_code, again.json()["code"]) == (401, "CODE_INVALID")
    assert code not in (daemon.config_dir / "logs/jackfield.log").read_text()


def test_codes_are_for_the_daemons_own_user(stranger: httpx.Client) -> None:
    assert stranger.post("/api/session/codes", json={}).status_code == 401
    stranger.post("/api/session", json=LOGIN)
    assert stranger.post("/api/session/codes", json={}).json()["code"] == "ACCESS_DENIED"


def test_a_code_for_our_own_browser_is_of_no_use_to_others(daemon: Daemon, stranger: httpx.Client) -> None:
    code = daemon.client().post("/api/session/codes", json={"same_user": True}).json()["data"]["code"]
    assert stranger.post("/api/session", json={"code": code}).json()["code"] == "CODE_INVALID"


def test_guesses_of_a_password_are_limited(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, settings="[security.login]\nfailures = 2\n").start()
    try:
        stranger = daemon.client(headers={**FORWARDED, "Origin": daemon.base_url})
        statuses = [
            stranger.post("/api/session", json={"username": "admin", "password": "guess"}).status_code for _ in range(3)
        ]
        assert statuses == [401, 401, 429]
    finally:
        daemon.close()


def test_a_session_survives_the_daemon(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        stranger = daemon.client(headers={**FORWARDED, "Origin": daemon.base_url})
        stranger.post("/api/session", json=LOGIN)
        daemon.stop()
        daemon.start()
        assert stranger.get("/api/v1/auth/me").json()["username"] == USERNAME
    finally:
        daemon.close()


def test_the_log_is_for_administrators(daemon: Daemon, browser: httpx.Client, stranger: httpx.Client) -> None:
    browser.post("/api/session", json={})
    body = {"username": "mem", "password": "a member's password", "role": "member"}
    assert browser.post("/api/v1/users", json=body).status_code == 201
    stranger.post("/api/session", json={"username": "mem", "password": "a member's password"})
    assert stranger.get("/api/logs").json()["code"] == "ACCESS_DENIED"
    found = browser.get("/api/logs", params={"search": "IS READY", "limit": 5}).json()["data"]
    assert [line["logger"] for line in found["lines"]] == ["jackfield.kernel"]
    assert browser.get("/api/logs", params={"before": "x"}).json()["details"].keys() == {"before"}
    with browser.stream("GET", "/api/logs/stream") as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": connected"
        assert browser.post("/api/session", json={}).status_code == 200
        assert next(line for line in lines if line.startswith("event")) == "event: log"
        assert next(line for line in lines if "A browser's session" in line).startswith("data: ")


def test_the_description_has_it_all(browser: httpx.Client) -> None:
    paths = browser.get("/openapi.json").json()["paths"]
    assert set(paths["/api/session"]) == {"get", "post", "delete"}
    assert "security" not in paths["/api/session"]["post"]
    assert "security" in paths["/api/logs"]["get"]


def test_no_two_objects_of_the_description_have_one_name(browser: httpx.Client) -> None:
    """Two models of one name get the names of their modules in front, which generators of clients cannot tell apart."""
    schemas = browser.get("/openapi.json").json()["components"]["schemas"]
    assert [name for name in schemas if "__" in name] == []


def test_links_to_terminals_are_for_our_own_pages_and_need_their_token(daemon: Daemon) -> None:
    address = f"ws://127.0.0.1:{daemon.port}/ws/shared"
    with pytest.raises(InvalidStatus) as refused:
        connect(address, proxy=None, origin="http://evil.test")  # type: ignore[arg-type]
    assert refused.value.response.status_code == 403
    with connect(address, proxy=None, origin=daemon.base_url, additional_headers=FORWARDED) as client:  # type: ignore[arg-type]
        client.send('{"token": "jf_sh_guess"}')
        assert "link is not valid" in str(client.recv(5))
        with pytest.raises(ConnectionClosed):
            client.recv(5)
    made = daemon.client().post("/api/terminal/sessions/none/share", json={})
    assert (made.status_code, made.json()["code"]) == (404, "SESSION_NOT_FOUND")
