"""HTTP Request against a real server."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import ssl
import zlib
from collections.abc import AsyncIterator, Callable
from email import message_from_bytes
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from loopback import Loopback, loopback, reply, self_signed
from node_fakes import Bench, items

from jackfield.api.binary import CHUNK
from jackfield.api.nodes import NodeError
from jackfield_nodes.http_decode import Inflater
from jackfield_nodes.settings import HttpSettings

FILE = {"data": base64.b64encode(b"\x00\xffdata").decode(), "mimeType": "image/png", "fileName": "a.png"}


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as made:
        yield made


Make = Callable[..., Bench]


@pytest.fixture
def allowing(make_bench: Make) -> Make:
    """A bench that may reach loopback, with other settings as given."""
    return lambda **more: make_bench(HttpSettings(**({"allowed_networks": ["127.0.0.0/8"]} | more)))


@pytest.fixture
def bench(allowing: Make) -> Bench:
    return allowing()


async def sent(bench: Bench, parameters: dict[str, Any], version: float | None = 4.2, **extra: Any) -> Any:
    (rows,) = await bench.json("httpRequest", version, parameters, **extra)
    return rows


# -------------------------------------------------------------------------------------------------------------- sending


async def test_a_plain_request(bench: Bench, server: Loopback) -> None:
    assert await sent(bench, {"url": server.url("/a?x=1")}) == [{"ok": True}]
    (seen,) = server.seen
    assert (seen.method, seen.target, seen.body) == ("GET", "/a?x=1", b"")
    assert seen.headers["host"] == f"127.0.0.1:{server.port}"
    assert seen.headers["accept-encoding"] == "gzip, deflate"


QUERIES: list[tuple[dict[str, Any], str]] = [
    (
        {"queryParameters": {"parameters": [{"name": "b", "value": "ä &"}, {"name": "", "value": "x"}]}},
        "x=1&b=%C3%A4+%26",
    ),
    ({"queryParameters": {"parameters": [{"name": "b", "value": 1}, {"name": "b", "value": 2}]}}, "x=1&b=2"),
    ({"specifyQuery": "json", "jsonQuery": '{"b": [1, 2]}'}, "x=1&b%5B%5D=1&b%5B%5D=2"),
    (
        {"specifyQuery": "json", "jsonQuery": {"b": [1, 2]}, "options": {"queryParameterArrays": "repeat"}},
        "x=1&b=1&b=2",
    ),
    (
        {"specifyQuery": "json", "jsonQuery": {"b": [1]}, "options": {"queryParameterArrays": "indices"}},
        "x=1&b%5B0%5D=1",
    ),
]


@pytest.mark.parametrize(("parameters", "query"), QUERIES)
async def test_queries(bench: Bench, server: Loopback, parameters: dict[str, Any], query: str) -> None:
    await sent(bench, {"url": server.url("/q?x=1"), "sendQuery": True, **parameters})
    assert server.seen[0].target == f"/q?{query}"


async def test_a_repeated_name_is_a_list_from_4_3_on(bench: Bench, server: Loopback) -> None:
    rows = {"parameters": [{"name": "b", "value": 1}, {"name": "b", "value": 2}]}
    options = {"queryParameterArrays": "repeat"}
    await sent(bench, {"url": server.url("/"), "sendQuery": True, "queryParameters": rows, "options": options}, 4.3)
    assert server.seen[0].target == "/?b=1&b=2"


async def test_headers(bench: Bench, server: Loopback) -> None:
    rows = {"parameters": [{"name": "X-One", "value": 5}, {"name": "Content-Length", "value": "999"}]}
    await sent(bench, {"url": server.url(), "sendHeaders": True, "headerParameters": rows})
    await sent(
        bench, {"url": server.url(), "sendHeaders": True, "specifyHeaders": "json", "jsonHeaders": '{"X-Two": "ü"}'}
    )
    assert server.seen[0].headers["x-one"] == "5"
    assert "content-length" not in server.seen[0].headers
    assert server.seen[1].headers["x-two"].encode("latin-1").decode() == "ü"


BODIES: list[tuple[dict[str, Any], str, bytes]] = [
    ({"bodyParameters": {"parameters": [{"name": "a", "value": 1}]}}, "application/json", b'{"a":1}'),
    ({"specifyBody": "json", "jsonBody": '{"a": [1, null]}'}, "application/json", b'{"a":[1,null]}'),
    ({"specifyBody": "json", "jsonBody": {"a": True}}, "application/json", b'{"a":true}'),
    (
        {"contentType": "form-urlencoded", "bodyParameters": {"parameters": [{"name": "a", "value": "ä b"}]}},
        "application/x-www-form-urlencoded",
        b"a=%C3%A4+b",
    ),
    (
        {"contentType": "form-urlencoded", "specifyBody": "string", "body": "a=1&b=2"},
        "application/x-www-form-urlencoded",
        b"a=1&b=2",
    ),
    ({"contentType": "raw", "rawContentType": "text/csv", "body": "a,b"}, "text/csv", b"a,b"),
    ({"contentType": "binaryData", "inputDataFieldName": "file"}, "image/png", b"\x00\xffdata"),
]


@pytest.mark.parametrize(("parameters", "kind", "body"), BODIES)
async def test_bodies(bench: Bench, server: Loopback, parameters: dict[str, Any], kind: str, body: bytes) -> None:
    given: Any = [{"json": {}, "binary": {"file": FILE}}]
    await sent(bench, {"method": "POST", "url": server.url(), "sendBody": True, **parameters}, given=given)
    (seen,) = server.seen
    assert (seen.method, seen.headers["content-type"], seen.body) == ("POST", kind, body)


async def test_a_multipart_form_with_a_file(bench: Bench, server: Loopback) -> None:
    rows = [
        {"name": "text", "value": "ä"},
        {"name": "upload", "parameterType": "formBinaryData", "inputDataFieldName": "file"},
    ]
    parameters = {"method": "POST", "url": server.url(), "sendBody": True, "contentType": "multipart-form-data"}
    given: Any = [{"json": {}, "binary": {"file": FILE}}]
    await sent(bench, {**parameters, "bodyParameters": {"parameters": rows}}, given=given)
    seen = server.seen[0]
    whole = message_from_bytes(f"Content-Type: {seen.headers['content-type']}\r\n\r\n".encode() + seen.body)
    text, upload = whole.get_payload()
    assert (text.get_param("name", header="content-disposition"), text.get_payload(decode=True)) == (
        "text",
        "ä".encode(),
    )
    assert (upload.get_filename(), upload.get_content_type()) == ("a.png", "image/png")
    assert upload.get_payload(decode=True) == b"\x00\xffdata"


async def test_a_missing_file_is_named(bench: Bench, server: Loopback) -> None:
    with pytest.raises(NodeError, match="no binary field 'none'"):
        await sent(
            bench,
            {"url": server.url(), "sendBody": True, "contentType": "binaryData", "inputDataFieldName": "none"},
        )
    assert server.seen == []


LEGACY: list[tuple[dict[str, Any], str, str | None, bytes]] = [
    ({"queryParametersUi": {"parameter": [{"name": "q", "value": 1}]}}, "/?q=1", None, b""),
    ({"jsonParameters": True, "queryParametersJson": '{"q": 2}'}, "/?q=2", None, b""),
    (
        {"requestMethod": "POST", "bodyParametersUi": {"parameter": [{"name": "a", "value": "x"}]}},
        "/",
        "application/json",
        b'{"a":"x"}',
    ),
    (
        {"requestMethod": "POST", "jsonParameters": True, "bodyParametersJson": '{"a": 1}'},
        "/",
        "application/json",
        b'{"a":1}',
    ),
    (
        {
            "requestMethod": "POST",
            "bodyParametersUi": {"parameter": [{"name": "a", "value": "x"}]},
            "options": {"bodyContentType": "form-urlencoded"},
        },
        "/",
        "application/x-www-form-urlencoded",
        b"a=x",
    ),
    (
        {
            "requestMethod": "PUT",
            "jsonParameters": True,
            "bodyParametersJson": "raw text",
            "options": {"bodyContentType": "raw", "bodyContentCustomMimeType": "text/x"},
        },
        "/",
        "text/x",
        b"raw text",
    ),
    (
        {"requestMethod": "POST", "sendBinaryData": True, "binaryPropertyName": "file"},
        "/",
        "image/png",
        b"\x00\xffdata",
    ),
]


@pytest.mark.parametrize(("parameters", "target", "kind", "body"), LEGACY)
@pytest.mark.parametrize("version", [1, 2])
async def test_versions_1_and_2(
    bench: Bench,
    server: Loopback,
    version: float,
    parameters: dict[str, Any],
    target: str,
    kind: str | None,
    body: bytes,
) -> None:
    given: Any = [{"json": {}, "binary": {"file": FILE}}]
    assert await sent(bench, {"url": server.url(), **parameters}, version, given=given) == [{"ok": True}]
    (seen,) = server.seen
    assert (seen.target, seen.headers.get("content-type"), seen.body) == (target, kind, body)


async def test_without_a_version(bench: Bench, server: Loopback) -> None:
    plain = {"url": server.url(), "method": "POST", "headers": {"X-A": "1"}, "body": {"a": 1}}
    await sent(bench, plain, None)
    await sent(bench, {"url": server.url(), "requestMethod": "DELETE"}, None)
    assert (server.seen[0].headers["x-a"], server.seen[0].json) == ("1", {"a": 1})
    assert server.seen[1].method == "DELETE"


HALF = "half \ud800"


@pytest.mark.parametrize("kind", ["json", "form-urlencoded", "multipart-form-data", "raw"])
async def test_half_surrogates_do_no_harm(bench: Bench, server: Loopback, kind: str) -> None:
    rows = {"parameters": [{"name": HALF, "value": HALF}]}
    parameters = {"method": "POST", "url": server.url(), "sendBody": True, "contentType": kind, "bodyParameters": rows}
    await sent(bench, {**parameters, "body": HALF, "sendQuery": True, "queryParameters": rows})
    assert b"half" in server.seen[0].body
    assert "half" in server.seen[0].target
    with pytest.raises(NodeError, match="URL is not valid"):
        await sent(bench, {"url": server.url(f"/{HALF}")})


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
    expected = {"data": base64.b64encode(b"\x89PNG").decode(), "mimeType": "image/png", "fileSize": 4}
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


def redirecting(server: Loopback, target: str, status: str = "302 Found") -> None:
    server.answer = lambda seen: (
        reply("", status, location=target) if seen.target == "/" else reply({"at": seen.target})
    )


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


# ---------------------------------------------------------------------------------------------------------- credentials

SECRET = "s3cr3t-value"
GENERIC = {"authentication": "genericCredentialType"}
CREDENTIALS: list[tuple[str, dict[str, str], str, str]] = [
    ("httpHeaderAuth", {"name": "X-Key", "value": SECRET}, "x-key", SECRET),
    ("httpBearerAuth", {"token": SECRET}, "authorization", f"Bearer {SECRET}"),
    (
        "httpBasicAuth",
        {"user": "ü", "password": SECRET},
        "authorization",
        "Basic " + base64.b64encode(f"ü:{SECRET}".encode()).decode(),
    ),
]


@pytest.mark.parametrize(("kind", "values", "name", "value"), CREDENTIALS)
async def test_credentials(
    bench: Bench, server: Loopback, kind: str, values: dict[str, str], name: str, value: str
) -> None:
    run = bench.run(
        "httpRequest",
        4.2,
        {"url": server.url(), **GENERIC, "genericAuthType": kind},
        items({}, {}),
        credentials={kind: values},
    )
    await bench.outputs(run)
    assert [seen.headers[name] for seen in server.seen] == [value, value]
    assert run.credential_reads == [kind]


async def test_a_credential_in_the_query(bench: Bench, server: Loopback) -> None:
    values = {"httpQueryAuth": {"name": "key", "value": SECRET}}
    await sent(bench, {"url": server.url("/?a=1"), **GENERIC, "genericAuthType": "httpQueryAuth"}, credentials=values)
    assert server.seen[0].target == f"/?a=1&key={SECRET}"


async def test_a_credential_of_version_1(bench: Bench, server: Loopback) -> None:
    values = {"httpHeaderAuth": {"name": "X-Key", "value": SECRET}}
    await sent(bench, {"url": server.url(), "authentication": "headerAuth"}, 1, credentials=values)
    assert server.seen[0].headers["x-key"] == SECRET


async def test_a_user_name_in_the_url_is_basic_authentication(bench: Bench, server: Loopback) -> None:
    await sent(bench, {"url": server.url(host="me:secret@127.0.0.1")})
    assert server.seen[0].headers["authorization"] == "Basic " + base64.b64encode(b"me:secret").decode()


@pytest.mark.parametrize(
    "parameters",
    [
        {**GENERIC, "genericAuthType": "noneSuch"},
        {"authentication": "predefinedCredentialType", "nodeCredentialType": "noneSuch"},
    ],
)
async def test_a_kind_that_is_not_available_is_named(
    bench: Bench, server: Loopback, parameters: dict[str, Any]
) -> None:
    with pytest.raises(NodeError, match="noneSuch are not available"):
        await sent(bench, {"url": server.url(), **parameters}, credentials={"noneSuch": {}})


@pytest.mark.parametrize(("allowed", "passes"), [("127.0.0.1", True), ("", True), ("api.example.com", False)])
async def test_a_credential_stays_with_its_hosts(bench: Bench, server: Loopback, allowed: str, passes: bool) -> None:
    values = {"httpBearerAuth": {"token": SECRET, "allowedHosts": allowed}}
    parameters = {"url": server.url(), **GENERIC, "genericAuthType": "httpBearerAuth"}
    if passes:
        assert await sent(bench, parameters, credentials=values) == [{"ok": True}]
        return
    with pytest.raises(NodeError, match=r"may not be sent to 127\.0\.0\.1"):
        await sent(bench, parameters, credentials=values)
    assert server.seen == []


@pytest.mark.parametrize(("kind", "values", "name", "value"), CREDENTIALS)
async def test_secrets_do_not_follow_to_another_origin(
    bench: Bench, server: Loopback, kind: str, values: dict[str, str], name: str, value: str
) -> None:
    async with loopback() as other:
        redirecting(server, other.url("/stolen"))
        rows = {"parameters": [{"name": "Cookie", "value": "a=1"}, {"name": "X-Plain", "value": "yes"}]}
        parameters = {
            "url": server.url(),
            **GENERIC,
            "genericAuthType": kind,
            "sendHeaders": True,
            "headerParameters": rows,
        }
        assert await sent(bench, parameters, credentials={kind: values}) == [{"ok": True}]
        (seen,) = other.seen
        assert SECRET not in json.dumps(seen.headers)
        assert value not in seen.headers.values()
        assert not {"cookie", name} & seen.headers.keys()
        assert seen.headers["x-plain"] == "yes"
        assert seen.headers["host"] == f"127.0.0.1:{other.port}"


async def test_secrets_follow_on_the_same_origin(bench: Bench, server: Loopback) -> None:
    redirecting(server, "/next")
    values = {"httpBearerAuth": {"token": SECRET}}
    await sent(bench, {"url": server.url(), **GENERIC, "genericAuthType": "httpBearerAuth"}, credentials=values)
    assert server.seen[1].headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("row", CREDENTIALS)
async def test_an_echoed_secret_is_not_shown(bench: Bench, server: Loopback, row: Any) -> None:
    kind, values, name, _ = row
    server.answer = lambda seen: reply(f"you sent {seen.headers[name]}", "403 No")
    with pytest.raises(NodeError, match=r"\*\*\*") as caught:
        await sent(bench, {"url": server.url(), **GENERIC, "genericAuthType": kind}, credentials={kind: values})
    encoded = base64.b64encode(f"ü:{SECRET}".encode()).decode()
    assert SECRET not in caught.value.message
    assert encoded not in caught.value.message


async def test_a_form_is_parsed_back(bench: Bench, server: Loopback) -> None:
    rows = [{"name": "a", "value": [1, 2]}, {"name": "b", "value": None}]
    parameters = {"method": "POST", "url": server.url(), "sendBody": True, "contentType": "form-urlencoded"}
    await sent(bench, {**parameters, "bodyParameters": {"parameters": rows}})
    assert parse_qsl(server.seen[0].body.decode(), keep_blank_values=True) == [("a", "1"), ("a", "2"), ("b", "")]


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
    from jackfield_nodes.http_pools import tls_context

    monkeypatch.setattr("certifi.where", lambda: str(tmp_path / "localhost.pem"))
    request.addfinalizer(tls_context.cache_clear)
    tls_context.cache_clear()
    assert await sent(bench, {"url": f"https://localhost:{server.port}/"}) == [{"ok": True}]
    with pytest.raises(NodeError, match="No connection to 127"):
        await sent(bench, {"url": f"https://127.0.0.1:{server.port}/"})


@pytest.mark.parametrize("size", range(CHUNK - 2, CHUNK + 300, 7))
def test_a_deflated_body_without_envelope_has_its_end(size: int) -> None:
    """Its last byte may stand for more than one piece takes, and no checksum follows."""
    inflater = Inflater()
    pieces = list(inflater.feed(zlib.compress(b"0" * size, wbits=-15)))
    inflater.finish()
    assert sum(map(len, pieces)) == size
    assert max(map(len, pieces)) <= CHUNK
