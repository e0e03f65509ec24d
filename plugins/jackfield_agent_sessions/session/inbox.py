"""Permissions of a session in the inbox of approvals, beside those of other agents."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial

from jackfield.api.agent_protocols import PermissionAsked
from jackfield.api.approvals import AgentApprovals, AgentRequest, ApprovalAnswer, ApprovalOption
from jackfield.api.errors import Conflict, JackfieldError
from jackfield.api.profiles import Profile, require_sandbox
from jackfield_agent_sessions.settings import AgentSessionSettings

Answer = Callable[[str, str, str], None]
"""Of the permission's id, the option's and the note."""


class SessionInbox:
    """Of one session."""

    def __init__(
        self,
        approvals: AgentApprovals | None,
        session_id: str,
        profile: Profile,
        settings: AgentSessionSettings,
        now_ms: Callable[[], int],
    ) -> None:
        """approvals: None where no plugin has an inbox. profile: with the sandbox of the session."""
        self._approvals = approvals
        self._session_id = session_id
        self._profile = profile
        self._settings = settings
        self._now_ms = now_ms
        self._open: dict[str, str] = {}
        """Permission -> its approval."""
        self._unlisted: dict[str, asyncio.TimerHandle] = {}
        """Those that are in no inbox -> when they are rejected."""

    def noted(self, message: PermissionAsked, answer: Answer) -> None:
        """A permission is asked for, or is not open any more. message: as the session shows it."""
        if message.state != "open":
            if (timer := self._unlisted.pop(message.id, None)) is not None:
                timer.cancel()
            if self._approvals is not None and (approval := self._open.pop(message.id, None)) is not None:
                self._approvals.closed(approval, message.state, message.answer or "")
            return
        if message.id in self._open or message.id in self._unlisted:
            return
        try:
            if self._approvals is not None:
                self._open[message.id] = self._approvals.open(self._request(message, answer))
                return
        except Conflict:  # too many are open; it can be answered in the session itself
            pass
        self._reject_in_time(message, answer)

    def _reject_in_time(self, message: PermissionAsked, answer: Answer) -> None:
        """As the inbox would."""
        limit = self._settings.permission_timeout
        kinds = {one.kind: one.id for one in reversed(message.options)}
        option = kinds.get("reject_once") or kinds.get("reject_always")
        if limit and option is not None:
            loop = asyncio.get_running_loop()
            self._unlisted[message.id] = loop.call_later(limit, self._reject, message.id, option, answer)

    def _reject(self, permission: str, option: str, answer: Answer) -> None:
        self._unlisted.pop(permission, None)
        with contextlib.suppress(JackfieldError):  # the agent reads no more, or has ended
            answer(permission, option, "Nobody has answered in time.")

    def close(self) -> None:
        """The session has ended."""
        for timer in self._unlisted.values():
            timer.cancel()
        self._unlisted.clear()
        for approval in self._open.values():
            if self._approvals is not None:
                self._approvals.closed(approval, "withdrawn")
        self._open.clear()

    def _request(self, message: PermissionAsked, answer: Answer) -> AgentRequest:
        limit = self._settings.permission_timeout
        return AgentRequest(
            profile=self._profile.alias,
            asked_by="agent_session",
            session=self._session_id,
            tool=message.tool,
            title=message.title,
            input=message.input,
            options=[
                ApprovalOption(
                    one.id, one.name, allows=one.kind.startswith("allow"), lasting=one.kind.endswith("always")
                )
                for one in message.options
            ],
            answer=partial(self._answered, message.id, answer),
            cut=message.cut,
            until_ms=self._now_ms() + round(limit * 1000) if limit else None,
        )

    def _answered(self, permission: str, answer: Answer, given: ApprovalAnswer) -> None:
        """By the same rules as in the session. Raises `JackfieldError`."""
        if given.remote:
            require_sandbox(self._profile.sandbox, self._settings.network_sandbox, "agent_sessions.network_sandbox")
        answer(permission, given.option, given.note)
