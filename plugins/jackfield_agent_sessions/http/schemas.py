"""Bodies and answers of `/api/agent-sessions`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StrictStr

from jackfield.api.agent_protocols import AnyAgentMessage
from jackfield.api.agent_sessions import AgentSessionRequest
from jackfield.api.schemas import Schema

Argument = Annotated[StrictStr, Field(max_length=131_072)]
_State = Literal["starting", "idle", "working", "asking", "ended"]


class _Given(Schema):
    model_config = ConfigDict(extra="forbid")


class AgentSessionIn(_Given):
    """args: after the profile's own. working_dir: before the profile's. resume: the agent's own name of a session that
    goes on, `agent_session` of an earlier one."""

    profile_alias: StrictStr
    args: list[Argument] = Field(default_factory=list, max_length=1000)
    working_dir: StrictStr | None = None
    resume: StrictStr | None = Field(None, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$")

    def request(self, *, remote: bool) -> AgentSessionRequest:
        return AgentSessionRequest(self.profile_alias, tuple(self.args), self.working_dir, self.resume, remote)


class SessionMessageIn(_Given):
    text: StrictStr = Field(min_length=1)


class PermissionIn(_Given):
    """option: the id of one that the request offers. note: the reason, which some agents pass on to the model."""

    option: StrictStr = Field(min_length=1, max_length=1000)
    note: StrictStr = Field("", max_length=10_000)


class MessagesQuery(_Given):
    """since: the revision that is known already. wait: seconds for which the answer may wait for something later."""

    since: int = Field(0, ge=0)
    wait: float = Field(0.0, ge=0, le=300)


class AgentSessionOut(Schema):
    """`agent_session`: the agent's own name of the session. `state`: `idle`: it waits for a message; `asking`: for a
    permission. `revision`: of its messages. `exit_code`: of an ended session; 128+n for a signal. `reason`: why it
    ended, where that is known."""

    id: str
    profile_alias: str
    agent_id: str
    protocol: str
    state: _State
    created_at: str
    working_dir: str
    agent_session: str | None
    revision: int
    host: str | None = Field(None, description="In a list that is joined over hosts: the host that has it.")
    exit_code: int | None = None
    reason: str | None = None


class AgentSessionAnswer(Schema):
    success: Literal[True]
    data: AgentSessionOut


class AgentSessionList(Schema):
    success: Literal[True]
    data: list[AgentSessionOut]
    missing_hosts: list[str] | None = Field(None, description="Hosts that did not answer.")


class SessionMessageOut(Schema):
    """id: counts from 1 in the session. revision: of the session when this message last changed. complete: its text
    does not go on."""

    id: int
    revision: int
    time: str
    complete: bool
    message: AnyAgentMessage


class SessionMessages(Schema):
    """messages: those that have changed after `since`. forgotten: how many older ones are not kept any more."""

    state: _State
    revision: int
    forgotten: int
    messages: list[SessionMessageOut]


class SessionMessagesAnswer(Schema):
    success: Literal[True]
    data: SessionMessages


class AgentSessionDone(Schema):
    success: Literal[True]
