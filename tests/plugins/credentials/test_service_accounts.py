"""Service accounts: signed assertions in exchange for access tokens."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

import jwt
import pytest
from credential_lab import Lab
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from loopback import Loopback, Seen, reply

from jackfield.api.http_client import HttpCall, HttpClient
from jackfield.api.nodes import NodeError
from jackfield_credentials.accounts import GRANT, Account, scope_for
from jackfield_credentials.google import GOOGLE
from jackfield_credentials.settings import CredentialSettings

EMAIL = "robot@project.iam.gserviceaccount.com"


def pem(key: Any, form: Any = serialization.PrivateFormat.PKCS8) -> str:
    return str(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode())


@cache
def key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, bits)


class Google:
    """A token server and an API, at one loopback server."""

    def __init__(self, lab: Lab, server: Loopback, **settings: Any) -> None:
        self.asserted: list[dict[str, Any]] = []
        self.used: list[str] = []
        self.rejected: set[str] = set()
        self.answer: Any = None
        self.url = server.url("/token")
        self.clock = lab.clock
        server.answer = self._answer
        lab.context.tables = [*lab.context.tables, CredentialSettings(service_account_token_url=self.url, **settings)]

    def _answer(self, seen: Seen) -> bytes:
        if seen.target == "/token":
            form = dict(parse_qsl(seen.body.decode()))
            assert form["grant_type"] == GRANT
            options: Any = {"verify_exp": False, "verify_iat": False}
            claims = jwt.decode(form["assertion"], key().public_key(), ["RS256"], options, audience=self.url)
            self.asserted.append(claims)
            return self.answer or reply({"access_token": f"access-{len(self.asserted)}", "expires_in": 3600})
        self.used.append(seen.headers["authorization"])
        return reply("", "401 No") if self.used[-1] in self.rejected else reply({})


@pytest.fixture
def google(lab: Lab, server: Loopback) -> Google:
    return Google(lab, server)


async def made(lab: Lab, **more: str) -> str:
    return await lab.made("googleApi", {"email": EMAIL, "privateKey": pem(key()), "scopes": "a b", **more})


async def asked(lab: Lab, server: Loopback, ident: str) -> Any:
    call = HttpCall("GET", server.url("/api"))
    return await lab.context.port(HttpClient).send(call, await lab.service.authorization(ident, "googleApi"))


async def test_an_assertion_gets_a_token_that_is_kept_until_the_margin(
    lab: Lab, server: Loopback, google: Google
) -> None:
    ident = await made(lab)
    now = lab.clock.now_ms() // 1000
    await asked(lab, server, ident)
    await lab.clock.advance(3539)
    await asked(lab, server, ident)
    (claims,) = google.asserted
    assert claims == {"iss": EMAIL, "scope": "a b", "aud": google.url, "iat": now, "exp": now + 3600}
    await lab.clock.advance(2)
    await asked(lab, server, ident)
    assert google.used == ["Bearer access-1", "Bearer access-1", "Bearer access-2"]
    assert {"access-1", "access-2"} <= set(lab.context.secrets.redacted)


async def test_many_at_once_ask_for_one_token(lab: Lab, server: Loopback, google: Google) -> None:
    ident = await made(lab)
    await asyncio.gather(*(asked(lab, server, ident) for _ in range(10)))
    assert (len(google.asserted), google.used) == (1, ["Bearer access-1"] * 10)


async def test_a_changed_credential_gets_another_token(lab: Lab, server: Loopback, google: Google) -> None:
    ident = await made(lab)
    await asked(lab, server, ident)
    values = {"email": EMAIL, "privateKey": pem(key()), "scopes": "c"}
    await lab.call("PATCH", f"/credentials/{ident}", {"values": values})
    await asked(lab, server, ident)
    assert [claims["scope"] for claims in google.asserted] == ["a b", "c"]


async def test_a_rejected_token_is_replaced_once_for_all(lab: Lab, server: Loopback, google: Google) -> None:
    ident = await made(lab)
    await asked(lab, server, ident)
    google.rejected = {"Bearer access-1"}
    found = await asyncio.gather(*(asked(lab, server, ident) for _ in range(5)))
    assert [one.status for one in found] == [200] * 5
    assert len(google.asserted) == 2
    google.rejected |= {"Bearer access-2", "Bearer access-3"}
    assert (await asked(lab, server, ident)).status == 401
    google.answer = reply({"error": "invalid_grant"}, "400 Bad")
    assert (await asked(lab, server, ident)).status == 401


async def test_it_acts_for_a_user_when_told(lab: Lab, server: Loopback, google: Google) -> None:
    await asked(lab, server, await made(lab, delegatedEmail="ada@x.example"))
    await asked(lab, server, await made(lab, delegatedEmail="ada@x.example", inpersonate="true"))
    assert [claims.get("sub") for claims in google.asserted] == [None, "ada@x.example"]
    with pytest.raises(NodeError, match="googleApi has no delegatedEmail; fill it in"):
        await asked(lab, server, await made(lab, inpersonate="true"))


async def test_a_key_out_of_json_is_read(lab: Lab, server: Loopback, google: Google) -> None:
    await asked(lab, server, await made(lab, privateKey=pem(key()).replace("\n", "\\n")))
    assert google.used == ["Bearer access-1"]


BAD_KEYS = {
    "text": ("nonsense", "is no private key in PKCS #8"),
    "PKCS 1": (lambda: pem(key(), serialization.PrivateFormat.TraditionalOpenSSL), "is no private key in PKCS #8"),
    "broken": ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "cannot be read"),
    "elliptic": (lambda: pem(ec.generate_private_key(ec.SECP256R1())), "must be an RSA key of 2048 bits"),
    "short": (lambda: pem(key(1024)), "must be an RSA key of 2048 bits"),
}


@pytest.mark.parametrize("case", BAD_KEYS)
async def test_a_key_that_is_none_is_told(lab: Lab, server: Loopback, google: Google, case: str) -> None:
    given, told = BAD_KEYS[case]
    secret = given() if callable(given) else given
    with pytest.raises(NodeError, match="The privateKey of the credential googleApi") as caught:
        await asked(lab, server, await made(lab, privateKey=secret))
    assert told in caught.value.message
    assert secret.splitlines()[-2:][0] not in caught.value.message
    assert google.asserted == []


async def test_a_refusal_is_told_without_the_assertion(lab: Lab, server: Loopback, google: Google) -> None:
    def echo(seen: Seen) -> bytes:
        assertion = dict(parse_qsl(seen.body.decode()))["assertion"]
        return reply({"error": "invalid_grant", "error_description": f"Bad {assertion}"}, "400 Bad")

    server.answer = echo
    with pytest.raises(NodeError, match=r"invalid_grant Bad \*\*\*"):
        await asked(lab, server, await made(lab))


async def test_no_more_tokens_are_kept_than_the_setting_says(lab: Lab, server: Loopback) -> None:
    google = Google(lab, server, service_account_tokens=1)
    one, two = await made(lab, scopes="1"), await made(lab, scopes="2")
    for ident in (one, one, two, one):
        await asked(lab, server, ident)
    assert [claims["scope"] for claims in google.asserted] == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("url", "scope"),
    [
        ("https://sheets.googleapis.com/v4/spreadsheets/x", "spreadsheets"),
        ("https://www.googleapis.com/drive/v3/files", "auth/drive"),
        ("https://www.googleapis.com/upload/drive/v3/files", "auth/drive"),
        ("https://gmail.googleapis.com/gmail/v1", "mail.google.com"),
        ("https://eu-aiplatform.googleapis.com/v1", "cloud-platform"),
    ],
)
def test_the_address_tells_the_scopes(url: str, scope: str) -> None:
    scheme: Any = GOOGLE.scheme
    account = Account("googleApi", EMAIL, "k")
    assert scope in scope_for(url, account, scheme)
    assert scope_for(url, Account("googleApi", EMAIL, "k", scope="mine"), scheme) == "mine"
    for other in ("https://googleapis.com.x.example/", "https://xgoogleapis.com", "http://[", ""):
        with pytest.raises(NodeError, match="fill in its scopes"):
            scope_for(other, account, scheme)


async def test_a_test_gets_a_token(lab: Lab, server: Loopback, google: Google) -> None:
    ident = await made(lab, scopes="", delegatedEmail="ada@x.example", inpersonate="true")
    found = await lab.call("POST", f"/credentials/{ident}/test", {})
    assert (found["valid"], found["tested"]) == (True, True)
    assert "act for the user shows when it is used" in found["message"]
    assert "sub" not in google.asserted[0]
    scoped = await made(lab, delegatedEmail="ada@x.example", inpersonate="true")
    assert (await lab.call("POST", f"/credentials/{scoped}/test", {}))["message"] == "The token server gave a token."
    assert google.asserted[1]["sub"] == "ada@x.example"
    google.answer = reply({"error": "invalid_grant"}, "400 Bad")
    assert (await lab.call("POST", f"/credentials/{scoped}/test", {}))["valid"] is False
    shown = await lab.call("GET", f"/credentials/{ident}")
    assert "privateKey" not in shown["values"]
