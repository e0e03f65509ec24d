"""Authentication: known vectors of the senders' own documentation, and what never opens a webhook."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Callable
from typing import Any, cast

import jwt
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.storage import Credential
from jackfield.api.webhooks import WebhookCall
from jackfield_webhooks.authentication import credentials, signatures
from jackfield_webhooks.authentication.json_web_tokens import JwtVerifier
from jackfield_webhooks.authentication.presets import PresetCatalog
from jackfield_webhooks.authentication.senders import PRESETS
from jackfield_webhooks.authentication.verifiers import BasicVerifier, Closed, HeaderVerifier, Verifier

Bench = Any
NOW = 1_700_000_000.0


def preset(name: str, secret: str) -> Verifier:
    made = next(one for one in PRESETS if one.name == name).verifier({"secret": secret})
    return cast("Verifier", made)


def claims(verifier: Verifier, headers: dict[str, str]) -> Any:
    return verifier.verify(WebhookCall("POST", "http://x/webhook/a", headers, b"", NOW)).claims


def passes(verifier: Verifier, headers: dict[str, str], body: bytes = b"", now: float = NOW) -> bool:
    try:
        verifier.verify(WebhookCall("POST", "http://x/webhook/a", headers, body, now))
    except WebhookUnauthorized as exc:
        return not dict(exc.headers)["WWW-Authenticate"]
    return True


# ------------------------------------------------------------------------------------------------------- known vectors


def test_the_vector_of_githubs_documentation() -> None:
    verifier = preset("github", "It's a Secret to Everybody")
    signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert passes(verifier, {"x-hub-signature-256": signature}, b"Hello, World!")
    assert not passes(verifier, {"x-hub-signature-256": signature.removeprefix("sha256=")}, b"Hello, World!")


def test_the_vector_of_slacks_documentation() -> None:
    verifier = preset("slack", "8f742231b10e8888abcd99yyyzzz85a5")
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&"
        b"channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&"
        b"response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F"
        b"96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    headers = {
        "x-slack-request-timestamp": "1531420618",
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    }
    assert passes(verifier, headers, body, 1_531_420_618)
    assert not passes(verifier, headers, body, 1_531_420_618 + 301)


def test_the_vector_of_standard_webhooks() -> None:
    verifier = preset("standardWebhooks", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    assert passes(verifier, headers, b'{"test": 2432232314}', 1_614_265_330)
    assert not passes(verifier, {**headers, "webhook-id": "msg_other"}, b'{"test": 2432232314}', 1_614_265_330)


@pytest.mark.parametrize("age", [-301, -300, -299, 0, 299, 300, 301])
def test_the_time_may_be_300_seconds_away(age: int) -> None:
    moment = int(NOW) - age
    signature = hmac.new(b"key", f"{moment}.".encode() + b"{}", hashlib.sha256).hexdigest()
    headers = {"stripe-signature": f"t={moment},v1={signature}"}
    assert passes(preset("stripe", "key"), headers, b"{}") is (abs(age) <= 300)


@pytest.mark.parametrize("moment", ["", "x", "-1", "1e9", "9" * 400, "١٧٠٠٠٠٠٠٠٠", " 1700000000"])
def test_an_odd_time_is_refused(moment: str) -> None:
    signature = hmac.new(b"key", f"{moment}.".encode() + b"{}", hashlib.sha256).hexdigest()
    assert not passes(preset("stripe", "key"), {"stripe-signature": f"t={moment},v1={signature}"}, b"{}")


def test_two_times_are_refused() -> None:
    signature = hmac.new(b"key", b"1700000000.{}", hashlib.sha256).hexdigest()
    headers = {"stripe-signature": f"t=1700000000,t=1700000000,v1={signature}"}
    assert not passes(preset("stripe", "key"), headers, b"{}")


@pytest.mark.parametrize("algorithm", signatures.ALGORITHMS)
@pytest.mark.parametrize("encoding", signatures.ENCODINGS)
def test_free_form(algorithm: str, encoding: str) -> None:
    verifier = signatures.free_form("key", "X-Sign", algorithm, encoding)
    digest = hmac.new(b"key", b"body", getattr(hashlib, algorithm)).digest()
    text = digest.hex() if encoding == "hex" else base64.b64encode(digest).decode()
    assert passes(verifier, {"x-sign": text}, b"body")
    assert passes(verifier, {"x-sign": f"{algorithm}={text}"}, b"body")
    assert not passes(verifier, {"x-sign": text}, b"body ")
    assert not passes(verifier, {}, b"body")
    assert not passes(verifier, {"x-sign": ""}, b"body")


VERIFIERS: list[Verifier] = [
    *(preset(one.name, "whsec_" + base64.b64encode(b"k" * 24).decode()) for one in PRESETS),
    HeaderVerifier("X-Token", "secret"),
    BasicVerifier("name", "secret"),
    JwtVerifier("secret", "HS256"),
    Closed(),
]
NAMES = [
    "x-hub-signature-256", "stripe-signature", "x-slack-signature", "x-slack-request-timestamp",
    "x-shopify-hmac-sha256", "webhook-id", "webhook-timestamp", "webhook-signature", "x-token", "authorization",
]  # fmt: skip
VALUES = st.one_of(
    st.text(st.characters(max_codepoint=255), max_size=60),
    st.sampled_from(["Basic ", "Bearer ", "Basic =", "t=1700000000,v1=", "v1,", "sha256=", "1700000000"]),
    st.text("Basicer vt=,10:", max_size=30).map(lambda text: "Basic " + text),
)


@given(st.dictionaries(st.sampled_from(NAMES), VALUES), st.binary(max_size=50))
def test_nothing_made_up_opens_a_webhook(headers: dict[str, str], body: bytes) -> None:
    assert not any(passes(verifier, headers, body) for verifier in VERIFIERS)


# ------------------------------------------------------------------------------------------------------- Basic, JWT


@pytest.mark.parametrize(
    ("header", "right"),
    [
        (b"Basic " + base64.b64encode("näme:pass:wörd".encode()), True),
        (b"basic  " + base64.b64encode("näme:pass:wörd".encode()), True),
        (b"Basic " + base64.b64encode("näme:pass".encode()), False),
        (b"Basic " + base64.b64encode(b":"), False),
        (b"Basic n\xc3\xa4me", False),
        (b"Basic", False),
    ],
)
def test_basic(header: bytes, right: bool) -> None:
    verifier = BasicVerifier("näme", "pass:wörd")
    assert passes(verifier, {"authorization": header.decode("latin-1")}) is right


def token(key: str = "s" * 32, algorithm: str = "HS256", **claims: Any) -> dict[str, str]:
    return {"authorization": "Bearer " + jwt.encode({"sub": "me", **claims}, key, algorithm)}


def test_jwt() -> None:
    verifier = JwtVerifier("s" * 32, "HS256")
    assert claims(verifier, token(exp=time.time() + 60))["sub"] == "me"
    assert not passes(verifier, token("other" * 8))
    assert not passes(verifier, token(exp=time.time() - 60))
    assert not passes(verifier, token(nbf=time.time() + 60))
    assert not passes(verifier, token("s" * 64, "HS512"))
    unsigned = jwt.encode({"sub": "me"}, "", algorithm="none")
    assert not passes(verifier, {"authorization": f"Bearer {unsigned}"})
    assert not passes(verifier, {"authorization": "Bearer"})


def test_a_token_that_never_ends_counts_only_where_it_may() -> None:
    with pytest.raises(WebhookUnauthorized, match="requireExp"):
        claims(JwtVerifier("s" * 32, "HS256"), token())
    with pytest.raises(WebhookUnauthorized) as caught:
        claims(JwtVerifier("s" * 32, "HS256"), token("other" * 8))
    assert "requireExp" not in caught.value.message
    lenient = JwtVerifier("s" * 32, "HS256", False)
    assert claims(lenient, token()) == {"sub": "me"}
    assert not passes(lenient, token(exp=time.time() - 60))


@pytest.mark.parametrize(
    ("written", "status"), [(True, 401), (False, 200), ("false", 200), ("maybe", 401), (None, 401)]
)
async def test_the_webhook_says_whether_tokens_must_end(bench: Bench, written: Any, status: int) -> None:
    await bench.hook("door", authentication="jwtAuth", authConfig={"secret": "s" * 32, "requireExp": written})
    answer = await bench.call("door", headers=token())
    assert answer.status == status
    assert (await bench.call("door", headers=token(exp=time.time() + 60))).status == (
        401 if written == "maybe" else 200
    )
    assert (await bench.call("door", headers=token(exp=time.time() - 60))).status == 401


async def test_a_stored_credential_leaves_it_to_the_webhook(bench: Bench, node_of: Callable[..., Any]) -> None:
    await put(bench, "jwtAuth", {"secret": "s" * 32, "algorithm": "HS256"})
    for path, config, status in (("strict", {}, 401), ("lenient", {"requireExp": False}, 200)):
        stored = {"jwtAuth": {"id": "c-1", "name": "x"}}
        await bench.save(node_of(path, authentication="jwtAuth", authConfig=config, credentials=stored))
        assert (await bench.call(path, headers=token())).status == status


# ------------------------------------------------------------------------------------------------------- building


@pytest.mark.parametrize(
    ("kind", "config", "field"),
    [
        ("headerAuth", {}, "headerName"),
        ("headerAuth", {"headerName": "X-A", "headerValue": "  "}, "headerValue"),
        ("headerAuth", {"headerName": "not a name", "headerValue": "x"}, "headerName"),
        ("basicAuth", {"username": "me"}, "password"),
        ("basicAuth", {"password": "x"}, "username"),
        ("basicAuth", {"username": "a:b", "password": "x"}, "username"),
        ("hmac", {}, "secret"),
        ("hmac", {"secret": "x"}, "header"),
        ("hmac", {"secret": "x", "header": "X-A", "algorithm": "md5"}, "algorithm"),
        ("hmac", {"secret": "x", "header": "X-A", "algorithm": "sha1"}, "algorithm"),
        ("hmac", {"secret": "x", "header": "X-A", "encoding": "rot13"}, "encoding"),
        ("jwtAuth", {}, "secret"),
        ("jwtAuth", {"secret": "x", "algorithm": "none"}, "algorithm"),
        ("jwtAuth", {"secret": "x", "algorithm": "RS256"}, "publicKey"),
        ("jwtAuth", {"secret": "x", "requireExp": "maybe"}, "requireExp"),
        ("no-such-kind", {"secret": "x"}, None),
    ],
)
def test_what_is_incomplete_stays_closed(kind: str, config: dict[str, str], field: str | None) -> None:
    findings: dict[str, str] = {}
    assert isinstance(credentials.build(kind, config, findings), Closed)
    assert field is None or f"authConfig.{field}" in findings


@pytest.mark.parametrize("name", ["standardWebhooks", "standard-webhooks", "STANDARDWEBHOOKS", "standard_webhooks"])
def test_presets_are_found_by_any_spelling(bench: Bench, name: str) -> None:
    found = bench.context.port(PresetCatalog).find(name)
    assert found is not None
    assert found.name == "standardWebhooks"


@pytest.mark.parametrize(
    ("config", "field"),
    [({"secret": "x", "preset": "nobody"}, "preset"), ({"preset": "github"}, "secret"),
     ({"secret": "whsec_?", "preset": "standardWebhooks"}, "secret")],
)  # fmt: skip
async def test_an_incomplete_preset_stays_closed(bench: Bench, config: dict[str, str], field: str) -> None:
    findings: dict[str, str] = {}
    assert isinstance(await bench.context.port(PresetCatalog).build(config, findings), Closed)
    assert f"authConfig.{field}" in findings


async def put(bench: Bench, kind: str, values: dict[str, str], changed: int = 1) -> None:
    sealed = bench.context.secrets.seal(orjson.dumps(values))
    await bench.store.put_credential(Credential("c-1", "door", kind, sealed, 1, changed))


async def test_a_stored_credential_is_used_and_followed(bench: Bench, node_of: Callable[..., Any]) -> None:
    await put(bench, "httpHeaderAuth", {"name": "X-Key", "value": "first-value"})
    reference = {"httpHeaderAuth": {"id": "c-1", "name": "door"}}
    await bench.save(node_of("door", authentication="headerAuth", credentials=reference))
    assert (await bench.call("door", headers={"X-Key": "first-value"})).status == 200
    assert (await bench.call("door", headers={"X-Key": "other"})).status == 401
    assert "first-value" in bench.context.secrets.redacted
    await put(bench, "httpHeaderAuth", {"name": "X-Key", "value": "second-value"}, changed=2)
    await bench.clock.advance(5)
    assert (await bench.call("door", headers={"X-Key": "first-value"})).status == 401
    assert (await bench.call("door", headers={"X-Key": "second-value"})).status == 200
    await bench.store.delete_credential("c-1")
    await bench.clock.advance(5)
    assert (await bench.call("door", headers={"X-Key": "second-value"})).status == 401
    assert (await bench.call("door")).status == 401


@pytest.mark.parametrize(
    ("kind", "values"),
    [("httpBasicAuth", {"user": "a", "password": "b"}), ("httpHeaderAuth", {"name": "X-Key"}), ("httpHeaderAuth", {})],
)
async def test_an_unfit_credential_refuses_activation_and_calls(
    bench: Bench, node_of: Callable[..., Any], parse: Callable[..., Any], kind: str, values: dict[str, str]
) -> None:
    await put(bench, kind, values)
    node = node_of("door", authentication="headerAuth", credentials={"httpHeaderAuth": {"id": "c-1"}})
    problems = await bench.trigger.activation_problems(parse(node))
    assert problems
    assert all(problem.path.startswith("nodes[0].parameters.auth") for problem in problems)
    await bench.save(node)
    assert (await bench.call("door", headers={"X-Key": ""})).status == 401


async def test_jwt_claims_and_token_reach_the_workflow(bench: Bench) -> None:
    await bench.hook("claims", authentication="jwtAuth", authConfig={"secret": "s" * 32})
    end = int(time.time()) + 60
    given = token(role="x", exp=end)
    answer = await bench.call("claims", headers=given)
    assert answer.status == 200
    assert bench.item["jwtPayload"] == {"sub": "me", "role": "x", "exp": end}
    assert bench.item["headers"]["authorization"] in given.values()
    answer = await bench.call("claims")
    assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_two_credentials_in_one_call_are_none(bench: Bench) -> None:
    await bench.hook("twice", authentication="headerAuth", headerName="X-Token", headerValue="right")
    assert (await bench.call("twice", headers=[("X-Token", "right")])).status == 200
    assert (await bench.call("twice", headers=[("X-Token", "right"), ("X-Token", "right")])).status == 401


async def test_an_expression_is_no_secret(bench: Bench, node_of: Callable[..., Any], parse: Callable[..., Any]) -> None:
    config = {"headerName": "X-Token", "headerValue": "={{ $env.TOKEN }}"}
    node = node_of("door", authentication="headerAuth", authConfig=config)
    problems = {problem.path for problem in await bench.trigger.activation_problems(parse(node))}
    assert "nodes[0].parameters.authConfig.headerValue" in problems
    await bench.save(node)
    assert (await bench.call("door", headers={"X-Token": "={{ $env.TOKEN }}"})).status == 401
