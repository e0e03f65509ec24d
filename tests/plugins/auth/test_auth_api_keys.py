"""API keys: form, scopes, expiry, whose they are, and when they were used last."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets

import pytest

from jackfield.api.auth import ROLE_SCOPES, SCOPES
from jackfield.api.clock import iso
from jackfield.api.errors import AccessDenied, ApiKeyExpired, ApiKeyInvalid, AuthRequired, StoreUnavailable
from jackfield.testing.clock import FakeClock
from jackfield_auth.keys.key_usage import KeyUsage
from jackfield_auth.settings import ApiKeysSettings, BasicSettings

FORM = re.compile(r"jf_sk_[A-Za-z0-9_-]{43}")


async def made(caller, **body):
    status, answer = await caller.send("POST", "/api-keys", {"name": "bot", **body})
    assert status == 201, answer
    return answer


# --------------------------------------------------------------------------------------------------------------- create


async def test_the_key_is_shown_once_and_stored_as_a_digest(world) -> None:
    user = await world.user()
    caller = await world.caller(user)
    key = await made(caller)
    assert FORM.fullmatch(key["key"])
    assert key["prefix"] == key["key"][:12]
    assert "expiresAt" not in key
    stored = (await world.store.api_keys(user.id, 0, 10)).rows[0]
    assert stored.digest == hashlib.sha256(key["key"].encode()).hexdigest()
    status, listed = await caller.send("GET", "/api-keys")
    assert status == 200
    assert listed["total"] == 1
    row = listed["data"][0]
    assert row == {
        "id": key["id"],
        "name": "bot",
        "prefix": key["prefix"],
        "scopes": [],
        "projects": [],
        "createdAt": iso(world.clock.now_ms()),
    }


async def test_keys_differ(world) -> None:
    caller = await world.caller(await world.user())
    assert len({(await made(caller))["key"][6:20] for _ in range(5)}) == 5


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": 5}, "name"),
        ({"name": None}, "name"),
        ({"name": "  "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "x", "expiresAt": "tomorrow"}, "expiresAt"),
        ({"name": "x", "expiresAt": 12}, "expiresAt"),
        ({"name": "x", "expiresAt": "2020-01-01T00:00:00Z"}, "expiresAt"),
        ({"name": "x", "expiresAt": "9999-12-31T23:59:59-23:00"}, "expiresAt"),
        ({"name": "x", "expiresAt": "0001-01-01T00:00:00+23:00"}, "expiresAt"),
        ({"name": "x", "scopes": "workflows:read"}, "scopes"),
        ({"name": "x", "scopes": []}, "scopes"),
        ({"name": "x", "scopes": [1]}, "scopes[0]"),
        ({"name": "x", "scopes": ["workflows:read", "users:admin"]}, "scopes[1]"),
        ({"name": "x", "scope": ["workflows:read"]}, "scope"),
        ([], "body"),
    ],
)
async def test_wrong_fields_are_named(world, body, field) -> None:
    caller = await world.caller(await world.user())
    status, answer = await caller.send("POST", "/api-keys", body)
    assert (status, answer["code"]) == (400, "VALIDATION_ERROR")
    assert field in answer["details"], answer


async def test_an_unknown_scope_is_named(world) -> None:
    caller = await world.caller(await world.user())
    answer = (await caller.send("POST", "/api-keys", {"name": "x", "scopes": ["no:such"]}))[1]
    assert "no:such" in answer["details"]["scopes[0]"]


@pytest.mark.parametrize("role", ["viewer", "member", "admin"])
@pytest.mark.parametrize("scope", sorted(SCOPES))
async def test_no_scope_beyond_the_role_is_given(world, role, scope) -> None:
    caller = await world.caller(await world.user(role=role))
    status, answer = await caller.send("POST", "/api-keys", {"name": "x", "scopes": [scope]})
    if scope in ROLE_SCOPES[role]:
        assert (status, answer["scopes"]) == (201, [scope])
    else:
        assert (status, answer["code"]) == (403, "ACCESS_DENIED")
        assert scope in answer["message"]


async def test_only_a_token_makes_keys(make) -> None:
    world = await make(BasicSettings(enabled=True))
    user = await world.user()
    key = (await made(await world.caller(user)))["key"]
    assert (await world.anonymous.send("POST", "/api-keys", {"name": "x"}))[0] == 401
    for caller in (world.by_key(key), world.by_basic("ada", world.password)):
        assert (await caller.send("GET", "/auth/me"))[0] == 200
        status, answer = await caller.send("POST", "/api-keys", {"name": "x"})
        assert (status, answer["code"]) == (403, "ACCESS_DENIED")
        assert "Bearer" in answer["message"]


async def test_switched_off_no_key_is_made_or_taken(make, world) -> None:
    user = await world.user()
    key = (await made(await world.caller(user)))["key"]
    off = await make(ApiKeysSettings(enabled=False), store=world.store)
    with pytest.raises(ApiKeyInvalid, match="switched off"):
        await off.ask(x_api_key=key)
    assert (await (await off.caller(user)).send("POST", "/api-keys", {"name": "x"}))[0] == 403


# ------------------------------------------------------------------------------------------------------------------ use


async def test_a_key_acts_as_its_owner(world) -> None:
    user = await world.user("ada", "member")
    key = await made(await world.caller(user))
    found = await world.ask(x_api_key=key["key"])
    assert (found.user_id, found.username, found.role, found.method) == (user.id, "ada", "member", "api_key")
    assert found.scopes is None


@pytest.mark.parametrize("given", [None, ["workflows:read"], ["workflows:read", "workflows:execute"]])
@pytest.mark.parametrize("role_now", ["viewer", "member", "admin"])
async def test_a_key_may_what_its_scopes_and_its_owners_role_now_allow(world, given, role_now) -> None:
    await world.user("other")
    user = await world.user("ada", "admin")
    key = await made(await world.caller(user), **({"scopes": given} if given else {}))
    await world.auth.accounts.change(user.id, role=role_now)
    found = await world.ask(x_api_key=key["key"])
    allowed = {scope for scope in SCOPES if found.may(scope)}
    assert allowed == ROLE_SCOPES[role_now] & (set(given) if given else SCOPES)
    if given or role_now != "admin":
        with pytest.raises(AccessDenied):
            found.require_admin()


@pytest.mark.parametrize(
    "value",
    [
        "",
        "garbage",
        "jf_sk_",
        "jf_sk_" + "A" * 43,
        "jf_sk_" + "A" * 42,
        "jf_sk_" + "A" * 44,
        "JF_SK_" + "A" * 43,
        "' OR 1=1 --",
        "A" * 6000,
        b"jf_sk_\xff\xfe",
        "jf_sk_" + "A" * 43 + "\n",
    ],
)
async def test_a_wrong_key_is_refused(world, value) -> None:
    with pytest.raises(ApiKeyInvalid):
        await world.ask(x_api_key=value)


async def test_a_key_must_match_exactly(world) -> None:
    key = (await made(await world.caller(await world.user())))["key"]
    for wrong in (key[:-1], key + "A", key.swapcase(), key[6:], key[:-1] + "_-"[key[-1] == "_"], f"{key}, {key}"):
        with pytest.raises(ApiKeyInvalid):
            await world.ask(x_api_key=wrong)


async def test_a_key_is_no_token_and_a_token_no_key(world) -> None:
    user = await world.user()
    key = (await made(await world.caller(user)))["key"]
    with pytest.raises(AuthRequired):
        await world.ask(authorization=f"Bearer {key}")
    with pytest.raises(ApiKeyInvalid):
        await world.ask(x_api_key=await world.token(user))


async def test_a_key_ends_at_its_expiry(world) -> None:
    moment = world.clock.now_ms() + 2000
    key = await made(await world.caller(await world.user()), expiresAt=iso(moment))
    assert key["expiresAt"] == iso(moment)
    await world.clock.advance(1.999)
    assert await world.ask(x_api_key=key["key"])
    await world.clock.advance(0.001)
    with pytest.raises(ApiKeyExpired):
        await world.ask(x_api_key=key["key"])


async def test_a_time_without_zone_is_utc(world) -> None:
    key = await made(await world.caller(await world.user()), expiresAt="2030-01-31T12:00:00")
    assert key["expiresAt"] == "2030-01-31T12:00:00.000Z"


async def test_revoke_ends_the_key_and_is_404_for_anothers(world) -> None:
    ada, eve = await world.user("ada"), await world.user("eve")
    key = await made(await world.caller(ada))
    path = f"/api-keys/{key['id']}"
    assert (await (await world.caller(eve)).send("DELETE", path))[0] == 404
    assert key["id"] not in str(await (await world.caller(eve)).send("GET", "/api-keys"))
    assert await world.ask(x_api_key=key["key"])
    assert (await (await world.caller(ada)).send("DELETE", f"/api-keys/{key['key']}"))[0] == 404
    assert (await (await world.caller(ada)).send("DELETE", path)) == (204, None)
    with pytest.raises(ApiKeyInvalid):
        await world.ask(x_api_key=key["key"])
    assert (await (await world.caller(ada)).send("DELETE", path))[0] == 404


async def test_a_key_with_scopes_revokes_itself_at_most(world) -> None:
    caller = await world.caller(await world.user())
    full, scoped = await made(caller), await made(caller, scopes=["workflows:read"])
    by_scoped, by_full = world.by_key(scoped["key"]), world.by_key(full["key"])
    assert (await by_scoped.send("DELETE", f"/api-keys/{full['id']}"))[0] == 403
    assert (await by_scoped.send("DELETE", f"/api-keys/{scoped['id']}"))[0] == 204
    other = await made(caller)
    assert (await by_full.send("DELETE", f"/api-keys/{other['id']}"))[0] == 204


async def test_the_key_of_a_deleted_user_is_refused(world) -> None:
    await world.user("ada")
    eve = await world.user("eve")
    key = await made(await world.caller(eve))
    await world.auth.accounts.delete(eve.id)
    with pytest.raises(ApiKeyInvalid):
        await world.ask(x_api_key=key["key"])


async def test_every_credential_of_a_request_must_be_valid_and_of_one_user(world) -> None:
    ada, eve = await world.user("ada"), await world.user("eve")
    key = (await made(await world.caller(ada)))["key"]
    assert await world.ask(authorization=f"Bearer {await world.token(ada)}", x_api_key=key)
    for bearer, given in [
        (await world.token(eve), key),
        (await world.token(ada), "jf_sk_" + secrets.token_urlsafe(32)),
        ("a.b.c", key),
    ]:
        with pytest.raises(AuthRequired):
            await world.ask(authorization=f"Bearer {bearer}", x_api_key=given)


async def test_the_list_has_pages(world) -> None:
    caller = await world.caller(await world.user())
    for _ in range(3):
        await made(caller)
    page = (await caller.send("GET", "/api-keys?offset=1&limit=1"))[1]
    assert (len(page["data"]), page["total"], page["offset"], page["limit"]) == (1, 3, 1, 1)


# ------------------------------------------------------------------------------------------------------------- last use


async def test_a_use_shows_within_seconds_and_not_before_it_happens(world) -> None:
    caller = await world.caller(await world.user())
    key = await made(caller)
    assert "lastUsedAt" not in (await caller.send("GET", "/api-keys"))[1]["data"][0]
    await world.ask(x_api_key=key["key"])
    used = world.clock.now_ms()
    await world.clock.advance(2)
    assert (await caller.send("GET", "/api-keys"))[1]["data"][0]["lastUsedAt"] == iso(used)


class Writes:
    """A store that counts the batches."""

    def __init__(self) -> None:
        self.batches: list[dict[str, int]] = []
        self.down = False

    async def touch_api_keys(self, used: dict[str, int]) -> None:
        if self.down:
            raise StoreUnavailable
        self.batches.append(dict(used))


@pytest.fixture
def usage():
    clock, store = FakeClock(), Writes()
    tasks: list[str] = []

    def spawn(name, coroutine):
        tasks.append(name)
        return asyncio.get_running_loop().create_task(coroutine)

    return KeyUsage(ApiKeysSettings(), clock, lambda: store, spawn), clock, store, tasks  # type: ignore[arg-type]


async def test_uses_are_written_in_batches_at_most_once_a_minute_per_key(usage) -> None:
    uses, clock, store, tasks = usage
    for _ in range(100):
        uses.note("a")
        uses.note("b")
    assert len(tasks) == 1
    await clock.advance(2)
    assert [set(batch) for batch in store.batches] == [{"a", "b"}]
    uses.note("a")
    await clock.advance(57)
    uses.note("a")
    await clock.advance(0.9)
    assert len(store.batches) == 1
    await clock.advance(1)
    uses.note("a")
    await clock.advance(2)
    assert store.batches[1] == {"a": clock.now_ms() - 2000}
    assert len(tasks) == 2, "without requests nothing runs"


async def test_what_is_gathered_is_written_at_shutdown(usage) -> None:
    uses, _, store, _ = usage
    uses.note("a")
    await uses.flush()
    assert len(store.batches) == 1
    await uses.flush()
    assert len(store.batches) == 1


async def test_a_store_that_is_down_loses_nothing(usage) -> None:
    uses, clock, store, _ = usage
    store.down = True
    uses.note("a")
    await clock.advance(2)
    store.down = False
    uses.note("b")
    await clock.advance(2)
    assert [set(batch) for batch in store.batches] == [{"a", "b"}]


async def test_shutdown_writes_the_last_use(world) -> None:
    user = await world.user()
    key = await made(await world.caller(user))
    await world.ask(x_api_key=key["key"])
    await world.auth.close()
    assert (await world.store.api_keys(user.id, 0, 1)).rows[0].last_used_at == world.clock.now_ms()
