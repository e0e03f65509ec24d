"""Respond to Webhook."""

from __future__ import annotations

import json
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeAnswer, NodeError
from jackfield_nodes.flow.respond_to_webhook import AnswerHeaders

FILES: Any = [
    {
        "json": {},
        "binary": {"one": {"data": "aGk=", "mimeType": "text/plain"}, "two": {"data": "AP8=", "mimeType": "image/png"}},
    }
]


async def answered(bench: Bench, parameters: dict[str, Any], given: Any = None, **extra: Any) -> NodeAnswer:
    run = bench.run("respondToWebhook", 1.1, parameters, given, **extra)
    outputs = await bench.outputs(run)
    assert [[row["json"] for row in rows] for rows in outputs] == [[row["json"] for row in run.items]]
    (answer,) = run.answers
    return answer


def header(answer: NodeAnswer, name: str) -> str | None:
    return dict(answer.headers).get(name)


JSON: list[tuple[Any, Any]] = [
    ('{"fixed": [1, 2]}', {"fixed": [1, 2]}),
    ({"a": None}, {"a": None}),
    ("[1, 2]", [1, 2]),
    ([1], [1]),
    ('"text"', "text"),
    (5, 5),
    (None, None),
    ("", None),
]


@pytest.mark.parametrize(("body", "expected"), JSON)
async def test_json(bench: Bench, body: Any, expected: Any) -> None:
    answer = await answered(bench, {"respondWith": "json", "responseBody": body})
    assert (answer.status, json.loads(answer.body)) == (200, expected)
    assert header(answer, "content-type") == "application/json; charset=utf-8"


async def test_json_without_a_body_is_the_example(bench: Bench) -> None:
    assert json.loads((await answered(bench, {"respondWith": "json"})).body) == {"myField": "value"}


async def test_broken_json_fails_before_the_answer(bench: Bench) -> None:
    run = bench.run("respondToWebhook", 1, {"respondWith": "json", "responseBody": "{not json"})
    with pytest.raises(NodeError, match="responseBody is not valid JSON"):
        await bench.outputs(run)
    assert run.answers == []


async def test_text(bench: Bench) -> None:
    answer = await answered(bench, {"respondWith": "text", "responseBody": "Grüße ✓"})
    assert answer.body.decode() == "Grüße ✓"
    assert header(answer, "content-type") == "text/html; charset=utf-8"
    assert "sandbox" in str(header(answer, "content-security-policy"))
    assert (await answered(bench, {"respondWith": "text"})).body == b""
    assert (await answered(bench, {"respondWith": "text", "responseBody": {"a": 1}})).body == b'{"a":1}'


ITEMS: list[tuple[dict[str, Any], Any]] = [
    ({}, {"n": 1}),
    ({"respondWith": "firstIncomingItem"}, {"n": 1}),
    ({"respondWith": "allIncomingItems"}, [{"n": 1}, {"n": 2}]),
    (
        {"respondWith": "allIncomingItems", "options": {"responseKey": "data.rows"}},
        {"data": {"rows": [{"n": 1}, {"n": 2}]}},
    ),
    ({"options": {"responseKey": "item"}}, {"item": {"n": 1}}),
]


@pytest.mark.parametrize(("parameters", "expected"), ITEMS)
async def test_items(bench: Bench, parameters: dict[str, Any], expected: Any) -> None:
    answer = await answered(bench, parameters, items({"n": 1}, {"n": 2}))
    assert json.loads(answer.body) == expected


async def test_no_data(bench: Bench) -> None:
    answer = await answered(bench, {"respondWith": "noData"})
    assert (answer.status, answer.body, list(answer.headers)) == (200, b"", [])


BINARY: list[tuple[dict[str, Any], bytes, str]] = [
    ({}, b"hi", "text/plain"),
    ({"responseDataSource": "set", "inputFieldName": "two"}, b"\x00\xff", "image/png"),
]


@pytest.mark.parametrize(("extra", "body", "kind"), BINARY)
async def test_binary(bench: Bench, extra: dict[str, Any], body: bytes, kind: str) -> None:
    answer = await answered(bench, {"respondWith": "binary", **extra}, FILES)
    assert (answer.body, header(answer, "content-type")) == (body, kind)


@pytest.mark.parametrize("given", [None, FILES])
async def test_a_missing_file_is_named(bench: Bench, given: Any) -> None:
    parameters = {"respondWith": "binary", "responseDataSource": "set", "inputFieldName": "none"}
    with pytest.raises(NodeError, match="no binary field 'none'"):
        await bench.outputs(bench.run("respondToWebhook", 1, parameters, given))


