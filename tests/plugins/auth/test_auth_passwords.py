"""Hashing: argon2id in threads, rules, rehash, equal cost for unknown users."""

from __future__ import annotations

import asyncio
import threading

import pytest

from jackfield.api.errors import InvalidInput, RateLimited
from jackfield_auth.settings import PasswordSettings
from jackfield_auth.users.passwords import Passwords, check_password


def passwords(**settings: int) -> Passwords:
    return Passwords(PasswordSettings(**{"memory": 8192, "iterations": 1, "lanes": 1, **settings}))


@pytest.mark.parametrize("password", ["x" * 12, "x" * 1024, "é" * 512, "pass word\x00with nul", "🔑" * 12])
async def test_an_allowed_password_verifies_and_another_does_not(password) -> None:
    check_password(password)
    tool = passwords()
    hashed = await tool.hash(password)
    assert hashed.startswith("$argon2id$v=19$m=8192,t=1,p=1$")
    assert (await tool.verify(password, hashed)).right
    for other in (password + "x", password[:-1], password.swapcase() + " ", ""):
        assert not (await tool.verify(other, hashed)).right
    tool.close()


@pytest.mark.parametrize(
    ("password", "rule"),
    [("", "12 characters"), ("elevenchars", "12 characters"), ("x" * 1025, "1024 bytes"), ("é" * 513, "1024 bytes")],
)
def test_a_password_outside_the_rules_is_refused_by_field(password, rule) -> None:
    with pytest.raises(InvalidInput, match=rule) as caught:
        check_password(password, "new")
    assert rule in caught.value.details["new"]
    assert not password or password not in str(caught.value.details)


def test_a_password_that_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Unicode"):
        check_password("\udcff" * 20)


async def test_two_hashes_of_one_password_differ() -> None:
    tool = passwords()
    assert await tool.hash("x" * 12) != await tool.hash("x" * 12)
    tool.close()


async def test_changed_parameters_give_a_new_hash_and_equal_ones_none() -> None:
    old, new = passwords(), passwords(iterations=2)
    hashed = await old.hash("x" * 12)
    assert (await old.verify("x" * 12, hashed)).renewed is None
    verdict = await new.verify("x" * 12, hashed)
    assert verdict.right
    assert verdict.renewed is not None
    assert "t=2" in verdict.renewed
    assert (await new.verify("x" * 12, verdict.renewed)).right
    assert (await new.verify("wrong", hashed)).renewed is None
    old.close()
    new.close()


async def test_no_password_is_right_for_an_unknown_user() -> None:
    tool = passwords()
    for password in ("x" * 12, "", "the password of no user"):
        assert not (await tool.verify(password, None)).right
    tool.close()


async def test_an_unknown_user_costs_one_verification(monkeypatch) -> None:
    tool = passwords()
    await tool.prepare()
    checked: list[str] = []
    context = tool._loaded()._context
    real = context.verify_and_update

    def spy(password: str, stored: str) -> tuple[bool, str | None]:
        checked.append(stored)
        return real(password, stored)

    monkeypatch.setattr(context, "verify_and_update", spy)
    await tool.verify("x" * 12, None)
    assert len(checked) == 1
    assert checked[0].startswith("$argon2id$v=19$m=8192,t=1,p=1$"), "as dear as a real one"
    tool.close()


@pytest.mark.parametrize("stored", ["", "garbage", "$argon2id$v=19$m=8192,t=1,p=1$short$x", "$2b$12$" + "a" * 53])
async def test_a_damaged_hash_lets_nobody_in(stored) -> None:
    tool = passwords()
    assert not (await tool.verify("x" * 12, stored)).right
    tool.close()


async def test_the_loop_goes_on_while_a_password_is_hashed(monkeypatch) -> None:
    tool = passwords()
    started, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        started.set()
        assert go_on.wait(10)

    monkeypatch.setattr(tool, "_loaded", slow)
    task = asyncio.create_task(tool.prepare())
    while not started.is_set():
        await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    await task
    tool.close()


async def test_no_more_wait_than_may(monkeypatch) -> None:
    tool = passwords(waiting=2, threads=1)
    go_on = threading.Event()
    monkeypatch.setattr(tool, "_loaded", lambda: go_on.wait(10))
    waiting = [asyncio.create_task(tool.prepare()) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(RateLimited):
        await tool.prepare()
    go_on.set()
    await asyncio.gather(*waiting)
    await tool.prepare()
    tool.close()
