"""The checks of the threat model, one test per check, numbered as there; docs/operations.md lists them. 23 (runaway
scripts of agent manifests) has nothing to run against yet."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import jwt
import pytest

from jackfield.testing.daemon import HOST, PASSWORD, USERNAME, Daemon, poll
from jackfield.testing.documents import Part, chain, node, set_fields, webhook

StartDaemon = Callable[..., Daemon]
GATED = ("/metrics", "/openapi.json", "/api/unknown")
OTHER_USER = 65534  # nobody
SECRET = "a-signing-secret-of-the-tests-0123456789"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD")


@pytest.fixture(scope="module")
def anyone(daemon: Daemon) -> httpx.Client:
    """Without a credential."""
    return daemon.client()


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


@pytest.fixture(scope="module")
def token(daemon: Daemon) -> str:
    return daemon.login()


def talk(daemon: Daemon, request: bytes, timeout: float = 10) -> bytes:
    """Send bytes as they are; everything that comes back."""
    with socket.create_connection((HOST, daemon.port), timeout=timeout) as sock:
        sock.sendall(request)
        answer = b""
        while chunk := _receive(sock):
            answer += chunk
            if b"\r\n\r\n" in answer and b"content-length" not in answer.lower():
                break
            if is_complete(answer):
                break
        return answer


def _receive(sock: socket.socket) -> bytes:
    try:
        return sock.recv(65536)
    except ConnectionError:
        return b""


def is_complete(answer: bytes) -> bool:
    head, separator, body = answer.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(separator) and bool(lengths) and len(body) >= int(lengths[0])


def status_of(answer: bytes) -> int:
    """The status of a raw answer; 0 when the connection was closed without one."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0


def alive(daemon: Daemon) -> bool:
    return daemon.running and httpx.get(f"{daemon.base_url}/health", trust_env=False).status_code == 200


def second_envelope(answer: httpx.Response) -> str:
    """The code of an error outside of /api/v1."""
    body = answer.json()
    assert body["success"] is False
    assert body["error"]
    return str(body["code"])


def executions(api: httpx.Client, workflow_id: str) -> int:
    return int(api.get("/executions", params={"workflowId": workflow_id}).json()["total"])


def signature(secret: str, body: bytes) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def test_01_a_process_of_the_same_user_is_the_owner(daemon: Daemon, anyone: httpx.Client) -> None:
    curl = ["curl", "-s", "-o", os.devnull, "-w", "%{http_code}", f"{daemon.base_url}/metrics"]
    assert subprocess.run(curl, capture_output=True, text=True, check=True).stdout == "200"
    assert anyone.get("/openapi.json").status_code == 200
    answer = anyone.get("/api/unknown")
    assert answer.status_code == 404
    assert second_envelope(answer) == "NOT_FOUND"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_02_another_user_is_refused(daemon: Daemon) -> None:
    for path in GATED:
        curl = ["curl", "-s", "-w", "\n%{http_code}", f"{daemon.base_url}{path}"]
        run = subprocess.run(curl, capture_output=True, text=True, check=True, user=OTHER_USER, group=OTHER_USER)
        body, _, status = run.stdout.rpartition("\n")
        assert status == "401", path
        assert json.loads(body)["success"] is False


def test_03_a_foreign_host_name_is_refused(daemon: Daemon, anyone: httpx.Client, token: str) -> None:
    bearer = {"Authorization": f"Bearer {token}"}
    for host in ("evil.test", f"evil.test:{daemon.port}", f"{HOST}:1", f"{HOST}.evil.test:{daemon.port}", HOST):
        for path in (*GATED, "/api/v1/workflows", "/webhook/any", "/health"):
            for headers in ({}, bearer):
                answer = anyone.get(path, headers={"Host": host, **headers})
                assert answer.status_code == 403, (host, path)
    for name in (HOST, "localhost", "LOCALHOST", "[::1]"):
        assert anyone.get("/metrics", headers={"Host": f"{name}:{daemon.port}"}).status_code == 200


