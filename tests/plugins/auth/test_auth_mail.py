"""Mails about accounts: invitations, forgotten passwords, notices, and addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from jackfield.api.auth import OWNER
from jackfield.api.context import Service
from jackfield.api.mail import Letter, MailFailed, MailServerAway
from jackfield_auth.settings import InvitationSettings, LoginSettings

PASSWORD, ANOTHER, URL = "correct horse battery", "another horse battery", "https://jackfield.example.com"


class Letters:
    """A `Mailer` that keeps letters, or fails."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Letter]] = []
        self.ready = True
        self.fails: type[MailFailed] | None = None
        self.attempts = 0
        self._came = asyncio.Event()

    async def send(self, to: str, letter: Letter) -> None:
        self._came.set()
        self.attempts += 1
        if self.fails:
            raise self.fails
        self.sent.append((to, letter))

    async def arrived(self, count: int = 1) -> tuple[str, Letter]:
        """The last one, once there are so many."""
        async with asyncio.timeout(20):
            while len(self.sent) < count:
                self._came.clear()
                await self._came.wait()
        return self.sent[-1]

    @property
    def token(self) -> str:
        return self.sent[-1][1].link.partition("#token=")[2]


@pytest.fixture
def with_mail(make: Any) -> Callable[..., Any]:
    async def made(*tables: Any) -> tuple[Any, Letters]:
        world, letters = await make(*tables), Letters()
        world.context.ports["Mailer"] = letters
        world.context.ports["ProjectAccess"] = SimpleNamespace(in_use=False)
        world.context.service = Service(world.context.config_dir, "127.0.0.1", 1, URL, "0", True, addressed=True)
        return world, letters

    return made


async def ask(world: Any, name: str, **more: str) -> tuple[int, Any]:
    answer = await world.app.test_client().post("/api/session/forgotten", json={"username": name, **more})
    return answer.status_code, await answer.get_json()


async def answered(world: Any) -> None:
    """Every question is worked off."""
    async with asyncio.timeout(20):
        while world.auth.forgotten._pending:
            await asyncio.sleep(0)


async def accept(world: Any, token: str, password: str = ANOTHER) -> tuple[int, Any]:
    body = {"token": token, "username": "", "password": password}
    answer = await world.app.test_client().post("/api/session/links", json=body)
    return answer.status_code, await answer.get_json()


async def test_an_invitation_to_an_address_is_mailed_with_the_public_address(with_mail: Any) -> None:
    world, letters = await with_mail()
    admin = await world.caller(await world.user("root"))
    status, made = await admin.send("POST", "/invitations", {"role": "member", "label": "ada@example.com"})
    assert (status, made["mailed"]) == (201, True)
    to, letter = letters.sent[0]
    assert to == "ada@example.com"
    assert letter.link.startswith(f"{URL}/ui/invitation#token=jf_al_")
    _, user = await world.auth.link_acceptance.with_password(letters.token, "ada", PASSWORD)
    assert await world.auth.mail.addresses.of(user) == "ada@example.com"
    _, made = await admin.send("POST", "/invitations", {"role": "member", "label": "the new colleague"})
    assert (made["mailed"], len(letters.sent)) == (False, 1)
    letters.fails = MailFailed
    status, made = await admin.send("POST", "/invitations", {"role": "member", "label": "bob@example.com"})
    assert (status, made["mailed"], "does not take" in made["mailProblem"]) == (201, False, True)
    await world.auth.links.find(made["address"].partition("#token=")[2])  # it works all the same


@pytest.mark.parametrize(("failure", "attempts"), [(MailFailed, 3), (MailServerAway, 1)])
async def test_many_invitations_wait_once_for_a_server_that_is_away(
    with_mail: Any, failure: type[MailFailed], attempts: int
) -> None:
    world, letters = await with_mail()
    admin = await world.caller(await world.user("root"))
    letters.fails = failure
    asked = [{"email": f"{name}@example.com", "role": "global:member"} for name in "abc"]
    answer = await world.app.test_client().post("/n8n/api/v1/users", json=asked, headers=admin.headers)
    made = await answer.get_json()
    assert [(one["user"]["emailSent"], bool(one["error"])) for one in made] == [(False, True)] * 3
    assert all("#token=" in one["user"]["inviteAcceptUrl"] for one in made)
    assert letters.attempts == attempts


