"""Login, refresh, logout, me, one's own password."""

from __future__ import annotations

import asyncio
import logging

import pytest

from jackfield.api.clock import iso
from jackfield.api.errors import TokenInvalid
from jackfield.testing.context import FakeContext
from jackfield_auth.service import AuthService
from jackfield_auth.settings import BasicSettings, LoginSettings, PasswordSettings


async def test_a_login_answers_with_token_expiry_and_user(world) -> None:
    user = await world.user("ada", "member")
    status, body = await world.login("ada", world.password)
    assert status == 200
    assert body["user"] == {"id": user.id, "username": "ada", "role": "member"}
    assert body["expiresAt"] == iso(world.clock.now_ms() + 86_400_000)
    assert set(body) == {"token", "expiresAt", "user"}
    assert (await world.ask(authorization=f"Bearer {body['token']}")).user_id == user.id


async def test_unknown_name_and_wrong_password_answer_alike(world) -> None:
    await world.user()
    wrong = await world.login("ada", "not the password")
    unknown = await world.login("nobody", "not the password")
    assert wrong == unknown
    assert (wrong[0], wrong[1]["code"]) == (401, "INVALID_CREDENTIALS")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "username"),
        ({"username": "admin"}, "password"),
        ({"password": "x"}, "username"),
        ({"username": 1, "password": 2}, "password"),
        ({"username": None, "password": None}, "username"),
        ({"username": ["a"], "password": {"a": 1}}, "password"),
        ({"username": "a" * 257, "password": "x"}, "username"),
        ({"username": "a", "password": "x" * 1025}, "password"),
        ([], "body"),
        ("admin", "body"),
    ],
)
async def test_a_wrong_shape_names_the_field_and_not_the_value(world, body, field) -> None:
    status, answer = await world.anonymous.send("POST", "/auth/login", body)
    assert (status, answer["code"]) == (400, "VALIDATION_ERROR")
    assert field in answer["details"]
    assert "xxx" not in str(answer)


@pytest.mark.parametrize("name", ["' OR 1=1 --", "ada\x00", "ädä", "../ada", "", " ada", "ADA"])
async def test_odd_names_cannot_log_in(world, name) -> None:
    await world.user()
    assert (await world.login(name, world.password))[0] == 401


async def test_ten_failures_lock_and_the_right_password_too(world) -> None:
    await world.user()
    await world.user("eve")
    assert [(await world.login("ada", "wrong"))[0] for _ in range(11)] == [401] * 10 + [429]
    status, body = await world.login("ada", world.password)
    assert (status, body["code"]) == (429, "RATE_LIMITED")
    assert (await world.login("eve", world.password))[0] == 200
    await world.clock.advance(900)
    assert (await world.login("ada", world.password))[0] == 200


async def test_a_login_renews_a_hash_of_other_parameters(make, world, tmp_path) -> None:
    user = await world.user()
    stronger = FakeContext(
        tmp_path,
        "auth",
        world.clock,
        tables=[PasswordSettings(memory=8192, iterations=2, lanes=1)],
        ports={"Store": world.store},
    )
    auth = stronger.port(AuthService)
    await auth.open()
    await auth.logins.verify("ada", world.password, "192.0.2.7")
    now = await world.store.user(user.id)
    assert now.password_hash != user.password_hash
    assert now.version == user.version, "no token is revoked"
    await auth.logins.verify("ada", world.password, "192.0.2.7")
    assert (await world.store.user(user.id)).password_hash == now.password_hash
    await auth.close()


async def test_a_renewed_hash_never_undoes_a_change_of_password(world) -> None:
    user = await world.user()
    await world.auth.accounts.change(user.id, password="another long password")
    changed = await world.store.user(user.id)
    await world.auth.accounts._renew(user, "renewed from the old password")
    assert (await world.store.user(user.id)).password_hash == changed.password_hash


# -------------------------------------------------------------------------------------------------------------- refresh


async def test_refresh_gives_a_new_token_and_ends_the_old(world) -> None:
    user = await world.user()
    caller = await world.caller(user)
    await world.clock.advance(3600)
    status, body = await caller.send("POST", "/auth/refresh")
    assert status == 200
    assert body["user"]["id"] == user.id
    assert body["expiresAt"] == iso(world.clock.now_ms() + 86_400_000)
    assert (await world.ask(authorization=f"Bearer {body['token']}")).user_id == user.id
    with pytest.raises(TokenInvalid, match="revoked"):
        await world.ask(authorization=caller.headers["Authorization"])
    assert (await caller.send("POST", "/auth/refresh"))[0] == 401


