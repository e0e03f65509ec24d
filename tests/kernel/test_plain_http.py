"""Requests of the service itself: web proxies of the environment, and sentences about failures."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from jackfield.api.http_addresses import HttpAddress
from jackfield.api.plain_http import HttpFailed, PlainClient, client_url

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Encoding: gzip\r\n\r\nok"


class Server:
    """Answers every request alike, and keeps its head."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.answer = ANSWER

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(self.answer)
        writer.close()


@pytest.fixture
async def server() -> AsyncIterator[tuple[Server, int]]:
    made = Server()
    listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    yield made, listening.sockets[0].getsockname()[1]
    listening.close()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


async def test_a_request_says_little_and_its_answer_comes_as_it_is(server: tuple[Server, int]) -> None:
    async with PlainClient(timeout=5, base_url=f"http://127.0.0.1:{server[1]}/api", headers={"X-Key": "k"}) as client:
        reply = await client.send("GET", "/a%2Fb", query={"c": "d e", "n": 1})
        await client.send("DELETE", "/a")
    assert (reply.status, reply.body) == (200, b"ok")
    first, *names = server[0].heads[0].split("\r\n")
    assert first == "GET /api/a%2Fb?c=d+e&n=1 HTTP/1.1"
    assert [name.partition(":")[0] for name in names if name] == [
        "Host", "Accept", "Accept-Encoding", "User-Agent", "X-Key",
    ]  # fmt: skip
    assert "Accept-Encoding: identity" in names


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
@pytest.mark.parametrize("scheme", ["", "http://"])
async def test_a_proxy_of_the_environment_is_asked_where_it_is_trusted(
    server: tuple[Server, int], monkeypatch: pytest.MonkeyPatch, name: str, scheme: str
) -> None:
    monkeypatch.setenv(name, f"{scheme}u:p%40@127.0.0.1:{server[1]}")
    async with PlainClient(timeout=5, trust_environment=True) as client:
        assert (await client.send("GET", "http://registry.invalid/a?b")).status == 200
    assert server[0].heads[0].startswith("GET http://registry.invalid/a?b HTTP/1.1\r\nHost: registry.invalid\r\n")
    assert "Proxy-Authorization: Basic dTpwQA==" in server[0].heads[0]


async def test_no_proxy_where_none_is_trusted_or_wanted(
    server: tuple[Server, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    url = f"http://127.0.0.1:{server[1]}/"
    async with PlainClient(timeout=5) as client:
        assert (await client.send("GET", url)).status == 200
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    async with PlainClient(timeout=5, trust_environment=True) as client:
        assert (await client.send("GET", url)).status == 200
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
    async with PlainClient(timeout=5, trust_environment=True) as client:
        assert (await client.send("GET", url)).status == 200


async def test_the_passwords_of_netrc_stay_at_home(
    server: tuple[Server, int], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    netrc = tmp_path_factory.mktemp("home") / ".netrc"
    netrc.write_text("machine 127.0.0.1 login me password mine\n")
    monkeypatch.setenv("NETRC", str(netrc))
    async with PlainClient(timeout=5, trust_environment=True) as client:
        await client.send("GET", f"http://127.0.0.1:{server[1]}/")
    assert "authorization" not in server[0].heads[0].lower()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"", "the server closed the connection without an answer"),
        (b"nonsense\r\n\r\n", "the answer is not valid HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "the answer is cut short"),
    ],
)
async def test_failures_are_told_in_words_of_ours(server: tuple[Server, int], answer: bytes, told: str) -> None:
    server[0].answer = answer
    async with PlainClient(timeout=5) as client:
        with pytest.raises(HttpFailed) as caught:
            await client.send("POST", f"http://127.0.0.1:{server[1]}/?key=hidden")
        assert str(caught.value) == told
        with pytest.raises(HttpFailed, match="URL is not valid"):
            await client.send("GET", "127.0.0.1:80/x")
        with pytest.raises(HttpFailed, match="URL is not valid"):
            await client.send("GET", "http://h:x/")


async def test_silence_and_nobody() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        async with PlainClient(timeout=0.05) as client:
            with pytest.raises(HttpFailed, match="no answer in time"):
                await client.send("GET", url)
    async with PlainClient(timeout=5) as client:
        with pytest.raises(HttpFailed, match="Connect call failed"):
            await client.send("GET", url)


def test_another_host_is_written_as_it_is() -> None:
    address = HttpAddress.of("https://h:81/a%41?b#c")
    assert str(client_url(address)) == "https://h:81/a%41?b"
    assert str(client_url(address, host="other")) == "https://other:81/a%41?b"
