"""Logins of plugins: whose they are, and what of their answers counts."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from external_logins import (
    ADA,
    CLIENT,
    Directory,
    Make,
    Provider,
    enter,
)

from jackfield.api.errors import (
    AccessDenied,
    Conflict,
    InvalidCredentials,
    InvalidInput,
    RateLimited,
    UpstreamFailed,
)
from jackfield.api.logins import Identity, LoginRefused
from jackfield_auth.external.users import names
from jackfield_auth.logins.throttle import key_of

# -- whose a login is


async def test_a_user_is_made_once_and_found_again(open_world: Any) -> None:
    user = await enter(open_world)
    assert (user.username, user.role, user.provider, user.subject) == ("Ada@corp", "viewer", "corp", "s-1")
    assert await enter(open_world, "another spelling") == user


async def test_a_local_user_of_the_same_name_is_somebody_else(open_world: Any, directory: Directory) -> None:
    local = await open_world.user("ada")
    same = await open_world.user("Eve@corp")
    directory.answer = Identity(local.id, "ada", "viewer")
    assert (await enter(open_world)).id != local.id
    directory.answer = Identity("s-9", "Eve", "viewer")
    eve = await enter(open_world, "Eve@corp")
    assert eve.id != same.id
    assert (eve.username[:4], eve.username[-5:]) == ("Eve-", "@corp")


@pytest.mark.parametrize("password", ["", "right", "the password of no user"])
async def test_a_user_of_a_login_has_no_password_of_ours(open_world: Any, password: str) -> None:
    user = await enter(open_world)
    with pytest.raises(InvalidCredentials):
        await enter(open_world, user.username, password, provider=None)


async def test_another_role_ends_tokens_and_another_name_does_not(open_world: Any, directory: Directory) -> None:
    user = await enter(open_world)
    directory.answer = Identity("s-1", "Ada Lovelace", "viewer")
    renamed = await enter(open_world)
    assert (renamed.version, renamed.display_name, renamed.username) == (user.version, "Ada Lovelace", "Ada@corp")
    directory.answer = Identity("s-1", "Ada Lovelace", "member")
    assert (await enter(open_world)).version == user.version + 1


async def test_role_and_password_are_the_logins_and_being_disabled_is_ours(open_world: Any) -> None:
    accounts = open_world.auth.accounts
    await open_world.user("root")
    user = await enter(open_world)
    for change in ({"role": "admin"}, {"password": "a password of ours"}):
        with pytest.raises(Conflict, match="comes from the login corp"):
            await accounts.change(user.id, **change)
    await accounts.change(user.id, disabled=True)
    with pytest.raises(AccessDenied, match="disabled"):
        await enter(open_world)
    await accounts.change(user.id, disabled=False)
    assert (await enter(open_world)).id == user.id


async def test_the_last_administrator_who_gets_in_stays(open_world: Any) -> None:
    accounts = open_world.auth.accounts
    ada, bob = await open_world.user("ada"), await open_world.user("bob")
    await accounts.change(bob.id, disabled=True)
    for change in ({"disabled": True}, {"role": "viewer"}):
        with pytest.raises(Conflict, match="last administrator"):
            await accounts.change(ada.id, **change)
    await accounts.delete(bob.id)
    with pytest.raises(Conflict):
        await accounts.delete(ada.id)


async def test_a_disabled_local_user_gets_in_nowhere(world: Any) -> None:
    await world.user("root")
    ada = await world.user("ada", "member")
    token = await world.token(ada)
    await world.auth.accounts.change(ada.id, disabled=True)
    status, told = await world.login("ada", world.password)
    assert (status, told["code"]) == (403, "USER_DISABLED")
    assert (await world.login("ada", "wrong"))[0] == 401
    with pytest.raises(Exception, match="not valid"):
        await world.ask(authorization=f"Bearer {token}")


# -- what of an answer counts


@pytest.mark.parametrize(
    "answer",
    [
        Identity("", "Ada", "viewer"),
        Identity("s\ud800", "Ada", "viewer"),
        Identity("s\0", "Ada", "viewer"),
        Identity("s" * 256, "Ada", "viewer"),
        Identity(1, "Ada", "viewer"),  # type: ignore[arg-type]
        Identity("s-1", None, "viewer"),  # type: ignore[arg-type]
        Identity("s-1", "Ada", "owner"),
        Identity("s-1", "Ada", "viewer", projects={"One": "owner"}),  # type: ignore[dict-item]
        Identity("s-1", "Ada", ["admin"]),  # type: ignore[arg-type]
        True,
        {"subject": "s-1"},
    ],
)
async def test_an_identity_that_is_none_lets_nobody_in(open_world: Any, directory: Directory, answer: object) -> None:
    directory.answer = answer
    with pytest.raises(UpstreamFailed):
        await enter(open_world)
    assert await open_world.store.users() == []


async def test_what_a_login_raises_tells_no_password(
    open_world: Any, directory: Directory, caplog: pytest.LogCaptureFixture
) -> None:
    directory.answer = RuntimeError("cannot bind with right")
    with caplog.at_level(logging.DEBUG), pytest.raises(UpstreamFailed) as told:
        await enter(open_world)
    assert "RuntimeError" in caplog.text
    assert "cannot bind" not in caplog.text + told.value.message


async def test_a_login_that_does_not_answer_is_given_up(open_world: Any, directory: Directory) -> None:
    directory.answer = "slow"
    with pytest.raises(UpstreamFailed, match="does not answer"):
        await enter(open_world)


@pytest.mark.parametrize(
    ("name", "password"),
    [("ada", ""), ("", "right"), ("  ", "right"), ("a\0", "right"), ("ada", "r" * 1025), ("\ud800", "right")],
)
async def test_a_directory_is_not_asked_what_it_might_take_for_anonymous(
    open_world: Any, directory: Directory, name: str, password: str
) -> None:
    with pytest.raises(InvalidCredentials):
        await enter(open_world, name, password)
    assert directory.asked == []


async def test_logins_of_one_name_and_of_ours_are_left_out(make: Make) -> None:
    world = await make()
    world.context.ports["jackfield_password_logins"] = [Directory("corp"), Directory("local"), Directory("Up/../")]
    world.context.ports["jackfield_redirect_logins"] = [Provider("corp"), Provider("oidc")]
    found = await world.auth.login_methods.all()
    assert [(one.name, one.kind) for one in found] == [
        ("local", "password"),
        ("corp", "password"),
        ("oidc", "redirect"),
    ]
    with pytest.raises(InvalidInput):
        await enter(world, provider="nobody")


async def test_a_login_that_cannot_say_its_title_keeps_nobody_from_the_others(make: Make) -> None:
    class Untitled(Directory):
        @property
        def title(self) -> str:  # type: ignore[override]
            raise RuntimeError("no title")

    world = await make()
    world.context.ports["jackfield_password_logins"] = [Untitled("broken"), Directory("corp")]
    titles = [one.title for one in await world.auth.login_methods.all()]
    assert titles == ["User name and password", "broken", "Directory"]


@pytest.mark.parametrize(
    ("shown", "first"), [("A:da\n\x1b[0m", "A da [0m@corp"), ("", "user@corp"), (" : ", "user@corp")]
)
def test_a_name_is_one_that_a_user_may_have(shown: str, first: str) -> None:
    found = list(names("corp", Identity("s", shown, "viewer")))
    assert found[0] == first
    assert len(set(found)) == len(found)
    assert all(len(name) <= 64 for name in names("corp", Identity("s", "x" * 300, "viewer")))


# -- guessing


async def test_guesses_are_counted_per_login_and_a_success_elsewhere_clears_none(
    open_world: Any, directory: Directory
) -> None:
    await open_world.user("ada")
    for _ in range(2):
        with pytest.raises(InvalidCredentials):
            await enter(open_world, password="guess", provider=None)
    await enter(open_world)
    with pytest.raises(InvalidCredentials):
        await enter(open_world, password="guess", provider=None)
    with pytest.raises(RateLimited):
        await enter(open_world, password=open_world.password, provider=None)
    await enter(open_world)


async def test_refusals_are_guesses_too(open_world: Any, directory: Directory) -> None:
    directory.answer = LoginRefused("This account is locked.")
    for _ in range(3):
        with pytest.raises(LoginRefused):
            await enter(open_world)
    directory.answer = ADA
    with pytest.raises(RateLimited):
        await enter(open_world)


async def test_spellings_of_a_name_are_one_name(open_world: Any, directory: Directory) -> None:
    for name in ("ADA", " ada ", "\uff41da"):
        with pytest.raises(InvalidCredentials):
            await enter(open_world, name, "guess")
    with pytest.raises(RateLimited):
        await enter(open_world)
    assert len(directory.asked) == 3
    assert key_of("Stra\u00dfe", CLIENT) == key_of("STRASSE", CLIENT) != key_of("strasse", CLIENT, "corp")
