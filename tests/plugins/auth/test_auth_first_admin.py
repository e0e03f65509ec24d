"""The first administrator from the environment, made once."""

from __future__ import annotations

import os

import pytest

from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore

PASSWORD = "a-first-password"


@pytest.fixture
def variables(monkeypatch):
    def put(username="admin", password=PASSWORD):
        for name, value in (("JACKFIELD_ADMIN_USERNAME", username), ("JACKFIELD_ADMIN_PASSWORD", password)):
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, value)

    return put


async def test_a_login_works_at_once_though_the_start_does_not_wait(make, variables) -> None:
    variables()
    world = await make()
    assert await world.store.users() == []
    status, body = await world.login("admin", PASSWORD)
    assert (status, body["user"]["role"]) == (200, "admin")


async def test_it_is_made_without_a_login_too(make, variables) -> None:
    variables()
    world = await make()
    await world.clock.advance(1)
    await world.auth.first_admin.ensure()
    assert [user.username for user in await world.store.users()] == ["admin"]


async def test_a_quick_stop_still_makes_it(make, variables) -> None:
    variables()
    world = await make()
    await world.auth.close()
    assert [user.username for user in await world.store.users()] == ["admin"]


async def test_it_is_made_once(make, variables) -> None:
    variables()
    first = await make()
    assert (await first.login("admin", PASSWORD))[0] == 200
    variables(password="another-password")
    second = await make(store=first.store)
    assert (await second.login("admin", PASSWORD))[0] == 200
    assert (await second.login("admin", "another-password"))[0] == 401
    variables(username="second", password="short")
    third = await make(store=first.store)
    assert (await third.login("second", "short"))[0] == 401
    assert len(await first.store.users()) == 1


async def test_the_variables_leave_the_environment_and_the_password_is_hidden(make, variables) -> None:
    variables()
    world = await make()
    assert not {"JACKFIELD_ADMIN_USERNAME", "JACKFIELD_ADMIN_PASSWORD"} & set(os.environ)
    assert PASSWORD in world.context.secrets.redacted


@pytest.mark.parametrize(
    ("username", "password", "named"),
    [
        ("admin", "elevenchars", "JACKFIELD_ADMIN_PASSWORD"),
        ("admin", None, "JACKFIELD_ADMIN_PASSWORD"),
        (None, PASSWORD, "JACKFIELD_ADMIN_USERNAME"),
        ("ad:min", PASSWORD, "JACKFIELD_ADMIN_USERNAME"),
    ],
)
async def test_unusable_values_refuse_to_start(make, variables, username, password, named) -> None:
    variables(username, password)
    with pytest.raises(ConfigurationError, match=named) as caught:
        await make()
    assert "elevenchars" not in str(caught.value)


async def test_without_the_variables_there_is_no_user(make) -> None:
    world = await make()
    await world.clock.advance(1)
    assert await world.store.users() == []


async def test_a_store_that_is_down_is_tried_again(make, variables) -> None:
    class Flaky(MemoryStore):
        failing = True

        async def add_user(self, user):
            if self.failing:
                raise StoreUnavailable
            await super().add_user(user)

    variables()
    world = await make(store=Flaky())
    assert (await world.login("admin", PASSWORD))[0] == 503
    world.store.failing = False
    assert (await world.login("admin", PASSWORD))[0] == 200


async def test_an_open_address_has_its_user_before_the_start_ends(tmp_path, variables) -> None:
    from jackfield.api.context import Service
    from jackfield.testing.clock import FakeClock
    from jackfield.testing.context import FakeContext
    from jackfield_auth.service import AuthService
    from jackfield_auth.settings import PasswordSettings

    variables()
    store = MemoryStore()
    cheap = PasswordSettings(memory=8192, iterations=1, lanes=1)
    context = FakeContext(tmp_path, "auth", FakeClock(), tables=[cheap], ports={"Store": store})
    context.service = Service(tmp_path, "0.0.0.0", 8765, "http://x", "0", loopback=False)
    await context.port(AuthService).open()
    assert [user.username for user in await store.users()] == ["admin"]
    await context.port(AuthService).close()


async def test_a_stop_right_behind_the_start_ends_the_warm_up(make, monkeypatch) -> None:
    tasks = []
    spawn = FakeContext.spawn

    def recorded(self, name, coroutine):
        tasks.append(spawn(self, name, coroutine))
        return tasks[-1]

    monkeypatch.setattr(FakeContext, "spawn", recorded)
    world = await make()
    await world.auth.close()
    await world.clock.advance(10)
    (warming,) = tasks
    assert warming.cancelled()
