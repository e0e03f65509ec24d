"""Permissions of a session in the inbox of approvals, beside those of other agents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from jackfield.api.agent_protocols import PermissionAsked
from jackfield.api.approvals import AgentApprovals, AgentRequest, ApprovalAnswer, ApprovalOption
from jackfield.api.errors import Conflict
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

    def noted(self, message: PermissionAsked, answer: Answer) -> None:
        """A permission is asked for, or is not open any more. message: as the session shows it."""
        if self._approvals is None:
            return
        if message.state != "open":
            if (approval := self._open.pop(message.id, None)) is not None:
                self._approvals.closed(approval, message.state, message.answer or "")
            return
        if message.id in self._open:
            return
        try:
            self._open[message.id] = self._approvals.open(self._request(message, answer))
        except Conflict:  # too many are open; it can be answered in the session itself
            return

    def close(self) -> None:
        """The session has ended."""
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
