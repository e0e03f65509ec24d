"""Roles and projects that the groups of a login give, and the users that it finds."""

from __future__ import annotations

from typing import Any

import pytest
from external_logins import (
    ADA,
    Acts,
    Directory,
    Make,
    enter,
    give,
    memberships,
    teams,
)

from jackfield.api.errors import (
    AccessDenied,
    InvalidCredentials,
)
from jackfield.api.logins import Identity, LoginRefused
from jackfield.api.storage import Project, ProjectMember
from jackfield_auth.settings import BasicSettings, LoginSettings


async def test_projects_of_a_login_come_and_go_and_those_by_hand_stay(open_world: Any, directory: Directory) -> None:
    one, two, three = await teams(open_world, "One", "Two", "Three")
    given = {"One": "project:editor", two: "project:viewer", "Nowhere": "project:admin"}
    user = await give(open_world, directory, "member", projects=given)
    await open_world.store.put_project_member(ProjectMember(three, user.id, "project:admin"))
    assert await memberships(open_world, user.id) == {
        one: "project:editor",
        two: "project:viewer",
        three: "project:admin",
    }
    await give(open_world, directory, "member", projects={"Two": "project:admin"})
    assert await memberships(open_world, user.id) == {two: "project:admin", three: "project:admin"}
    await give(open_world, directory, "member")  # says nothing of projects
    assert two in await memberships(open_world, user.id)
    await give(open_world, directory, "member", projects={})
    assert await memberships(open_world, user.id) == {three: "project:admin"}


async def test_a_project_that_two_are_called_lets_nobody_in(open_world: Any, directory: Directory) -> None:
    await open_world.store.put_project(Project("id-a", "Same", 1, 1))
    await open_world.store.put_project(Project("id-b", "Same", 1, 1))
    user = await give(open_world, directory, "member", projects={"Same": "project:viewer"})
    assert await memberships(open_world, user.id) == {}


async def test_a_second_project_of_the_name_takes_nobody_out_of_the_first(
    open_world: Any, directory: Directory
) -> None:
    (one,) = await teams(open_world, "One")
    user = await give(open_world, directory, "member", projects={"One": "project:viewer"})
    await open_world.store.put_project(Project("id-b", "One", 1, 1))
    await give(open_world, directory, "member", projects={"One": "project:editor"})
    assert await memberships(open_world, user.id) == {one: "project:editor"}


async def test_who_lost_the_groups_loses_tokens_projects_and_the_way_in_until_they_are_back(
    open_world: Any, directory: Directory
) -> None:
    (one,) = await teams(open_world, "One")
    await open_world.user("root")
    user = await give(open_world, directory, "member", projects={one: "project:viewer"})
    token = await open_world.token(user)
    with pytest.raises(LoginRefused, match="no group"):
        await give(open_world, directory, "")
    assert await memberships(open_world, user.id) == {}
    with pytest.raises(Exception, match="not valid"):
        await open_world.ask(authorization=f"Bearer {token}")
    back = await give(open_world, directory, "viewer")
    assert (back.id, back.disabled, back.role) == (user.id, False, "viewer")


async def test_a_user_whom_an_administrator_disabled_stays_out_whatever_the_groups_say(
    open_world: Any, directory: Directory
) -> None:
    await open_world.user("root")
    user = await give(open_world, directory, "member")
    await open_world.auth.accounts.change(user.id, disabled=True)
    for role in ("", "member"):
        with pytest.raises((LoginRefused, AccessDenied)):
            await give(open_world, directory, role)
    assert (await open_world.store.user(user.id)).disabled


@pytest.mark.parametrize("steps", [(True,), (False, True)])
async def test_whom_an_administrator_disables_after_a_login_did_stays_out(
    open_world: Any, directory: Directory, steps: tuple[bool, ...]
) -> None:
    await open_world.user("root")
    user = await give(open_world, directory, "member")
    with pytest.raises(LoginRefused):
        await give(open_world, directory, "")
    for disabled in steps:
        await open_world.auth.accounts.change(user.id, disabled=disabled)
    with pytest.raises(AccessDenied):
        await give(open_world, directory, "member")
    assert (await open_world.store.user(user.id)).disabled


async def test_who_is_in_no_group_makes_no_user(open_world: Any, directory: Directory) -> None:
    with pytest.raises(LoginRefused, match="no group"):
        await give(open_world, directory, "")
    assert await open_world.store.users() == []


@pytest.mark.parametrize("role", ["", "viewer"])
async def test_the_last_administrator_stays_one_until_there_is_another(
    open_world: Any, directory: Directory, role: str
) -> None:
    user = await give(open_world, directory, "admin")
    assert await give(open_world, directory, role) == user
    await open_world.user("root")
    if role:
        assert (await give(open_world, directory, role)).role == role
    else:
        with pytest.raises(LoginRefused):
            await give(open_world, directory, role)


