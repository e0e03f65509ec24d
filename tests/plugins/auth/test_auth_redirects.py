"""Logins by redirects that hostile browsers bring back, and logouts at providers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from external_logins import (
    ORIGIN,
    Acts,
    Make,
    Provider,
    begun,
    enter,
    finish,
)

from jackfield.api.errors import (
    InvalidInput,
    StoreUnavailable,
    UpstreamFailed,
)
from jackfield.api.logins import Departure, LoginRefused
from jackfield_auth.external.redirects import LoginEnded, is_web
from jackfield_auth.settings import LoginSettings


async def test_a_redirect_ends_with_a_user(open_world: Any, provider: Provider) -> None:
    state, made = await begun(open_world)
    user = await finish(open_world, state, made.binding)
    assert (user.provider, user.subject) == ("oidc", "s-1")
    (answer,) = provider.finished
    assert (dict(answer.query), answer.callback) == ({"code": "good"}, f"{ORIGIN}/auth/callback/oidc")
    assert len({state, made.binding, answer.nonce, answer.verifier}) == 4


async def test_one_subject_of_two_logins_is_two_users(open_world: Any) -> None:
    state, made = await begun(open_world)
    assert (await finish(open_world, state, made.binding)).id != (await enter(open_world)).id


async def test_a_state_counts_once_also_when_the_provider_refuses(open_world: Any, provider: Provider) -> None:
    state, made = await begun(open_world)
    with pytest.raises(LoginRefused):
        await finish(open_world, state, made.binding, code="bad")
    with pytest.raises(LoginEnded):
        await finish(open_world, state, made.binding)
    assert len(provider.finished) == 1


async def test_an_answer_that_another_browser_began_logs_nobody_in(open_world: Any, provider: Provider) -> None:
    state, made = await begun(open_world)
    _, others = await begun(open_world)
    for binding in (others.binding, "", made.binding.swapcase()):
        with pytest.raises(LoginEnded):
            await finish(open_world, state, binding)
    with pytest.raises(LoginEnded):
        await finish(open_world, state, made.binding, peer="owner")
    with pytest.raises(LoginEnded):
        await finish(open_world, state, made.binding, provider="corp")
    with pytest.raises(LoginEnded):
        await open_world.auth.redirects.finish("oidc", f"code=good&state={state}", [], "other")
    assert provider.finished == []
    assert (await finish(open_world, state, made.binding)).subject == "s-1"


def under_way(world: Any) -> int:
    return len(world.context.ports["Memos"]._live("login-redirect")._kept)


async def test_a_state_ends_in_time(open_world: Any) -> None:
    state, made = await begun(open_world)
    await open_world.clock.advance(60)
    with pytest.raises(LoginEnded):
        await finish(open_world, state, made.binding)


async def test_states_are_bounded_and_one_address_does_not_push_out_the_others(open_world: Any) -> None:
    state, made = await begun(open_world, "198.51.100.1")
    for _ in range(50):
        await begun(open_world)
    assert under_way(open_world) == 3
    assert (await finish(open_world, state, made.binding)).subject == "s-1"
    for number in range(50):
        await begun(open_world, f"203.0.113.{number}")
    assert under_way(open_world) == 20
    await open_world.clock.advance(60)
    await begun(open_world)
    assert under_way(open_world) == 1


@pytest.mark.parametrize(
    "answer", ["state=a&state=b", "code=1&code=2", "&".join(f"a{n}=" for n in range(60)), "a=" + "x" * 8192, "a=%ff"]
)
async def test_an_answer_that_says_things_twice_or_too_many_is_refused(open_world: Any, answer: str) -> None:
    with pytest.raises(InvalidInput):
        await open_world.auth.redirects.finish("oidc", answer, [b"x"], "other")


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "//evil.example.com",
        "https://",
        "data:text/html,x",
        "https://a b",
        "https://a\n",
        7,
        None,
    ],
)
async def test_a_browser_is_sent_to_the_web_alone(open_world: Any, provider: Provider, url: object) -> None:
    assert not is_web(url)
    provider.url = url
    with pytest.raises(UpstreamFailed):
        await begun(open_world)
    assert under_way(open_world) == 0


# -- logouts at providers


class LeavingProvider(Provider):
    """One that is left, and that tells of those who have left."""

    def __init__(self) -> None:
        super().__init__()
        self.way: Any = "https://id.example.com/end"

    async def leave(self, back: str) -> Any:
        if isinstance(self.way, Exception):
            raise self.way
        return f"{self.way}?back={back}"

    async def left(self, notice: str) -> Departure:
        if notice == "forged":
            raise LoginRefused
        return Departure("s-1", notice, 60)


@pytest.fixture
async def leaving(make: Make) -> Any:
    world = await make()
    world.context.ports["jackfield_redirect_logins"] = [LeavingProvider(), Provider("stays")]
    return world


async def tell(world: Any, notice: str, provider: str = "oidc") -> tuple[int, Any]:
    client = world.app.test_client()
    path = f"/api/v1/auth/logout-notices?provider={provider}"
    answer = await client.post(path, form={"logout_token": notice} if notice else {})
    return answer.status_code, await answer.get_json()


async def test_a_notice_ends_tokens_and_counts_once(leaving: Any) -> None:
    state, made = await begun(leaving)
    user = await finish(leaving, state, made.binding)
    token = await leaving.token(user)
    assert await tell(leaving, "n-1") == (200, {"ended": True})
    with pytest.raises(Exception, match="not valid"):
        await leaving.ask(authorization=f"Bearer {token}")
    state, made = await begun(leaving)
    again = await finish(leaving, state, made.binding)
    assert (await tell(leaving, "n-1"))[0] == 400
    assert (await leaving.store.user(user.id)).version == again.version


async def test_a_notice_that_the_store_did_not_take_counts_when_it_comes_again(
    leaving: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, made = await begun(leaving)
    user = await finish(leaving, state, made.binding)
    with monkeypatch.context() as broken:
        broken.setattr(leaving.store, "change_user", failing)
        assert (await tell(leaving, "n-1"))[0] == 503
    assert await tell(leaving, "n-1") == (200, {"ended": True})
    assert (await leaving.store.user(user.id)).version == user.version + 1


async def failing(*_: object, **__: object) -> None:
    raise StoreUnavailable


@pytest.mark.parametrize(
    ("notice", "provider"), [("forged", "oidc"), ("", "oidc"), ("n-1", "stays"), ("n-1", "local"), ("n-1", "nobody")]
)
async def test_what_is_no_notice_ends_nothing(leaving: Any, notice: str, provider: str) -> None:
    state, made = await begun(leaving)
    user = await finish(leaving, state, made.binding)
    assert (await tell(leaving, notice, provider))[0] == 400
    assert (await leaving.store.user(user.id)).version == user.version


async def test_notices_that_wait_for_the_provider_are_bounded(make: Make) -> None:
    world = await make(LoginSettings(waiting=1))
    asked, goes_on = asyncio.Event(), asyncio.Event()

    class Slow(LeavingProvider):
        async def left(self, notice: str) -> Departure:
            asked.set()
            await goes_on.wait()
            raise LoginRefused

    world.context.ports["jackfield_redirect_logins"] = [Slow()]
    first = asyncio.ensure_future(tell(world, "n-1"))
    await asked.wait()
    assert (await tell(world, "n-2"))[0] == 429
    goes_on.set()
    assert (await first)[0] == (await tell(world, "n-3"))[0] == 400


async def test_a_notice_of_a_stranger_is_heard_and_ends_nobody(leaving: Any) -> None:
    assert await tell(leaving, "n-1") == (200, {"ended": True})
    assert await leaving.store.users() == []


async def test_a_browser_leaves_the_provider_that_it_came_by(leaving: Any) -> None:
    departures = leaving.auth.departures
    assert await departures.address("oidc", "https://a/left") == "https://id.example.com/end?back=https://a/left"
    for name in ("stays", "password", "nobody"):
        assert await departures.address(name, "https://a/left") is None
    login = leaving.context.ports["jackfield_redirect_logins"][0]
    for way in ("javascript:alert(1)", UpstreamFailed("away"), RuntimeError("broken")):
        login.way = way
        assert await departures.address("oidc", "https://a/left") is None


async def test_a_notice_that_ends_sessions_is_recorded(leaving: Any) -> None:
    acts = leaving.context.ports["AuditLog"] = Acts()
    state, made = await begun(leaving)
    user = await finish(leaving, state, made.binding)
    acts.taken()
    await tell(leaving, "n-1")
    assert acts.taken() == [("user.logout", "oidc", user.id, user.username)]


async def test_a_session_that_began_at_a_provider_says_so_behind_the_second_step(open_world: Any) -> None:
    proof = open_world.auth.login_methods.proof
    assert [await proof(name) for name in ("oidc", "corp", "", "gone")] == ["oidc", *["password"] * 3]
