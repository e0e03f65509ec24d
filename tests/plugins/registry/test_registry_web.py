"""Over HTTP: a loopback server in the place of the publisher's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from loopback import Loopback, Seen, loopback, reply
from registry_lab import COMMITS, Lab, digest

from jackfield.api.errors import ConfigurationError, UpstreamFailed
from jackfield_registry.ports import FetchProgress

ONE, TWO, *_ = COMMITS
DAY = 86_400


@pytest.fixture
async def server(lab: Lab) -> AsyncIterator[Loopback]:
    """Serves the lab's source, with ETags."""

    def answer(seen: Seen) -> bytes:
        path: Path = lab.source.folder / seen.target.removeprefix("/registry/")
        if not path.is_file():
            return reply(b"", "404 Not Found")
        content = path.read_bytes()
        tag = f'"{digest(content)[:16]}"'
        if seen.headers.get("if-none-match") == tag:
            return reply(b"", "304 Not Modified", etag=tag)
        return reply(content, etag=tag)

    async with loopback() as made:
        made.answer = answer
        lab.configure(url=made.url("/registry"))
        yield made


def asked(server: Loopback) -> list[str]:
    return [seen.target.removeprefix("/registry/") for seen in server.seen]


async def test_sync(lab: Lab, server: Loopback) -> None:
    status = await lab.service.sync()
    assert (status.commit, status.artifacts_downloaded, lab.label) == (ONE, 4, "one")
    assert asked(server)[0] == "registry.json"
    assert set(asked(server)[1:]) == {
        f"{ONE}/{path}"
        for path in ("agents/one.toml", "providers/two.toml", "scripts/three.rhai", "models/catalog.json")
    }
    assert all(seen.headers["accept-encoding"] == "identity" for seen in server.seen)


async def test_an_unchanged_index_is_not_sent_again(lab: Lab, server: Loopback) -> None:
    await lab.service.sync()
    await lab.clock.advance(DAY)
    server.seen.clear()
    status = await lab.service.sync()
    assert (status.updated, asked(server)) == (False, ["registry.json"])
    assert "if-none-match" in server.seen[0].headers
    assert status.last_sync == "2026-01-02T00:00:00.000Z"


async def test_a_forced_sync_and_one_of_damaged_content_ask_for_all(lab: Lab, server: Loopback) -> None:
    await lab.service.sync()
    server.seen.clear()
    await lab.service.sync(force=True)
    (lab.root / "current" / "scripts" / "three.rhai").write_bytes(b"")
    await lab.clock.advance(DAY)
    assert (await lab.service.sync()).updated
    assert not any("if-none-match" in seen.headers for seen in server.seen)
    assert lab.label == "one"


async def test_files_are_fetched_side_by_side_within_bounds(lab: Lab, server: Loopback) -> None:
    files = {f"models/m{number}.json": b"{}" + b" " * number for number in range(30)}
    lab.source.publish(TWO, "two", files=files)
    assert (await lab.configure(url=server.url("/registry"), parallel=3).sync()).artifacts_downloaded == 30
    assert server.connections <= 3


async def test_progress_is_told(lab: Lab, server: Loopback) -> None:
    lab.source.publish(TWO, "two", files={"models/big.json": b'{"x": "' + b"x" * 2_000_000 + b'"}'})
    told: list[FetchProgress] = []
    await lab.service.sync(tell=told.append)
    assert told[0].bytes == 0
    assert (told[-1].files, told[-1].all_files, told[-1].bytes) == (1, 1, told[-1].all_bytes)
    assert len({progress.bytes for progress in told}) > 3, "while it is on its way, too"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (reply(b"", "404 Not Found"), "404"),
        (reply(b"", "500 Oops"), "500"),
        (reply(b"", "304 Not Modified"), "304"),
        (reply(b"{}", content_encoding="gzip"), "compressed"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort", "cannot be fetched"),
        (b"nonsense\r\n\r\n", "cannot be fetched"),
        (reply(b"", "302 Found", location="/registry/registry.json"), "redirected more"),
        (reply(b"", "302 Found", location="http://example.org/"), "not https"),
        (reply(b"", "302 Found", location="file:///etc/passwd"), "not https"),
        (reply(b"", "302 Found", location="http://[::1"), "no URL"),
        (reply(b"", "302 Found", location="ftp://127.0.0.1/"), "not https"),
    ],
)
async def test_answers_that_are_none(lab: Lab, server: Loopback, answer: bytes, says: str) -> None:
    await lab.service.sync()
    server.answer = lambda _: answer
    lab.configure(url=server.url("/registry"), timeout=0.5)
    with pytest.raises(UpstreamFailed, match=says):
        await lab.service.sync(force=True)
    assert lab.label == "one"


async def test_redirects_are_followed(lab: Lab, server: Loopback) -> None:
    serve = server.answer
    server.answer = lambda seen: (
        serve(seen)
        if "/registry/" in seen.target
        else reply(b"", "302 Found", location=seen.target.replace("/old/", "/registry/"))
    )
    assert (await lab.configure(url=server.url("/old")).sync()).commit == ONE


async def test_a_body_without_an_end_is_given_up(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n" + b"x" * 5000
    with pytest.raises(UpstreamFailed, match="index_limit"):
        await lab.configure(url=server.url("/registry"), index_limit=2000).sync()


async def test_a_silent_server_is_given_up(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: None
    with pytest.raises(UpstreamFailed, match="no answer in time"):
        await lab.configure(url=server.url("/registry"), timeout=0.1).sync()
    with pytest.raises(UpstreamFailed, match="sync_timeout"):
        await lab.configure(url=server.url("/registry"), timeout=60, sync_timeout=0.1).sync()
    assert lab.leftovers() == []


async def test_nobody_listens(lab: Lab) -> None:
    with pytest.raises(UpstreamFailed, match=r"cannot be fetched: .*Connect call failed"):
        await lab.configure(url="http://127.0.0.1:9/registry").sync()


async def test_http_beyond_loopback_is_a_setting(lab: Lab) -> None:
    with pytest.raises(ConfigurationError, match="allow_http"):
        await lab.configure(url="http://192.0.2.1/registry").sync()
