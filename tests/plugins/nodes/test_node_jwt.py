"""JWT: what is signed is good elsewhere, and what is not good is refused."""

from __future__ import annotations

import base64
import contextlib
import json
from functools import cache
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield_nodes.data.json_web_tokens import signed, taken_apart, verified
from jackfield_nodes.data.jwt_keys import ALGORITHMS, JwtChecks, JwtKey

SECRET = "a secret that is long enough for every digest, as RFC 7518 wants it to be"
PASSPHRASE = {"keyType": "passphrase", "secret": SECRET, "algorithm": "HS256"}


CURVES = {"ES256": ec.SECP256R1, "ES384": ec.SECP384R1, "ES512": ec.SECP521R1}


@cache
def pair(algorithm: str) -> dict[str, str]:
    key: Any
    if algorithm.startswith("ES"):
        key = ec.generate_private_key(
            {"256": ec.SECP256R1(), "384": ec.SECP384R1(), "512": ec.SECP521R1()}[algorithm[2:]]
        )
    else:
        key = ed25519.Ed25519PrivateKey.generate() if algorithm == "EdDSA" else rsa.generate_private_key(65537, 2048)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    return {"keyType": "pemKey", "privateKey": private, "publicKey": public, "algorithm": algorithm}


def credential(algorithm: str) -> dict[str, str]:
    return {**PASSPHRASE, "algorithm": algorithm} if algorithm.startswith("HS") else pair(algorithm)


