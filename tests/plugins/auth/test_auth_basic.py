"""Basic: off by default, remembered by keyed digest, throttled like a login."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.api.errors import AuthRequired, InvalidCredentials, RateLimited
from jackfield.api.storage import User
from jackfield.testing.clock import FakeClock
from jackfield_auth.logins.basic import VerifiedPairs
from jackfield_auth.settings import BasicSettings, LoginSettings

ON = BasicSettings(enabled=True)


@pytest.fixture
async def hashes(make, monkeypatch):
    """A world with Basic on, and the list of the passwords that were hashed for a check."""
    world = await make(ON)
    checked: list[str] = []
    real = world.auth.passwords.verify

    async def spy(password: str, stored: str | None):
        checked.append(password)
        return await real(password, stored)

    monkeypatch.setattr(world.auth.passwords, "verify", spy)
    return world, checked


async def test_it_is_off_by_default_and_says_so(world) -> None:
    await world.user()
    with pytest.raises(AuthRequired, match=r"security\.basic_auth\.enabled") as caught:
        await world.ask(authorization=world.basic(f"ada:{world.password}"))
    assert caught.value.code == "AUTH_REQUIRED"


async def test_a_right_pair_is_the_user(make) -> None:
    world = await make(ON)
    user = await world.user("ada", "member", "colons:are:fine:here")
    found = await world.ask(authorization=world.basic("ada:colons:are:fine:here"))
    assert (found.user_id, found.role, found.method, found.scopes) == (user.id, "member", "basic", None)


@pytest.mark.parametrize(
    "value",
    [
        "ada:wrong password",
        "nobody:correct horse battery",
        ":correct horse battery",
        "ada:",
        "ada",
        ":",
        "",
        b"\xff\xfe:\xfd",
        "ADA :correct horse battery",
        "ada\x00:correct horse battery",
        "a" * 100 + ":correct horse battery",
        "ada:" + "x" * 2000,
    ],
)
async def test_a_wrong_pair_is_refused(make, value) -> None:
    world = await make(ON)
    await world.user()
    with pytest.raises(InvalidCredentials):
        await world.ask(authorization=world.basic(value))


@pytest.mark.parametrize(
    "value", ["Basic", "Basic !!!", "Basic ada:correct horse battery", "Basic YQ", "Basic YTpi YTpi"]
)
async def test_what_is_not_base64_is_refused(make, value) -> None:
    world = await make(ON)
    with pytest.raises(InvalidCredentials):
        await world.ask(authorization=value)


async def test_a_verified_pair_is_hashed_once_a_minute(hashes) -> None:
    world, checked = hashes
    await world.user()
    pair = world.basic(f"ada:{world.password}")
    for _ in range(5):
        assert await world.ask(authorization=pair)
    assert len(checked) == 1
    await world.clock.advance(59)
    assert await world.ask(authorization=pair)
    assert len(checked) == 1
    await world.clock.advance(1)
    assert await world.ask(authorization=pair)
    assert len(checked) == 2


async def test_a_burst_of_one_pair_is_hashed_once(hashes) -> None:
    world, checked = hashes
    await world.user()
    pair = world.basic(f"ada:{world.password}")
    found = await asyncio.gather(*(world.ask(authorization=pair) for _ in range(20)))
    assert all(found)
    assert len(checked) == 1


async def test_a_remembered_pair_lets_no_other_in(hashes) -> None:
    world, _ = hashes
    await world.user()
    assert await world.ask(authorization=world.basic(f"ada:{world.password}"))
    for wrong in (world.password + "x", world.password[:-1], "\0" + world.password):
        with pytest.raises(InvalidCredentials):
            await world.ask(authorization=world.basic(f"ada:{wrong}"))


@pytest.mark.parametrize("change", [{"password": "another long password"}, {"role": "viewer"}])
async def test_a_change_of_the_user_forgets_the_pair(hashes, change) -> None:
    world, checked = hashes
    user = await world.user()
    await world.user("eve")
    pair = world.basic(f"ada:{world.password}")
    assert await world.ask(authorization=pair)
    await world.auth.accounts.change(user.id, **change)
    if "password" in change:
        with pytest.raises(InvalidCredentials):
            await world.ask(authorization=pair)
    else:
        assert (await world.ask(authorization=pair)).role == "viewer"
    assert len(checked) == 2


async def test_a_deleted_user_is_out_at_once(hashes) -> None:
    world, _ = hashes
    await world.user()
    eve = await world.user("eve", "member")
    pair = world.basic(f"eve:{world.password}")
    assert await world.ask(authorization=pair)
    await world.auth.accounts.delete(eve.id)
    with pytest.raises(InvalidCredentials):
        await world.ask(authorization=pair)


async def test_ten_failures_lock_even_a_remembered_pair(hashes) -> None:
    world, checked = hashes
    await world.user()
    right = world.basic(f"ada:{world.password}")
    assert await world.ask(authorization=right)
    for number in range(10):
        with pytest.raises(InvalidCredentials):
            await world.ask(authorization=world.basic(f"ada:wrong {number}"))
    before = len(checked)
    for pair in (right, world.basic("ada:wrong again")):
        with pytest.raises(RateLimited):
            await world.ask(authorization=pair)
    assert len(checked) == before, "a locked name costs no hash"
    assert await world.ask(authorization=right, client="192.0.2.99"), "another address is unaffected"
    await world.clock.advance(900)
    assert await world.ask(authorization=right)


async def test_logins_and_basic_share_their_failures(make) -> None:
    world = await make(ON, LoginSettings(failures=2))
    await world.user()
    with pytest.raises(InvalidCredentials):
        await world.ask(authorization=world.basic("ada:wrong"))
    assert (await world.login("ada", "wrong"))[0] == 401
    assert (await world.login("ada", world.password))[0] == 429
    with pytest.raises(RateLimited):
        await world.ask(authorization=world.basic(f"ada:{world.password}"))


def user(number: int, version: int = 1) -> User:
    return User(f"u{number}", f"name{number}", "viewer", "-", version, 0)


def test_the_memory_is_bounded_and_the_oldest_go_first() -> None:
    remembered = VerifiedPairs(BasicSettings(remembered=3), FakeClock())
    for number in range(5):
        remembered.add(user(number), "password")
    assert len(remembered) == 3
    assert [remembered.knows(user(number), "password") for number in range(5)] == [False, False, True, True, True]


def test_nothing_of_a_pair_is_kept_in_the_clear() -> None:
    remembered = VerifiedPairs(BasicSettings(), FakeClock())
    remembered.add(user(1), "a secret password")
    assert b"secret" not in b"".join(remembered._until)
    other = VerifiedPairs(BasicSettings(), FakeClock())
    other.add(user(1), "a secret password")
    assert set(remembered._until) != set(other._until), "the key is the process's own"


def test_not_remembering_can_be_asked_for() -> None:
    remembered = VerifiedPairs(BasicSettings(remember=0), FakeClock())
    remembered.add(user(1), "password")
    assert not remembered.knows(user(1), "password")
