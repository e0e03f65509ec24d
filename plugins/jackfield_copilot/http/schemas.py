"""Bodies and answers of `/api/v1/drafts` and `/api/copilot`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StrictStr
from pydantic.alias_generators import to_camel

from jackfield.api.schemas import Schema

ChangeId = Annotated[StrictStr, Field(max_length=1000)]
Ident = Annotated[StrictStr, Field(min_length=1, max_length=200)]
_Document = dict[str, Any]  # a workflow, whose form its nodes say
_Text = Annotated[StrictStr, Field(max_length=65_536)]


class _Named(Schema):
    """Names are camelCase outside."""

    model_config = ConfigDict(alias_generator=to_camel)


class _Given(_Named):
    model_config = ConfigDict(extra="forbid")


class _Shown(_Named):
    model_config = ConfigDict(extra="allow")


class DraftsQuery(_Given):
    """workflowId: `none`: drafts of no workflow."""

    workflow_id: Ident | None = None
    execution_id: Ident | None = None
    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(50, ge=1, le=250)


class DraftBody(_Given):
    """document: default: the workflow as it is, or an empty one."""

    workflow_id: Ident | None = None
    document: _Document | None = None
    title: Annotated[StrictStr, Field(max_length=1000)] = ""


class DraftDocument(_Given):
    document: _Document
    title: Annotated[StrictStr, Field(max_length=1000)] | None = None


class DraftRejection(_Given):
    """changes: ids; null: all."""

    revision: int = Field(ge=1)
    changes: list[ChangeId] | None = Field(None, max_length=10_000)


class DraftAcceptance(DraftRejection):
    """overwrite: also changes that somebody has made otherwise in the workflow."""

    overwrite: bool = False


class DraftMerge(_Given):
    document: _Document
    changes: list[ChangeId] | None = Field(None, max_length=10_000)
    overwrite: bool = False


class DraftRunBody(_Given):
    """input: items for the node that starts. start, until: names of nodes."""

    input: list[_Document] | None = Field(None, max_length=1000)
    start: Ident | None = None
    until: Ident | None = None


class DraftRunDecision(_Given):
    allow: bool


class DraftRunQuery(_Given):
    """wait: seconds for which the answer may wait for a decision."""

    wait: float = Field(0, ge=0, le=300)


class DraftOriginShown(_Shown):
    kind: Literal["person", "copilot", "execution"]
    profile: str | None
    session_id: str | None
    execution_id: str | None


class DraftRowShown(_Shown):
    id: str
    workflow_id: str | None
    workflow_name: str | None
    title: str
    revision: int
    base_version: int | None
    author: str
    origin: DraftOriginShown
    created_at: str
    updated_at: str
    change_count: int


class DraftPage(_Shown):
    data: list[DraftRowShown]
    total: int
    offset: int
    limit: int


class DraftPart(_Shown):
    path: str
    before: Any = None  # JSON
    after: Any = None  # JSON


class DraftChangeShown(_Shown):
    """kind: `node`: name, formerName, before, after, current, parts, wires; `wire`: source, output, target, input,
    type, needs; `setting`: path, before, after, current."""

    id: str
    kind: Literal["node", "wire", "setting"]
    how: Literal["added", "changed", "removed", "renamed", "moved"]
    label: str
    conflict: bool
    name: str | None = None
    former_name: str | None = None
    before: Any = None  # JSON
    after: Any = None  # JSON
    current: Any = None  # JSON
    parts: list[DraftPart] | None = None
    wires: list[str] | None = None
    source: str | None = None
    output: int | None = None
    target: str | None = None
    input: int | None = None
    type: str | None = None
    needs: list[str] | None = None
    path: str | None = None


class DraftRunShown(_Shown):
    id: str
    state: Literal["asked", "running", "refused", "lapsed"]
    revision: int
    asked_at: str
    start: str | None
    until: str | None
    input: list[_Document] | None
    execution_id: str | None
    problem: str | None


class DraftShown(DraftRowShown):
    current_version: int | None
    document: _Document
    base: _Document
    current: _Document | None
    changes: list[DraftChangeShown]
    run: DraftRunShown | None


class AcceptedWorkflow(_Shown):
    """formerVersion: null of a new workflow."""

    id: str
    name: str
    version: int
    former_version: int | None
    active: bool


class DraftAccepted(_Shown):
    workflow: AcceptedWorkflow
    accepted: list[str]
    draft: DraftShown


class DraftMerged(_Shown):
    document: _Document
    accepted: list[str]


Action = Literal["build", "explain", "fix", "cost", "ask"]


class CopilotMessageIn(Schema):
    """text: in your own words. execution_id: of `fix` and `cost`."""

    model_config = ConfigDict(extra="forbid")

    action: Action = "ask"
    text: _Text = ""
    execution_id: Ident | None = None


class CopilotSessionIn(CopilotMessageIn):
    """draft_id: a draft to go on with; default: a new one."""

    profile_alias: Ident
    workflow_id: Ident | None = None
    draft_id: Ident | None = None
    working_dir: Annotated[StrictStr, Field(max_length=4096)] | None = None


class CopilotSessionOut(Schema):
    """session: as /api/agent-sessions shows it."""

    draft_id: str
    session: dict[str, Any]  # of the agent sessions


class CopilotSessionAnswer(Schema):
    success: Literal[True]
    data: CopilotSessionOut
