"""Invitations and links to reset a password: who may make them, what they make, and how often."""

from __future__ import annotations

from typing import Any

import pytest

from jackfield.api.auth import OWNER
from jackfield.api.errors import Conflict, InvalidCredentials, InvalidInput
from jackfield.api.storage import Project
from jackfield.testing.passkeys import VirtualAuthenticator
from jackfield_auth.logins.refusals import LinkOver
from jackfield_auth.settings import InvitationSettings, LoginSettings

PASSWORD, ORIGIN = "correct horse battery", "https://jackfield.example.com"


async def invite(world: Any, role: str = "member", **projects: Any) -> str:
    token: str = (await world.auth.links.invite("ada@example.com", role, projects, OWNER.user_id, None)).token
    return token


async def test_an_invitation_makes_one_user_with_role_and_projects(world: Any) -> None:
    await world.store.put_project(Project("p1", "Kilns", 1, 1))
    token = await invite(world, p1="project:viewer", gone="project:admin")
    _, user = await world.auth.link_acceptance.with_password(token, "ada", PASSWORD)
    assert (user.username, user.role) == ("ada", "member")
    assert [(one.project_id, one.role) for one in await world.store.project_members()] == [("p1", "project:viewer")]
    assert (await world.login("ada", PASSWORD))[0] == 200
    with pytest.raises(LinkOver):
        await world.auth.link_acceptance.with_password(token, "eve", PASSWORD)


async def test_a_link_whose_user_cannot_be_made_can_be_tried_again(world: Any) -> None:
    await world.user("ada")
    token = await invite(world)
    wrong: Any = (("ada", PASSWORD, Conflict), ("bob", "short", InvalidInput), ("b:b", PASSWORD, InvalidInput))
    for name, password, why in wrong:
        with pytest.raises(why):
            await world.auth.link_acceptance.with_password(token, name, password)
    await world.auth.link_acceptance.with_password(token, "bob", PASSWORD)


async def test_an_invited_person_takes_nobody_elses_address_as_a_name(world: Any) -> None:
    token = await invite(world)
    acceptance = world.auth.link_acceptance
    for refused in (
        acceptance.with_password(token, "boss@example.com", PASSWORD),
        acceptance.ask_passkey(token, "boss@example.com", ORIGIN),
    ):
        with pytest.raises(InvalidInput, match="address"):
            await refused
    assert (await acceptance.with_password(token, "Ada@example.com", PASSWORD))[1].username == "Ada@example.com"


async def test_an_invited_person_may_choose_a_passkey_in_place_of_a_password(world: Any) -> None:
    token = await invite(world)
    acceptance = world.auth.link_acceptance
    options = await acceptance.ask_passkey(token, "ada", ORIGIN)
    passkey = VirtualAuthenticator(ORIGIN, options["rp"]["id"])
    user = await acceptance.with_passkey(token, "ada", "Laptop", passkey.create(options))
    asked = await world.auth.passkey_logins.begin(ORIGIN, "192.0.2.7", "other")
    found = await world.auth.passkey_logins.finish(passkey.sign(asked.options), [asked.binding.encode()], "other")
    assert found.id == user.id
    assert (await world.login("ada", ""))[0] == 401


async def test_a_wrong_passkey_leaves_the_invitation(world: Any) -> None:
    token = await invite(world)
    options = await world.auth.link_acceptance.ask_passkey(token, "ada", ORIGIN)
    other = VirtualAuthenticator("https://evil.example.com", options["rp"]["id"])
    with pytest.raises(InvalidCredentials):
        await world.auth.link_acceptance.with_passkey(token, "ada", "", other.create(options))
    await world.auth.link_acceptance.with_password(token, "ada", PASSWORD)


@pytest.mark.parametrize("token", ["", "jf_al_", "jf_al_x.y", "jf_al_{id}.", "jf_al_{id}.wrong"])
async def test_a_token_is_known_as_a_whole(world: Any, token: str) -> None:
    await invite(world)
    (link,) = await world.auth.links.all()
    with pytest.raises(LinkOver):
        await world.auth.links.find(token.format(id=link.id))


