"""Lists of sessions, in a file and in memos that several daemons share: who sees what, and what ending ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jackfield.api.errors import SessionExpired
from jackfield.core.memos import LocalMemos
from jackfield.testing.clock import FakeClock
from jackfield_auth.sessions.account_sessions import AccountSessions
from jackfield_auth.sessions.browser_session import BrowserSessionAbout, SessionTimes
from jackfield_auth.sessions.browser_sessions import BrowserSessions
from jackfield_auth.sessions.session_file import read_file
from jackfield_auth.sessions.shared_sessions import SharedSessions
from jackfield_auth.settings import SessionSettings

FIREFOX = BrowserSessionAbout("Firefox", "192.0.2.7", ("password", "totp"))
Make = Callable[[], BrowserSessions]


@pytest.fixture(params=["file", "shared"])
def another(request: pytest.FixtureRequest, world: Any) -> Make:
    """One more daemon of the same sessions; with a file there is one alone."""
    clock: FakeClock = world.clock
    memos = LocalMemos(clock)
    first = world.auth.sessions

    def made() -> BrowserSessions:
        if request.param == "file":
            found: BrowserSessions = first
            return found
        settings = SessionSettings()
        sessions = BrowserSessions(world.context, settings)
        sessions.keeper = SharedSessions(memos, SessionTimes(settings, clock), clock, settings.remembered)
        return sessions

    return made


async def test_sessions_are_listed_with_what_is_known_of_them(world: Any, another: Make) -> None:
    user = await world.user()
    await another().begin(user.id, user.version, peer="other")
    await world.clock.advance(100)
    await another().begin(user.id, user.version, peer="other", about=FIREFOX)
    await another().begin("somebody else", 1, peer="other")
    found = await another().of_user(user.id, user.version)
    assert [one.session.about for one in found] == [FIREFOX, BrowserSessionAbout()]
    assert found[0].session.used_at - found[1].session.used_at == 100_000


async def test_a_logout_knows_by_which_login_its_session_began(world: Any, another: Make) -> None:
    user = await world.user()
    about = BrowserSessionAbout("Firefox", "192.0.2.7", ("corp", "totp"))
    token, _ = await another().begin(user.id, user.version, peer="other", about=about)
    assert await another().about(token.encode()) == about
    await another().end(token.encode())
    for ended in (token.encode(), b"", b"another"):
        assert await another().about(ended) == BrowserSessionAbout()


async def test_one_session_is_ended_by_its_user_alone(world: Any, another: Make) -> None:
    user = await world.user()
    token, _ = await another().begin(user.id, user.version, peer="other", about=FIREFOX)
    (listed,) = await another().of_user(user.id, user.version)
    assert listed.id not in token
    assert not await another().end_listed("somebody else", listed.id)
    assert await another().end_listed(user.id, listed.id)
    assert await another().find(token.encode()) is None
    assert await another().of_user(user.id, user.version) == []


async def test_all_others_end_with_every_token(world: Any, another: Make) -> None:
    user = await world.user()
    caller = await world.caller(user)
    sessions = another()
    here, _ = await sessions.begin(user.id, user.version, peer="other", about=FIREFOX)
    (keep,) = await sessions.of_user(user.id, user.version)
    for _ in range(2):
        await another().begin(user.id, user.version, peer="other")
    assert await AccountSessions(world.auth.accounts, sessions).end_all(user.id, keep.id) == 2
    now = await world.store.user(user.id)
    assert [one.id for one in await another().of_user(user.id, now.version)] == [keep.id]
    found = await another().find(here.encode())
    assert found is not None
    assert found.version == now.version
    assert (await caller.send("GET", "/auth/me"))[0] == 401


async def test_what_is_over_is_not_listed(world: Any, another: Make) -> None:
    user = await world.user()
    await another().begin(user.id, user.version, peer="other")
    await world.clock.advance(24 * 3600)
    assert await another().of_user(user.id, user.version) == []


async def test_a_file_of_the_version_before_is_read(world: Any) -> None:
    found = read_file(b'{"aa": ["u", 1, 2, 3, "other"], "bb": ["u", 1, 2, 3, "other", ["Firefox", "192.0.2.7", "x"]]}')
    assert found["aa"].about == BrowserSessionAbout()
    assert found["bb"].about == BrowserSessionAbout("Firefox", "192.0.2.7", ("x",))


async def test_administrators_see_and_end_sessions_of_others(world: Any) -> None:
    admin = await world.caller(await world.user("root"))
    user = await world.user("ada", "member")
    token, _ = await world.auth.sessions.begin(user.id, user.version, peer="other", about=FIREFOX)
    path = f"/users/{user.id}/sessions"
    _, listed = await admin.send("GET", path)
    (row,) = listed["data"]
    assert (row["device"], row["how"], row["current"]) == ("Firefox", ["password", "totp"], False)
    member = await world.caller(user)
    assert (await member.send("GET", f"/users/{user.id}/sessions"))[0] == 403
    assert (await member.send("GET", "/auth/sessions"))[1]["data"][0]["id"] == row["id"]
    assert (await admin.send("DELETE", f"{path}/{row['id']}"))[0] == 204
    assert (await admin.send("DELETE", f"{path}/{row['id']}"))[0] == 404
    assert await world.auth.sessions.find(token.encode()) is None
    assert (await admin.send("DELETE", path))[1] == {"ended": 0}
    assert (await member.send("GET", "/auth/me"))[0] == 401  # the tokens have ended too
    assert (await admin.send("GET", "/users/nobody/sessions"))[0] == 404


async def test_a_key_that_is_limited_neither_sees_nor_ends_sessions(world: Any) -> None:
    user = await world.caller(await world.user())
    _, made = await user.send("POST", "/api-keys", {"name": "narrow", "scopes": ["workflows:read"]})
    narrow = world.by_key(made["key"])
    for method, path in (("GET", ""), ("DELETE", ""), ("DELETE", "/x")):
        assert (await narrow.send(method, f"/auth/sessions{path}"))[0] == 403
    assert (await user.send("GET", "/auth/me"))[0] == 200


async def test_a_session_outlives_the_moment_in_which_its_user_changes(world: Any) -> None:
    user = await world.user()
    token, _ = await world.auth.sessions.begin(user.id, user.version, peer="other")
    (listed,) = await world.auth.sessions.of_user(user.id, user.version)
    changed = await world.auth.accounts.revoke(user.id)
    with pytest.raises(SessionExpired):  # another request of the browser, between the two writes
        await world.auth.session_method.of_token(token.encode())
    await world.auth.sessions.continue_as(listed.id, user.id, changed.version)
    assert (await world.auth.session_method.of_token(token.encode())).user_id == user.id
