"""Answers about templates."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from jackfield.api.schemas import Schema


class TemplateAnswer(Schema):
    """Base of the answers."""

    model_config = ConfigDict(extra="allow")


class TemplateCredentialShown(TemplateAnswer):
    node: str
    kind: str


class WorkflowTemplateRow(TemplateAnswer):
    """nodeTypes: kinds of its nodes, in their order, each once. setup: what remains to be done once it is taken."""

    id: str
    name: str
    description: str
    category: str
    nodeTypes: list[str]  # noqa: N815 - as in JSON
    credentials: list[TemplateCredentialShown] = Field(description="Which node needs which kind of credential.")
    setup: list[str]


class WorkflowTemplateList(TemplateAnswer):
    data: list[WorkflowTemplateRow]
    total: int
    warnings: list[str] = Field(description="A sentence for each file that is broken.")


class WorkflowTemplateShown(WorkflowTemplateRow):
    workflow: dict[str, Any]  # a workflow document
