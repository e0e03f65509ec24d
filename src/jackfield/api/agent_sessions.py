"""Agent sessions, as the other plugins see them.

Source: docs/agent-sessions.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from .json_values import Json
from .records import record
from .tool_scopes import ToolScope

if TYPE_CHECKING:
    from .agent_protocols import AgentMessage

SessionState: TypeAlias = Literal["starting", "idle", "working", "asking", "ended"]


@record
class AgentSessionRequest:
    """`args`: after the profile's own.

    `working_dir`: before the profile's. `resume`: the agent's own name of a session that goes on. `remote`: the caller
    is on another machine, or nobody knows. `tools`: see `LaunchRequest`. `trusts_tools`: the agent uses these tools
    without asking, where its manifest says how (`protocol.trust_args`).
    """

    alias: str
    args: tuple[str, ...] = ()
    working_dir: str | None = None
    resume: str | None = None
    remote: bool = False
    tools: ToolScope | None = None
    trusts_tools: bool = False


class LiveAgentSession(Protocol):
    """One agent session. Its methods belong to the event loop."""

    @property
    def id(self) -> str: ...

    @property
    def state(self) -> SessionState: ...

    @property
    def revision(self) -> int:
        """Of its messages: how often something was said or has changed."""

    def messages(self, since: int) -> Sequence[AgentMessage]:
        """Those that are new or have changed after this revision."""

    async def changed(self, revision: int, timeout: float) -> None:
        """Return when there is a later revision, the session has ended, or after that many seconds."""

    def say(self, text: str) -> None:
        """Raises `Conflict` when the agent works on another message or has ended, `InvalidInput` when it is too
        long."""

    def answer(self, permission: str, option: str, note: str) -> None:
        """Choose an option of an open permission. Raises `NotFound`, `Conflict`, `InvalidInput`."""


class AgentSessions(Protocol):
    """The port; a plugin names it in `provides`."""

    def live(self, alias: str) -> Sequence[str]:
        """Ids of the profile's agent sessions that have not ended."""

    async def end(self, alias: str) -> None:
        """End the profile's agent sessions, and return when they have."""

    async def begin(self, request: AgentSessionRequest) -> LiveAgentSession:
        """Returns when the agent is ready for messages. Raises `NotFound`, `InvalidInput`, `Conflict` when there are
        too many, `JackfieldError` when the agent cannot be started or is not ready in time."""

    async def stop(self, id: str) -> None:
        """End a session, and return when no process of it is left. Raises `NotFound`."""

    def shown(self, id: str) -> Mapping[str, Json]:
        """As `GET /api/agent-sessions/{id}` shows it. Raises `NotFound`."""
