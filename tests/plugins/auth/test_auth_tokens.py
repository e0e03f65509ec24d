"""Tokens: forged, damaged, expired, revoked, rotated."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jackfield.api.errors import AccessDenied, AuthRequired, StoreUnavailable, TokenExpired, TokenInvalid
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeSecrets
from jackfield.testing.store import MemoryStore
from jackfield_auth.settings import JwtSettings
from jackfield_auth.tokens.revocations import Revocations
from jackfield_auth.tokens.web_tokens import WebTokens, key_id

SECRET = "unit-test-secret-0123456789-abcdefghijklmnopqrs"
MADE_UP = b"some-other-key-0123456789-abcdefghijklmnopqrs"
Claims = dict[str, Any]  # JSON
HOUR = 3600


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def part(value: object) -> str:
    return b64(json.dumps(value).encode())


def sign(header: object, claims: object, key: bytes, algorithm: str = "sha256") -> str:
    signed = f"{part(header)}.{part(claims)}"
    return f"{signed}.{b64(hmac.new(key, signed.encode(), algorithm).digest())}"


def opened(token: str) -> tuple[Claims, Claims]:
    return jwt.get_unverified_header(token), jwt.decode(token, options={"verify_signature": False})


@pytest.fixture
async def keyed(make):
    return await make(JwtSettings(secret=SECRET))


# ---------------------------------------------------------------------------------------------------------------- issue


async def test_a_token_carries_the_contracts_claims_and_its_key(keyed) -> None:
    user = await keyed.user("ada", "member")
    issued = await keyed.auth.tokens.issue(user)
    header, claims = opened(issued.token)
    now = keyed.clock.now_ms() // 1000
    assert header == {"alg": "HS256", "typ": "JWT", "kid": hashlib.sha256(SECRET.encode()).hexdigest()[:16]}
    assert claims == {
        "iss": "jackfield",
        "sub": user.id,
        "username": "ada",
        "role": "member",
        "iat": now,
        "nbf": now,
        "exp": now + 24 * HOUR,
        "jti": claims["jti"],
        "ver": 1,
    }
    assert issued.expires_at == claims["exp"] * 1000
    assert jwt.decode(issued.token, SECRET, algorithms=["HS256"], options={"verify_exp": False})["sub"] == user.id


async def test_every_token_has_an_id_of_its_own(world) -> None:
    user = await world.user()
    assert len({opened(await world.token(user))[1]["jti"] for _ in range(5)}) == 5


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("15m", 900), ("7d", 604800)])
async def test_the_lifetime_is_the_settings(make, text, seconds) -> None:
    world = await make(JwtSettings(expiration=text))
    claims = opened(await world.token(await world.user()))[1]
    assert claims["exp"] - claims["iat"] == seconds


@pytest.mark.parametrize(("algorithm", "size"), [("HS256", 32), ("HS384", 48), ("HS512", 64)])
async def test_each_algorithm_has_a_generated_key_of_its_hash_length(make, algorithm, size) -> None:
    world = await make(JwtSettings(algorithm=algorithm))
    user = await world.user()
    token = await world.token(user)
    assert opened(token)[0]["alg"] == algorithm
    assert (await world.ask(authorization=f"Bearer {token}")).user_id == user.id
    assert len(next(iter(world.auth.tokens._keys.values()))) == size


async def test_switched_off_no_token_is_given_or_taken(make, world) -> None:
    user = await world.user()
    token = await world.token(user)
    off = await make(JwtSettings(enabled=False), store=world.store)
    with pytest.raises(AccessDenied, match="switched off"):
        await off.auth.tokens.issue(user)
    with pytest.raises(TokenInvalid, match="switched off"):
        await off.ask(authorization=f"Bearer {token}")
    assert (await off.login("ada", off.password))[0] == 403


# ----------------------------------------------------------------------------------------------------------------- read


async def test_a_good_token_names_the_user_with_the_stores_role(keyed) -> None:
    user = await keyed.user("ada", "viewer")
    header, claims = opened(await keyed.token(user))
    forged = sign(header, {**claims, "role": "admin", "username": "root"}, SECRET.encode())
    found = await keyed.ask(authorization=f"Bearer {forged}")
    assert (found.user_id, found.username, found.role, found.method) == (user.id, "ada", "viewer", "jwt")
    assert found.scopes is None
    assert found.claims == {"jti": claims["jti"], "exp": claims["exp"] * 1000}


FORGERIES: dict[str, Callable[[Claims, Claims, str], str]] = {
    "alg-none": lambda h, c, t: f"{part({**h, 'alg': 'none'})}.{part(c)}.",
    "alg-None": lambda h, c, t: f"{part({**h, 'alg': 'None'})}.{part(c)}.",
    "alg-empty": lambda h, c, t: f"{part({**h, 'alg': ''})}.{part(c)}.",
    "alg-missing": lambda h, c, t: sign({"kid": h["kid"]}, c, SECRET.encode()),
    "alg-none-by-library": lambda h, c, t: jwt.encode(c, None, algorithm="none", headers={"kid": h["kid"]}),
    "alg-none-with-signature": lambda h, c, t: f"{part({**h, 'alg': 'none'})}.{t.split('.', 1)[1]}",
    "alg-384-right-key": lambda h, c, t: sign({**h, "alg": "HS384"}, c, SECRET.encode(), "sha384"),
    "alg-512-right-key": lambda h, c, t: sign({**h, "alg": "HS512"}, c, SECRET.encode(), "sha512"),
    "alg-lower-case": lambda h, c, t: sign({**h, "alg": "hs256"}, c, SECRET.encode()),
    "alg-unknown": lambda h, c, t: sign({**h, "alg": "XX999"}, c, SECRET.encode()),
    "alg-list": lambda h, c, t: sign({**h, "alg": ["HS256"]}, c, SECRET.encode()),
    "no-signature": lambda h, c, t: t[: t.rindex(".") + 1],
    "wrong-key": lambda h, c, t: sign(h, c, MADE_UP),
    "empty-key": lambda h, c, t: sign(h, c, b""),
    "kid-path": lambda h, c, t: sign({**h, "kid": "../../../dev/null"}, c, b""),
    "kid-unknown": lambda h, c, t: sign({**h, "kid": "no-such-key"}, c, SECRET.encode()),
    "kid-number": lambda h, c, t: sign({**h, "kid": 7}, c, SECRET.encode()),
    "kid-list": lambda h, c, t: sign({**h, "kid": [h["kid"]]}, c, SECRET.encode()),
    "kid-missing": lambda h, c, t: sign({"alg": "HS256", "typ": "JWT"}, c, SECRET.encode()),
    "key-in-header": lambda h, c, t: sign({**h, "jwk": {"kty": "oct", "k": b64(MADE_UP)}}, c, MADE_UP),
    "critical-extension": lambda h, c, t: sign({**h, "crit": ["x"], "x": 1}, c, SECRET.encode()),
    "other-issuer": lambda h, c, t: sign(h, {**c, "iss": "somebody"}, SECRET.encode()),
    "for-an-audience": lambda h, c, t: sign(h, {**c, "aud": "somebody"}, SECRET.encode()),
    "payload-list": lambda h, c, t: sign(h, [1], SECRET.encode()),
    "payload-text": lambda h, c, t: sign(h, "x", SECRET.encode()),
    "payload-deep": lambda h, c, t: f"{part(h)}.{b64(b'[' * 4000)}.AAAA",
    "header-list": lambda h, c, t: sign([1], c, SECRET.encode()),
    "header-deep": lambda h, c, t: f"{b64(b'[' * 5000)}.{part(c)}.AAAA",
    "header-huge-number": lambda h, c, t: f"{b64(b'9' * 5000)}.{part(c)}.AAAA",
    "header-not-text": lambda h, c, t: f"{b64(bytes(range(128, 200)))}.{part(c)}.AAAA",
    "garbage": lambda h, c, t: "garbage",
    "dots": lambda h, c, t: "...",
    "not-base64": lambda h, c, t: "%%%.%%%.%%%",
    "two-parts": lambda h, c, t: t.rsplit(".", 1)[0],
    "four-parts": lambda h, c, t: t + ".AAAA",
    "two-words": lambda h, c, t: t + " " + t,
    "padded": lambda h, c, t: t + "=",
    "empty": lambda h, c, t: "",
    "long": lambda h, c, t: "A" * 9000 + ".B.C",
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
async def test_a_forged_token_is_refused(keyed, forge) -> None:
    token = await keyed.token(await keyed.user())
    with pytest.raises(TokenInvalid) as caught:
        await keyed.ask(authorization=f"Bearer {forge(*opened(token), token)}")
    assert caught.value.code == "TOKEN_INVALID"
    assert await keyed.ask(authorization=f"Bearer {token}")


@pytest.fixture(scope="module")
def reader_and_token():
    clock = FakeClock()
    tokens = WebTokens(JwtSettings(secret=SECRET), FakeSecrets(), clock)
    now = clock.now_ms() // 1000
    times = {"iat": now, "nbf": now, "exp": now + HOUR}
    claims = {"iss": "jackfield", "sub": "u", "username": "n", "role": "admin", "jti": "j", "ver": 1, **times}
    header = {"alg": "HS256", "kid": key_id(SECRET.encode())}
    return tokens, sign(header, claims, SECRET.encode())


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
async def test_no_changed_character_passes(reader_and_token, data) -> None:
    tokens, token = reader_and_token
    await tokens.open()
    # The last character of base64 may hold unused bits.
    place = data.draw(st.integers(0, len(token) - 2))
    changed = data.draw(st.characters(codec="utf-8").filter(lambda found: found != token[place]))
    assert (await tokens.read(token.encode())).user_id == "u"
    with pytest.raises(TokenInvalid):
        await tokens.read((token[:place] + changed + token[place + 1 :]).encode())


@settings(max_examples=60, deadline=None)
@given(junk=st.binary(max_size=400))
async def test_junk_is_refused_whatever_it_is(junk) -> None:
    tokens = WebTokens(JwtSettings(secret=SECRET), FakeSecrets(), FakeClock())
    await tokens.open()
    with pytest.raises(TokenInvalid):
        await tokens.read(junk)


@pytest.mark.parametrize("name", ["iss", "sub", "username", "role", "iat", "nbf", "exp", "jti", "ver"])
async def test_every_claim_is_required(keyed, name) -> None:
    header, claims = opened(await keyed.token(await keyed.user()))
    del claims[name]
    with pytest.raises(TokenInvalid):
        await keyed.ask(authorization=f"Bearer {sign(header, claims, SECRET.encode())}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("exp", None),
        ("exp", "never"),
        ("exp", 1e30),
        ("exp", True),
        ("nbf", "now"),
        ("iat", []),
        ("ver", "1"),
        ("ver", True),
        ("ver", 0),
        ("ver", 2),
        ("sub", 5),
        ("sub", "00000000-0000-4000-8000-000000000000"),
        ("jti", 5),
        ("jti", ["x"]),
        ("role", {}),
        ("username", 1),
    ],
)
async def test_a_wrong_claim_is_refused_though_well_signed(keyed, name, value) -> None:
    header, claims = opened(await keyed.token(await keyed.user()))
    with pytest.raises(TokenInvalid):
        await keyed.ask(authorization=f"Bearer {sign(header, {**claims, name: value}, SECRET.encode())}")


async def test_a_token_ends_at_its_expiry(make) -> None:
    world = await make(JwtSettings(expiration="15m"))
    token = await world.token(await world.user())
    await world.clock.advance(15 * 60 - 1)
    assert await world.ask(authorization=f"Bearer {token}")
    await world.clock.advance(1)
    with pytest.raises(TokenExpired):
        await world.ask(authorization=f"Bearer {token}")


@pytest.mark.parametrize("name", ["nbf", "iat"])
async def test_a_token_of_the_future_is_refused(keyed, name) -> None:
    header, claims = opened(await keyed.token(await keyed.user()))
    soon = sign(header, {**claims, name: claims[name] + 4}, SECRET.encode())
    later = sign(header, {**claims, name: claims[name] + 6}, SECRET.encode())
    assert await keyed.ask(authorization=f"Bearer {soon}"), "a clock that was set back by seconds"
    with pytest.raises(TokenInvalid, match="not valid yet"):
        await keyed.ask(authorization=f"Bearer {later}")


# ----------------------------------------------------------------------------------------------------------------- keys


async def test_a_rotated_key_still_reads_its_tokens(make, keyed) -> None:
    user = await keyed.user()
    token = await keyed.token(user)
    new = "another-secret-0123456789-abcdefghijklmnopqrstu"
    rotated = await make(JwtSettings(secret=new, previous_secrets=[SECRET]), store=keyed.store)
    assert (await rotated.ask(authorization=f"Bearer {token}")).user_id == user.id
    assert opened(await rotated.token(user))[0]["kid"] == key_id(new.encode())
    dropped = await make(JwtSettings(secret=new), store=keyed.store)
    with pytest.raises(TokenInvalid):
        await dropped.ask(authorization=f"Bearer {token}")


async def test_configured_secrets_are_hidden_everywhere(make) -> None:
    old = "o" * 40
    world = await make(JwtSettings(secret=SECRET, previous_secrets=[old]))
    assert {SECRET, old} <= set(world.context.secrets.redacted)


# --------------------------------------------------------------------------------------------------------------- header


@pytest.mark.parametrize(
    "value",
    ["", " ", "Token abc", "Digest x", "null", ",", "bearer", "Bearer", "Bearer ,", "Bearer a b", b"Bearer \xff"],
)
async def test_an_unusable_header_is_refused(world, value) -> None:
    with pytest.raises(AuthRequired):
        await world.ask(authorization=value)


async def test_the_scheme_has_no_case(world) -> None:
    token = await world.token(await world.user())
    assert await world.ask(authorization=f"bEARER {token}")


async def test_without_a_credential_there_is_no_caller(world) -> None:
    assert await world.ask(accept="*/*") is None


# ----------------------------------------------------------------------------------------------------------- revocation


async def test_a_revocation_outlives_the_process_and_ends_with_the_token() -> None:
    clock, store = FakeClock(), MemoryStore()
    first = Revocations(clock)
    now = clock.now_ms()
    assert await first.revoke(store, "a", now + 1000) is True
    assert await first.revoke(store, "a", now + 1000) is False
    second = Revocations(clock)
    await second.load(store)
    assert await second.has("a")
    assert not await second.has("b")
    await clock.advance(61)
    await second.revoke(store, "b", clock.now_ms() + 1000)
    assert len(second) == 1, "what has expired is forgotten"


async def test_what_another_daemon_revokes_counts_where_the_store_is_shared() -> None:
    clock = FakeClock()
    for store, counts in ((MemoryStore(clock), True), (MemoryStore(), False)):
        here, there = Revocations(clock), Revocations(clock)
        await there.load(store)
        await here.revoke(store, "a", clock.now_ms() + 1000)
        assert await there.has("a") is counts
        assert not await there.has("b")


async def test_a_changed_user_ends_all_tokens(world) -> None:
    user = await world.user("ada")
    await world.user("eve")
    for change in ({"role": "viewer"}, {"password": "another long password"}):
        token = await world.token(await world.auth.accounts.get(user.id))
        assert await world.ask(authorization=f"Bearer {token}")
        await world.auth.accounts.change(user.id, **change)
        with pytest.raises(TokenInvalid):
            await world.ask(authorization=f"Bearer {token}")


async def test_a_deleted_users_token_is_refused(world) -> None:
    await world.user("ada")
    eve = await world.user("eve", "member")
    token = await world.token(eve)
    await world.auth.accounts.delete(eve.id)
    with pytest.raises(TokenInvalid):
        await world.ask(authorization=f"Bearer {token}")


async def test_no_token_passes_when_the_revocations_cannot_be_read(make, world, monkeypatch) -> None:
    token = await world.token(await world.user())

    async def down(now: int) -> dict[str, int]:
        raise StoreUnavailable

    monkeypatch.setattr(world.store, "revoked_tokens", down)
    with pytest.raises(StoreUnavailable):
        await make(store=world.store)
    broken = make.made[-1]
    with pytest.raises(TokenInvalid):
        await broken.ask(authorization=f"Bearer {token}")
