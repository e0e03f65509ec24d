"""Nodes that send and receive files take those that are kept outside of their items like the others."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator, Callable
from email import message_from_bytes
from typing import Any

import pytest
from loopback import Loopback, loopback, reply
from node_fakes import Bench

from jackfield.api.binary import BinarySettings, stream_of
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield.testing.binary import MemoryFiles
from jackfield.testing.node_runs import FakeNodeRun
from jackfield_nodes.http.settings import HttpSettings

LARGE = bytes(range(256)) * 400


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as made:
        yield made


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench(HttpSettings(allowed_networks=["127.0.0.0/8"]))


async def with_file(run: FakeNodeRun, name: str = "file") -> FakeNodeRun:
    """The run's only item has a kept file."""
    kept = await run.binary.write(LARGE, mime_type="image/png", file_name="a.png")
    assert kept["data"] == ""
    run.first[0]["binary"] = {name: kept}
    return run


async def test_a_large_answer_is_kept(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply(LARGE, content_type="image/png")
    run = bench.run("httpRequest", 4.2, {"url": server.url("/pic.png")}, [{"json": {}}])
    ((made,),) = await bench.outputs(run)
    file = made["binary"]["data"]
    assert (file["data"], file["fileName"], file["bytes"]) == ("", "pic.png", len(LARGE))
    assert run.binary.kept[file["id"]] == LARGE


BODIES: list[tuple[float, dict[str, Any]]] = [
    (4.2, {"method": "POST", "sendBody": True, "contentType": "binaryData", "inputDataFieldName": "file"}),
    (2, {"requestMethod": "POST", "sendBinaryData": True, "binaryPropertyName": "file"}),
]


@pytest.mark.parametrize(("version", "parameters"), BODIES)
async def test_a_kept_file_as_the_body(
    bench: Bench, server: Loopback, version: float, parameters: dict[str, Any]
) -> None:
    run = await with_file(bench.run("httpRequest", version, {"url": server.url(), **parameters}, [{"json": {}}]))
    await bench.outputs(run)
    assert (server.seen[0].headers["content-type"], server.seen[0].body) == ("image/png", LARGE)


async def test_a_kept_file_in_a_form(bench: Bench, server: Loopback) -> None:
    rows = [{"name": "upload", "parameterType": "formBinaryData", "inputDataFieldName": "file"}]
    parameters = {"method": "POST", "url": server.url(), "sendBody": True, "contentType": "multipart-form-data"}
    run = bench.run("httpRequest", 4.2, {**parameters, "bodyParameters": {"parameters": rows}}, [{"json": {}}])
    await bench.outputs(await with_file(run))
    seen = server.seen[0]
    whole = message_from_bytes(f"Content-Type: {seen.headers['content-type']}\r\n\r\n".encode() + seen.body)
    (upload,) = whole.get_payload()
    assert (upload.get_filename(), upload.get_payload(decode=True)) == ("a.png", LARGE)  # type: ignore[union-attr]


async def test_a_kept_file_as_the_answer(bench: Bench) -> None:
    run = await with_file(bench.run("respondToWebhook", 1.1, {"respondWith": "binary"}, [{"json": {}}]))
    await bench.outputs(run)
    assert b"".join([chunk async for chunk in stream_of(run.answers[0].body)]) == LARGE
    assert ("content-type", "image/png") in run.answers[0].headers


async def test_a_file_that_is_gone_fails_before_anything_is_sent(bench: Bench, server: Loopback) -> None:
    parameters = {"url": server.url(), **BODIES[0][1]}
    run = await with_file(bench.run("httpRequest", 4.2, parameters, [{"json": {}}]))
    run.binary.kept.clear()
    with pytest.raises(NodeError, match="'file' of item 0 cannot be read: The file does not exist any more"):
        await bench.outputs(run)
    assert server.seen == []


# ------------------------------------------------------------------------------------------------------- sent in pieces

RAW = {"method": "POST", "sendBody": True, "contentType": "binaryData", "inputDataFieldName": "file"}


def lengths(server: Loopback) -> list[tuple[str, str | None]]:
    """Per request, its announced length and Transfer-Encoding."""
    return [(seen.headers["content-length"], seen.headers.get("transfer-encoding")) for seen in server.seen]


async def test_a_kept_file_goes_with_its_length(bench: Bench, server: Loopback) -> None:
    run = await with_file(bench.run("httpRequest", 4.2, {"url": server.url(), **RAW}, [{"json": {}}]))
    await bench.outputs(run)
    assert lengths(server) == [(str(len(LARGE)), None)]


@pytest.mark.parametrize(("status", "bodies"), [("307 Again", [LARGE, LARGE]), ("303 Look", [LARGE, b""])])
async def test_a_redirect_sends_the_whole_file_again(
    bench: Bench, server: Loopback, status: str, bodies: list[bytes]
) -> None:
    server.answer = lambda seen: reply("", status, location="/there") if seen.target == "/" else reply({})
    run = await with_file(bench.run("httpRequest", 4.2, {"url": server.url(), **RAW}, [{"json": {}}]))
    await bench.outputs(run)
    assert [seen.body for seen in server.seen] == bodies


async def test_the_answer_to_a_digest_sends_the_whole_file_again(bench: Bench, server: Loopback) -> None:
    challenge = 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256'
    server.answer = lambda seen: (
        reply({}) if "authorization" in seen.headers else reply("", "401 No", www_authenticate=challenge)
    )
    own = {"authentication": "genericCredentialType", "genericAuthType": "httpDigestAuth"}
    credentials = {"httpDigestAuth": {"user": "ada", "password": "pw"}}
    parameters = {"url": server.url(), **RAW, **own}
    run = bench.run("httpRequest", 4.2, parameters, [{"json": {}}], credentials=credentials)
    await bench.outputs(await with_file(run))
    assert [seen.body for seen in server.seen] == [LARGE, LARGE]


async def test_a_file_that_went_meanwhile_is_told(bench: Bench, server: Loopback) -> None:
    run = await with_file(bench.run("httpRequest", 4.2, {"url": server.url(), **RAW}, [{"json": {}}]))
    run.binary.kept.clear()
    with pytest.raises(NodeError, match="The binary field 'file' of item 0 cannot be read: The file does not exist"):
        await bench.outputs(run)
    assert server.seen == []


async def test_a_file_that_is_cut_short_is_not_sent_as_whole(
    bench: Bench, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await with_file(bench.run("httpRequest", 4.2, {"url": server.url(), **RAW}, [{"json": {}}]))
    whole = run.binary.content

    async def longer(file: Any) -> Any:
        content: Any = await whole(file)
        return replace(content, size=content.size + 1)

    monkeypatch.setattr(run.binary, "content", longer)
    with pytest.raises(NodeError, match=r"A file that goes to 127\.0\.0\.1 .* has not the length that it had"):
        await bench.outputs(run)
    assert server.seen == []


# -------------------------------------------------------------------------------------------------- received in pieces


async def downloaded(bench: Bench, server: Loopback, run: FakeNodeRun | None = None, **options: Any) -> bytes:
    parameters = {"url": server.url(), "options": {"response": {"response": {"responseFormat": "file", **options}}}}
    run = run or bench.run("httpRequest", 4.2, parameters, [{"json": {}}])
    ((made,),) = await bench.outputs(run)
    return await run.binary.read(made["binary"]["data"])


@pytest.mark.parametrize("encoding", ["", "gzip"])
async def test_a_file_may_be_larger_than_an_answer_in_memory(
    make_bench: Callable[..., Bench], server: Loopback, encoding: str
) -> None:
    bench = make_bench(HttpSettings(allowed_networks=["127.0.0.0/8"], max_response_bytes=2048))
    server.answer = lambda _: reply(gzip.compress(LARGE), content_encoding="gzip") if encoding else reply(LARGE)
    assert await downloaded(bench, server) == LARGE
    with pytest.raises(NodeError, match=r"2048 bytes \(nodes\.http\.max_response_bytes\)"):
        await bench.outputs(bench.run("httpRequest", 4.2, {"url": server.url()}, [{"json": {}}]))


async def test_a_file_over_the_limit_of_files_is_refused(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply(LARGE, content_type="image/png")
    files = MemoryFiles(BinarySettings(file_limit=2048))
    run = bench.run("httpRequest", 4.2, {"url": server.url()}, [{"json": {}}], binary=files)
    with pytest.raises(NodeError, match="larger than 2048 bytes"):
        await bench.outputs(run)
    assert files.kept == {}


async def test_an_error_page_is_no_file_unless_errors_are_none(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply(LARGE, "404 Not Found", content_type="image/png")
    with pytest.raises(NodeError, match="status 404"):
        await downloaded(bench, server)
    assert await downloaded(bench, server, neverError=True) == LARGE


async def test_pages_that_are_files_count_as_the_same_by_their_content(bench: Bench, server: Loopback) -> None:
    server.answer = lambda seen: reply(LARGE + seen.target.encode(), content_type="image/png")
    more = {"paginationMode": "updateAParameterInEachRequest", "paginationCompleteWhen": "other"}
    rows = [{"type": "qs", "name": "page", "value": 1}]
    count = 0

    def evaluated(templates: Any, extra: Any) -> Any:
        nonlocal count
        count += 1
        settings = {**more, "parameters": {"parameters": rows}, "completeExpression": count > 7}
        if turning:
            settings["parameters"] = {"parameters": [{**rows[0], "value": count}]}
        return {"options": {"pagination": settings}}

    parameters = {"url": server.url(), "options": {"pagination": {"pagination": more}}}
    for turning in (True, False):
        count = 0
        run = bench.run("httpRequest", 4.2, parameters, [{"json": {}}], late=evaluated)
        if not turning:
            with pytest.raises(NodeError, match="the same answer 5 times"):
                await bench.outputs(run)
            return
        (made,) = await bench.outputs(run)
        assert [await run.binary.read(item["binary"]["data"]) for item in made] == [
            LARGE + f"/?page={number}".encode() for number in range(1, 8)
        ]
