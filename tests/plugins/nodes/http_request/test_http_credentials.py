"""Credentials go where they belong, and are shown nowhere."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import parse_qsl

import pytest
from http_lab import redirecting, sent
from loopback import Loopback, loopback, reply
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError

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
