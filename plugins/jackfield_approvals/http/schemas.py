"""Queries, bodies and answers of approvals. Names of `/api/v1` are in camelCase, those of `/api` in snake_case."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, StrictStr
from pydantic.alias_generators import to_camel

from jackfield.api.paging import Clamped
from jackfield.api.schemas import Schema

State = Literal["open", "answered", "withdrawn", "expired"]
Kind = Literal["question", "form", "permission"]


class ApprovalOptionOut(Schema):
    """allows: it lets go on what was asked for. lasting: for more than this once."""

    id: str
    label: str
    allows: bool
    lasting: bool


class AgentApprovalIn(Schema):
    """option: the id of one that the request offers. note: a reason, which some agents pass on to the model."""

    model_config = ConfigDict(extra="forbid")

    option: StrictStr = Field(min_length=1, max_length=1000)
    note: StrictStr = Field("", max_length=10_000)


class AgentApprovalOut(Schema):
    """`input`: of the tool, without secrets; null once it is closed. `cut`: some of it is not shown, so that nobody can
    allow it. `until`: it is rejected then. `answered_by`: empty: unknown, or nobody."""

    id: str
    profile: str
    asked_by: Literal["agent_session", "terminal_session", "run"]
    session_id: str
    execution_id: str | None
    tool: str
    title: str
    input: JsonValue
    cut: bool
    options: list[ApprovalOptionOut]
    state: State
    asked_at: str
    until: str | None
    answer: str | None
    answered_by: str | None
    closed_at: str | None
    host: str | None = Field(None, description="In a list that is joined over hosts: the host that has it.")


class AgentApprovalAnswer(Schema):
    success: Literal[True]
    data: AgentApprovalOut


class AgentApprovalList(Schema):
    success: Literal[True]
    data: list[AgentApprovalOut]
    missing_hosts: list[str] | None = Field(None, description="Hosts that did not answer.")


class _Named(Schema):
    model_config = ConfigDict(alias_generator=to_camel)


class ApprovalsQuery(_Named):
    """kind, state: only such; by default every kind, and what is open."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind | None = None
    state: State | Literal["all"] = "open"
    offset: Annotated[int, Clamped(0, 2**31)] = 0
    limit: Annotated[int, Clamped(1, 200)] = 50


class ApprovalIn(_Named):
    """`option`: the id of one that is offered; a form has none. `fields`: of a form, by their keys. `note`: a reason,
    which some agents pass on to the model."""

    model_config = ConfigDict(extra="forbid")

    option: StrictStr = Field("", max_length=1000)
    note: StrictStr = Field("", max_length=10_000)
    fields: dict[str, JsonValue] = Field(default_factory=dict, max_length=1000)


class ApprovalField(_Named):
    """A field of a form. key: of its value in an answer. options: one of these, or several."""

    key: str
    label: str
    kind: str
    required: bool
    options: list[str]
    several: bool
    default: str
    placeholder: str
    html: str


class ApprovalOut(_Named):
    """One thing that people are asked. `kind`: `question` and `form` of an execution, `permission` of an agent.
    `until`: the execution goes on then without an answer, and an agent's request is rejected. `url`: of a page that
    answers too, for those who may answer. `cut`: some of the input is not shown, so that nobody can allow it.
    `session`: of the agent, or its run. `test`: the execution is a test of its workflow."""

    id: str
    kind: Kind
    state: State
    title: str
    message: str
    asked_at: str
    until: str | None
    options: list[ApprovalOptionOut]
    fields: list[ApprovalField]
    url: str | None
    execution_id: str | None
    workflow_id: str | None
    workflow: str | None
    node: str | None
    test: bool
    profile: str | None
    asked_by: Literal["agent_session", "terminal_session", "run"] | None
    session_id: str | None
    tool: str | None
    input: JsonValue
    cut: bool
    host: str | None
    answer: str | None
    answered_by: str | None
    closed_at: str | None


class ApprovalsPage(_Named):
    """complete: every waiting execution was looked at, and every host has answered."""

    data: list[ApprovalOut]
    total: int
    offset: int
    limit: int
    complete: bool