async def test_a_link_that_went_to_an_earlier_address_ends(with_mail: Any) -> None:
    world, letters = await with_mail()
    admin = await world.caller(await world.user("root"))
    ada = await world.user("ada@example.com", "member")
    await ask(world, "ada@example.com")
    await letters.arrived()
    token = letters.token
    await admin.send("PATCH", f"/users/{ada.id}", {"mail": "new@example.com"})
    assert (await accept(world, token))[1]["code"] == "LINK_OVER"
    assert (await letters.arrived(2))[0] == "ada@example.com"


async def test_a_forgotten_password_is_another_one_by_a_link_that_works_once(with_mail: Any) -> None:
    world, letters = await with_mail()
    user = await world.user("ada@example.com")
    caller = await world.caller(user)
    assert await ask(world, "ada@example.com", language="de") == (200, {"success": True})
    to, letter = await letters.arrived()
    assert (to, letter.subject, letter.language) == ("ada@example.com", "Neues Passwort für Jackfield", "de")
    token = letters.token
    assert letter.link == f"{URL}/ui/invitation#token={token}"
    read = await world.app.test_client().post("/api/session/links/read", json={"token": token})
    assert (await read.get_json())["data"] == {"purpose": "reset", "username": "ada@example.com", "role": None}
    assert (await accept(world, token, "short"))[0] == 400
    assert (await accept(world, token))[0] == 200
    assert (await caller.send("GET", "/auth/me"))[0] == 401
    assert (await world.login("ada@example.com", ANOTHER))[0] == 200
    status, refused = await accept(world, token)
    assert (status, refused["code"]) == (404, "LINK_OVER")
    _, told = await letters.arrived(2)
    assert "was changed with a link" in told.paragraphs[0]


async def test_every_name_gets_the_same_answer(with_mail: Any) -> None:
    world, letters = await with_mail()
    await world.user("ada@example.com")
    away = await world.user("away@example.com", "member")
    await world.auth.accounts.change(away.id, disabled=True)
    await world.user("no-address", "member")
    names = ["ada@example.com", "away@example.com", "no-address", "nobody", "nobody@example.com", "x" * 256, "\x00"]
    assert {str(await ask(world, name)) for name in names} == {"(200, {'success': True})"}
    await answered(world)
    assert [to for to, _ in letters.sent] == ["ada@example.com"]


async def test_users_are_found_by_an_address_that_was_set(with_mail: Any) -> None:
    world, letters = await with_mail()
    admin = await world.caller(await world.user("root"))
    status, made = await admin.send(
        "POST", "/users", {"username": "bob", "password": PASSWORD, "role": "member", "mail": "Bob@Example.com"}
    )
    assert (status, made["mail"]) == (201, "Bob@Example.com")
    await ask(world, "bob@example.com")
    assert (await letters.arrived())[0] == "Bob@Example.com"
    status, changed = await admin.send("PATCH", f"/users/{made['id']}", {"mail": "new@example.com"})
    assert changed["mail"] == "new@example.com"
    to, letter = await letters.arrived(2)
    assert (to, letter.subject) == ("Bob@Example.com", "Your mail address at Jackfield was changed")
    rows = (await admin.send("GET", "/users"))[1]["data"]
    assert {row["username"]: row.get("mail") for row in rows} == {"root": None, "bob": "new@example.com"}
    assert (await admin.send("PATCH", f"/users/{made['id']}", {"mail": "no address"}))[0] == 400
    assert "mail" not in (await admin.send("PATCH", f"/users/{made['id']}", {"mail": ""}))[1]
    await admin.send("DELETE", f"/users/{made['id']}")
    assert await world.store.entry("account-mail", made["id"]) is None


