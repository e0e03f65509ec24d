"""Queries, bodies and answers of n8n's public API, as far as Jackfield has it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from jackfield.api.moments import Moment
from jackfield.api.n8n_pages import CursorPage, CursorQuery, N8nAnswer, N8nOffset, SharedShown
from jackfield_workflows.routes.schemas import Body, Name, Names, TagShown, VariableBody

StatusWord = Literal["canceled", "crashed", "error", "new", "running", "success", "unknown", "waiting"]
ModeWord = Literal["error", "integrated", "manual", "retry", "trigger", "webhook"]


class N8nWorkflowsQuery(CursorQuery):
    offset: N8nOffset = 0
    active: bool | None = None
    tags: Names = Field([], description="Names, separated by commas: a workflow has all of them.")
    name: str | None = Field(None, description="A text that the name holds, in any case.")
    project_id: str | None = None
    exclude_pinned_data: bool | None = None


class N8nWorkflowQuery(N8nAnswer):
    exclude_pinned_data: bool | None = None


class UpdateQuery(N8nAnswer):
    """A live workflow stays live with what is written: there are no drafts beside it."""

    publish_if_active: bool = True


class WorkflowWhole(N8nAnswer):
    """A workflow with all that n8n tells of it."""

    id: str
    name: str
    active: bool
    created_at: str
    updated_at: str
    is_archived: bool
    version_id: str
    active_version_id: str | None
    trigger_count: int
    nodes: list[dict[str, Any]]  # a node's keys depend on its type
    connections: dict[str, Any]  # per node name
    settings: dict[str, Any] | None  # open by definition
    tags: list[TagShown]
    shared: list[SharedShown]


class WorkflowList(CursorPage):
    data: list[WorkflowWhole]


class PublishBody(N8nAnswer):
    """versionId: the current one's, since no other can be live."""

    version_id: str | None = None
    name: str | None = None
    description: str | None = None


class VersionWhole(N8nAnswer):
    version_id: str
    workflow_id: str
    nodes: list[dict[str, Any]]  # as above
    connections: dict[str, Any]  # as above
    authors: str
    name: str
    created_at: str
    updated_at: str


class N8nVersionRow(N8nAnswer):
    version_id: str
    workflow_id: str
    authors: str
    name: str
    created_at: str
    updated_at: str


class VersionList(CursorPage):
    data: list[N8nVersionRow]


class WorkflowTags(RootModel[list[TagShown]]):
    """Tags of one workflow."""


class TagCursorPage(CursorPage):
    data: list[TagShown]


class NameBody(N8nAnswer):
    name: Name


class VariablesQuery(CursorQuery):
    project_id: str | None = None
    state: Literal["empty"] | None = Field(None, description="Only variables without a value.")


class NewVariableBody(VariableBody):
    """type and projectId: as n8n's clients send them."""

    type: Literal["string"] | None = None
    project_id: str | None = None


class VariableWhole(N8nAnswer):
    id: str
    key: str
    value: str
    type: Literal["string"]


class VariableCursorPage(CursorPage):
    data: list[VariableWhole]


class N8nExecutionQuery(N8nAnswer):
    """Data of an execution come as they are stored, whatever their size."""

    include_data: bool | None = None
    ignore_data_size_limit: bool | None = None
    redact_execution_data: bool | None = None


class N8nExecutionsQuery(CursorQuery, N8nExecutionQuery):
    status: StatusWord | None = None
    workflow_id: str | None = None
    project_id: str | None = None
    started_after: Moment | None = None
    started_before: Moment | None = None


class ExecutionWhole(N8nAnswer):
    id: str
    finished: bool
    mode: ModeWord
    status: StatusWord
    created_at: str
    started_at: str | None
    stopped_at: str | None
    workflow_id: str | None
    retry_of: str | None
    wait_till: str | None
    data: dict[str, Any] | None = None  # n8n's run data, by node
    workflow_data: dict[str, Any] | None = None  # the workflow that ran


class ExecutionList(CursorPage):
    data: list[ExecutionWhole]


class Stopped(N8nAnswer):
    mode: ModeWord
    started_at: str | None
    stopped_at: str | None
    finished: bool
    status: StatusWord


class RetryBody(N8nAnswer):
    """loadWorkflow: whether the workflow runs as it is saved now, and not as it was."""

    load_workflow: bool = False


class StopBody(Body):
    status: Annotated[list[Literal["queued", "running", "waiting"]], Field(min_length=1)]
    workflow_id: str | None = None
    started_after: Moment | None = None
    started_before: Moment | None = None


class StoppedCount(N8nAnswer):
    stopped: int


class AuditOptions(N8nAnswer):
    categories: list[Literal["credentials", "database", "nodes", "filesystem", "instance"]] | None = None
    days_abandoned_workflow: Annotated[int, Field(ge=1, le=36_500)] | None = None


class AuditBody(N8nAnswer):
    additional_options: AuditOptions | None = None


class AuditShown(N8nAnswer):
    """Title of a report -> `{risk, sections}`; an empty object when nothing was found."""
