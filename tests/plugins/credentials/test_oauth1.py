"""OAuth 1.0a."""

from __future__ import annotations

import base64
import contextlib
import hmac
import re
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import pytest
from credential_lab import Lab
from hypothesis import given
from hypothesis import strategies as st
from loopback import Loopback, reply

from jackfield.api.http_client import HttpBody, HttpCall, HttpClient
from jackfield.api.nodes import NodeError
from jackfield_credentials.oauth1 import signed

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


def escaped(text: str) -> str:
    return quote(text, safe="-._~")


def expected(method: str, address: str, *, form: str, header: str, key: str) -> str:
    """The signature after RFC 5849, section 3.4, by another hand. address: as a server sees it."""
    url = urlsplit(address)
    own = {name: text for name, text in fields(header).items() if name != "oauth_signature"}
    given = [*parse_qsl(url.query, keep_blank_values=True), *parse_qsl(form, keep_blank_values=True), *own.items()]
    joined = "&".join(f"{name}={text}" for name, text in sorted((escaped(name), escaped(text)) for name, text in given))
    base = "&".join(escaped(part) for part in (method, f"{url.scheme}://{url.netloc}{url.path}", joined))
    kind = own["oauth_signature_method"].removeprefix("HMAC-")
    return base64.b64encode(hmac.digest(key.encode(), base.encode(), kind)).decode()


def test_the_example_of_rfc_5849_section_3_4_1() -> None:
    """The base string is the RFC's, to which `oauth_version` adds itself."""
    call = HttpCall(
        "post",
        "http://EXAMPLE.com:80/request?b5=%3D%253D&a3=a",
        query=[("c@", ""), ("a2", "r b")],
        body=HttpBody(b"c2&a3=2+q", f"{FORM}; charset=utf-8"),
    )
    values = {"consumerKey": "9djdj82h48djs9d2", "consumerSecret": "j49sk3j29djd", "accessToken": "kkk9d7dh3k39sjv7"}
    made = signed(call, {**values, "accessTokenSecret": "dh893hdasih9"}, "7d8f3e4a", 137131201)
    base = (
        "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D"
        "%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1"
        "%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7" + "%26oauth_version%3D1.0"
    )
    found = hmac.digest(b"j49sk3j29djd&dh893hdasih9", base.encode(), "sha1")
    assert fields(header_of(made))["oauth_signature"] == base64.b64encode(found).decode()


def test_the_example_of_oauth_core_1_0() -> None:
    """Appendix A.5, which has `oauth_version`."""
    values = {
        "consumerKey": "dpf43f3p2l4k3l03",
        "consumerSecret": "kd94hf93k423kf44",
        "accessToken": "nnch734d00sl2jdk",
        "accessTokenSecret": "pfkkdhi9sl3r4s00",
    }
    call = HttpCall("GET", "http://photos.example.net/photos", query=[("file", "vacation.jpg"), ("size", "original")])
    made = signed(call, values, "kllo9940pd9333jh", 1191242096)
    assert fields(header_of(made))["oauth_signature"] == "tR3+Ty81lMeYAr/Fid0kMTYa/WM="


@pytest.mark.parametrize(("url", "body"), [("http://h/?x=%FF", b""), ("http://h/", b"y=%FE"), ("http://h/", b"y=\xfd")])
def test_bytes_that_are_no_utf_8_are_refused(url: str, body: bytes) -> None:
    with pytest.raises(NodeError, match="bytes that are no UTF-8"):
        signed(HttpCall("POST", url, body=HttpBody(body, FORM)), VALUES, "n", 1)


def test_halves_of_characters_are_signed_as_the_client_writes_them() -> None:
    made = header_of(signed(HttpCall("GET", "http://h/", query=[("z", "a\ud800")]), VALUES, "n", 1))
    key = f"{VALUES['consumerSecret']}&{VALUES['accessTokenSecret']}"
    assert fields(made)["oauth_signature"] == expected("GET", "http://h/?z=a%3F", form="", header=made, key=key)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_fields_of_a_form_are_signed_with_the_query(method: str) -> None:
    call = HttpCall(
        method, "http://h/a;b/?oauth_callback=http%3A%2F%2Fx%2F%3Fa%3D%2520b&x", body=HttpBody(b"c=%25+2&x", FORM)
    )
    made = header_of(signed(call, {"consumerKey": "k", "consumerSecret": "s"}, "n", 1))
    assert fields(made)["oauth_signature"] == expected(method, call.url, form="c=%25+2&x", header=made, key="s&")


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


@pytest.mark.parametrize("method", ["HMAC-SHA1", "HMAC-SHA256", "HMAC-SHA512"])
def test_each_method_signs_the_base_string(method: str) -> None:
    values = {"consumerKey": "k", "consumerSecret": "a&b", "signatureMethod": method}
    call = HttpCall(
        "GET", "https://x.example:8443/a b/%7Ec?d=%20", body=HttpBody(b'{"not": "a form"}', "application/json")
    )
    made = header_of(signed(call, values, "n", 1))
    assert "oauth_token" not in fields(made)
    seen = "https://x.example:8443/a%20b/%7Ec?d=%20"
    assert fields(made)["oauth_signature"] == expected("GET", seen, form="", header=made, key="a%26b&")


@pytest.mark.parametrize("missing", ["consumerKey", "consumerSecret"])
def test_a_missing_field_is_named(missing: str) -> None:
    with pytest.raises(NodeError, match=f"has no {missing}; fill it in"):
        signed(HttpCall("GET", "https://x.example"), {**VALUES, missing: ""}, "n", 1)


def test_other_mistakes_are_told() -> None:
    with pytest.raises(NodeError, match="use HMAC-SHA1, HMAC-SHA256, HMAC-SHA512"):
        signed(HttpCall("GET", "https://x.example"), {**VALUES, "signatureMethod": "PLAINTEXT"}, "n", 1)
    for address in ("https://x.example:port/", "nonsense", "https://x.example:0/"):
        with pytest.raises(NodeError, match="not valid"):
            signed(HttpCall("GET", address), VALUES, "n", 1)
    with pytest.raises(NodeError, match="semicolon"):
        signed(HttpCall("GET", "https://x.example/a;"), VALUES, "n", 1)
    with pytest.raises(NodeError, match="credential is not valid"):
        signed(HttpCall("GET", "https://x.example"), {**VALUES, "accessToken": "\ud800"}, "n", 1)


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
    key = f"{VALUES['consumerSecret']}&{VALUES['accessTokenSecret']}"
    made = server.seen[0].headers["authorization"]
    address = server.url(server.seen[0].target)
    assert found[0]["oauth_signature"] == expected("GET", address, form="", header=made, key=key)


async def test_a_test_asks_the_callers_server(lab: Lab, server: Loopback) -> None:
    ident = await lab.made("oAuth1Api", VALUES)
    assert (await lab.call("POST", f"/credentials/{ident}/test", {}))["tested"] is False
    server.answer = lambda _: reply({}, "401 No")
    found = await lab.call("POST", f"/credentials/{ident}/test", {"url": server.url("/me")})
    assert (found["valid"], found["tested"]) == (False, True)
    shown = await lab.call("GET", f"/credentials/{ident}")
    assert shown["values"] == {"consumerKey": VALUES["consumerKey"]}
