"""Bodies of the management API, for checking what comes in and for OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    StringConstraints,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel

from jackfield.api.moments import Moment
from jackfield.api.paging import Clamped
from jackfield.api.storage import ExecutionStatus, WorkflowOrder
from jackfield_workflows.routes.query_values import MAX_OFFSET, MOST_NAMES, names

Offset = Annotated[int, Clamped(0, MAX_OFFSET)]
Names = Annotated[list[str], BeforeValidator(names), Field(max_length=MOST_NAMES), WithJsonSchema({"type": "string"})]
"""Names in one text, separated by commas."""
VariableKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=128)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"\S")]


class Body(BaseModel):
    """A body with these keys and no others."""

    model_config = ConfigDict(extra="forbid", defer_build=True, alias_generator=to_camel)


class Shown(BaseModel):
    """Base of the answers: fields that a class does not name are let through."""

    model_config = ConfigDict(extra="allow", defer_build=True)


class WorkflowDocument(Shown):
    """n8n's workflow JSON; keys beyond these are kept as they are."""

    name: Name
    nodes: list[dict[str, Any]] = []  # a node's keys depend on its type
    connections: dict[str, Any] = {}  # per node name, see the documentation
    settings: dict[str, Any] | None = None  # open by definition
    pinData: dict[str, Any] | None = None  # items by node name  # noqa: N815
    active: bool | None = Field(None, description="Whether it is live. Default: as it is; a new one is not.")
    tags: list[Any] | None = Field(None, description="Names, or objects with a name. Default: those that it has.")


class WorkflowPatch(Shown):
    """Top-level keys of a workflow, which replace those that it has."""

    name: Name | None = None
    nodes: list[dict[str, Any]] | None = None  # as above
    connections: dict[str, Any] | None = None  # as above
    settings: dict[str, Any] | None = None  # as above
    pinData: dict[str, Any] | None = None  # as above  # noqa: N815
    active: bool | None = None  # as above
    tags: list[Any] | None = None  # as above


class ImportBody(RootModel[WorkflowDocument | list[WorkflowDocument]]):
    """One workflow or a list of up to 1,000."""


class TagBody(Body):
    name: Name


class TagShown(Shown):
    id: str
    name: str
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


class TagId(Body):
    id: str


class TagIds(RootModel[Annotated[list[TagId], Field(max_length=100)]]):
    """Ids of tags."""


class TagList(Shown):
    data: list[TagShown]
    total: int


class AttentionShown(Shown):
    path: str
    message: str


class StartShown(Shown):
    """In words, when or by which a node starts the workflow."""

    node: str
    text: str


class WorkflowShown(WorkflowDocument):
    id: str
    active: bool
    attention: list[AttentionShown] | None = None
    version: int
    tags: list[TagShown]
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


class WorkflowRowShown(Shown):
    id: str
    name: str
    active: bool
    attention: list[AttentionShown] | None = None
    starts: list[StartShown] | None = Field(None, description="Of a live one, as far as its triggers tell.")
    version: int
    nodeCount: int  # noqa: N815
    folderId: str | None  # noqa: N815 - as in JSON
    tags: list[TagShown]
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


class PageShown(Shown):
    total: int
    offset: int
    limit: int


class TagPage(PageShown):
    data: list[TagShown]


class WorkflowPage(PageShown):
    data: list[WorkflowRowShown]


class Activation(Shown):
    id: str
    active: bool
    attention: list[AttentionShown] | None = None


class ActivationState(Shown):
    """reasons: of a workflow that is not live, what keeps it from going live; of a live one, what needs attention."""

    id: str
    active: bool
    activatable: bool
    reasons: list[AttentionShown]


class InputData(Body):
    """Items for the start node. A bare list of items means the same."""

    inputData: list[dict[str, Any]] = []  # items  # noqa: N815


class RunBody(Body):
    workflow: dict[str, Any]  # a workflow document
    inputData: Any = None  # items, checked with their paths by `starts.read_items`  # noqa: N815


class DuplicateBody(Body):
    name: Name | None = None


class ProblemShown(Shown):
    path: str
    message: str
    severity: Literal["error", "activation", "warning"]


class Validation(Shown):
    valid: bool
    activatable: bool
    problems: list[ProblemShown]
    starts: list[StartShown]


class ImportedShown(Shown):
    index: int
    name: str
    status: Literal["created", "updated", "refused", "skipped", "failed"]
    id: str | None
    version: int | None = None
    problems: list[ProblemShown]


class ImportShown(Shown):
    imported: bool
    created: int
    updated: int
    notImported: int  # noqa: N815
    results: list[ImportedShown]


class FailureShown(Shown):
    message: str
    node: str | None = None
    itemIndex: int | None = None  # noqa: N815


class ExecutionRowShown(Shown):
    id: str
    workflowId: str | None  # noqa: N815
    workflowVersion: int  # noqa: N815
    status: ExecutionStatus
    mode: Literal["webhook", "test", "manual", "trigger", "retry", "error", "sub"]
    startedAt: str  # noqa: N815
    finishedAt: str | None = None  # noqa: N815
    error: FailureShown | None = None
    retryOf: str | None = None  # noqa: N815


class TokenUsageShown(Shown):
    """Of all models that the node has asked up to the end of this run."""

    input: int
    output: int