async def test_of_many_refreshes_at_once_one_wins(world) -> None:
    caller = await world.caller(await world.user())
    found = await asyncio.gather(*(caller.send("POST", "/auth/refresh") for _ in range(20)))
    assert sorted(status for status, _ in found) == [200] + [401] * 19
    assert {body["code"] for status, body in found if status == 401} == {"TOKEN_INVALID"}


async def test_refresh_and_logout_need_a_token(make) -> None:
    world = await make(BasicSettings(enabled=True))
    user = await world.user()
    key = (await (await world.caller(user)).send("POST", "/api-keys", {"name": "x"}))[1]["key"]
    for path in ("/auth/refresh", "/auth/logout"):
        assert (await world.anonymous.send("POST", path))[0] == 401
        for caller in (world.by_key(key), world.by_basic("ada", world.password)):
            status, body = await caller.send("POST", path)
            assert (status, body["code"]) == (403, "ACCESS_DENIED")


async def test_logout_ends_this_token_alone(world) -> None:
    user = await world.user()
    first, second = await world.caller(user), await world.caller(user)
    assert await first.send("POST", "/auth/logout") == (204, None)
    for path in ("/auth/me", "/api-keys"):
        assert (await first.send("GET", path))[0] == 401
    assert (await second.send("GET", "/auth/me"))[0] == 200


async def test_a_revoked_token_stays_revoked_after_a_restart(make, world) -> None:
    caller = await world.caller(await world.user())
    await caller.send("POST", "/auth/logout")
    again = await make(store=world.store)
    with pytest.raises(TokenInvalid, match="revoked"):
        await again.ask(authorization=caller.headers["Authorization"])


async def test_me_names_the_caller_and_the_method(make) -> None:
    world = await make(BasicSettings(enabled=True))
    user = await world.user("ada", "viewer")
    caller = await world.caller(user)
    key = (await caller.send("POST", "/api-keys", {"name": "x"}))[1]["key"]
    for method, given in (
        ("jwt", caller),
        ("api_key", world.by_key(key)),
        ("basic", world.by_basic("ada", world.password)),
    ):
        expected = {"id": user.id, "username": "ada", "role": "viewer", "method": method}
        assert await given.send("GET", "/auth/me") == (200, expected)
    assert (await world.anonymous.send("GET", "/auth/me"))[1]["code"] == "AUTH_REQUIRED"


# ------------------------------------------------------------------------------------------------------------- password


async def test_a_new_password_ends_every_token_and_the_old_password(world) -> None:
    user = await world.user()
    caller, other = await world.caller(user), await world.caller(user)
    new = "a brand new password"
    assert await caller.send("POST", "/auth/password", {"current": world.password, "new": new}) == (204, None)
    for each in (caller, other):
        assert (await each.send("GET", "/auth/me"))[0] == 401
    assert (await world.login("ada", world.password))[0] == 401
    assert (await world.login("ada", new))[0] == 200


async def test_the_present_password_is_asked_for_and_throttled(make) -> None:
    world = await make(LoginSettings(failures=3))
    caller = await world.caller(await world.user())
    body = {"current": "wrong", "new": "a brand new password"}
    codes = [(await caller.send("POST", "/auth/password", body))[1]["code"] for _ in range(4)]
    assert codes == ["INVALID_CREDENTIALS"] * 3 + ["RATE_LIMITED"]
    assert (await caller.send("GET", "/auth/me"))[0] == 200


@pytest.mark.parametrize("new", ["elevenchars", "", "x" * 1025, "é" * 600])
async def test_a_new_password_outside_the_rules_is_400(world, new) -> None:
    caller = await world.caller(await world.user())
    status, body = await caller.send("POST", "/auth/password", {"current": world.password, "new": new})
    assert (status, list(body["details"])) == (400, ["new"])


async def test_an_api_key_changes_no_password(world) -> None:
    user = await world.user()
    key = (await (await world.caller(user)).send("POST", "/api-keys", {"name": "x"}))[1]["key"]
    body = {"current": world.password, "new": "a brand new password"}
    assert (await world.by_key(key).send("POST", "/auth/password", body))[0] == 403


async def test_no_password_token_or_key_is_logged(world, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    user = await world.user()
    token = (await world.login("ada", world.password))[1]["token"]
    await world.login("ada", "a wrong passphrase")
    key = (await (await world.caller(user)).send("POST", "/api-keys", {"name": "x"}))[1]["key"]
    await world.by_key(key).send("GET", "/auth/me")
    for secret in (world.password, "a wrong passphrase", token, key, user.password_hash):
        assert secret not in caplog.text