async def test_redirect(bench: Bench) -> None:
    target = "https://example.com/next?a=1"
    answer = await answered(bench, {"respondWith": "redirect", "redirectURL": target})
    assert (answer.status, header(answer, "location")) == (307, target)
    parameters = {"respondWith": "redirect", "redirectURL": target, "options": {"responseCode": 302}}
    assert (await answered(bench, parameters)).status == 302
    with pytest.raises(NodeError, match="redirectURL is empty"):
        await answered(bench, {"respondWith": "redirect"})


async def test_jwt(bench: Bench) -> None:
    secret = "s" * 32
    parameters = {"respondWith": "jwt", "payload": '{"sub": "a"}'}
    answer = await answered(bench, parameters, credentials={"jwtAuth": {"secret": secret}})
    assert jwt.decode(json.loads(answer.body)["token"], secret, algorithms=["HS256"]) == {"sub": "a"}


@pytest.mark.parametrize(
    "credential",
    [{"secret": ""}, {"secret": "s" * 32, "algorithm": "none"}, {"secret": "topsecret", "algorithm": "RS256"}],
)
async def test_jwt_that_cannot_be_signed(bench: Bench, credential: dict[str, str]) -> None:
    with pytest.raises(NodeError) as caught:
        await answered(bench, {"respondWith": "jwt", "payload": {}}, credentials={"jwtAuth": credential})
    assert "topsecret" not in caught.value.message


def entries(*pairs: tuple[str, Any]) -> dict[str, Any]:
    rows = [{"name": name, "value": value} for name, value in pairs]
    return {"respondWith": "text", "responseBody": "x", "options": {"responseHeaders": {"entries": rows}}}


async def test_headers(bench: Bench) -> None:
    given = entries(("X-One", 5), ("Content-Type", "text/csv"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))
    answer = await answered(bench, given)
    assert list(answer.headers) == [
        ("x-one", "5"),
        ("content-type", "text/csv"),
        ("set-cookie", "a=1"),
        ("set-cookie", "b=2"),
    ]


async def test_headers_of_the_connection_are_left_out(bench: Bench) -> None:
    given = entries(("Content-Length", "5"), ("Transfer-Encoding", "chunked"), ("X-Fine", "y"), ("Content-Type", "a/b"))
    assert [name for name, _ in (await answered(bench, given)).headers] == ["x-fine", "content-type"]


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a\r\nb", "ü"])
async def test_a_header_name_must_be_one(bench: Bench, name: str) -> None:
    with pytest.raises(NodeError, match="header has a name"):
        await answered(bench, entries((name, "x")))


async def test_a_value_cannot_add_a_header(bench: Bench) -> None:
    answer = await answered(bench, entries(("X-Echo", "a\r\nX-Injected: yes\r\n\r\nbody")))
    assert header(answer, "x-echo") == "a X-Injected: yes body"


@given(st.text())
def test_any_value_is_one_line_of_latin_1(value: str) -> None:
    headers = AnswerHeaders()
    headers.add("X-Any", value)
    ((_, safe),) = headers.listed()
    raw = safe.encode("latin-1")
    assert not [byte for byte in raw if (byte < 32 and byte != 9) or byte == 127]


@pytest.mark.parametrize("status", [100, 199, 600, 0])
async def test_a_status_out_of_range_is_told(bench: Bench, status: int) -> None:
    with pytest.raises(NodeError, match=r"responseCode|cannot be answered"):
        await answered(bench, {"options": {"responseCode": status}})


OUTPUTS: list[tuple[float | None, dict[str, Any], int]] = [
    (1, {}, 1),
    (1.1, {}, 1),
    (1.3, {}, 2),
    (1.4, {}, 1),
    (1.5, {"enableResponseOutput": True}, 2),
    (None, {}, 1),
]


@pytest.mark.parametrize(("version", "extra", "count"), OUTPUTS)
async def test_the_response_output(bench: Bench, version: float | None, extra: dict[str, Any], count: int) -> None:
    run = bench.run("respondToWebhook", version, {"respondWith": "json", "responseBody": [1], **extra})
    outputs = await bench.outputs(run)
    assert len(outputs) == run.type.outputs(run.node) == count
    if count == 2:
        assert outputs[1][0]["json"]["body"] == [1]
        assert outputs[1][0]["json"]["statusCode"] == 200