@pytest.mark.parametrize(
    "head",
    [
        b"GET /metrics HTTP/1.1\r\n\r\n",
        b"GET /metrics HTTP/1.0\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost: HERE\r\nHost: evil.test\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost: HERE\r\nHost: HERE\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost:\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost: HERE@evil.test\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost: [::1\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost: HERE\x00\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost : HERE\r\n\r\n",
        b"GET http://evil.test/metrics HTTP/1.1\r\nHost: evil.test\r\n\r\n",
        b"NONSENSE\r\n\r\n",
    ],
)
def test_04_a_bad_host_header_is_refused_and_breaks_nothing(daemon: Daemon, head: bytes) -> None:
    answer = talk(daemon, head.replace(b"HERE", f"{HOST}:{daemon.port}".encode()))
    assert 400 <= status_of(answer) < 500, answer[:200]
    assert alive(daemon)


def test_05_a_foreign_origin_is_refused_and_changes_nothing(
    daemon: Daemon, anyone: httpx.Client, api: httpx.Client, token: str
) -> None:
    before = api.get("/workflows").json()["total"]
    document = chain("from another origin", node("Start", "manualTrigger"))
    own = f"http://{HOST}:{daemon.port}"
    for origin in ("http://evil.test", "null", f"http://{HOST}:1", f"{own}.evil.test", f"https://{HOST}:{daemon.port}"):
        for method in METHODS:
            for path in ("/metrics", "/api/v1/workflows"):
                headers = {"Origin": origin, "Authorization": f"Bearer {token}", "Connection": "close"}
                answer = anyone.request(method, path, headers=headers, json=document)
                assert answer.status_code == 403, (origin, method, path)
                assert "access-control-allow-origin" not in answer.headers
    assert api.get("/workflows").json()["total"] == before
    assert anyone.get("/metrics", headers={"Origin": own}).status_code == 200


def test_06_a_foreign_origin_opens_no_websocket(daemon: Daemon, token: str) -> None:
    for path in ("/ws", "/ws/any", "/api/v1/events", "/webhook/any"):
        head = f"GET {path} HTTP/1.1\r\nHost: {HOST}:{daemon.port}\r\nOrigin: http://evil.test\r\n"
        head += f"Authorization: Bearer {token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        assert status_of(talk(daemon, head.encode())) == 403, path
    assert alive(daemon)


