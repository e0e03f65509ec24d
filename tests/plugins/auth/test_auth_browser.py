"""Sessions of browsers, without the gate: begin, use, end, expiry, codes, cookies."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from jackfield.api.auth import AuthRequest, Principal
from jackfield.api.errors import SessionExpired
from jackfield.core.memos import LocalMemos
from jackfield.testing.clock import FakeClock
from jackfield.testing.store import MemoryStore
from jackfield_auth.sessions.browser_sessions import BrowserSessions, digest_of
from jackfield_auth.sessions.cookies import given, taken, tokens
from jackfield_auth.sessions.open_codes import LIFETIME, CodeInvalid, OpenCodes
from jackfield_auth.settings import SessionSettings

PORT = 8765
HOUR = 3600.0


async def begin(world: Any, user: Any = None, **more: Any) -> str:
    """A session's token."""
    who = ("owner", 0) if user is None else (user.id, user.version)
    token, _ = await world.auth.sessions.begin(*who, peer=more.get("peer", "other"))
    return str(token)


async def whose(world: Any, token: str, name: str = f"jackfield_session_{PORT}") -> Principal | None:
    found: Principal | None = await world.auth.session_method.authenticate(
        AuthRequest({"cookie": [f"other=1; {name}={token}".encode()]}, "127.0.0.1", "/")
    )
    return found


async def test_a_session_is_its_user_with_the_present_role(world: Any) -> None:
    token = await begin(world, await world.user("ada", "member"))
    found = await whose(world, token)
    assert found is not None
    assert (found.username, found.role, found.method, found.scopes) == ("ada", "member", "session", None)
    assert found.claims["kind"] == "user"


async def test_the_owners_session_needs_no_user(world: Any) -> None:
    found = await whose(world, await begin(world))
    assert found is not None
    assert (found.user_id, found.role, found.claims["kind"]) == ("owner", "admin", "owner")


@pytest.mark.parametrize("change", ["password", "role", "delete"])
async def test_what_happens_to_the_user_ends_the_session(world: Any, change: str) -> None:
    await world.user("root")
    user = await world.user("ada")
    token = await begin(world, user)
    if change == "delete":
        await world.auth.accounts.delete(user.id)
    elif change == "role":
        await world.auth.accounts.change(user.id, role="viewer")
    else:
        await world.auth.accounts.change(user.id, password="another long password")
    for _ in range(2):  # it is kept until its end, since a user's own change lets it go on, and it counts no more
        with pytest.raises(SessionExpired):
            await whose(world, token)


async def test_a_session_ends_when_it_is_not_used_and_at_the_latest(make: Any) -> None:
    world = await make(SessionSettings(idle="2h", expiration="5h"))
    token = await begin(world)
    for _ in range(3):
        await world.clock.advance(1.5 * HOUR)
        assert await whose(world, token)
    await world.clock.advance(HOUR)
    with pytest.raises(SessionExpired):
        await whose(world, token)
    unused = await begin(world)
    await world.clock.advance(2 * HOUR)
    with pytest.raises(SessionExpired):
        await whose(world, unused)


async def test_sessions_survive_a_restart_and_are_kept_hashed(make: Any) -> None:
    first = await make()
    token = await begin(first)
    file = first.context.service.config_dir / "sessions.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert token.encode() not in file.read_bytes()
    assert digest_of(token.encode()) in file.read_text()
    second = await make(store=first.store)
    assert await whose(second, token)
    assert await second.auth.sessions.end(token.encode())
    third = await make(store=first.store)
    with pytest.raises(SessionExpired):
        await whose(third, token)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b'{"a": 1}', b'{"a": [1, 2, 3, 4, 5]}', b'{"a": ["u", 1]}', b'{"a": ["u", 1, 1, 1, true]}'],
)
async def test_a_damaged_file_ends_the_sessions_and_nothing_else(make: Any, content: bytes) -> None:
    world = await make()
    (world.context.service.config_dir / "sessions.json").write_bytes(content)
    sessions = BrowserSessions(world.context, SessionSettings())
    await sessions.load()
    token, _ = await sessions.begin("owner", 0, peer="owner")
    assert await sessions.find(token.encode())


async def test_of_too_many_the_longest_unused_ends(make: Any) -> None:
    world = await make(SessionSettings(remembered=2))
    first, second = await begin(world), await begin(world)
    await world.clock.advance(1)
    assert await whose(world, first)
    third = await begin(world)
    assert await whose(world, first)
    assert await whose(world, third)
    with pytest.raises(SessionExpired):
        await whose(world, second)


async def test_a_last_use_is_written_once_a_minute(world: Any) -> None:
    token = await begin(world)
    file = world.context.service.config_dir / "sessions.json"
    before = file.read_bytes()
    await world.clock.advance(30)
    await whose(world, token)
    assert file.read_bytes() == before
    await world.clock.advance(31)
    await whose(world, token)
    await world.auth.sessions.flush()
    assert file.read_bytes() != before


async def test_sessions_of_a_shared_store_count_at_every_daemon(make: Any) -> None:
    clock = FakeClock()
    store = MemoryStore(clock)
    first, second = [await make(SessionSettings(idle="2h", expiration="5h"), store=store) for _ in range(2)]
    for world in (first, second):
        world.context.ports["Memos"] = store
        await world.auth.sessions.load()
    token = await begin(first)
    assert await whose(second, token)
    assert not (first.context.service.config_dir / "sessions.json").exists()
    for world in (first, second, first):
        for each in (clock, first.clock, second.clock):
            await each.advance(1.5 * HOUR)
        assert await whose(world, token)
    assert await second.auth.sessions.end(token.encode())
    with pytest.raises(SessionExpired):
        await whose(first, token)


