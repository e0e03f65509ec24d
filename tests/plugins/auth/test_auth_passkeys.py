"""Passkeys: pages that can have them, answers that count, and answers that do not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from jackfield.api.errors import AccessDenied, Conflict, InvalidCredentials, NotFound
from jackfield.api.storage import User
from jackfield.testing.passkeys import PRESENT, VirtualAuthenticator
from jackfield_auth.factors.setups import FactorOwner
from jackfield_auth.logins.refusals import LoginOver
from jackfield_auth.passkeys.scopes import PasskeysUnavailable, scope_of
from jackfield_auth.settings import PasskeySettings

ORIGIN, CLIENT = "https://jackfield.example.com", "192.0.2.7"
Make = Callable[..., Awaitable[Any]]


async def with_passkey(
    world: Any, user: User, origin: str = ORIGIN, rp_id: str = ""
) -> tuple[User, VirtualAuthenticator]:
    owner = FactorOwner(user, "", "")
    options = await world.auth.passkey_setups.begin(owner, origin)
    made = VirtualAuthenticator(origin, rp_id or options["rp"]["id"])
    done = await world.auth.passkey_setups.finish(owner, "Laptop", made.create(options))
    return done.user, made


async def log_in(
    world: Any, passkey: VirtualAuthenticator, *, cookies: list[bytes] | None = None, peer: str = "other"
) -> User:
    asked = await world.auth.passkey_logins.begin(ORIGIN, CLIENT, "other")
    bound = [asked.binding.encode()] if cookies is None else cookies
    found: User = await world.auth.passkey_logins.finish(passkey.sign(asked.options), bound, peer)
    return found


@pytest.mark.parametrize(
    ("origin", "rp_id", "found"),
    [
        ("https://jackfield.example.com", "", "jackfield.example.com"),
        ("https://jackfield.example.com:8443", "example.com", "example.com"),
        ("http://localhost:8765", "", "localhost"),
        ("http://desk.localhost:8765", "", "desk.localhost"),
    ],
)
def test_a_page_has_a_domain(origin: str, rp_id: str, found: str) -> None:
    assert scope_of(origin, rp_id).rp_id == found


@pytest.mark.parametrize(
    ("origin", "rp_id", "told"),
    [
        ("http://127.0.0.1:8765", "", "open http://localhost:8765/ui/"),
        ("https://192.0.2.1", "", "a host name"),
        ("https://[::1]:8765", "", "open http://localhost:8765/ui/"),
        ("http://jackfield.example.com", "", "https"),
        ("https://evilexample.com", "example.com", "rp_id"),
        ("https://localhost:99999", "", "passkeys"),
    ],
)
def test_a_page_that_can_have_no_passkey_says_what_to_open(origin: str, rp_id: str, told: str) -> None:
    with pytest.raises(PasskeysUnavailable, match=told.replace("/", ".")):
        scope_of(origin, rp_id)


async def test_a_passkey_lets_its_user_in_without_a_name(world: Any) -> None:
    user, passkey = await with_passkey(world, await world.user())
    assert (await log_in(world, passkey)).id == user.id
    (kept,) = await world.auth.second_steps.ceremonies.book.of_user(user.id)
    assert (kept.counter, kept.name, kept.rp_id) == (1, "Laptop", "jackfield.example.com")


async def test_it_is_the_second_factor_of_the_password(world: Any) -> None:
    user, passkey = await with_passkey(world, await world.user())
    steps = world.auth.second_steps
    begun = await steps.begin(user, "ada", "", "other")
    assert [choice.name for choice in begun.choices] == ["passkey", "recovery"]
    shown = await steps.ask(begun.token, "other", "passkey", ORIGIN)
    signed = passkey.sign(shown["passkey"])
    assert (await steps.answer(begun.token, "other", "passkey", signed, CLIENT)).id == user.id


async def test_another_users_passkey_answers_no_password(world: Any) -> None:
    user, _ = await with_passkey(world, await world.user())
    _, other = await with_passkey(world, await world.user("eve", "viewer"))
    steps = world.auth.second_steps
    begun = await steps.begin(user, "ada", "", "other")
    shown = await steps.ask(begun.token, "other", "passkey", ORIGIN)
    with pytest.raises(InvalidCredentials):
        await steps.answer(begun.token, "other", "passkey", other.sign(shown["passkey"]), CLIENT)


async def test_a_challenge_counts_once(world: Any) -> None:
    _, passkey = await with_passkey(world, await world.user())
    asked = await world.auth.passkey_logins.begin(ORIGIN, CLIENT, "other")
    bound = [asked.binding.encode()]
    signed = passkey.sign(asked.options)
    await world.auth.passkey_logins.finish(signed, bound, "other")
    with pytest.raises(LoginOver):
        await world.auth.passkey_logins.finish(signed, bound, "other")


async def test_a_challenge_is_for_the_browser_that_has_asked(world: Any) -> None:
    _, passkey = await with_passkey(world, await world.user())
    other = await world.auth.passkey_logins.begin(ORIGIN, CLIENT, "other")
    with pytest.raises(LoginOver):
        await log_in(world, passkey, cookies=[])
    with pytest.raises(InvalidCredentials):  # the cookie of another question
        await log_in(world, passkey, cookies=[other.binding.encode()])
    with pytest.raises(LoginOver):
        await log_in(world, passkey, peer="owner")


async def test_a_question_takes_so_long_at_most(world: Any) -> None:
    _, passkey = await with_passkey(world, await world.user())
    asked = await world.auth.passkey_logins.begin(ORIGIN, CLIENT, "other")
    await world.clock.advance(601)
    with pytest.raises(LoginOver):
        await world.auth.passkey_logins.finish(passkey.sign(asked.options), [asked.binding.encode()], "other")


async def test_a_counter_that_does_not_grow_is_a_copys(world: Any, caplog: pytest.LogCaptureFixture) -> None:
    _, passkey = await with_passkey(world, await world.user())
    passkey.counter = 5
    await log_in(world, passkey)
    passkey.counter = 4
    with pytest.raises(InvalidCredentials):
        await log_in(world, passkey)
    assert "is not valid" in caplog.text


@pytest.mark.parametrize("wrong", ["origin", "domain", "unverified", "key", "handle", "unknown", "text"])
async def test_whatever_is_wrong_lets_nobody_in(world: Any, wrong: str) -> None:
    _, passkey = await with_passkey(world, await world.user())
    other = VirtualAuthenticator(ORIGIN, passkey.rp_id)
    if wrong == "origin":
        passkey.origin = "https://evil.example.com"
    elif wrong == "domain":
        passkey.rp_id = "example.com"
    elif wrong == "unverified":
        passkey.flags = PRESENT
    elif wrong == "key":
        passkey.key = other.key
    elif wrong == "handle":
        passkey.user_handle = "AAAA"
    elif wrong == "unknown":
        passkey.credential_id = other.credential_id
    else:
        passkey.sign = lambda options: "[1, {"  # type: ignore[method-assign]
    with pytest.raises(InvalidCredentials):
        await log_in(world, passkey)


async def test_a_disabled_user_stays_out(world: Any) -> None:
    await world.user("root")
    user, passkey = await with_passkey(world, await world.user("ada", "member"))
    await world.auth.accounts.change(user.id, disabled=True)
    with pytest.raises(AccessDenied):
        await log_in(world, passkey)


async def test_a_directorys_user_needs_the_directory(world: Any) -> None:
    user = User("u1", "ada@corp", "member", "", version=1, created_at=1, provider="corp", subject="ada")
    await world.store.add_user(user)
    _, passkey = await with_passkey(world, user)
    with pytest.raises(AccessDenied, match="Log in with corp"):
        await log_in(world, passkey)


async def test_passkeys_are_renamed_and_removed_by_their_user_alone(make: Make) -> None:
    world = await make(PasskeySettings(most=1))
    user, _ = await with_passkey(world, await world.user())
    other = await world.user("eve", "viewer")
    ceremonies = world.auth.second_steps.ceremonies
    (kept,) = await ceremonies.book.of_user(user.id)
    assert (await ceremonies.rename(user.id, kept.id, "  Key\nof  Ada ")).name == "Key of Ada"
    with pytest.raises(NotFound):
        await ceremonies.rename(other.id, kept.id, "mine")
    with pytest.raises(NotFound):
        await world.auth.passkey_setups.remove(FactorOwner(other, "", ""), kept.id)
    with pytest.raises(Conflict, match="as many as may be"):
        await with_passkey(world, user)
    await world.auth.passkey_setups.remove(FactorOwner(user, "", ""), kept.id)
    assert await world.auth.second_steps.begin(await world.store.user(user.id), "ada", "", "other") is None
    assert await world.auth.second_steps.recovery.left(user.id) == 0


async def test_a_deleted_user_leaves_no_passkey(world: Any) -> None:
    await world.user("root")
    user, passkey = await with_passkey(world, await world.user("ada", "member"))
    await world.auth.accounts.delete(user.id)
    with pytest.raises(InvalidCredentials):
        await log_in(world, passkey)


async def test_the_only_way_in_stays(world: Any) -> None:
    user, passkey = await with_passkey(world, await world.auth.accounts.add_without_password("u1", "ada", "member"))
    (kept,) = await world.auth.second_steps.ceremonies.book.of_user(user.id)
    with pytest.raises(Conflict, match="only way in"):
        await world.auth.passkey_setups.remove(FactorOwner(user, "", ""), kept.id)
    assert (await log_in(world, passkey)).id == user.id
