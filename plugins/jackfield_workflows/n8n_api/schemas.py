"""Queries, bodies and answers of n8n's public API, as far as Jackfield has it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from jackfield.api.n8n_pages import CursorPage, CursorQuery, N8nAnswer, SharedShown
from jackfield_workflows.routes.schemas import Body, Name, TagShown, VariableBody

StatusWord = Literal["canceled", "crashed", "error", "new", "running", "success", "unknown", "waiting"]
ModeWord = Literal["error", "integrated", "manual", "retry", "trigger", "webhook"]


class N8nWorkflowsQuery(CursorQuery):
    offset: int = Field(0, ge=0)
    active: bool | None = None
    tags: str | None = Field(None, description="Names, separated by commas: a workflow has all of them.")
    name: str | None = Field(None, description="What the name holds, in any case.")
    projectId: str | None = None  # noqa: N815
    excludePinnedData: bool | None = None  # noqa: N815


class N8nWorkflowQuery(N8nAnswer):
    excludePinnedData: bool | None = None  # noqa: N815


class UpdateQuery(N8nAnswer):
    """A live workflow stays live with what is written: there are no drafts beside it."""

    publishIfActive: Literal["true"] | None = None  # noqa: N815


class WorkflowWhole(N8nAnswer):
    """A workflow with all that n8n tells of it."""

    id: str
    name: str
    active: bool
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815
    isArchived: bool  # noqa: N815
    versionId: str  # noqa: N815
    activeVersionId: str | None  # noqa: N815
    triggerCount: int  # noqa: N815
    nodes: list[dict[str, Any]]  # a node's keys depend on its type
    connections: dict[str, Any]  # per node name
    settings: dict[str, Any] | None  # open by definition
    tags: list[TagShown]
    shared: list[SharedShown]


class WorkflowList(CursorPage):
    data: list[WorkflowWhole]


class PublishBody(N8nAnswer):
    """versionId: the present one's, since no other can be live."""

    versionId: str | None = None  # noqa: N815
    name: str | None = None
    description: str | None = None


class VersionWhole(N8nAnswer):
    versionId: str  # noqa: N815
    workflowId: str  # noqa: N815
    nodes: list[dict[str, Any]]  # as above
    connections: dict[str, Any]  # as above
    authors: str
    name: str
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


class VersionRow(N8nAnswer):
    versionId: str  # noqa: N815
    workflowId: str  # noqa: N815
    authors: str
    name: str
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


class VersionList(CursorPage):
    data: list[VersionRow]


class WorkflowTags(RootModel[list[TagShown]]):
    """Tags of one workflow."""


class TagCursorPage(CursorPage):
    data: list[TagShown]


class NameBody(N8nAnswer):
    name: Name


class VariablesQuery(CursorQuery):
    projectId: str | None = None  # noqa: N815
    state: Literal["empty"] | None = Field(None, description="Only variables without a value.")


class NewVariableBody(VariableBody):
    """type and projectId: as n8n's clients send them."""

    type: Literal["string"] | None = None
    projectId: str | None = None  # noqa: N815


class VariableWhole(N8nAnswer):
    id: str
    key: str
    value: str
    type: Literal["string"]


class VariableCursorPage(CursorPage):
    data: list[VariableWhole]


class N8nExecutionQuery(N8nAnswer):
    """Data of an execution come as they are stored, whatever their size."""

    includeData: bool | None = None  # noqa: N815
    ignoreDataSizeLimit: bool | None = None  # noqa: N815
    redactExecutionData: bool | None = None  # noqa: N815


class N8nExecutionsQuery(CursorQuery, N8nExecutionQuery):
    status: StatusWord | None = None
    workflowId: str | None = None  # noqa: N815
    projectId: str | None = None  # noqa: N815
    startedAfter: str | None = None  # noqa: N815
    startedBefore: str | None = None  # noqa: N815


class ExecutionWhole(N8nAnswer):
    id: str
    finished: bool
    mode: ModeWord
    status: StatusWord
    createdAt: str  # noqa: N815
    startedAt: str | None  # noqa: N815
    stoppedAt: str | None  # noqa: N815
    workflowId: str | None  # noqa: N815
    retryOf: str | None  # noqa: N815
    waitTill: str | None  # noqa: N815
    data: dict[str, Any] | None = None  # n8n's run data, by node
    workflowData: dict[str, Any] | None = None  # the workflow that ran  # noqa: N815


class ExecutionList(CursorPage):
    data: list[ExecutionWhole]


class Stopped(N8nAnswer):
    mode: ModeWord
    startedAt: str | None  # noqa: N815
    stoppedAt: str | None  # noqa: N815
    finished: bool
    status: StatusWord


class RetryBody(N8nAnswer):
    """loadWorkflow: whether the workflow runs as it is saved now, and not as it was."""

    loadWorkflow: bool = False  # noqa: N815


class StopBody(Body):
    status: Annotated[list[Literal["queued", "running", "waiting"]], Field(min_length=1)]
    workflowId: str | None = None  # noqa: N815
    startedAfter: str | None = None  # noqa: N815
    startedBefore: str | None = None  # noqa: N815


class StoppedCount(N8nAnswer):
    stopped: int


class AuditOptions(N8nAnswer):
    categories: list[Literal["credentials", "database", "nodes", "filesystem", "instance"]] | None = None
    daysAbandonedWorkflow: Annotated[int, Field(ge=1, le=36_500)] | None = None  # noqa: N815


class AuditBody(N8nAnswer):
    additionalOptions: AuditOptions | None = None  # noqa: N815


class AuditShown(N8nAnswer):
    """Title of a report -> `{risk, sections}`; an empty object when nothing was found."""