async def test_a_question_reads_the_users_of_its_address_alone(with_mail: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world, letters = await with_mail()
    addresses, read = world.auth.mail.addresses, list[int]()
    for number in range(20):
        await addresses.put((await world.user(f"user-{number}", "member")).id, f"user-{number}@example.com")
    moved = await world.user("moved", "member")
    await addresses.put(moved.id, "user-3@example.com")
    await addresses.put(moved.id, "Moved@Example.com")
    inner = world.store.entries

    async def entries(*arguments: Any, **more: Any) -> Any:
        found = await inner(*arguments, **more)
        read.append(len(found))
        return found

    monkeypatch.setattr(world.store, "entries", entries)
    await ask(world, "USER-3@example.com")
    assert (await letters.arrived())[0] == "user-3@example.com"
    await ask(world, "moved@example.com ")
    assert (await letters.arrived(2))[0] == "Moved@Example.com"
    assert read == [1, 1]


async def test_questions_and_mails_are_limited(with_mail: Any) -> None:
    world, letters = await with_mail(LoginSettings(failures=4), InvitationSettings(forgotten_mails=2))
    await world.user("ada@example.com")
    statuses = [(await ask(world, "ada@example.com"))[0] for _ in range(5)]
    assert statuses == [200, 200, 200, 200, 429]
    assert (await ask(world, "nobody"))[0] == 200
    await answered(world)
    assert len(letters.sent) == 2
    assert (await world.login("ada@example.com", PASSWORD))[0] == 200  # a question is no failed login


async def test_a_link_ends_in_time_with_another_password_and_with_a_mail_that_fails(with_mail: Any) -> None:
    world, letters = await with_mail(InvitationSettings(forgotten_expiration="15m"))
    user = await world.user("ada@example.com")
    await ask(world, "ada@example.com")
    await letters.arrived()
    await world.clock.advance(901)
    assert (await accept(world, letters.token))[0] == 404
    await ask(world, "ada@example.com")
    await letters.arrived(2)
    await world.auth.accounts.change(user.id, password=ANOTHER)
    assert (await accept(world, letters.token))[0] == 404
    letters.fails = MailFailed
    await ask(world, "ada@example.com")
    await answered(world)
    assert await world.context.ports["Memos"].memos("forgotten-password", user.id) == []


async def test_without_mail_or_passwords_of_our_own_nothing_is_offered(with_mail: Any, make: Any) -> None:
    world, letters = await with_mail()

    async def offered(of: Any) -> bool:
        answer = await of.app.test_client().get("/api/session")
        return bool((await answer.get_json())["data"]["forgotten"])

    assert await offered(world)
    letters.ready = False
    assert not await offered(world)
    status, refused = await ask(world, "ada")
    assert (status, refused["code"]) == (409, "MAIL_NOT_SET_UP")
    world, _ = await with_mail(LoginSettings(local=False))
    assert not await offered(world)
    assert (await ask(world, "ada"))[1]["code"] == "LOCAL_LOGIN_OFF"


async def test_a_user_hears_of_changes_by_others_alone(with_mail: Any) -> None:
    world, letters = await with_mail()
    root, ada = await world.user("root@example.com"), await world.user("ada@example.com", "member")
    admin = await world.caller(root)
    await admin.send("PATCH", f"/users/{ada.id}", {"password": ANOTHER})
    to, letter = await letters.arrived()
    assert (to, letter.subject) == ("ada@example.com", "Your password at Jackfield was changed")
    assert (await admin.send("DELETE", f"/users/{ada.id}/factors"))[0] == 204
    assert "second factors" in (await letters.arrived(2))[1].subject
    made = await world.auth.links.reset(ada.id, "ada@example.com", OWNER.user_id)
    assert (await accept(world, made.token, PASSWORD))[0] == 200
    await letters.arrived(3)
    await admin.send("PATCH", f"/users/{root.id}", {"password": ANOTHER})
    await admin.send("PATCH", f"/users/{ada.id}", {"role": "viewer"})
    await asyncio.sleep(0)
    assert {to for to, _ in letters.sent} == {"ada@example.com"}
    assert len(letters.sent) == 3


async def test_the_mail_of_a_link_is_recorded_and_so_is_the_password(with_mail: Any) -> None:
    world, letters = await with_mail()
    user = await world.user("ada@example.com")
    acts: list[Any] = []

    class Log:
        async def record(self, *done: Any) -> None:
            acts.extend(done)

    world.context.ports["AuditLog"] = Log()
    await ask(world, "nobody")
    await ask(world, "ada@example.com")
    await letters.arrived()
    token = letters.token
    await accept(world, token)
    assert [(one.act, one.subject) for one in acts] == [("user.forgot", user.id), ("user.password", user.id)]
    assert token not in str(acts)