@pytest.mark.parametrize("token", ["", "x", "jf_ss_", "jf_ss_" + "A" * 43])
async def test_an_unknown_cookie_is_no_session(world: Any, token: str) -> None:
    with pytest.raises(SessionExpired):
        await whose(world, token)


async def test_a_session_of_a_clock_that_was_wrong_ends_with_its_being_set(make: Any) -> None:
    first = await make()
    await first.clock.advance(365 * 24 * HOUR)
    token = await begin(first)
    second = await make(store=first.store)
    with pytest.raises(SessionExpired):
        await whose(second, token)


async def test_a_logout_is_kept_although_its_browser_has_gone(make: Any) -> None:
    world = await make()
    token = await begin(world)
    async with world.auth.sessions.keeper._writing:
        leaving = asyncio.ensure_future(world.auth.sessions.end(token.encode()))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.sleep(0)
    async with asyncio.timeout(10):
        while digest_of(token.encode()) in (world.context.service.config_dir / "sessions.json").read_text():
            await asyncio.sleep(0.01)


async def test_a_cookie_that_another_server_has_added_does_no_harm(world: Any) -> None:
    token = await begin(world)
    name = f"jackfield_session_{PORT}"
    for header in (f"{name}={token}; {name}=junk", f"{name}=junk; {name}={token}"):
        asked = AuthRequest({"cookie": [header.encode()]}, "127.0.0.1", "/")
        assert await world.auth.session_method.authenticate(asked)


async def test_two_cookies_that_disagree_are_refused(world: Any) -> None:
    first, second = await begin(world), await begin(world)
    name = f"jackfield_session_{PORT}"
    header = f"{name}={first}; {name}={second}".encode()
    with pytest.raises(SessionExpired):
        await world.auth.session_method.authenticate(AuthRequest({"cookie": [header]}, "127.0.0.1", "/"))


async def test_a_cookie_of_another_port_is_not_ours(world: Any) -> None:
    assert await whose(world, "x", "jackfield_session_8766") is None


async def test_a_users_session_makes_keys_and_the_owners_does_not(world: Any) -> None:
    user = await world.user("ada", "member")
    name = f"jackfield_session_{PORT}"
    own = type(world.anonymous)(world.app, {"Cookie": f"{name}={await begin(world, user)}"})
    assert (await own.send("POST", "/api-keys", {"name": "mine"}))[0] == 201
    status, body = await type(world.anonymous)(world.app, {"Cookie": f"{name}={await begin(world)}"}).send(
        "POST", "/api-keys", {"name": "mine"}
    )
    assert (status, body["code"]) == (403, "ACCESS_DENIED")


def test_the_cookie_is_kept_from_scripts_and_other_sites() -> None:
    plain = given("t", PORT, 60, secure=False)
    assert plain == f"jackfield_session_{PORT}=t; Path=/; Max-Age=60; HttpOnly; SameSite=Strict"
    hidden = given("t", PORT, 60, secure=True)
    assert hidden == "__Host-jackfield_session=t; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure"
    assert all("Max-Age=0" in cookie for cookie in taken(PORT))
    assert tokens([b"a=b;__Host-jackfield_session=t"], PORT) == [b"t"]


@examples(st.lists(st.binary(max_size=200)))
def test_no_cookie_header_is_too_odd(headers: list[bytes]) -> None:
    assert all(isinstance(token, bytes) for token in tokens(headers, PORT))


async def test_a_code_opens_once_within_a_minute() -> None:
    clock = FakeClock()
    memos = LocalMemos(clock)
    codes = OpenCodes(lambda: memos)
    code = await codes.new(same_user=False)
    await codes.take(code, same_user=False)
    with pytest.raises(CodeInvalid):
        await codes.take(code, same_user=False)
    late = await codes.new(same_user=False)
    await clock.advance(LIFETIME)
    with pytest.raises(CodeInvalid):
        await codes.take(late, same_user=False)
    with pytest.raises(CodeInvalid):
        await codes.take("jf_oc_guess", same_user=True)


async def test_a_code_that_others_may_have_seen_is_for_the_same_user_and_used_up_by_a_try() -> None:
    memos = LocalMemos(FakeClock())
    codes = OpenCodes(lambda: memos)
    code = await codes.new(same_user=True)
    with pytest.raises(CodeInvalid):
        await codes.take(code, same_user=False)
    with pytest.raises(CodeInvalid):
        await codes.take(code, same_user=True)
    await codes.take(await codes.new(same_user=True), same_user=True)


async def test_to_ask_whether_a_session_counts_is_no_use_of_it(make: Any) -> None:
    world = await make(SessionSettings(idle="1h"))
    token = await begin(world)
    asked = AuthRequest({"cookie": [f"jackfield_session_{PORT}={token}".encode()]}, "127.0.0.1", "/ws", passive=True)
    await world.clock.advance(0.9 * HOUR)
    assert await world.auth.session_method.authenticate(asked)
    await world.clock.advance(0.2 * HOUR)
    with pytest.raises(SessionExpired):
        await world.auth.session_method.authenticate(asked)