def test_07_requests_of_other_sites_are_refused(anyone: httpx.Client, token: str) -> None:
    for site in ("cross-site", "same-site", "anything"):
        for headers in ({}, {"Authorization": f"Bearer {token}"}):
            for path in ("/metrics", "/api/v1/workflows"):
                assert anyone.get(path, headers={"Sec-Fetch-Site": site, **headers}).status_code == 403
    assert anyone.get("/metrics", headers={"Sec-Fetch-Site": "none"}).status_code == 200
    assert anyone.get("/metrics", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert anyone.post("/api/unknown", headers={"Sec-Fetch-Site": "none"}).status_code == 403


def test_08_a_forwarded_request_is_nobody(anyone: httpx.Client, token: str) -> None:
    for name in (
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "Forwarded",
        "X-Real-IP",
        "Via",
        "CF-Connecting-IP",
        "True-Client-IP",
        "X-Client-IP",
    ):
        for path in GATED:
            answer = anyone.get(path, headers={name: "127.0.0.1"})
            assert answer.status_code == 401, (name, path)
        known = anyone.get("/metrics", headers={name: "127.0.0.1", "Authorization": f"Bearer {token}"})
        assert known.status_code == 200


def test_09_an_open_address_without_a_user_is_refused(new_daemon: StartDaemon) -> None:
    nobody = {"JACKFIELD_ADMIN_USERNAME": None, "JACKFIELD_ADMIN_PASSWORD": None}
    for address in ("0.0.0.0", "::"):
        daemon = new_daemon(env=nobody, arguments=["--host", address], start=False)
        assert daemon.start(wait=False).wait(20) != 0
        assert "user" in daemon.tail()


@pytest.mark.parametrize("change", ["none", "wrong key", "other algorithm", "expired", "no exp", "no sub", "cut"])
def test_10_a_token_that_is_not_exactly_right_is_refused(new_daemon: StartDaemon, change: str) -> None:
    daemon = new_daemon(f'[security.jwt]\nsecret = "{SECRET}"\n')
    good = daemon.login()
    claims = jwt.decode(good, options={"verify_signature": False})
    header = {"kid": jwt.get_unverified_header(good)["kid"]}
    now = int(time.time())

    def signed(claims: dict[str, object], key: str = SECRET, algorithm: str = "HS256") -> str:
        return jwt.encode(claims, key, algorithm, header)

    unsigned = base64.urlsafe_b64encode(json.dumps({"alg": "none", **header}).encode()).rstrip(b"=").decode()
    bad = {
        "none": f"{unsigned}.{good.split('.')[1]}.",
        "wrong key": signed(claims, SECRET[::-1]),
        "other algorithm": signed(claims, SECRET * 2, "HS512"),
        "expired": signed({**claims, "iat": now - 100, "nbf": now - 100, "exp": now - 1}),
        "no exp": signed({key: value for key, value in claims.items() if key != "exp"}),
        "no sub": signed({key: value for key, value in claims.items() if key != "sub"}),
        "cut": good[:-3],
    }[change]
    anyone = daemon.client()
    assert anyone.get("/api/v1/workflows", headers={"Authorization": f"Bearer {signed(claims)}"}).status_code == 200
    for path in ("/api/v1/workflows", "/metrics"):
        answer = anyone.get(path, headers={"Authorization": f"Bearer {bad}"})
        assert answer.status_code == 401
        assert answer.json()["code"] in ("TOKEN_INVALID", "TOKEN_EXPIRED")


def test_11_a_short_signing_secret_is_refused(new_daemon: StartDaemon) -> None:
    daemon = new_daemon(f'[security.jwt]\nsecret = "{SECRET[:31]}"\n', start=False)
    assert daemon.start(wait=False).wait(20) != 0
    assert "security.jwt.secret" in daemon.tail()
    assert SECRET[:31] not in daemon.tail()


def test_12_only_json_writes(anyone: httpx.Client, api: httpx.Client, token: str) -> None:
    document = json.dumps(chain("typed", node("Start", "manualTrigger")))
    before = api.get("/workflows").json()["total"]
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
        for path in ("/workflows", "/api-keys", "/workflows/validate", "/workflows/run"):
            answer = anyone.post(f"/api/v1{path}", content=document, headers=headers)
            assert answer.status_code == 415, (kind, path)
            assert answer.json()["code"] == "UNSUPPORTED_MEDIA_TYPE"
        login = anyone.post("/api/v1/auth/login", content=document, headers={"Content-Type": kind})
        assert login.status_code == 415
    assert api.get("/workflows").json()["total"] == before


def test_13_an_oversized_body_is_refused(daemon: Daemon, api: httpx.Client, token: str) -> None:
    daemon.live(chain("big", webhook("big"), node("End", "noOp")), api)
    limit = 16 * 1024 * 1024
    for path in ("/api/v1/workflows", "/webhook/big"):
        head = f"POST {path} HTTP/1.1\r\nHost: {HOST}:{daemon.port}\r\nAuthorization: Bearer {token}\r\n"
        head += "Content-Type: application/json\r\n"
        declared = f"{head}Content-Length: {limit + 1}\r\n\r\n"
        assert status_of(talk(daemon, declared.encode())) == 413, path
        assert chunked(daemon, f"{head}Transfer-Encoding: chunked\r\n\r\n", limit + 65536) == 413, path
    assert alive(daemon)


def chunked(daemon: Daemon, head: str, size: int) -> int:
    """The status for a chunked body of this size; stops sending once an answer is there."""
    piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
    with socket.create_connection((HOST, daemon.port), timeout=20) as sock:
        try:
            sock.sendall(head.encode())
            for _ in range(size // 65536 + 1):
                sock.sendall(piece)
            sock.sendall(b"0\r\n\r\n")
        except ConnectionError:
            pass
        return status_of(_receive(sock))


def test_14_an_oversized_head_is_refused(daemon: Daemon) -> None:
    head = f"GET /metrics HTTP/1.1\r\nHost: {HOST}:{daemon.port}\r\nX-Big: {'a' * 70 * 1024}\r\n\r\n"
    answer = talk(daemon, head.encode())
    assert status_of(answer) == 431
    assert b"server.header_limit" in answer
    assert alive(daemon)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 5000 + b"]" * 5000,
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
        b"[" * 65 + b"]" * 65,
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": "\xff\xfe"}',
        b'{"a": "\xed\xa0\x80"}',
        '{"a": 1}'.encode("utf-16"),
        b'{"a": 1',
        b"{'a': 1}",
        b'{"a": 1} {}',
        b'{"a": \x00}',
    ],
    ids=lambda body: repr(body[:12]),
)
def test_15_json_that_is_not_strict_is_refused(daemon: Daemon, api: httpx.Client, token: str, body: bytes) -> None:
    path = f"strict-{hashlib.sha256(body).hexdigest()[:12]}"
    found = daemon.live(chain(path, webhook(path), node("End", "noOp")), api)
    anyone = daemon.client()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    for target in (f"/webhook/{path}", "/api/v1/workflows", "/api/v1/auth/login"):
        sent = {**headers} if target.startswith("/api/v1/w") else {"Content-Type": "application/json"}
        answer = anyone.post(target, content=body, headers=sent)
        assert answer.status_code == 400, (target, answer.text[:200])
        assert answer.json()["code"] == "VALIDATION_ERROR"
    assert executions(api, found) == 0
    assert alive(daemon)


