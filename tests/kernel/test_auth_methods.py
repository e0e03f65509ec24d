"""Strangers' authentication methods: what they see, schemes of their own, and bodies that are read before the view."""

from __future__ import annotations

import asyncio
import hashlib
import tracemalloc
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.auth import AuthRequest, Principal, no_body
from jackfield.api.errors import AuthRequired, JackfieldError, PayloadTooLarge, RequestTimeout
from jackfield.core.authentication import Authenticator
from jackfield.core.building import settings_tables
from jackfield.core.kernel import Kernel
from jackfield.core.plugins import PluginHost
from jackfield.core.redaction import Redactor
from jackfield.core.settings import load
from jackfield.http.app import create_app
from jackfield.http.replay import BodyReplay
from jackfield.testing.clock import FakeClock

from .conftest import Client, FakePlugin, a_plugin

JSON = ("Content-Type", "application/json")
LIMIT = 1000


class DigestMethod:
    """`Authorization: Digest-Of <sha256 of method, path, query and body>`."""

    name = "digest"
    schemes = ("Digest-Of",)

    def __init__(self) -> None:
        self.asked: list[AuthRequest] = []

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        self.asked.append(request)
        if request.scheme() != "digest-of":
            return None
        given = (request.header("authorization") or b"").partition(b" ")[2].decode()
        if given == "none":
            return None
        if request.passive:
            return Principal("1", "ada", "member", self.name)
        if given != digest(request.method, request.raw_path, request.query, await request.body()):
            raise AuthRequired("The digest is wrong.")
        return Principal("1", "ada", "member", self.name)


def digest(method: str, path: bytes, query: bytes, body: bytes) -> str:
    return hashlib.sha256(b"\n".join([method.encode(), path, query, body])).hexdigest()


def signed(method: str, path: str, query: str = "", body: bytes = b"") -> tuple[str, str]:
    return "Authorization", f"Digest-Of {digest(method, path.encode(), query.encode(), body)}"


@pytest.fixture
def method() -> DigestMethod:
    return DigestMethod()


@pytest.fixture
async def strange(tmp_path: Path, method: DigestMethod) -> AsyncIterator[Client]:
    """An application with the stranger's method beside the fakes."""
    host = PluginHost()
    host.add("fake", FakePlugin)
    host.add("acme", a_plugin(jackfield_auth_methods=lambda: [method]))
    host.plugins["acme"].distribution = "jackfield-acme"
    settings = load(settings_tables(host), {"security": {"auth": {"body_limit": LIMIT}}}, {}, {})
    kernel = Kernel(tmp_path, host, settings, Redactor(), FakeClock())
    kernel.assemble()
    await kernel.start()
    yield Client(create_app(kernel))
    await kernel.stop()


async def test_a_method_sees_what_is_asked_and_the_view_gets_the_body(strange: Client) -> None:
    body = b'{"a": 1}'
    answer = await strange("POST", "/api/v1/things", signed("POST", "/api/v1/things", body=body), JSON, body=body)
    assert (answer.status, answer.json) == (201, {"got": {"a": 1}})


async def test_path_and_query_are_as_they_were_sent(strange: Client, method: DigestMethod) -> None:
    answer = await strange("GET", "/api/v1/things?b=%20&a", signed("GET", "/api/v1/things", "b=%20&a"))
    assert answer.status == 400  # it takes no parameters, and refuses them behind the proof
    assert (method.asked[0].path, method.asked[0].query) == ("/api/v1/things", b"b=%20&a")


@pytest.mark.parametrize(("peer", "trusted"), [("192.0.2.9", True), ("192.0.2.10", False)])
async def test_a_method_knows_whether_a_trusted_proxy_speaks(
    tmp_path: Path, method: DigestMethod, peer: str, trusted: bool
) -> None:
    host = PluginHost()
    host.add("fake", FakePlugin)
    host.add("acme", a_plugin(jackfield_auth_methods=lambda: [method]))
    host.plugins["acme"].distribution = "jackfield-acme"
    settings = load(settings_tables(host), {"server": {"trusted_proxies": ["192.0.2.9"]}}, {}, {})
    kernel = Kernel(tmp_path, host, settings, Redactor(), FakeClock())
    kernel.assemble()
    await kernel.start()
    header = ("X-Forwarded-For", "198.51.100.7")
    sent = signed("GET", "/api/v1/things")
    answer = await Client(create_app(kernel))("GET", "/api/v1/things", sent, header, client=(peer, 5555))
    assert answer.status == 200
    await kernel.stop()
    asked = method.asked[0]
    assert (asked.peer, asked.is_by_trusted_proxy()) == (peer, trusted)
    assert asked.client == ("198.51.100.7" if trusted else peer)


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        (signed("GET", "/api/v1/things", body=b"{}"), b"{}"),
        (signed("POST", "/api/v1/other", body=b"{}"), b"{}"),
        (signed("POST", "/api/v1/things", "a=1", b"{}"), b"{}"),
        (signed("POST", "/api/v1/things", body=b"{}"), b"[]"),
    ],
)
async def test_what_was_changed_on_the_way_is_refused(strange: Client, sent: tuple[str, str], body: bytes) -> None:
    assert (await strange("POST", "/api/v1/things", sent, JSON, body=body)).status == 401


