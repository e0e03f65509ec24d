"""Logins of plugins as tests play them, and the ways through them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from jackfield.api.audit import AuditedAct
from jackfield.api.auth import Peer
from jackfield.api.logins import Identity, LoginRefused, RedirectAnswer, RedirectStart
from jackfield.api.storage import Project
from jackfield_auth.external.redirects import BegunRedirect

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


async def enter(world: Any, name: str = "ada", password: str = "right", provider: str | None = "corp") -> Any:
    return await world.auth.login_methods.verify(provider, name, password, CLIENT)


async def give(world: Any, directory: Directory, role: str, **more: Any) -> Any:
    directory.answer = Identity("s-1", "Ada", role, **more)
    return await enter(world)


async def teams(world: Any, *names: str) -> list[str]:
    for name in names:
        await world.store.put_project(Project(f"id-{name}", name, 1, 1))
    return [f"id-{name}" for name in names]


async def memberships(world: Any, user_id: str) -> dict[str, str]:
    return {each.project_id: each.role for each in await world.store.project_members() if each.user_id == user_id}


async def begun(world: Any, client: str = CLIENT, peer: Peer = "other") -> tuple[str, BegunRedirect]:
    """The state that went to the provider, and what the browser got."""
    made = await world.auth.redirects.begin("oidc", ORIGIN, client, peer)
    return parse_qs(urlsplit(made.url).query)["state"][0], made


async def finish(
    world: Any, state: str, binding: str, *, peer: Peer = "other", provider: str = "oidc", code: str = "good"
) -> Any:
    answer = f"code={code}&state={state}"
    return await world.auth.redirects.finish(provider, answer, [b"of another daemon", binding.encode()], peer)


class Acts:
    """An audit log that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str, str]] = []

    async def record(self, *acts: AuditedAct) -> None:
        self.told += [(act.act, act.actor.name, act.subject, act.name) for act in acts]

    def taken(self) -> list[tuple[str, str, str, str]]:
        told, self.told = self.told, []
        return told