def test_16_guessing_passwords_is_slowed_down_and_ends(new_daemon: StartDaemon) -> None:
    cheap = "[security.passwords]\nmemory = 8192\niterations = 1\nlanes = 1\n"
    daemon = new_daemon(f"[security.login]\nwindow = 6\n{cheap}")
    anyone = daemon.client()

    def login(username: str, password: str) -> httpx.Response:
        return anyone.post("/api/v1/auth/login", json={"username": username, "password": password})

    statuses = [login(USERNAME, f"wrong-password-{number}").status_code for number in range(20)]
    assert statuses[:10] == [401] * 10
    assert 429 in statuses[10:]
    refused = login(USERNAME, PASSWORD)
    assert refused.status_code in (200, 429)
    assert login("somebody", "else-entirely-1").status_code == 401, "others are not affected"
    poll(lambda: login(USERNAME, PASSWORD).status_code == 200, "the right password passes again", timeout=15)


HMAC = {"authentication": "hmac", "authConfig": {"secret": SECRET, "preset": "github"}}


def test_17_an_unsigned_call_runs_nothing(daemon: Daemon, api: httpx.Client) -> None:
    found = daemon.live(chain("signed", webhook("signed", **HMAC), node("End", "noOp")), api)
    anyone, body = daemon.client(), b'{"n": 1}'
    json_type = {"Content-Type": "application/json"}
    wrong = signature(SECRET + "x", body)
    empty = signature("", body)
    for name, value in (
        ("X-Nothing", ""),
        ("X-Hub-Signature-256", ""),
        ("X-Hub-Signature-256", "sha256="),
        ("X-Hub-Signature-256", f"sha256={wrong}"),
        ("X-Hub-Signature-256", f"sha256={empty}"),
        ("X-Hub-Signature-256", f"sha256={signature(SECRET, b'{}')}"),
        ("X-Hub-Signature-256", f"sha256={signature(SECRET, body)[:-1]}"),
        ("X-Hub-Signature", f"sha1={hmac.new(SECRET.encode(), body, hashlib.sha1).hexdigest()}"),
    ):
        answer = anyone.post("/webhook/signed", content=body, headers={**json_type, name: value})
        assert answer.status_code == 401, (name, value)
        assert answer.json()["code"] == "UNAUTHORIZED"
    assert executions(api, found) == 0
    right = {**json_type, "X-Hub-Signature-256": f"sha256={signature(SECRET, body)}"}
    assert anyone.post("/webhook/signed", content=body, headers=right).status_code == 200


def test_18_an_old_or_future_signature_is_refused(daemon: Daemon, api: httpx.Client) -> None:
    auth = {"authentication": "hmac", "authConfig": {"secret": SECRET, "preset": "stripe"}}
    found = daemon.live(chain("timed", webhook("timed", **auth), node("End", "noOp")), api)
    anyone, body = daemon.client(), b'{"n": 1}'

    def call(offset: int) -> int:
        stamp = int(time.time()) + offset
        signed = signature(SECRET, f"{stamp}.".encode() + body)
        headers = {"Content-Type": "application/json", "Stripe-Signature": f"t={stamp},v1={signed}"}
        return anyone.post("/webhook/timed", content=body, headers=headers).status_code

    assert [call(offset) for offset in (-302, 302, -10_000, 10_000)] == [401] * 4
    assert executions(api, found) == 0
    assert [call(offset) for offset in (0, -290, 290)] == [200] * 3


