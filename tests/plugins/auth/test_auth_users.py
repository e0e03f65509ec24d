"""Administrators manage users."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.api.clock import iso
from jackfield.api.errors import Conflict

NEW = {"username": "eve", "password": "a-long-enough-password", "role": "member"}


@pytest.fixture
async def admin(world):
    return await world.caller(await world.user("ada"))


async def test_an_admin_adds_lists_shows_changes_and_deletes(world, admin) -> None:
    status, eve = await admin.send("POST", "/users", NEW)
    assert status == 201
    made = iso(world.clock.now_ms())
    assert eve == {"id": eve["id"], "username": "eve", "role": "member", "createdAt": made, "disabled": False}
    listed = (await admin.send("GET", "/users"))[1]
    assert (listed["total"], {row["username"] for row in listed["data"]}) == (2, {"ada", "eve"})
    assert "argon2" not in str(listed)
    path = f"/users/{eve['id']}"
    assert await admin.send("GET", path) == (200, eve)
    assert await admin.send("PATCH", path, {"role": "viewer"}) == (200, {**eve, "role": "viewer"})
    assert (await world.login("eve", NEW["password"]))[0] == 200
    assert (await admin.send("PATCH", path, {"password": "another-long-password"}))[0] == 200
    assert (await world.login("eve", NEW["password"]))[0] == 401
    assert (await world.login("eve", "another-long-password"))[0] == 200
    assert await admin.send("DELETE", path) == (204, None)
    assert (await admin.send("GET", path))[0] == 404


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"username": ""}, "username"),
        ({"username": " eve"}, "username"),
        ({"username": "e:ve"}, "username"),
        ({"username": "e\nve"}, "username"),
        ({"username": "e\x00ve"}, "username"),
        ({"username": "x" * 65}, "username"),
        ({"username": 5}, "username"),
        ({"password": "elevenchars"}, "password"),
        ({"password": "é" * 600}, "password"),
        ({"password": None}, "password"),
        ({"role": "root"}, "role"),
        ({"role": None}, "role"),
        ({"admin": True}, "admin"),
    ],
)
async def test_a_wrong_field_is_named(admin, change, field) -> None:
    status, body = await admin.send("POST", "/users", {**NEW, **change})
    assert (status, list(body["details"])) == (400, [field])


async def test_a_taken_name_is_409(admin) -> None:
    assert (await admin.send("POST", "/users", NEW))[0] == 201
    status, body = await admin.send("POST", "/users", NEW)
    assert (status, body["code"]) == (409, "CONFLICT")


@pytest.mark.parametrize("body", [{}, {"role": None}, {"role": "root"}, {"password": "short"}, {"username": "x"}, []])
async def test_a_wrong_change_is_400(world, admin, body) -> None:
    eve = await world.user("eve", "member")
    assert (await admin.send("PATCH", f"/users/{eve.id}", body))[0] == 400


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_an_unknown_user_is_404(admin, method) -> None:
    body = {"role": "viewer"} if method == "PATCH" else None
    status, answer = await admin.send(method, "/users/no-such-user", body)
    assert (status, answer["code"]) == (404, "NOT_FOUND")


async def test_the_last_admin_stays(world, admin) -> None:
    ada = await world.store.user_by_name("ada")
    await world.user("eve", "member")
    for method, body in (("PATCH", {"role": "member"}), ("DELETE", None)):
        assert (await admin.send(method, f"/users/{ada.id}", body))[0] == 409
    assert (await world.store.user(ada.id)).role == "admin"
    assert (await admin.send("PATCH", f"/users/{ada.id}", {"role": "admin"}))[0] == 200, "no change is no loss"
    second = await world.user("second")
    assert (await admin.send("DELETE", f"/users/{second.id}"))[0] == 204


async def test_two_admins_cannot_remove_each_other_at_once(world) -> None:
    users = [await world.user(name) for name in ("ada", "eve")]
    found = await asyncio.gather(
        world.auth.accounts.delete(users[0].id),
        world.auth.accounts.change(users[1].id, role="viewer"),
        return_exceptions=True,
    )
    assert sum(isinstance(result, Conflict) for result in found) == 1
    assert sum(user.role == "admin" for user in await world.store.users()) == 1


async def test_an_unchanged_role_revokes_nothing(world, admin) -> None:
    eve = await world.user("eve", "member")
    token = await world.token(eve)
    assert (await admin.send("PATCH", f"/users/{eve.id}", {"role": "member"}))[0] == 200
    assert await world.ask(authorization=f"Bearer {token}")


@pytest.mark.parametrize("role", ["viewer", "member"])
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/users"), ("POST", "/users"), ("GET", "/users/x"), ("PATCH", "/users/x"), ("DELETE", "/users/x")],
)
async def test_others_manage_nobody(world, role, method, path) -> None:
    body = NEW if method in ("POST", "PATCH") else None
    assert (await world.anonymous.send(method, path, body))[0] == 401
    caller = await world.caller(await world.user("eve", role))
    status, answer = await caller.send(method, path, body)
    assert (status, answer["code"]) == (403, "ACCESS_DENIED")


async def test_a_restricted_key_of_an_admin_manages_nobody(admin, world) -> None:
    key = (await admin.send("POST", "/api-keys", {"name": "x", "scopes": ["workflows:read"]}))[1]["key"]
    assert (await world.by_key(key).send("GET", "/users"))[0] == 403
    assert (await world.by_key(key).send("POST", "/users", NEW))[0] == 403


async def test_the_list_has_pages(world, admin) -> None:
    for number in range(3):
        await world.user(f"u{number}", "viewer")
    page = (await admin.send("GET", "/users?offset=3&limit=5"))[1]
    assert (len(page["data"]), page["total"], page["offset"], page["limit"]) == (1, 4, 3, 5)
