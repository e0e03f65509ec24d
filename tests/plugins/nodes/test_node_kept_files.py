"""Nodes that send and receive files take those that are kept outside of their items like the others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from email import message_from_bytes
from typing import Any

import pytest
from loopback import Loopback, loopback, reply
from node_fakes import Bench, FakeRun

from jackfield.api.nodes import NodeError
from jackfield_nodes.settings import HttpSettings

LARGE = bytes(range(256)) * 400


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as made:
        yield made


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench(HttpSettings(allowed_networks=["127.0.0.0/8"]))


async def with_file(run: FakeRun, name: str = "file") -> FakeRun:
    """The run's only item has a kept file."""
    kept = await run.binary.write(LARGE, mime_type="image/png", file_name="a.png")
    assert kept["data"] == ""
    run.given[0]["binary"] = {name: kept}
    return run


async def test_a_large_answer_is_kept(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply(LARGE, content_type="image/png")
    run = bench.run("httpRequest", 4.2, {"url": server.url("/pic.png")}, [{"json": {}}])
    ((made,),) = await bench.outputs(run)
    file = made["binary"]["data"]
    assert (file["data"], file["fileName"], file["fileSize"]) == ("", "pic.png", len(LARGE))
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
    assert run.answers[0].body == LARGE
    assert ("content-type", "image/png") in run.answers[0].headers


async def test_a_file_that_is_gone_fails_before_anything_is_sent(bench: Bench, server: Loopback) -> None:
    parameters = {"url": server.url(), **BODIES[0][1]}
    run = await with_file(bench.run("httpRequest", 4.2, parameters, [{"json": {}}]))
    run.binary.kept.clear()
    with pytest.raises(NodeError, match="'file' of item 0 cannot be read: The file does not exist any more"):
        await bench.outputs(run)
    assert server.seen == []
