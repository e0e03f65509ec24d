"""Permissions of a session that are in no inbox: time rejects them all the same."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.api.agent_protocols import PermissionAsked, PermissionOption
from jackfield.api.approvals import AgentApprovals, AgentRequest, ApprovalState
from jackfield.api.errors import Conflict
from jackfield.api.profiles import Profile
from jackfield_agent_sessions.session.inbox import SessionInbox
from jackfield_agent_sessions.settings import AgentSessionSettings

Told = asyncio.Future[tuple[str, str]]
OPTIONS = tuple(
    PermissionOption(id=kind, name=kind, kind=kind) for kind in ("allow_once", "reject_always", "reject_once")
)
ASKED = PermissionAsked(id="p", tool="Bash", options=OPTIONS)


class Full:
    """`AgentApprovals`"""

    def open(self, request: AgentRequest) -> str:
        raise Conflict("Too many are open.")

    def closed(self, id: str, state: ApprovalState, option: str = "", by: str = "") -> None:
        raise AssertionError(id)


def inbox(approvals: AgentApprovals | None) -> SessionInbox:
    settings = AgentSessionSettings(permission_timeout=0.01)
    return SessionInbox(approvals, "s", Profile("work", "claude", "anthropic", "default", "m"), settings, lambda: 0)


@pytest.mark.parametrize("approvals", [None, Full()])
async def test_time_rejects_for_this_once(approvals: AgentApprovals | None) -> None:
    told: Told = asyncio.get_running_loop().create_future()
    made = inbox(approvals)
    for _ in range(2):  # a message may come again with more of its text
        made.noted(ASKED, lambda permission, option, note: told.set_result((permission, option)))
    assert await asyncio.wait_for(told, 10) == ("p", "reject_once")


async def test_nothing_is_rejected_that_was_answered_or_has_ended() -> None:
    told: list[str] = []
    made = inbox(None)
    answered = ASKED.model_copy(update={"state": "answered", "answer": "allow_once"})
    made.noted(ASKED, lambda *given: told.append(given[1]))
    made.noted(answered, lambda *given: told.append(given[1]))
    made.noted(ASKED.model_copy(update={"id": "q"}), lambda *given: told.append(given[1]))
    made.close()
    later: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.02, later.set_result, None)  # after the timers of both
    await later
    assert told == []
