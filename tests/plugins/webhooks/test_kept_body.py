"""A body that is JSON stands once in what is stored: in the items, where the call's history finds it."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

from jackfield.api.caller_secrets import hide
from jackfield_webhooks.calls import kept_body
from jackfield_webhooks.calls.body_masking import BodyMask
from jackfield_webhooks.calls.kept_body import written

Bench = Any
JSON = {"Content-Type": "application/json"}
PLANTED = "planted-secret-4711"


async def called(bench: Bench, body: bytes, **headers: str) -> tuple[Any, str]:
    """The request that the engine got, and the body that the history shows."""
    ident = await bench.hook("kept")
    assert (await bench.call("kept", body=body, headers={**JSON, **headers})).status == 200
    (entry,) = await bench.calls(ident)
    return bench.engine.requests[0], entry.body


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":[1,2.50,1e3,"\\u00fc"],"b":{"c":null}}',
        b' {\n  "a" : 1,\n  "b": "x y"\n}\r\n',
        '{"name":"ü","a":1,"a":2}'.encode(),
        b'{"password":"%s","n":1,"token":"%s"}' % (PLANTED.encode(), PLANTED.encode()),
        b'{"x":"\\"body\\":null,\\"webhookUrl\\":"}',
        b'"text"',
        b"[]",
        b'{"long":"%s"}' % (b"y" * 60_000),
    ],
)
async def test_json_stands_once(bench: Bench, body: bytes) -> None:
    request, shown = await called(bench, body)
    assert shown == BodyMask().masked(body)
    assert PLANTED not in shown
    assert (request.call.body, bool(request.call.places)) == ("", True)
    assert body in request.encoded
    assert orjson.loads(request.encoded) == request.items
    assert request.items[0]["json"]["body"] == json.loads(body)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"a=1&b=2", "application/x-www-form-urlencoded"),
        (b"<a>1</a>", "application/xml"),
        (b"", "application/json"),
        (b'{"long":"%s"}' % (b"y" * 70_000), "application/json"),
        (b'{"password":{"a":"%s"}}' % PLANTED.encode(), "application/json"),
    ],
)
async def test_others_have_a_text_of_their_own(bench: Bench, body: bytes, kind: str) -> None:
    request, shown = await called(bench, body, **{"Content-Type": kind})
    assert request.call.places == ()
    assert shown == BodyMask().masked(body[:65536], kind)


@pytest.mark.parametrize(
    ("body", "is_shared"),
    [
        (b'{"again":"a/secret-of-the-caller"}', True),
        (b'{"again":"a\\/secret-of-the-caller"}', False),
        (b'{"again": "a/secret-of-the-caller"}', False),
        (b'{"Authorization" : "a/secret-of-the-caller"}', False),
    ],
)
async def test_a_credential_is_hidden_however_the_body_spells_it(bench: Bench, body: bytes, is_shared: bool) -> None:
    request, _ = await called(bench, body, Authorization="Bearer a/secret-of-the-caller")
    assert bool(request.call.places) == is_shared
    kept = hide(request.encoded or orjson.dumps(request.items), request.hidden)
    assert "secret-of-the-caller" not in str(orjson.loads(kept)[0]["json"]["body"])


@pytest.mark.parametrize("token", ["", "Bearer a/secret-of-the-caller"])
async def test_a_large_body_is_not_compared_with_how_we_write_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    """That would hold the event loop."""
    monkeypatch.setattr(kept_body, "LARGE", 1000)
    request, _ = await called(bench, b'{"long":"%s"}' % (b"y" * 1000), **({"Authorization": token} if token else {}))
    assert (request.encoded is None) == bool(token)


def test_an_item_of_another_form_is_left_to_others() -> None:
    assert written({"json": {"body": 1, "other": 2}}, b"1") == (None, 0)
    assert written({"json": {"body": 1, "webhookUrl": "\ud800"}}, b"1") == (None, 0)