async def made(bench: Bench, parameters: dict[str, Any], values: dict[str, str] = PASSPHRASE) -> Any:
    ((item,),) = await bench.outputs(bench.run("jwt", 1, parameters, credentials={"jwtAuth": values}))
    assert item["pairedItem"] == {"item": 0}
    return item["json"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
async def test_a_token_is_good_elsewhere_and_here(bench: Bench, algorithm: str) -> None:
    values = credential(algorithm)
    sign = {"useJson": True, "claimsJson": '{"a": {"b": [1]}, "iat": 5}', "options": {"kid": "k1"}}
    found = await made(bench, sign, values)
    key = values.get("publicKey") or SECRET
    assert jwt.decode(found["token"], key, [algorithm]) == {"a": {"b": [1]}, "iat": 5}
    read = {"operation": "verify", "token": found["token"], "options": {"complete": True}}
    whole = await made(bench, read, values)
    assert whole["header"] == {"alg": algorithm, "typ": "JWT", "kid": "k1"}
    assert whole["payload"] == {"a": {"b": [1]}, "iat": 5}
    assert whole["signature"] == found["token"].rpartition(".")[2]


async def test_claims_one_by_one(bench: Bench) -> None:
    now = bench.clock.now_ms() // 1000
    claims = {"audience": "a", "expiresIn": 60, "issuer": "i", "jwtid": "j", "notBefore": 5, "subject": "s"}
    token = (await made(bench, {"claims": claims}))["token"]
    expected = {"iat": now, "aud": "a", "iss": "i", "jti": "j", "sub": "s", "exp": now + 60, "nbf": now + 5}
    assert await made(bench, {"operation": "decode", "token": f" {token}\n"}) == {"payload": expected}
    empty = (await made(bench, {}))["token"]
    assert taken_apart(empty).payload == {"iat": now}


async def test_a_token_has_its_time(bench: Bench) -> None:
    token = (await made(bench, {"claims": {"expiresIn": 60, "notBefore": 10}}))["token"]
    verify = {"operation": "verify", "token": token}
    with pytest.raises(NodeError, match="not valid yet"):
        await made(bench, verify)
    assert await made(bench, {**verify, "options": {"ignoreNotBefore": True}})
    assert await made(bench, {**verify, "options": {"clockTolerance": 10}})
    await bench.clock.advance(59)
    assert await made(bench, verify)
    await bench.clock.advance(1)
    with pytest.raises(NodeError, match="has expired"):
        await made(bench, verify)
    assert await made(bench, {**verify, "options": {"clockTolerance": 1}})
    assert await made(bench, {**verify, "options": {"ignoreExpiration": True}})
    for odd in ({"exp": "soon"}, {"nbf": None}, {"iat": True}):
        with pytest.raises(NodeError, match="must be a number of seconds"):
            await made(bench, {"useJson": True, "claimsJson": odd})


def forged(header: dict[str, Any], payload: bytes = b"{}", signature: str = "") -> str:
    parts = [base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (json.dumps(header).encode(), payload)]
    return ".".join([*parts, signature])


BAD = {
    "no signature": (lambda good: forged({"alg": "none"}), "not signed with HS256"),
    "another algorithm": (lambda good: jwt.encode({}, SECRET, algorithm="HS512"), "not signed with HS256"),
    "another key": (lambda good: jwt.encode({}, SECRET + "x", algorithm="HS256"), "its signature is wrong"),
    "changed": (lambda good: good[:-2] + ("AA" if good[-2:] != "AA" else "BA"), "its signature is wrong"),
    "extensions": (lambda good: forged({"alg": "HS256", "crit": ["b64"]}), "crit"),
    "two parts": (lambda good: good.rpartition(".")[0], "The token is none"),
    "no JSON": (lambda good: forged({"alg": "HS256"}, b"{"), "The token is none"),
    "no object": (lambda good: forged({"alg": "HS256"}, b"[]"), "The token is none"),
    "deep": (lambda good: forged({"alg": "HS256"}, b"[" * 100_000), "The token is none"),
    "empty": (lambda good: " ", "token is empty"),
}


@pytest.mark.parametrize("case", BAD)
async def test_a_token_that_is_not_good_is_refused(bench: Bench, case: str) -> None:
    change, told = BAD[case]
    good = (await made(bench, {}))["token"]
    with pytest.raises(NodeError, match=told) as caught:
        await made(bench, {"operation": "verify", "token": change(good)})
    assert SECRET not in caught.value.message


async def test_a_public_key_is_no_secret(bench: Bench) -> None:
    """Whoever knows the public key must not be able to sign with it."""
    public = pair("RS256")["publicKey"]
    token = forged({"alg": "HS256"})
    with pytest.raises(NodeError, match="not signed with RS256"):
        await made(bench, {"operation": "verify", "token": token}, pair("RS256"))
    with pytest.raises(NodeError, match="is none for HS256"):
        await made(bench, {"operation": "verify", "token": token}, {**PASSPHRASE, "secret": public})


@pytest.mark.parametrize(
    ("parameters", "values", "told"),
    [
        ({}, {**PASSPHRASE, "secret": ""}, "jwtAuth has no secret"),
        ({}, {"keyType": "pemKey", "algorithm": "RS256"}, "jwtAuth has no privateKey"),
        ({"operation": "verify", "token": "a"}, {"keyType": "pemKey", "algorithm": "RS256"}, "has no publicKey"),
        ({}, {**PASSPHRASE, "algorithm": "RS256"}, "cannot be signed with RS256"),
        ({"options": {"algorithm": "none"}}, PASSPHRASE, "option algorithm is 'none'; use one of HS256"),
        ({"useJson": True, "claimsJson": "[1]"}, PASSPHRASE, "claimsJson must be one JSON object"),
        ({"claims": {"expiresIn": "Infinity"}}, PASSPHRASE, "expiresIn"),
        ({"claims": {"notBefore": 1e300}}, PASSPHRASE, "notBefore"),
    ],
)
async def test_what_does_not_fit_is_named(
    bench: Bench, parameters: dict[str, Any], values: dict[str, str], told: str
) -> None:
    with pytest.raises(NodeError, match=told) as caught:
        await made(bench, parameters, values)
    assert SECRET not in caught.value.message


async def test_the_option_takes_the_place_of_the_credentials_algorithm(bench: Bench) -> None:
    token = (await made(bench, {"options": {"algorithm": "HS512"}}))["token"]
    assert jwt.get_unverified_header(token)["alg"] == "HS512"
    with pytest.raises(NodeError, match="not signed with HS256"):
        await made(bench, {"operation": "verify", "token": token})
    assert await made(bench, {"operation": "verify", "token": token, "options": {"algorithm": "HS512"}})


async def test_a_key_out_of_json_and_a_decoding_without_credential(bench: Bench) -> None:
    values = {**pair("RS256"), "privateKey": pair("RS256")["privateKey"].replace("\n", "\\n")}
    token = (await made(bench, {}, values))["token"]
    run = bench.run("jwt", 1, {"operation": "decode", "token": token, "options": {"complete": True}})
    ((item,),) = await bench.outputs(run)
    assert item["json"]["header"]["alg"] == "RS256"
    assert run.credential_reads == []


async def test_an_item_that_fails_stands_as_an_error(bench: Bench) -> None:
    run = bench.run(
        "jwt", 1, lambda item: item["json"], items({"operation": "decode"}, {}), on_error="continueRegularOutput"
    )
    run.credentials = {"jwtAuth": PASSPHRASE}
    ((first, second),) = await bench.outputs(run)
    assert first["json"] == {"error": "The parameter token is empty."}
    assert set(second["json"]) == {"token"}


@given(
    st.text(max_size=60)
    | st.tuples(*[st.binary(max_size=20)] * 3).map(
        lambda parts: ".".join(base64.urlsafe_b64encode(part).decode() for part in parts)
    )
)
def test_any_text_is_a_token_or_refused(text: str) -> None:
    key = JwtKey("HS256", SECRET)
    with contextlib.suppress(NodeError):
        taken_apart(text)
    with pytest.raises(NodeError):
        verified(text, key, JwtChecks(0))


@given(
    st.dictionaries(
        st.text(max_size=5), st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(), max_size=4
    )
)
def test_what_was_signed_is_verified(claims: dict[str, Any]) -> None:
    claims = {name: value for name, value in claims.items() if name not in ("exp", "nbf")}
    key = JwtKey("HS256", SECRET)
    assert verified(signed(claims, key, ""), key, JwtChecks(0)).payload == claims
