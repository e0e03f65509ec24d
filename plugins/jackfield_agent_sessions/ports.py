"""The keeper of sessions, as routes ask for it. A start that serves no session loads nothing of what implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from jackfield.api.asgi import Scope
from jackfield.api.profile_tools import ToolScope
from jackfield.api.records import record

if TYPE_CHECKING:
    from jackfield_agent_sessions.session.session import AgentSession


@record
class AgentSessionRequest:
    """args: after the profile's own. working_dir: before the profile's. resume: the agent's own name of a session that
    goes on. remote: the caller is on another machine, or nobody knows. tools: see
    `LaunchRequest`."""

    alias: str
    args: tuple[str, ...] = ()
    working_dir: str | None = None
    resume: str | None = None
    remote: bool = False
    tools: ToolScope | None = None


class SessionKeeper(Protocol):
    """All agent sessions of the daemon."""

    def all(self) -> Sequence[AgentSession]: ...

    def find(self, id: str) -> AgentSession:
        """Raises `NotFound`."""

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
