"""Logins of plugins: whose they are, what of their answers counts, and redirects that hostile browsers bring back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from jackfield.api.audit import AuditedAct
from jackfield.api.auth import Peer
from jackfield.api.errors import (
    AccessDenied,
    Conflict,
    InvalidCredentials,
    InvalidInput,
    RateLimited,
    StoreUnavailable,
    UpstreamFailed,
)
from jackfield.api.logins import Departure, Identity, LoginRefused, RedirectAnswer, RedirectStart
from jackfield.api.storage import Project, ProjectMember
from jackfield_auth.external.redirects import BegunRedirect, LoginEnded, is_web
from jackfield_auth.external.users import names
from jackfield_auth.logins.throttle import key_of
from jackfield_auth.settings import BasicSettings, LoginSettings

CLIENT = "192.0.2.7"
ORIGIN = "http://127.0.0.1:8765"
ADA = Identity("s-1", "Ada", "viewer")


class Directory:
    """A password login that answers whatever a test has set."""

    title = "Directory"

    def __init__(self, name: str = "corp", answer: object = ADA) -> None:
        self.name = name
        self.answer = answer
        self.asked: list[tuple[str, str]] = []

    async def verify(self, username: str, password: str) -> Any:  # what a stranger's code may return
        self.asked.append((username, password))
        if isinstance(self.answer, BaseException):
            raise self.answer
        if self.answer == "slow":
            await asyncio.Event().wait()
        return self.answer if password == "right" else None


class Provider:
    """A redirect login that says yes to the nonce."""

    title = "Provider"

    def __init__(self, name: str = "oidc") -> None:
        self.name = name
        self.url: Any = "https://id.example.com/in"
        self.finished: list[RedirectAnswer] = []

    async def begin(self, start: RedirectStart) -> Any:
        return self.url if self.url != "https://id.example.com/in" else f"{self.url}?state={start.state}"

    async def finish(self, answer: RedirectAnswer) -> Identity:
        self.finished.append(answer)
        if answer.query.get("code") != "good":
            raise LoginRefused
        return ADA


Make = Callable[..., Awaitable[Any]]


@pytest.fixture
def directory() -> Directory:
    return Directory()


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
async def open_world(make: Make, directory: Directory, provider: Provider) -> Any:
    """The plugin with both logins."""
    world = await make(LoginSettings(provider_timeout=0.05, redirects=20, redirect_timeout=60, failures=3))
    world.context.ports["jackfield_password_logins"] = [directory]
    world.context.ports["jackfield_redirect_logins"] = [provider]
    return world


async def enter(world: Any, name: str = "ada", password: str = "right", provider: str | None = "corp") -> Any:
    return await world.auth.login_methods.verify(provider, name, password, CLIENT)


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


# -- groups that come and go


async def give(world: Any, directory: Directory, role: str, **more: Any) -> Any:
    directory.answer = Identity("s-1", "Ada", role, **more)
    return await enter(world)


async def teams(world: Any, *names: str) -> list[str]:
    for name in names:
        await world.store.put_project(Project(f"id-{name}", name, 1, 1))
    return [f"id-{name}" for name in names]


async def memberships(world: Any, user_id: str) -> dict[str, str]:
    return {each.project_id: each.role for each in await world.store.project_members() if each.user_id == user_id}


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


# -- redirects


async def begun(world: Any, client: str = CLIENT, peer: Peer = "other") -> tuple[str, BegunRedirect]:
    """The state that went to the provider, and what the browser got."""
    made = await world.auth.redirects.begin("oidc", ORIGIN, client, peer)
    return parse_qs(urlsplit(made.url).query)["state"][0], made


async def finish(
    world: Any, state: str, binding: str, *, peer: Peer = "other", provider: str = "oidc", code: str = "good"
) -> Any:
    answer = f"code={code}&state={state}"
    return await world.auth.redirects.finish(provider, answer, [b"of another daemon", binding.encode()], peer)


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


# -- the audit log


class Acts:
    """An audit log that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str, str]] = []

    async def record(self, *acts: AuditedAct) -> None:
        self.told += [(act.act, act.actor.name, act.subject, act.name) for act in acts]

    def taken(self) -> list[tuple[str, str, str, str]]:
        told, self.told = self.told, []
        return told


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
