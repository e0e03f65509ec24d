"""A hub with an agent that is a small program, and a stand-in for the profiles."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jackfield.api.agent_sessions import AgentSessionRequest
from jackfield.api.agents import Agent
from jackfield.api.errors import NotFound
from jackfield.api.events import Event
from jackfield.api.profiles import Launch, LaunchRequest, Profile, Sandbox
from jackfield.testing.context import FakeContext
from jackfield_agent_sessions.hub import AgentSessionHub
from jackfield_agent_sessions.protocols.offered import PROTOCOLS
from jackfield_agent_sessions.session.session import AgentSession
from jackfield_agent_sessions.settings import AgentSessionSettings

DEADLINE = 20.0
SECRET = "key-canary-0123456789"
PROGRAM = Path(__file__).with_name("acp_agent.py")


@dataclass
class FakeAgents:
    agent: Agent

    async def find(self, id: str) -> Agent:
        return self.agent


@dataclass
class FakeProfiles:
    """Every alias is a profile, unless it is `unknown`."""

    home: Path
    sandbox: Sandbox = "off"
    requests: list[LaunchRequest] = field(default_factory=list)
    ends: list[tuple[str | None, int]] = field(default_factory=list)

    async def find(self, alias: str) -> Profile:
        if alias == "unknown":
            raise NotFound("There is no profile unknown.", code="PROFILE_NOT_FOUND")
        return Profile(alias, "acme", "p", "e", "m", sandbox=self.sandbox, metadata={"profile_home": str(self.home)})

    async def prepare(self, alias: str, request: LaunchRequest) -> Launch:
        self.requests.append(request)
        return Launch(
            run_id="r",
            profile=await self.find(alias),
            kind=request.kind,
            argv=(sys.executable, str(PROGRAM), *request.leading, *request.args),
            env={"PATH": os.environ["PATH"], "SECRET": SECRET},
            cwd=self.home,
            started_ms=0,
            secrets=(SECRET,),
            session=request.resume,
        )

    async def ended(self, launch: Launch, exit_code: int) -> None:
        self.ends.append((launch.session, exit_code))


@dataclass
class SessionLab:
    """protocol: of the agent's manifest."""

    directory: Path
    settings: dict[str, Any] = field(default_factory=dict)
    protocol: dict[str, Any] | None = field(default_factory=lambda: {"name": "acp"})
    ports: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.profiles = FakeProfiles(self.directory)

    def hub(self) -> AgentSessionHub:
        agent = {"id": "acme", "binary": "acme", "protocol": self.protocol}
        agents = FakeAgents(Agent.model_validate({name: value for name, value in agent.items() if value is not None}))
        settings = AgentSessionSettings.model_validate({"leave_grace": 0.2, "kill_grace": 0.5, **self.settings})
        offered = {"Profiles": self.profiles, "Agents": agents, "jackfield_agent_protocols": list(PROTOCOLS)}
        self.context = FakeContext(self.directory, tables=[settings], ports={**offered, **self.ports})
        return AgentSessionHub(self.context)

    def published(self, kind: str) -> list[Event]:
        return [event for event in self.context.events.published if event.type == kind]


async def begun(hub: AgentSessionHub, *args: str, **more: Any) -> AgentSession:
    return await hub.create(AgentSessionRequest("work", args, **more))


async def until(session: AgentSession, met: Callable[[AgentSession], bool]) -> None:
    """Follow the session's changes until it is so."""
    async with asyncio.timeout(DEADLINE):
        while not met(session):
            await session.changed(session.history.revision, 0.2)


def is_idle(session: AgentSession) -> bool:
    return session.state == "idle"


def told(session: AgentSession) -> list[Any]:
    return [one.message.model_dump(mode="json") for one in session.history.since(0)]


async def said(session: AgentSession, text: str) -> list[str]:
    """Say it, and give what the agent has answered."""
    before = session.history.revision
    session.say(text)
    await until(session, is_idle)
    messages = [one.message.model_dump() for one in session.history.since(before)]
    return [str(one["text"]) for one in messages if one["type"] == "text"]