async def test_an_administrator_whose_password_does_not_count_is_no_other_one(make: Make, directory: Directory) -> None:
    world = await make(LoginSettings(local=False))
    world.context.ports["jackfield_password_logins"] = [directory]
    await world.user("root")
    await give(world, directory, "admin")
    assert (await give(world, directory, "viewer")).role == "admin"


async def test_a_login_that_makes_no_users_refuses_strangers(open_world: Any, directory: Directory) -> None:
    with pytest.raises(LoginRefused, match="linked"):
        await give(open_world, directory, "member", makes_user=False)
    assert await open_world.store.users() == []


async def test_a_verified_address_links_the_local_user_and_then_the_subject_counts(
    open_world: Any, directory: Directory
) -> None:
    local = await open_world.user("ada@example.com", "viewer")
    linked = await give(open_world, directory, "member", verified_email="Ada@example.com", makes_user=False)
    assert (linked.id, linked.role, linked.provider) == (local.id, "member", "")
    again = await give(open_world, directory, "member", makes_user=False)
    assert again.id == local.id
    directory.answer = Identity("s-2", "Eve", "member", makes_user=False)
    with pytest.raises(LoginRefused):
        await enter(open_world)
    assert (await enter(open_world, "ada@example.com", open_world.password, provider=None)).id == local.id
    await open_world.user("root")
    await open_world.auth.accounts.delete(local.id)
    with pytest.raises(LoginRefused):
        await give(open_world, directory, "member", makes_user=False)


async def test_an_address_finds_no_user_of_another_login_and_none_that_is_disabled(
    open_world: Any, directory: Directory
) -> None:
    await open_world.user("root")
    other = await give(open_world, directory, "member")
    directory.answer = Identity("s-2", "Eve", "member", verified_email=other.username)
    assert (await enter(open_world)).id != other.id
    local = await open_world.user("bob@example.com", "member")
    await open_world.auth.accounts.change(local.id, disabled=True)
    directory.answer = Identity("s-3", "Bob", "member", verified_email="bob@example.com")
    with pytest.raises(AccessDenied):
        await enter(open_world)


@pytest.mark.parametrize("address", ["ada@stra\u00dfe.example", "\u017fam@example.com", "\u212aim@example.com"])
async def test_an_address_that_only_looks_alike_in_lower_case_is_somebody_elses(
    open_world: Any, directory: Directory, address: str
) -> None:
    local = await open_world.user(address.casefold())
    assert local.username != address
    linked = await give(open_world, directory, "member", verified_email=address)
    assert linked.id != local.id


async def test_a_daemon_that_was_quicker_has_made_the_user(open_world: Any, directory: Directory) -> None:
    user = await enter(open_world)
    users = open_world.auth._external.methods._users
    assert (await users._new("corp", ADA)).id == user.id


async def test_passwords_of_ours_can_be_switched_off(make: Make, directory: Directory) -> None:
    world = await make(LoginSettings(local=False), BasicSettings(enabled=True))
    world.context.ports["jackfield_password_logins"] = [directory]
    await world.user("root")
    status, told = await world.login("root", world.password)
    assert (status, told["code"]) == (401, "LOCAL_LOGIN_OFF")
    with pytest.raises(InvalidCredentials, match=r"security\.login\.local"):
        await world.ask(authorization=world.basic(f"root:{world.password}"))
    assert [one.name for one in await world.auth.login_methods.all()] == ["corp"]
    assert (await enter(world)).provider == "corp"


async def test_what_a_login_changes_of_users_is_recorded_in_its_name(open_world: Any, directory: Directory) -> None:
    acts = open_world.context.ports["AuditLog"] = Acts()
    (one,) = await teams(open_world, "One")
    await open_world.user("root")
    user = await give(open_world, directory, "viewer", projects={"One": "project:viewer"})
    whom = ("corp", user.id, user.username)
    member = ("corp", one, user.id)
    assert acts.taken() == [("user.create", *whom), ("project.member.update", *member)]
    await give(open_world, directory, "viewer", projects={"One": "project:viewer"})
    assert acts.taken() == []
    await give(open_world, directory, "admin", projects={})
    assert acts.taken() == [("user.role.update", *whom), ("project.member.delete", *member)]
    with pytest.raises(LoginRefused):
        await give(open_world, directory, "")
    assert acts.taken() == [("user.disable", *whom)]
    await give(open_world, directory, "admin")
    assert acts.taken() == [("user.enable", *whom)]
    local = await open_world.user("eve@example.com", "member")
    directory.answer = Identity("s-2", "Eve", "member", verified_email="eve@example.com")
    await enter(open_world)
    assert acts.taken() == [("user.link", "corp", local.id, "eve@example.com")]
