"""What HTTP Request sends."""

from __future__ import annotations

import base64
from email import message_from_bytes
from typing import Any

import pytest
from http_lab import sent
from loopback import Loopback
from node_fakes import Bench

from jackfield.api.nodes import NodeError

FILE = {"data": base64.b64encode(b"\x00\xffdata").decode(), "mimeType": "image/png", "fileName": "a.png"}


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
