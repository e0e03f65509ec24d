"""OAuth 1.0a."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import re
from urllib.parse import unquote

import pytest
from credential_lab import Lab
from hypothesis import given
from hypothesis import strategies as st
from loopback import Loopback, reply

from jackfield.api.http_client import HttpBody, HttpCall, HttpClient
from jackfield.api.nodes import NodeError
from jackfield_credentials.oauth1 import base_string, signed

FORM = "application/x-www-form-urlencoded"
VALUES = {
    "consumerKey": "xvz1evFS4wEEPTGEFPHBog",
    "consumerSecret": "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
    "accessToken": "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
    "accessTokenSecret": "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE",
}


def fields(header: str) -> dict[str, str]:
    assert header.startswith("OAuth ")
    return {name: unquote(text) for name, text in re.findall(r'(oauth_\w+)="([^"]*)"', header)}


def header_of(call: HttpCall) -> str:
    return next(value for name, value in call.headers if name == "authorization")


def test_the_base_string_of_rfc_5849_section_3_4_1() -> None:
    own = [
        ("oauth_consumer_key", "9djdj82h48djs9d2"),
        ("oauth_token", "kkk9d7dh3k39sjv7"),
        ("oauth_signature_method", "HMAC-SHA1"),
        ("oauth_timestamp", "137131201"),
        ("oauth_nonce", "7d8f3e4a"),
    ]
    call = HttpCall(
        "post",
        "http://EXAMPLE.com:80/request?b5=%3D%253D&a3=a",
        query=[("c@", ""), ("a2", "r b")],
        body=HttpBody(b"c2&a3=2+q", f"{FORM}; charset=utf-8"),
    )
    assert base_string(call, own) == (
        "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D"
        "%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1"
        "%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7"
    )


def test_bytes_that_are_no_utf_8_are_signed_as_they_are_sent() -> None:
    form = HttpBody(b"y=%FE\xfd", FORM)
    call = HttpCall("POST", "http://h/?x=%FF", query=[("z", "a\ud800")], body=form)
    assert base_string(call, []) == "POST&http%3A%2F%2Fh%2F&x%3D%25FF%26y%3D%25FE%25FD%26z%3Da%253F"


def test_a_published_signature() -> None:
    """Twitter's documentation, Creating a signature."""
    call = HttpCall(
        "POST",
        "https://api.twitter.com/1.1/statuses/update.json?include_entities=true",
        headers=[("Content-Type", FORM)],
        body=HttpBody(b"status=Hello%20Ladies%20%2b%20Gentlemen%2c%20a%20signed%20OAuth%20request%21"),
    )
    made = signed(call, VALUES, "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", 1318622958)
    assert fields(header_of(made))["oauth_signature"] == "hCtSmYh+iHYCEqBWrE7C7hYmtUk="
    assert "authorization" in made.secret_headers


@pytest.mark.parametrize(
    ("method", "name"), [("HMAC-SHA1", "sha1"), ("HMAC-SHA256", "sha256"), ("HMAC-SHA512", "sha512")]
)
def test_each_method_signs_the_base_string(method: str, name: str) -> None:
    values = {"consumerKey": "k", "consumerSecret": "a&b", "signatureMethod": method}
    call = HttpCall(
        "GET", "https://x.example:8443/a b/%7Ec?d=%20", body=HttpBody(b'{"not": "a form"}', "application/json")
    )
    found = fields(header_of(signed(call, values, "n", 1)))
    assert "oauth_token" not in found
    base = base_string(call, [(key, text) for key, text in found.items() if key != "oauth_signature"])
    assert base.startswith("GET&https%3A%2F%2Fx.example%3A8443%2Fa%2520b%2F")
    expected = hmac.digest(b"a%26b&", base.encode(), getattr(hashlib, name))
    assert base64.b64decode(found["oauth_signature"]) == expected


@pytest.mark.parametrize("missing", ["consumerKey", "consumerSecret"])
def test_a_missing_field_is_named(missing: str) -> None:
    with pytest.raises(NodeError, match=f"has no {missing}; fill it in"):
        signed(HttpCall("GET", "https://x.example"), {**VALUES, missing: ""}, "n", 1)


def test_other_mistakes_are_told() -> None:
    with pytest.raises(NodeError, match="use HMAC-SHA1, HMAC-SHA256, HMAC-SHA512"):
        signed(HttpCall("GET", "https://x.example"), {**VALUES, "signatureMethod": "PLAINTEXT"}, "n", 1)
    with pytest.raises(NodeError, match="URL is not valid"):
        signed(HttpCall("GET", "https://x.example:port/"), VALUES, "n", 1)


@given(st.text(max_size=30), st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.binary(max_size=30))
def test_any_request_is_signed_or_refused(address: str, text: str, body: bytes) -> None:
    call = HttpCall("GET", f"https://x.example/{address}", query=[(text, text)], body=HttpBody(body, FORM))
    signature = ""
    with contextlib.suppress(NodeError):
        signature = fields(header_of(signed(call, {**VALUES, "accessToken": text}, "n", 1)))["oauth_signature"]
    assert len(base64.b64decode(signature)) in (0, 20)


async def test_a_request_is_signed_as_it_is_sent(lab: Lab, server: Loopback) -> None:
    ident = await lab.made("oAuth1Api", {**VALUES, "signatureMethod": "HMAC-SHA256"})
    server.answer = lambda _: reply({})
    call = HttpCall("GET", server.url("/a?b=c d"), query=[("e", "f+ä")])
    for _ in range(2):
        await lab.context.port(HttpClient).send(call, await lab.service.authorization(ident, "oAuth1Api"))
    found = [fields(seen.headers["authorization"]) for seen in server.seen]
    assert found[0]["oauth_nonce"] != found[1]["oauth_nonce"]
    sent = HttpCall("GET", server.url(server.seen[0].target))
    own = [(name, text) for name, text in found[0].items() if name != "oauth_signature"]
    key = f"{VALUES['consumerSecret']}&{VALUES['accessTokenSecret']}".encode()
    assert base64.b64decode(found[0]["oauth_signature"]) == hmac.digest(key, base_string(sent, own).encode(), "sha256")


async def test_a_test_asks_the_callers_server(lab: Lab, server: Loopback) -> None:
    ident = await lab.made("oAuth1Api", VALUES)
    assert (await lab.call("POST", f"/credentials/{ident}/test", {}))["tested"] is False
    server.answer = lambda _: reply({}, "401 No")
    found = await lab.call("POST", f"/credentials/{ident}/test", {"url": server.url("/me")})
    assert (found["valid"], found["tested"]) == (False, True)
    shown = await lab.call("GET", f"/credentials/{ident}")
    assert shown["values"] == {"consumerKey": VALUES["consumerKey"]}