async def test_a_body_above_the_limit_is_413_where_it_is_read(strange: Client) -> None:
    large = b'"' + b"x" * LIMIT + b'"'
    refused = await strange("POST", "/api/v1/things", signed("POST", "/api/v1/things", body=large), JSON, body=large)
    assert (refused.status, "security.auth.body_limit" in refused.json["message"]) == (413, True)
    passed = await strange("POST", "/api/v1/things", ("Authorization", "Bearer ada"), JSON, body=large)
    assert passed.status == 201


@pytest.mark.parametrize("scheme", ["Digest-Of", "digest-of", "DIGEST-OF"])
async def test_a_header_of_its_scheme_is_shown_to_it_alone(strange: Client, method: DigestMethod, scheme: str) -> None:
    answer = await strange("GET", "/api/v1/things", ("Authorization", f"{scheme} none"))
    assert (answer.status, answer.json["code"]) == (401, "AUTH_REQUIRED")  # the fake's own would be TOKEN_INVALID
    assert method.asked[0].header("authorization") == f"{scheme} none".encode()


async def test_what_the_owner_of_a_scheme_does_not_know_is_refused_beside_a_good_cookie(strange: Client) -> None:
    headers = ("Cookie", "session=other"), ("Sec-Fetch-Site", "same-origin")
    assert (await strange("GET", "/api/v1/things", *headers)).status == 200
    assert (await strange("GET", "/api/v1/things", ("Authorization", "Digest-Of none"), *headers)).status == 401


async def test_two_users_in_one_request_are_refused(strange: Client) -> None:
    mine = signed("GET", "/api/v1/things")
    assert (await strange("GET", "/api/v1/things", mine, ("X-API-Key", "ada"))).status == 200
    assert (await strange("GET", "/api/v1/things", mine, ("X-API-Key", "vic"))).status == 401


@pytest.mark.parametrize("scheme", ["Bearer", "BASIC"])
def test_a_scheme_of_ours_is_not_a_strangers(scheme: str) -> None:
    taken: dict[str, bool] = {}

    def claim(own: bool) -> Callable[[str], bool]:
        def asked(thing: str) -> bool:
            if taken.setdefault(thing, own) != own:
                raise ValueError(f"{thing} is taken")
            return True

        return asked

    def named(name: str, *schemes: str) -> Any:  # an AuthMethod in three words
        return type("Named", (), {"name": name, "schemes": schemes, "authenticate": None})()

    authenticator = Authenticator(FakeClock(), lambda plugin, mistake: None)
    for own in ("jwt", "basic"):
        authenticator.add(named(own), claim(True), is_own=True)
    with pytest.raises(ValueError, match=f"auth scheme:{scheme.lower()} is taken"):
        authenticator.add(named("mine", scheme), claim(False), is_own=False)
    with pytest.raises(ValueError, match="auth method:jwt is taken"):
        authenticator.add(named("jwt"), claim(False), is_own=False)
    with pytest.raises(TypeError):
        authenticator.add(named("odd", ""), claim(False), is_own=False)
    assert [method.name for method in authenticator.methods] == ["jwt", "basic"]
    assert not authenticator.has_strangers


async def test_without_strangers_no_body_is_kept_for_methods(client: Client) -> None:
    assert (await client("POST", "/api/v1/things", ("Authorization", "Bearer ada"), JSON, body=b"{}")).status == 201
    assert client.app._body_limit is None


async def test_a_passive_look_has_no_body(strange: Client, method: DigestMethod) -> None:
    gate = strange.app._gate
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/x",
        "headers": [(b"authorization", b"Digest-Of anything")],
        "jackfield.body": lambda: asyncio.sleep(0, b"never"),
    }
    await gate.standing(scope, Principal("1", "ada", "member", "digest"))()
    assert method.asked[0].read_body is no_body
    assert await method.asked[0].body() == b""


