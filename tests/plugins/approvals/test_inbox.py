"""The inbox of one caller: what a public host leaves out, and lists that do not come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jackfield.api.approvals import OpenQuestions, WaitingQuestion
from jackfield.api.asgi import WITHOUT_AGENTS, Scope
from jackfield.api.auth import Principal
from jackfield.api.errors import AccessDenied, InvalidInput, UpstreamFailed
from jackfield.testing.context import FakeContext
from jackfield_approvals.http.inbox import Inbox

ADA = Principal("u", "ada", "admin", "jwt")
QUESTION = WaitingQuestion("e.1", "form", "Ship it?", "", 1, None, "e", "w", "W", "Ask")


class Questions:
    async def open(self) -> OpenQuestions:
        return OpenQuestions([QUESTION])


class Refusing:
    """`OwnCalls`"""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def call(self, *args: Any, **named: Any) -> Any:  # Any: as the port's
        raise self._error


def inbox(directory: Path, error: Exception, **scope: Any) -> Inbox:  # Any: as in ASGI
    context = FakeContext(directory)
    context.ports.update(WaitingQuestions=Questions(), OwnCalls=Refusing(error))
    told: Scope = scope
    return Inbox(context, told, ADA)


async def test_a_public_host_without_agents_has_the_questions(tmp_path: Path) -> None:
    found = inbox(tmp_path, AccessDenied("This public host does not reach agents."), **{WITHOUT_AGENTS: True})
    listed = await found.rows(None, "open")
    assert [row["id"] for row in listed.rows] == ["e.1"]
    with pytest.raises(AccessDenied):
        await found.rows("permission", "open")


async def test_a_list_of_agents_that_is_too_large_is_told(tmp_path: Path) -> None:
    listed = await inbox(tmp_path, UpstreamFailed("The answer is too large.")).rows(None, "open")
    assert ([row["id"] for row in listed.rows], listed.complete) == (["e.1"], False)


async def test_a_question_takes_no_note(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        await inbox(tmp_path, LookupError()).answer("e.1", "", "Soon", {})
    assert caught.value.details == {"note": "leave it out"}