def test_19_one_delivery_runs_once_however_often_it_comes(daemon: Daemon, api: httpx.Client) -> None:
    found = daemon.live(chain("once", webhook("once"), set_fields("Set", n="={{ $json.body.n }}")), api)
    headers = {"X-GitHub-Delivery": "0d8f0e70-0000-4000-8000-000000000001"}

    def call(number: int) -> httpx.Response:
        return httpx.post(
            f"{daemon.base_url}/webhook/once", json={"n": number}, headers=headers, trust_env=False, timeout=30
        )

    with ThreadPoolExecutor(25) as pool:
        answers = list(pool.map(call, range(100)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["executionId"] for answer in answers}) == 1
    assert executions(api, found) == 1


@pytest.mark.parametrize(
    "target",
    [
        "/../../etc/passwd",
        "/docs/../../../etc/passwd",
        "/docs/..%2f..%2f..%2fetc%2fpasswd",
        "/api/v1/workflows/../../../etc/passwd",
        "/api/v1/workflows/..%2f..%2fetc%2fpasswd",
        "/api/v1/workflows/%2e%2e",
        "/api/v1/workflows/%00",
        "/api/v1/workflows//etc/passwd",
        "//etc/passwd",
        "/api/v1/webhooks/%2fetc%2fpasswd",
        "/api/v1/executions/..%5c..%5cwindows",
        "/webhook/../etc/passwd",
        "/webhook/%00",
        "/webhook/..%2f..%2fetc%2fpasswd",
    ],
)
def test_20_paths_lead_nowhere(daemon: Daemon, token: str, target: str) -> None:
    head = f"GET {target} HTTP/1.1\r\nHost: {HOST}:{daemon.port}\r\nAuthorization: Bearer {token}\r\n\r\n"
    answer = talk(daemon, head.encode())
    assert 400 <= status_of(answer) < 500, answer[:200]
    assert b"root:" not in answer
    assert alive(daemon)


