"""The keeper of sessions, as routes ask for it. A start that serves no session loads nothing of what implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from jackfield.api.agent_sessions import AgentSessionRequest
from jackfield.api.asgi import Scope
from jackfield.api.projects import Right

if TYPE_CHECKING:
    from jackfield_agent_sessions.session.session import AgentSession


class SessionKeeper(Protocol):
    """All agent sessions of the daemon."""

    async def seen(self) -> Sequence[AgentSession]:
        """Those of profiles that the caller's reach sees."""

    async def require(self, id: str, right: Right) -> None:
        """Checks the caller's reach, by the session's profile. Raises `NotFound`, `AccessDenied`,
        `StoreUnavailable`."""

    def find(self, id: str) -> AgentSession:
        """Whichever caller asks. Raises `NotFound`."""

    def driven(self, id: str, scope: Scope) -> AgentSession:
        """The session, when whoever sends the request of this scope may speak to it, answer it and end it. Raises
        `NotFound`; `AccessDenied` for a caller from the network when its sandbox is less than
        `agent_sessions.network_sandbox`."""

    async def create(self, request: AgentSessionRequest) -> AgentSession:
        """Returns when the agent is ready for messages. Raises `NotFound`, `InvalidInput`, `Conflict` when there are
        too many, `JackfieldError` when the agent cannot be started or is not ready in time."""

    async def stop(self, id: str) -> None:
        """End a session, and return when no process of it is left. Raises `NotFound`."""

    def forget(self, id: str) -> None:
        """Drop an ended session and its messages. Raises `NotFound`, `Conflict` when it has not ended."""
