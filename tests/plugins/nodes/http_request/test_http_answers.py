"""What becomes of answers, their limits and failures."""

from __future__ import annotations

import asyncio
import base64
import gzip
import zlib
from typing import Any

import pytest
from http_lab import Make, sent
from loopback import Loopback, loopback, reply
from node_fakes import Bench, items

from jackfield.api.binary import CHUNK
from jackfield.api.nodes import NodeError
from jackfield_nodes.http.decoding import Inflater

FILE = {"data": base64.b64encode(b"\x00\xffdata").decode(), "mimeType": "image/png", "fileName": "a.png"}


# -------------------------------------------------------------------------------------------------------------- answers


def response(**options: Any) -> dict[str, Any]:
    return {"options": {"response": {"response": options}}}


ANSWERS: list[tuple[bytes, dict[str, Any], Any]] = [
    (reply([{"a": 1}, {"a": 2}]), {}, [{"a": 1}, {"a": 2}]),
    (reply([1, "two"]), {}, [{"data": 1}, {"data": "two"}]),
    (reply(b"5", content_type="application/json"), {}, [{"data": 5}]),
    (reply(b"", content_type="application/json"), {}, [{}]),
    (reply(b'{"a": 1}', content_type="application/ld+json; charset=utf-8"), {}, [{"a": 1}]),
    (reply("Grüße"), {}, [{"data": "Grüße"}]),
    (reply("ü".encode("latin-1"), content_type="text/plain; charset=iso-8859-1"), {}, [{"data": "ü"}]),
    (reply({"a": 1}), response(responseFormat="text", outputPropertyName="t"), [{"t": '{"a": 1}'}]),
    (reply('{"a": 1}'), response(responseFormat="json"), [{"a": 1}]),
    (reply("not json", "500 Oh"), response(responseFormat="json", neverError=True), [{"data": "not json"}]),
    (reply({"a": 1}, "404 Not Found"), response(neverError=True), [{"a": 1}]),
]


@pytest.mark.parametrize(("answer", "parameters", "expected"), ANSWERS)
@pytest.mark.parametrize("version", [3, 4.2, 4.4, None])
async def test_answers(
    bench: Bench, server: Loopback, version: float | None, answer: bytes, parameters: dict[str, Any], expected: Any
) -> None:
    server.answer = lambda _: answer
    assert await sent(bench, {"url": server.url(), **parameters}, version) == expected