def test_20_a_key_behind_a_symbolic_link_is_not_read(new_daemon: StartDaemon, tmp_path: Path) -> None:
    daemon = new_daemon()
    daemon.login()
    daemon.stop()
    key = next((daemon.config_dir / "keys").glob("*.key"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"k" * 32)
    key.unlink()
    key.symlink_to(elsewhere)
    assert daemon.start(wait=False).wait(20) == 1
    assert f"{key} is a symbolic link" in daemon.tail()
    assert "Traceback" not in daemon.tail()
    assert elsewhere.read_bytes() == b"k" * 32


ADDRESSES = (
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:127.0.0.1]:PORT/health",
    "http://0x7f000001:PORT/health",
    "http://2130706433:PORT/health",
    "http://127.1:PORT/health",
    "http://127.0.0.1:PORT/health",
    "http://localhost:PORT/health",
    "http://[::1]:PORT/health",
    "http://0.0.0.0:PORT/health",
    "http://10.0.0.1/",
    "http://[fe80::1]/",
    "http://[64:ff9b::7f00:1]:PORT/health",
    "file:///etc/passwd",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_21_nodes_reach_no_inner_address(daemon: Daemon, api: httpx.Client, address: str) -> None:
    url = address.replace("PORT", str(daemon.port))
    request = node("Get", "httpRequest", {"method": "GET", "url": url, "options": {}}, version=4.2)
    answer = api.post("/workflows/run", json={"workflow": chain("inner", node("Start", "manualTrigger"), request)})
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "failed"
    assert "jackfield" not in json.dumps(answer.json().get("data"))


def test_22_no_secret_is_shown_anywhere(new_daemon: StartDaemon) -> None:
    canaries = {name: f"canary-{name}-9f3b1c7d5e" for name in ("header", "credential", "hmac", "bearer", "basic")}
    daemon = new_daemon(f'[security.jwt]\nsecret = "{SECRET}"\n', arguments=["--log-level", "debug"])
    api, anyone = daemon.admin(), daemon.client()
    shown = [exercise(daemon, api, anyone, canaries)]
    shown += [Path(f"/proc/{pid}/cmdline").read_text() for pid in process_ids(daemon.pid)]
    daemon.stop()
    shown += [daemon.tail(10_000_000)]
    logs = [path for path in (daemon.config_dir / "logs").rglob("*") if path.is_file()]
    assert logs
    shown += [path.read_text() for path in logs]
    for name, value in {**canaries, "jwt": SECRET, "password": PASSWORD}.items():
        assert not [text[:200] for text in shown if value in text], name


def exercise(daemon: Daemon, api: httpx.Client, anyone: httpx.Client, canaries: dict[str, str]) -> str:
    """Use every secret, rightly and wrongly; all that was answered, except to the request that brought it."""
    kept: list[str] = []
    header = {
        "authentication": "headerAuth",
        "authConfig": {"headerName": "X-Token", "headerValue": canaries["header"]},
    }
    signed = {"authentication": "hmac", "authConfig": {"secret": canaries["hmac"], "preset": "github"}}
    for name, parameters in (("canary-header", header), ("canary-hmac", signed)):
        daemon.live(chain(name, webhook(name, **parameters), node("End", "noOp")), api)
    values = {"name": "X-Key", "value": canaries["credential"]}
    credential = {"name": "canary", "kind": "httpHeaderAuth", "values": values}
    made = api.post("/credentials", json=credential)
    assert made.status_code == 201, made.text
    kept.append(made.text)
    kept.append(anyone.post("/webhook/canary-header", json={}, headers={"X-Token": canaries["header"]}).text)
    kept.append(anyone.post("/webhook/canary-header", json={}, headers={"X-Token": canaries["header"] + "!"}).text)
    kept.append(anyone.post("/webhook/canary-hmac", json={}, headers={"X-Hub-Signature-256": "sha256=00"}).text)
    kept.append(anyone.get("/api/v1/workflows", headers={"Authorization": f"Bearer {canaries['bearer']}"}).text)
    kept.append(anyone.get("/metrics", auth=("admin", canaries["basic"])).text)
    kept += [api.get(path).text for path in ("/credentials", "/executions", "/webhooks")]
    for hook in api.get("/webhooks").json()["data"]:
        kept += [api.get(f"/webhooks/{hook['id']}").text, api.get(f"/webhooks/{hook['id']}/history").text]
    for row in api.get("/workflows").json()["data"]:
        one = f"/workflows/{row['id']}"
        kept += [api.get(path).text for path in (one, f"{one}/versions", f"{one}/versions/1")]
    kept += [anyone.get(path).text for path in ("/metrics", "/openapi.json", "/ready")]
    return "\n".join(kept)


def process_ids(pid: int) -> Iterator[int]:
    """A process and everything below it."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from process_ids(int(child))


def test_24_what_was_answered_survives_kill_9(new_daemon: StartDaemon) -> None:
    daemon = new_daemon()
    daemon.live(chain("kept", webhook("kept"), set_fields("Set", n="={{ $json.body.n }}")))
    accepted: list[str] = []

    def call(number: int) -> None:
        try:
            answer = httpx.post(f"{daemon.base_url}/webhook/kept", json={"n": number}, trust_env=False)
        except httpx.TransportError:
            return
        if answer.status_code == 200:
            accepted.append(answer.json()["executionId"])

    with ThreadPoolExecutor(12) as pool:
        calls = pool.map(call, range(400))
        poll(lambda: len(accepted) >= 50, "some calls are answered")
        daemon.kill()
        list(calls)
    api = daemon.start().admin()
    for ident in accepted:
        poll(lambda ident=ident: api.get(f"/executions/{ident}").json().get("status") == "success", ident)


def test_25_everything_written_is_private_whatever_the_umask(new_daemon: StartDaemon) -> None:
    open_umask = ["sh", "-c", 'umask 000; exec "$@"', "sh"]
    daemon = new_daemon(prefix=open_umask, start=False)
    daemon.config_dir.rmdir()
    daemon.start()
    api = daemon.admin()
    daemon.live(chain("private", webhook("private"), set_fields("Set", n=1)), api)
    credential: Part = {"name": "private", "kind": "httpBearerAuth", "values": {"token": "a-token-of-the-test"}}
    assert api.post("/credentials", json=credential).status_code == 201
    assert daemon.client().post("/webhook/private", json={}).status_code == 200
    assert daemon.client().get("/metrics", headers={"Authorization": "Bearer jf_dt_wrong"}).status_code == 401
    assert_private(daemon.config_dir)
    daemon.stop()
    assert_private(daemon.config_dir)


def assert_private(directory: Path) -> None:
    found = [directory, *directory.rglob("*")]
    assert len(found) > 4
    for path in found:
        mode = path.lstat().st_mode
        expected = 0o700 if stat.S_ISDIR(mode) else 0o600
        assert stat.S_IMODE(mode) == expected, f"{path}: {stat.S_IMODE(mode):o}"