class Pieces:
    """`receive` of a body in pieces."""

    def __init__(self, *pieces: bytes, ends: bool = True) -> None:
        self.left = list(pieces)
        self.ends = ends

    async def __call__(self) -> dict[str, Any]:
        if not self.left:
            if self.ends:
                return {"type": "http.disconnect"}
            await asyncio.Event().wait()
        piece = self.left.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(self.left) or not self.ends}


def replay(receive: Pieces, *, limit: int = LIMIT, length: int | None = None, timeout: float = 5.0) -> BodyReplay:
    headers = [] if length is None else [(b"content-length", str(length).encode())]
    return BodyReplay(receive, {"headers": headers}, limit, timeout)


async def test_a_body_that_nobody_reads_goes_through_as_it_comes() -> None:
    given = replay(Pieces(b"a", b"b"))
    assert [(await given.receive())["body"] for _ in range(2)] == [b"a", b"b"]


async def test_a_body_that_was_read_comes_once_and_then_what_the_server_says() -> None:
    given = replay(Pieces(b"a", b"", b"b"))
    assert (await given.read(), await given.read()) == (b"ab", b"ab")
    assert await given.receive() == {"type": "http.request", "body": b"ab", "more_body": False}
    assert (await given.receive())["type"] == "http.disconnect"


async def test_a_body_that_is_said_to_be_too_large_is_not_read() -> None:
    pieces = Pieces(b"x")
    with pytest.raises(PayloadTooLarge):
        await replay(pieces, length=LIMIT + 1).read()
    assert pieces.left == [b"x"]


@pytest.mark.parametrize(
    ("pieces", "error"),
    [
        (Pieces(*[b"x" * 100] * 11), PayloadTooLarge),
        (Pieces(b"x", ends=False), RequestTimeout),
        (Pieces(), RequestTimeout),
    ],
)
async def test_half_a_body_never_reaches_a_view(pieces: Pieces, error: type[JackfieldError]) -> None:
    given = replay(pieces, timeout=0.05)
    with pytest.raises(error):
        await given.read()
    for again in (given.read, given.receive):
        with pytest.raises(error):
            await again()


async def test_a_megabyte_in_pieces_of_one_byte_takes_about_a_megabyte() -> None:
    left = size = 1 << 20

    async def receive() -> dict[str, Any]:
        nonlocal left
        left -= 1
        return {"type": "http.request", "body": b"x", "more_body": left > 0}

    given = BodyReplay(receive, {"headers": []}, size, 60.0)
    tracemalloc.start()
    try:
        assert len(await given.read()) == size
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * size


class OddMethod:
    """Does what a test says."""

    name = "odd"
    schemes = ("Odd",)

    def __init__(self, answer: object) -> None:
        self.answer = answer

    async def authenticate(self, request: AuthRequest) -> Any:  # what a stranger's code may return
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (KeyError("the secret"), "it raised KeyError"),
        (SystemExit(3), "it raised SystemExit"),
        (KeyboardInterrupt(), "it raised KeyboardInterrupt"),
        (asyncio.CancelledError(), "it raised CancelledError"),
        (JackfieldError(), "it raised JackfieldError"),
        ("ada", "gave str in place of a Principal"),
        (Principal("1", "ada", "emperor", "odd"), "role of its Principal must be one of viewer, member, admin"),
        (Principal("", "ada", "member", "odd"), "texts that are not empty"),
    ],
)
async def test_a_method_with_a_bug_shuts_nobody_else_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, answer: object, told: str
) -> None:
    host = PluginHost()
    host.add("fake", FakePlugin)
    host.add("acme", a_plugin(jackfield_auth_methods=lambda: [OddMethod(answer)]))
    host.plugins["acme"].distribution = "jackfield-acme"
    kernel = Kernel(tmp_path, host, load(settings_tables(host), {}, {}, {}), Redactor(), FakeClock())
    kernel.assemble()
    await kernel.start()
    client = Client(create_app(kernel))
    for _ in range(3):
        assert (await client("GET", "/api/v1/things", ("Authorization", "Bearer ada"))).status == 200
        refused = await client("GET", "/api/v1/things", ("Authorization", "Odd x"))
        assert (refused.status, refused.json["code"]) == (401, "AUTH_REQUIRED")
        assert (await client("GET", "/api/v1/things")).status == 401
    await kernel.stop()
    (reported,) = host.plugins["acme"].errors
    assert told in reported
    assert "its authentication method odd failed" in reported
    assert "the secret" not in caplog.text
    assert caplog.text.count("The authentication method odd of the plugin acme failed") == 1