async def test_the_store_has_no_token(world: Any) -> None:
    token = await invite(world)
    (link,) = await world.auth.links.all()
    entry = await world.store.entry("account-link", link.id)
    assert token.partition(".")[2].encode() not in entry.data


async def test_links_end(make: Any) -> None:
    world = await make(InvitationSettings(expiration="1h", most=2))
    token = await invite(world)
    await invite(world)
    with pytest.raises(Conflict, match="take some back"):
        await invite(world)
    await world.clock.advance(3600)
    with pytest.raises(LinkOver):
        await world.auth.links.find(token)
    assert await world.auth.links.all() == []
    assert await world.store.entry_count("account-link", "") == 0


async def test_a_reset_sets_another_password_and_ends_sessions(world: Any) -> None:
    user = await world.user()
    caller = await world.caller(user)
    first = (await world.auth.links.reset(user.id, "ada", OWNER.user_id)).token
    token = (await world.auth.links.reset(user.id, "ada", OWNER.user_id)).token
    with pytest.raises(LinkOver):  # the later link ends the earlier one
        await world.auth.links.find(first)
    await world.auth.link_acceptance.with_password(token, "", "another horse battery")
    assert (await caller.send("GET", "/auth/me"))[0] == 401
    assert (await world.login("ada", "another horse battery"))[0] == 200
    with pytest.raises(LinkOver):
        await world.auth.link_acceptance.with_password(token, "", PASSWORD)


async def test_administrators_make_list_and_take_back(world: Any) -> None:
    admin = await world.caller(await world.user("root"))
    member = await world.caller(await world.user("bob", "member"))
    body = {"role": "viewer", "label": "Ada", "expiresIn": 3600}
    assert (await member.send("POST", "/invitations", body))[0] == 403
    status, made = await admin.send("POST", "/invitations", body)
    assert status == 201
    assert "/ui/invitation#token=jf_al_" in made["address"]
    status, listed = await admin.send("GET", "/invitations")
    assert [row["label"] for row in listed["data"]] == ["Ada"]
    assert "address" not in listed["data"][0]
    assert (await admin.send("DELETE", f"/invitations/{made['id']}"))[0] == 204
    assert (await admin.send("DELETE", f"/invitations/{made['id']}"))[0] == 404
    unknown = {**body, "projects": [{"id": "nowhere"}]}
    assert (await admin.send("POST", "/invitations", unknown))[0] == 400


async def test_who_is_an_administrator_no_more_comes_back_by_no_link(world: Any) -> None:
    await world.user("root")
    eve, bob = await world.user("eve"), await world.user("bob")
    links = world.auth.links
    made = await links.invite("", "admin", {}, eve.id, None)
    reset = await links.reset(bob.id, "bob", eve.id)
    await links.find(made.token)
    for change in ({"role": "member"}, {"role": "admin", "disabled": True}):
        await world.auth.accounts.change(eve.id, **change)
        for link in (made, reset):
            with pytest.raises(LinkOver):
                await links.find(link.token)
    await world.auth.accounts.delete(eve.id)
    with pytest.raises(LinkOver):
        await world.auth.link_acceptance.with_password(made.token, "eve", PASSWORD)


async def test_no_link_lets_in_where_passwords_of_our_own_do_not_count(make: Any) -> None:
    world = await make(LoginSettings(local=False))
    token = await invite(world)
    client = world.app.test_client()
    for path in ("", "/passkey"):
        body = {"token": token, "username": "ada"} | ({} if path else {"password": PASSWORD})
        answer = await client.post(f"/api/session/links{path}", json=body)
        assert (await answer.get_json())["code"] == "LOCAL_LOGIN_OFF"
    answer = await client.post("/api/session", json={"passkey": "{}"})
    assert (await answer.get_json())["code"] == "LOCAL_LOGIN_OFF"
    await world.auth.links.find(token)
