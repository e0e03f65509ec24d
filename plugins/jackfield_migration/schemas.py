"""Bodies and answers of the API of imports."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints

from jackfield.api.schemas import Schema

SourceName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]+$", max_length=64)]


class MovingInQuery(Schema):
    """dryRun: change nothing; activate: make live what was live in n8n; source: a name for the installation, whose ids
    mean nothing elsewhere."""

    model_config = ConfigDict(extra="forbid")

    dryRun: bool = False  # noqa: N815
    activate: bool = False
    source: SourceName = "n8n"


class ImportDocuments(Schema):
    """One workflow, credential or variable as n8n exports it, a list of them, or an object with lists of them.

    `encryptionKey`: of the n8n that has written encrypted credentials; several stand in lines. `following`: ids of
    workflows that requests of the same import bring; then nothing is said of circles and twins. `origins`: where
    documents come from, by the names of their lists and in their order. `remarks`: remarks on workflows, in their
    order.
    """

    model_config = ConfigDict(extra="allow")

    workflows: list[dict[str, Any]] | None = None
    credentials: list[dict[str, Any]] | None = None
    variables: list[dict[str, Any]] | None = None
    tags: list[dict[str, Any]] | None = None
    folders: list[dict[str, Any]] | None = None
    projects: list[dict[str, Any]] | None = None
    dataTables: list[dict[str, Any]] | None = None  # noqa: N815
    encryptionKey: str | None = Field(None, max_length=4096)  # noqa: N815
    following: list[str] | None = None
    origins: dict[str, list[str]] | None = None
    remarks: list[str] | None = None


class ActivationBody(Schema):
    """workflows: ids of ours."""

    model_config = ConfigDict(extra="forbid")

    workflows: list[Annotated[str, StringConstraints(max_length=64)]] = Field(max_length=1000)


class MovingProblemShown(Schema):
    model_config = ConfigDict(defer_build=True)

    path: str
    message: str
    severity: Literal["error", "activation", "warning"]


class ResultShown(Schema):
    model_config = ConfigDict(extra="allow")

    kind: Literal["workflow", "credential", "variable", "dataTable"]
    name: str
    foreignId: str  # noqa: N815
    origin: str
    status: Literal["created", "updated", "unchanged", "matched", "skipped", "refused", "failed"]
    id: str | None
    verdict: Literal["runs", "setup", "attention", "cannot"] | None
    wasActive: bool  # noqa: N815
    active: bool | None
    problems: list[MovingProblemShown]


class LeftShown(Schema):
    model_config = ConfigDict(defer_build=True)

    kind: str
    count: int
    reason: str


class UnreadableShown(Schema):
    model_config = ConfigDict(defer_build=True)

    origin: str
    reason: str


class ReportShown(Schema):
    model_config = ConfigDict(extra="allow")

    dryRun: bool  # noqa: N815
    complete: bool
    counts: dict[str, dict[str, int]]
    results: list[ResultShown]
    notImported: list[LeftShown]  # noqa: N815
    unreadable: list[UnreadableShown]
    next: list[str]


class ActivatedShown(Schema):
    model_config = ConfigDict(defer_build=True)

    id: str
    active: bool
    problems: list[MovingProblemShown]


class ActivationShown(Schema):
    model_config = ConfigDict(defer_build=True)

    data: list[ActivatedShown]


class MovingOutQuery(Schema):
    """source: the n8n whose ids the workflow gets back."""

    model_config = ConfigDict(extra="forbid")

    source: SourceName = "n8n"


class ExportShown(Schema):
    """`workflow`: as `n8n import:workflow` reads it. `warnings`: what n8n does not find in it."""

    model_config = ConfigDict(defer_build=True)

    workflow: dict[str, Any]
    warnings: list[str]