class ToolCallShown(Shown):
    """item: the input item that it was made for. input, result: the beginning of each, as text."""

    item: int
    tool: str
    input: str
    result: str


class ItemShown(Shown):
    fields: dict[str, Any] = Field(alias="json")  # any; pydantic has a method `json`
    binary: dict[str, Any] | None = None  # files by name


class NodeRunShown(Shown):
    index: int
    startedAt: str  # noqa: N815
    duration: float
    status: Literal["success", "failed"]
    error: FailureShown | None = None
    outputs: list[list[ItemShown]]
    counts: list[int] | None = Field(None, description="With `items`: how many items each output has in all.")
    tokenUsage: TokenUsageShown | None = None  # noqa: N815 - as in JSON
    toolCalls: list[ToolCallShown] | None = Field(None, description="Of agents.")  # noqa: N815 - as in JSON
    reused: bool | None = Field(None, description="It ran in an earlier execution, and its result was taken over.")


class ExecutionShown(ExecutionRowShown):
    data: list[ItemShown]
    nodes: dict[str, list[NodeRunShown]]


class ItemPage(PageShown):
    """Items of one output; fewer than `limit` when they are large."""

    data: list[ItemShown]


class PageQuery(Shown):
    """A number out of range is clamped."""

    offset: Offset = 0
    limit: Annotated[int, Clamped(1, 100)] = 20


class WorkflowsQuery(PageQuery):
    active: bool | None = Field(None, description="Only live ones, or only those that are not.")
    search: str | None = Field(
        None,
        description="A part of the name, of a tag, or of a node's name, type or note, in any case.",
        max_length=200,
    )
    folder: str | None = Field(None, description="Id of the folder that holds them itself; `none`: those in no folder.")
    order: WorkflowOrder = Field("-updatedAt", description="Descending with a minus.")
    tags: Names = Field([], description="Names of tags, separated by commas: a workflow has all of them.")


class CreateQuery(Shown):
    folder: str | None = Field(None, description="Id of the folder that it is made in. Default: none.")


class PartialImportQuery(Shown):
    partial: bool | None = Field(None, description="Whether the good ones are stored although others have mistakes.")


class EventsQuery(Shown):
    topics: str | None = Field(None, description="Some of workflows and webhooks, separated by commas. Default: all.")


class CountQuery(Shown):
    """since, until: of the start, ISO 8601."""

    workflowId: str | None = None  # noqa: N815 - the API's spelling
    status: ExecutionStatus | None = None
    mode: Literal["webhook", "test", "manual", "trigger", "retry", "error", "sub"] | None = None
    since: Moment | None = None
    until: Moment | None = None


class ExecutionsQuery(CountQuery, PageQuery):
    """Which executions, and which page of them."""


class RetryQuery(Shown):
    start: Literal["start", "failed", "node"] | None = Field(
        None, alias="from", description="Default: the original input."
    )
    node: str | None = Field(None, description="Name of the node, with from=node.")


class RunQuery(Shown):
    """Which part of the workflow runs."""

    start: str | None = Field(None, description="Name of the node to start at. Default: the trigger.")
    until: str | None = Field(None, description="Name of the node to end at; nodes that do not lead to it do not run.")
    reuse: str | None = Field(
        None,
        description="Id of an execution: nodes before `until` that have not changed since are not run again. It begins "
        "with that execution's start and input. Wants the scope executions:read, too.",
    )


class ExecutionQuery(Shown):
    items: Annotated[int, Clamped(0, 1000)] | None = Field(
        None, description="The most items of each output, at most 128 KiB of them. Default: all."
    )


class ItemsQuery(Shown):
    """Which items of which node run."""

    run: Offset = Field(description="The node run's index.")
    output: Offset = 0
    offset: Offset = 0
    limit: Annotated[int, Clamped(1, 1000)] = 50


class FileQuery(Shown):
    """Which file of which item."""

    run: Offset = Field(description="The node run's index.")
    output: Offset = 0
    item: Offset = 0
    name: str = Field(description="The file's key under `binary`.")


class Counts(BaseModel):
    """Executions by status."""

    model_config = ConfigDict(defer_build=True)

    total: int
    queued: int
    running: int
    waiting: int
    success: int
    failed: int
    cancelled: int


class ExecutionPage(PageShown):
    data: list[ExecutionRowShown]


class Submitted(Shown):
    executionId: str  # noqa: N815
    status: str


class RunShown(Submitted):
    data: list[dict[str, Any]]  # items
    error: FailureShown | None = None


class VersionShown(Shown):
    version: int
    name: str
    createdAt: str  # noqa: N815
    author: str | None = None
    label: str | None = Field(None, description="A name that somebody has given it; such a version is kept.")


class VersionLabel(Body):
    """label: empty takes the version's name away."""

    label: Annotated[str, StringConstraints(max_length=100, strip_whitespace=True)]


class VersionPage(PageShown):
    data: list[VersionShown]


class VariableBody(Body):
    key: VariableKey
    value: Annotated[str, Field(max_length=65_536)]


class VariableChange(Body):
    key: VariableKey | None = None
    value: Annotated[str, Field(max_length=65_536)] | None = None


class VariableShown(Shown):
    id: str
    key: str
    value: str
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


class VariableList(Shown):
    data: list[VariableShown]
    total: int
