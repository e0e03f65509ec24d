"""Bodies of `/expressions`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from jackfield_workflows.routes.schemas import Body, Name, Shown


class PreviewBody(Body):
    """Which expressions, and on which data. Without an execution they see pinned data alone."""

    workflow: dict[str, Any] | None = None  # a workflow document
    workflowId: Annotated[str, Field(max_length=64)] | None = None  # noqa: N815
    executionId: Annotated[str, Field(max_length=64)] | None = None  # noqa: N815
    node: Name
    item: Annotated[int, Field(ge=0, le=10_000_000, strict=True)] = 0
    templates: Annotated[dict[str, Any], Field(min_length=1, max_length=100)]  # as they stand in parameters


class PreviewValue(Shown):
    value: Any = None  # what the expression gave, or the beginning of its JSON
    error: str | None = None
    start: int | None = None  # where the failing {{ }} begins in the template, in UTF-16 code units
    end: int | None = None
    truncated: bool | None = None
    size: int | None = None


class PreviewShown(Shown):
    items: int
    values: dict[str, PreviewValue]


class ExpressionMemberShown(Shown):
    name: str
    arguments: str
    returns: str
    help: str
    example: str
    result: str | None = None


class VocabularyShown(Shown):
    types: dict[str, list[ExpressionMemberShown]]
