"""The generic kinds on real requests, their checks, and what the API shows of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from credential_lab import Lab
from loopback import Loopback, Seen, reply

from jackfield.api.credentials import CredentialField, CredentialKind, Placement, Probe
from jackfield.api.http_client import HttpBody, HttpCall, HttpClient
from jackfield.api.nodes import NodeError
from jackfield_credentials.kinds import KINDS

SECRET = "s3cr3t-value"
CUSTOM = json.dumps({"headers": {"X-Key": SECRET}, "qs": {"key": "q1"}, "body": {"token": SECRET}})


async def sent(lab: Lab, kind: str, values: dict[str, str], call: HttpCall) -> Any:
    ident = await lab.made(kind, values)
    return await lab.context.port(HttpClient).send(call, await lab.service.authorization(ident, kind))


@pytest.mark.parametrize(
    ("kind", "values", "header"),
    [
        ("httpHeaderAuth", {"value": SECRET}, ("authorization", SECRET)),
        ("httpHeaderAuth", {"name": "X-Key", "value": SECRET}, ("x-key", SECRET)),
        ("httpBearerAuth", {"token": SECRET}, ("authorization", f"Bearer {SECRET}")),
        (
            "httpBasicAuth",
            {"user": "ada", "password": SECRET},
            ("authorization", "Basic " + base64.b64encode(f"ada:{SECRET}".encode()).decode()),
        ),
    ],
)
async def test_headers(lab: Lab, server: Loopback, kind: str, values: dict[str, str], header: Any) -> None:
    reply = await sent(lab, kind, values, HttpCall("GET", server.url()))
    assert server.seen[0].headers[header[0]] == header[1]
    assert SECRET in reply.secrets


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("httpMultipleHeadersAuth", {"headers": json.dumps({"values": [{"name": "X-Key", "value": SECRET}]})}),
        ("httpCustomAuth", {"json": CUSTOM}),
    ],
)
async def test_secrets_inside_of_a_document_stay_out_of_the_log(lab: Lab, kind: str, values: dict[str, str]) -> None:
    """Each is sent by itself, so that a server or a script may say it again."""
    await lab.service.authorization(await lab.made(kind, values), kind)
    assert SECRET in lab.context.secrets.redacted
    assert "X-Key" not in lab.context.secrets.redacted


async def test_a_query(lab: Lab, server: Loopback) -> None:
    await sent(lab, "httpQueryAuth", {"name": "k", "value": SECRET}, HttpCall("GET", server.url("/?a=1")))
    assert server.seen[0].target == f"/?a=1&k={SECRET}"


async def test_a_query_is_a_secret_as_it_is_sent_too(lab: Lab, server: Loopback) -> None:
    reply = await sent(lab, "httpQueryAuth", {"name": "k", "value": "a/b c"}, HttpCall("GET", server.url()))
    assert server.seen[0].target == "/?k=a%2Fb+c"
    assert {"a/b c", "a%2Fb+c"} <= set(reply.secrets)


@pytest.mark.parametrize(
    ("body", "kind", "found"),
    [
        (HttpBody(b'{"a":1}', "application/json"), "application/json", b'{"a":1,"token":"s3cr3t-value"}'),
        (
            HttpBody(b"a=1", "application/x-www-form-urlencoded"),
            "application/x-www-form-urlencoded",
            b"a=1&token=s3cr3t-value",
        ),
        (None, "application/json", b'{"token":"s3cr3t-value"}'),
    ],
)
async def test_custom(lab: Lab, server: Loopback, body: HttpBody | None, kind: str, found: bytes) -> None:
    await sent(lab, "httpCustomAuth", {"json": CUSTOM}, HttpCall("POST", server.url(), body=body))
    (seen,) = server.seen
    assert (seen.headers["x-key"], seen.target, seen.headers["content-type"], seen.body) == (
        SECRET,
        "/?key=q1",
        kind,
        found,
    )


async def test_a_body_with_a_secret_does_not_follow_to_another_origin(lab: Lab, server: Loopback) -> None:
    server.answer = lambda _: reply("", "307 Temporary", location="http://localhost:1/")
    with pytest.raises(NodeError, match="does not belong"):
        await sent(lab, "httpCustomAuth", {"json": CUSTOM}, HttpCall("POST", server.url()))


async def test_digest(lab: Lab, server: Loopback) -> None:
    challenge = 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256'
    server.answer = lambda seen: (
        reply({"in": True})
        if seen.headers.get("authorization", "").startswith('Digest username="ada"')
        else reply("", "401 No", www_authenticate=challenge)
    )
    found = await sent(
        lab, "httpDigestAuth", {"user": "ada", "password": SECRET}, HttpCall("GET", server.url("/a?b=1"))
    )
    assert json.loads(found.body) == {"in": True}
    assert [seen.target for seen in server.seen] == ["/a?b=1", "/a?b=1"]
    assert SECRET not in json.dumps([seen.headers for seen in server.seen])


@pytest.mark.parametrize(("allowed", "answers"), [("", 0), ("127.0.0.1", 0), ("127.0.0.1, localhost", 1)])
async def test_a_redirect_elsewhere_gets_no_digest(lab: Lab, server: Loopback, allowed: str, answers: int) -> None:
    def answer(seen: Seen) -> bytes:
        if seen.target == "/":
            return reply("", "302 Found", location=server.url("/there", host="localhost"))
        return reply("", "401 No", www_authenticate='Digest realm="r", nonce="n", qop="auth"')

    server.answer = answer
    values = {"user": "ada", "password": SECRET, "allowedHosts": allowed}
    assert (await sent(lab, "httpDigestAuth", values, HttpCall("GET", server.url()))).status == 401
    assert len([seen for seen in server.seen if "authorization" in seen.headers]) == answers


async def test_a_credential_stays_with_its_hosts(lab: Lab, server: Loopback) -> None:
    values = {"token": SECRET, "allowedHosts": "api.example.com"}
    with pytest.raises(NodeError, match=r"may not be sent to 127\.0\.0\.1"):
        await sent(lab, "httpBearerAuth", values, HttpCall("GET", server.url()))
    assert server.seen == []


@pytest.mark.parametrize(("kind", "told"), [("jwtAuth", "not for requests"), ("someOtherApi", "not available")])
async def test_kinds_that_are_not_for_requests(lab: Lab, kind: str, told: str) -> None:
    ident = await lab.made(kind, {"secret": SECRET})
    with pytest.raises(NodeError, match=told):
        await lab.service.authorization(ident, kind)


# ------------------------------------------------------------------------------------------------------------------ api


@pytest.mark.parametrize(
    ("kind", "values", "path"),
    [
        ("httpBearerAuth", {"allowedHosts": "a"}, "values.token"),
        ("httpBearerAuth", {"token": SECRET, "tokn": "x"}, "values.tokn"),
        ("httpCustomAuth", {"json": "[1]"}, "values.json"),
        ("oAuth2Api", {"accessTokenUrl": "ftp://a/", "clientId": "c"}, "values.accessTokenUrl"),
        ("oAuth2Api", {"accessTokenUrl": "https://a/", "clientId": "c", "grantType": "password"}, "values.grantType"),
        (
            "oAuth2Api",
            {"accessTokenUrl": "https://a/", "clientId": "c", "ignoreSSLIssues": "yes"},
            "values.ignoreSSLIssues",
        ),
        ("someOtherApi", {"oauthTokenData": "{}"}, "values.oauthTokenData"),
    ],
)
async def test_values_that_do_not_fit_are_named(lab: Lab, kind: str, values: dict[str, str], path: str) -> None:
    body = {"name": "n", "kind": kind, "values": values}
    found = await lab.call("POST", "/credentials", body, 400)
    assert list(found["details"]) == [path]
    assert SECRET not in str(found)


async def test_what_is_no_secret_is_shown(lab: Lab) -> None:
    ident = await lab.made("httpBasicAuth", {"user": "ada", "password": SECRET, "allowedHosts": "a.example"})
    assert (await lab.call("GET", f"/credentials/{ident}"))["values"] == {"user": "ada", "allowedHosts": "a.example"}
    other = await lab.made("someOtherApi", {"user": "ada", "allowedHosts": "a.example"})
    assert (await lab.call("GET", f"/credentials/{other}"))["values"] == {"allowedHosts": "a.example"}


async def test_put_replaces_and_keeps_the_kind(lab: Lab) -> None:
    ident = await lab.made("httpBearerAuth", {"token": SECRET, "allowedHosts": "a"})
    body = {"name": "new", "kind": "httpBearerAuth", "values": {"token": "other-token"}}
    assert (await lab.call("PUT", f"/credentials/{ident}", body))["name"] == "new"
    assert (await lab.call("GET", f"/credentials/{ident}"))["values"] == {}
    await lab.call("PUT", f"/credentials/{ident}", {**body, "kind": "httpBasicAuth"}, 400)


async def test_kinds_are_listed(lab: Lab) -> None:
    found = await lab.call("GET", "/credential-kinds")
    assert {row["kind"] for row in found["data"]} == {kind.name for kind in KINDS}
    one = await lab.call("GET", "/credential-kinds/httpBearerAuth")
    assert [(field["name"], field["secret"], field["required"]) for field in one["fields"]] == [("token", True, True)]
    await lab.call("GET", "/credential-kinds/none", status=404)


# ---------------------------------------------------------------------------------------------------------------- tests


@pytest.mark.parametrize(
    ("status", "valid"), [("200 OK", True), ("401 No", False), ("403 No", False), ("500 Oh", False), ("302 Go", True)]
)
async def test_a_test_asks_the_server(lab: Lab, server: Loopback, status: str, valid: bool) -> None:
    server.answer = lambda _: reply({}, status, location="/elsewhere")
    ident = await lab.made("httpBearerAuth", {"token": SECRET})
    found = await lab.call("POST", f"/credentials/{ident}/test", {"url": server.url("/me{x}")})
    assert (found["valid"], found["tested"]) == (valid, True)
    assert server.seen[0].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in str(found)


async def test_a_key_that_only_writes_credentials_sends_them_nowhere(lab: Lab, server: Loopback) -> None:
    ident = await lab.made("httpBearerAuth", {"token": SECRET})
    scopes = {"x-scopes": "credentials:write"}
    asked = partial(lab.app.test_client().post, f"/api/v1/credentials/{ident}/test", headers=scopes)
    answer = await asked(json={"url": server.url()})
    assert answer.status_code == 403
    assert "workflows:execute" in await answer.get_data(as_text=True)
    assert server.seen == []
    assert (await asked()).status_code == 200


async def test_the_words_of_a_server_are_shown_without_the_secret(lab: Lab, server: Loopback) -> None:
    fields = (CredentialField("token", "Token", secret=True),)
    probe = Probe(server.url(), ok="ok", error="error")
    kind = CredentialKind("echoApi", "Echo", fields, Placement(headers={"X-Key": "{token}"}), probe)
    lab.context.ports["jackfield_credential_kinds"][kind.name] = kind
    server.answer = lambda seen: reply({"ok": False, "error": f"no {seen.headers['x-key']}"})
    found = await lab.call("POST", f"/credentials/{await lab.made('echoApi', {'token': SECRET})}/test")
    assert found["message"] == "127.0.0.1 refused the credential: no ***."


async def test_a_test_below_an_address_that_has_a_query(lab: Lab, server: Loopback) -> None:
    fields = (CredentialField("url", "Base URL"), CredentialField("token", "Token", secret=True))
    scheme = Placement(headers={"X-Key": "{token}"})
    lab.context.ports["jackfield_credential_kinds"]["baseApi"] = CredentialKind(
        "baseApi", "Base", fields, scheme, Probe("{url}", path="/models")
    )
    server.answer = lambda _: reply({})
    values = {"url": server.url("/openai/?api-version=2024-10-21"), "token": SECRET}
    assert (await lab.call("POST", f"/credentials/{await lab.made('baseApi', values)}/test"))["valid"]
    assert server.seen[0].target == "/openai/models?api-version=2024-10-21"


async def test_a_test_without_an_address_says_so(lab: Lab) -> None:
    ident = await lab.made("httpBearerAuth", {"token": SECRET})
    found = await lab.call("POST", f"/credentials/{ident}/test")
    assert (found["valid"], found["tested"]) == (True, False)
    other = await lab.made("someOtherApi", {"token": SECRET})
    assert not (await lab.call("POST", f"/credentials/{other}/test"))["valid"]


async def test_a_kind_may_try_its_values_itself(lab: Lab) -> None:
    async def connection_test(values: Mapping[str, str]) -> str:
        if values["word"] != "good":
            raise NodeError("The server refused the word.")
        return "The server took the word."

    field = CredentialField("word", "Word", secret=True)
    lab.context.ports["jackfield_credential_kinds"] |= {
        "own": CredentialKind("own", "Own", (field,), connection_test=connection_test)
    }
    for word, verdict in (
        ("good", {"valid": True, "message": "The server took the word.", "tested": True}),
        ("bad", {"valid": False, "message": "The server refused the word.", "tested": True}),
    ):
        ident = await lab.made("own", {"word": word})
        assert await lab.call("POST", f"/credentials/{ident}/test", {}) == verdict


async def test_a_test_does_not_reach_inner_addresses(lab: Lab) -> None:
    ident = await lab.made("httpBearerAuth", {"token": SECRET})
    found = await lab.call("POST", f"/credentials/{ident}/test", {"url": "http://169.254.169.254/"})
    assert not found["valid"]
    assert "public internet" in found["message"]


@pytest.mark.parametrize("pasted", [f" {SECRET}", f"{SECRET} ", f"\t{SECRET}"])
async def test_a_value_with_blanks_around_it_is_sent_without_them(lab: Lab, server: Loopback, pasted: str) -> None:
    """The client's library would refuse it, and quote it in its error."""
    ident = await lab.made("httpHeaderAuth", {"name": "X-Key", "value": pasted})
    server.answer = lambda _: reply({}, "401 No")
    authorization = await lab.service.authorization(ident, "httpHeaderAuth")
    answer = await lab.context.port(HttpClient).send(HttpCall("GET", server.url()), authorization)
    assert server.seen[0].headers["x-key"] == SECRET
    assert SECRET in answer.secrets
