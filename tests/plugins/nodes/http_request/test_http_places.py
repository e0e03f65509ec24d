"""Where requests may go, redirects, certificates."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from http_lab import Make, redirecting, sent
from loopback import Loopback, loopback, reply, self_signed
from node_fakes import Bench

from jackfield.api.nodes import NodeError
from jackfield_nodes.http.settings import HttpSettings

# ------------------------------------------------------------------------------------------------------ where it may go

HOSTILE = [
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST.:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://127.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0.0.1:{port}/",
    "http://017700000001:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://example.com@127.0.0.1:{port}/",
    "http://example.com:80@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@example.com/",
    "http://127.0.0.1:{port}\\@example.com/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://127。0。0。1:{port}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://[fd00:ec2::254]/",
    "http://10.0.0.1/",
]


@pytest.mark.parametrize("url", HOSTILE)
async def test_only_public_addresses_are_reached(make_bench: Make, server: Loopback, url: str) -> None:
    bench = make_bench(HttpSettings(timeout=5))
    with pytest.raises(NodeError, match=r"public internet|not valid|No connection|no host"):
        await sent(bench, {"url": url.format(port=server.port)})
    assert server.connections == 0


async def test_a_host_may_be_allowed_by_name(make_bench: Make, server: Loopback) -> None:
    bench = make_bench(HttpSettings(allowed_hosts=["localhost"]))
    assert await sent(bench, {"url": server.url(host="localhost")}) == [{"ok": True}]
    with pytest.raises(NodeError, match="public internet"):
        await sent(bench, {"url": server.url()})


async def test_the_environments_proxy_is_not_used(
    bench: Bench, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert await sent(bench, {"url": server.url()}) == [{"ok": True}]


# ------------------------------------------------------------------------------------------------------------ redirects


@pytest.mark.parametrize("version", [4, 4.2, 4.4])
async def test_redirects_are_followed_from_version_4_on(bench: Bench, server: Loopback, version: float) -> None:
    redirecting(server, "/next?a=1")
    assert await sent(bench, {"url": server.url()}, version) == [{"at": "/next?a=1"}]


FOLLOWS: list[tuple[float, dict[str, Any], bool]] = [
    (3, {}, False),
    (3, {"options": {"redirect": {"redirect": {"followRedirects": True}}}}, True),
    (4.2, {"options": {"redirect": {"redirect": {}}}}, True),
    (4.2, {"options": {"redirect": {"redirect": {"followRedirects": False}}}}, False),
    (1, {}, True),
    (1, {"options": {"followRedirect": False}}, False),
    (1, {"requestMethod": "DELETE"}, False),
    (1, {"requestMethod": "DELETE", "options": {"followAllRedirects": True}}, True),
]


@pytest.mark.parametrize(("version", "parameters", "follows"), FOLLOWS)
async def test_whether_redirects_are_followed(
    bench: Bench, server: Loopback, version: float, parameters: dict[str, Any], follows: bool
) -> None:
    redirecting(server, "/next")
    if follows:
        assert await sent(bench, {"url": server.url(), **parameters}, version) == [{"at": "/next"}]
    else:
        with pytest.raises(NodeError, match="status 302"):
            await sent(bench, {"url": server.url(), **parameters}, version)


METHODS = [
    ("303 See", "PUT", "GET", b""),
    ("302 Found", "POST", "GET", b""),
    ("302 Found", "PUT", "PUT", b'{"a":1}'),
    ("307 Temp", "POST", "POST", b'{"a":1}'),
    ("308 Perm", "POST", "POST", b'{"a":1}'),
]


@pytest.mark.parametrize(("status", "method", "then", "body"), METHODS)
async def test_method_and_body_after_a_redirect(
    bench: Bench, server: Loopback, status: str, method: str, then: str, body: bytes
) -> None:
    redirecting(server, "/next", status)
    parameters = {"method": method, "url": server.url(), "sendBody": True, "specifyBody": "json", "jsonBody": {"a": 1}}
    await sent(bench, parameters)
    assert (server.seen[1].method, server.seen[1].body) == (then, body)
    assert ("content-type" in server.seen[1].headers) is bool(body)


async def test_redirects_come_to_an_end(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply("", "302 Found", location="/")
    options = {"redirect": {"redirect": {"maxRedirects": 3}}}
    with pytest.raises(NodeError, match="more than 3 times"):
        await sent(bench, {"url": server.url(), "options": options})
    assert len(server.seen) == 4


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("http://169.254.169.254/latest/", "public internet"),
        ("http://[::1]:{port}/", "public internet"),
        ("http://0x0a000001/", "public internet"),
        ("ftp://example.com/", "must start with http"),
        ("file:///etc/passwd", "must start with http"),
    ],
)
async def test_a_redirect_is_checked_like_the_first_address(
    make_bench: Make, server: Loopback, target: str, told: str
) -> None:
    bench = make_bench(HttpSettings(allowed_networks=["127.0.0.1/32"]))
    redirecting(server, target.format(port=server.port))
    with pytest.raises(NodeError, match=told):
        await sent(bench, {"url": server.url()})
    assert len(server.seen) == 1


# ------------------------------------------------------------------------------------------------------------------ tls


@pytest.fixture
async def secure(tmp_path: Path) -> AsyncIterator[tuple[Loopback, list[str | None]]]:
    """A TLS server with a certificate of its own for localhost, and the names that clients asked for."""
    asked: list[str | None] = []
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*self_signed(tmp_path, "localhost"))
    tls.sni_callback = lambda _, name, __: asked.append(name)
    async with loopback(tls) as made:
        yield made, asked


async def test_a_certificate_of_nobody_is_refused(bench: Bench, secure: Any) -> None:
    server, _ = secure
    with pytest.raises(NodeError, match=r"No connection to localhost.*(?i:certificate)"):
        await sent(bench, {"url": f"https://localhost:{server.port}/"})
    assert server.seen == []


async def test_any_certificate_may_be_accepted(bench: Bench, secure: Any) -> None:
    server, asked = secure
    options = {"allowUnauthorizedCerts": True}
    assert await sent(bench, {"url": f"https://localhost:{server.port}/", "options": options}) == [{"ok": True}]
    assert asked == ["localhost"], "the name is asked for although the address is pinned"
    assert server.seen[0].headers["host"] == f"localhost:{server.port}"


async def test_the_name_is_verified_although_the_address_is_pinned(
    bench: Bench, secure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    server, _ = secure
    from jackfield.api.tls import client_tls

    monkeypatch.setattr("certifi.where", lambda: str(tmp_path / "localhost.pem"))
    request.addfinalizer(client_tls.cache_clear)
    client_tls.cache_clear()
    assert await sent(bench, {"url": f"https://localhost:{server.port}/"}) == [{"ok": True}]
    with pytest.raises(NodeError, match="No connection to 127"):
        await sent(bench, {"url": f"https://127.0.0.1:{server.port}/"})