async def test_a_full_response(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply([{"a": 1}], "201 Made", x_one="1")
    (made,) = await sent(bench, {"url": server.url(), **response(fullResponse=True)})
    assert (made["body"], made["statusCode"], made["statusMessage"]) == ([{"a": 1}], 201, "Made")
    assert made["headers"]["x-one"] == "1"


async def test_a_file(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply(b"\x89PNG", content_type="image/png")
    given: Any = [{"json": {"kept": 1}, "binary": {"old": FILE}}]
    run = bench.run("httpRequest", 4.2, {"url": server.url("/dir/pic.png?x=1")}, given)
    ((made,),) = await bench.outputs(run)
    assert made["json"] == {"kept": 1}
    assert set(made["binary"]) == {"old", "data"}
    expected = {
        "data": base64.b64encode(b"\x89PNG").decode(),
        "mimeType": "image/png",
        "fileType": "image",
        "fileSize": "4 B",
        "bytes": 4,
    }
    assert made["binary"]["data"] == {**expected, "fileName": "pic.png", "fileExtension": "png"}


async def test_a_file_name_has_no_directories(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply(b"x", content_disposition='attachment; filename="../../etc/passwd"')
    run = bench.run("httpRequest", 4.2, {"url": server.url(), **response(responseFormat="file")})
    ((made,),) = await bench.outputs(run)
    assert made["binary"]["data"]["fileName"] == "passwd"


LEGACY_ANSWERS: list[tuple[dict[str, Any], Any]] = [
    ({}, [{"data": [{"a": 1}]}]),
    ({"options": {"splitIntoItems": True}}, [{"a": 1}]),
    ({"responseFormat": "string", "dataPropertyName": "t"}, [{"t": '[{"a": 1}]'}]),
]


@pytest.mark.parametrize(("parameters", "expected"), LEGACY_ANSWERS)
async def test_answers_of_version_1(bench: Bench, server: Loopback, parameters: dict[str, Any], expected: Any) -> None:
    server.answer = lambda _: reply([{"a": 1}])
    assert await sent(bench, {"url": server.url(), **parameters}, 1) == expected


@pytest.mark.parametrize("status", ["404 Not Found", "500 Oh", "302 Found", "199 Odd"][:3])
async def test_other_statuses_fail_with_an_excerpt(bench: Bench, server: Loopback, status: str) -> None:
    server.answer = lambda _: reply("why\n" + "x" * 5000, status)
    with pytest.raises(NodeError, match=f"status {status[:3]} .*why x{{100}}") as caught:
        await sent(bench, {"url": server.url()})
    assert len(caught.value.message) < 500
    assert caught.value.item == 0


async def test_broken_json_is_told(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply(b"{no", content_type="application/json")
    with pytest.raises(NodeError, match="not valid JSON"):
        await sent(bench, {"url": server.url()})


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(b'{"a":1}')),
        ("gzip", gzip.compress(b'{"a"') + gzip.compress(b":1}")),
        ("deflate", zlib.compress(b'{"a":1}')),
        ("deflate", zlib.compress(b'{"a":1}', wbits=-15)),
        ("identity", b'{"a":1}'),
    ],
)
async def test_compressed_answers(bench: Bench, server: Loopback, encoding: str, body: bytes) -> None:
    server.answer = lambda _: reply(body, content_type="application/json", content_encoding=encoding)
    assert await sent(bench, {"url": server.url()}) == [{"a": 1}]


@pytest.mark.parametrize(
    ("encoding", "body", "told"),
    [
        ("br", b"x", "compressed as br"),
        ("gzip", b"not gzip at all", "broke off|No connection"),
        ("gzip", gzip.compress(b"abc")[:-4], "short"),
    ],
)
async def test_compression_that_cannot_be_read(
    bench: Bench, server: Loopback, encoding: str, body: bytes, told: str
) -> None:
    server.answer = lambda _: reply(body, content_encoding=encoding)
    with pytest.raises(NodeError, match=told):
        await sent(bench, {"url": server.url()})


# --------------------------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("compressed", [False, True])
async def test_an_answer_over_the_limit_is_refused(allowing: Make, server: Loopback, compressed: bool) -> None:
    bench = allowing(max_response_bytes=2048)
    body = b"x" * 5_000_000
    server.answer = lambda _: reply(gzip.compress(body), content_encoding="gzip") if compressed else reply(body)
    with pytest.raises(NodeError, match="2048 bytes"):
        await sent(bench, {"url": server.url()})


@pytest.mark.parametrize("parameters", [{}, {"options": {"timeout": 50}}])
async def test_a_server_that_does_not_answer(allowing: Make, server: Loopback, parameters: dict[str, Any]) -> None:
    bench = allowing(timeout=5 if parameters else 0.05)
    server.answer = lambda _: None
    with pytest.raises(NodeError, match=r"within 0\.05 seconds"):
        await sent(bench, {"url": server.url(), **parameters})


async def test_a_drip_is_cut_off_by_the_total_time(allowing: Make, server: Loopback) -> None:
    bench = allowing(timeout=0.1)
    server.answer = lambda _: b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"
    with pytest.raises(NodeError, match="within"):
        await sent(bench, {"url": server.url()})


async def test_a_connection_that_breaks_off(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: b"nonsense\r\n\r\n"
    with pytest.raises(NodeError, match="broke off"):
        await sent(bench, {"url": server.url()})


async def test_no_connection(bench: Bench, server: Loopback) -> None:
    async with loopback() as gone:
        port = gone.port
    with pytest.raises(NodeError, match=r"No connection to 127\.0\.0\.1"):
        await sent(bench, {"url": f"http://127.0.0.1:{port}/"})


async def test_connections_are_shared_and_bounded(allowing: Make, server: Loopback) -> None:
    bench = allowing(max_connections=3)
    given = items(*({"n": n} for n in range(10)))
    server.answer = lambda seen: reply({"path": seen.target})
    rows = await sent(bench, lambda item: {"url": server.url(f"/{item['json']['n']}")}, given=given)
    assert rows == [{"path": f"/{n}"} for n in range(10)]
    assert server.connections <= 3


async def test_batches_rest_between_each_other(bench: Bench, server: Loopback) -> None:
    parameters = {"url": server.url(), "options": {"batching": {"batch": {"batchSize": 2, "batchInterval": 5000}}}}
    run = bench.run("httpRequest", 4.2, parameters, items({}, {}, {}))
    task = asyncio.ensure_future(bench.outputs(run))
    while not bench.clock._sleepers:
        await asyncio.sleep(0.001)
    assert len(server.seen) == 2
    await bench.clock.advance(5)
    await task
    assert len(server.seen) == 3


# -------------------------------------------------------------------------------------------------------------- failure


async def test_a_failing_item_goes_on_as_an_error(bench: Bench, server: Loopback) -> None:
    server.answer = lambda seen: reply("gone", "410 Gone") if seen.target == "/1" else reply({"at": seen.target})
    given = items({"n": 0}, {"n": 1}, {"n": 2})
    per_item: Any = lambda item: {"url": server.url(f"/{item['json']['n']}")}  # noqa: E731
    run = bench.run("httpRequest", 4.2, per_item, given, on_error="continueRegularOutput")
    ((first, second, third),) = await bench.outputs(run)
    assert (first["json"], third["json"]) == ({"at": "/0"}, {"at": "/2"})
    assert second["json"] == {"error": "127.0.0.1 answered with status 410 (Gone): gone"}
    assert [row["pairedItem"] for row in (first, second, third)] == [{"item": 0}, {"item": 1}, {"item": 2}]
    with pytest.raises(NodeError) as caught:
        await bench.outputs(bench.run("httpRequest", 4.2, per_item, given))
    assert caught.value.item == 1


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"url": ""}, "must start with http"),
    ({"url": "ftp://example.com"}, "must start with http"),
    ({"url": "file:///etc/passwd"}, "must start with http"),
    ({"url": "http://"}, "no host|not valid"),
    ({"url": "http://a\x00b/"}, "not valid"),
    ({"url": "http://127.0.0.1/", "method": "GET / HTTP/1.1\r\nX:"}, "method"),
    (
        {
            "url": "http://127.0.0.1/",
            "sendHeaders": True,
            "headerParameters": {"parameters": [{"name": "a", "value": "b\r\nx: y"}]},
        },
        "control characters",
    ),
    (
        {
            "url": "http://127.0.0.1/",
            "sendHeaders": True,
            "headerParameters": {"parameters": [{"name": "a b", "value": "c"}]},
        },
        "header has a name",
    ),
    (
        {
            "url": "http://127.0.0.1/",
            "sendBody": True,
            "contentType": "raw",
            "rawContentType": "a/b\r\nx: y",
            "body": "c",
        },
        "content-type has control characters",
    ),
    ({"url": "http://127.0.0.1/", "sendBody": True, "specifyBody": "json", "jsonBody": "{no"}, "jsonBody"),
    ({"url": "http://127.0.0.1/", "sendQuery": True, "specifyQuery": "json", "jsonQuery": "[1]"}, "jsonQuery"),
    ({"url": "http://127.0.0.1/", "options": {"proxy": "http://evil:1"}}, "proxy"),
    (
        {"url": "http://127.0.0.1/", "authentication": "predefinedCredentialType", "nodeCredentialType": "slackApi"},
        "slackApi",
    ),
    ({"url": "http://127.0.0.1/", "authentication": "genericCredentialType"}, "genericAuthType"),
]


@pytest.mark.parametrize(("parameters", "told"), REFUSED)
async def test_refused_parameters(bench: Bench, parameters: dict[str, Any], told: str) -> None:
    with pytest.raises(NodeError, match=told):
        await sent(bench, parameters)


async def test_pagination_off_is_fine(bench: Bench, server: Loopback) -> None:
    options = {"pagination": {"pagination": {"paginationMode": "off"}}}
    assert await sent(bench, {"url": server.url(), "options": options}) == [{"ok": True}]


@pytest.mark.parametrize("size", range(CHUNK - 2, CHUNK + 300, 7))
def test_a_deflated_body_without_envelope_has_its_end(size: int) -> None:
    """Its last byte may stand for more than one piece takes, and no checksum follows."""
    inflater = Inflater()
    pieces = list(inflater.feed(zlib.compress(b"0" * size, wbits=-15)))
    inflater.finish()
    assert sum(map(len, pieces)) == size
    assert max(map(len, pieces)) <= CHUNK
