"""Queries and answers about node types."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, JsonValue

from jackfield.api.nodes.forms import NodeField
from jackfield_workflows.routes.schemas import Shown


class NodeTypeQuery(BaseModel):
    """schemas: whether the list has the parameters of every node type. unavailable: whether it has those too that
    cannot run here."""

    schemas: bool = True
    unavailable: bool = False


class NodeCredentialShown(Shown):
    """A kind of credential that a node uses.

    `parameter`: the one that names the kind, where `name` is empty. `when`: only while each of these parameters has one
    of these values.
    """

    name: str
    required: bool
    parameter: str | None = None
    when: dict[str, list[str]] | None = None


class NodeShapeShown(Shown):
    """The inputs and outputs of a node while each of these parameters has one of these values."""

    when: dict[str, list[JsonValue]]
    inputs: int
    outputs: list[str]
    provides: str
    accepts: list[str]


class NodeTypeShown(Shown):
    kind: str
    type: str
    displayName: str  # noqa: N815 - n8n's key
    description: str
    group: str
    icon: str
    help: str = Field(
        description="The page of the documentation that describes it, such as `webhooks#the-node`, or a plugin's https "
        "address. Empty: there is none."
    )
    versions: list[float]
    trigger: bool
    effect: bool
    inputs: int
    outputs: list[str]
    provides: str
    accepts: list[str]
    needs: list[str]
    shapes: list[NodeShapeShown]
    credentials: list[NodeCredentialShown]
    available: bool
    missing: str
    scopes: list[str]


class NodeTypeModel(Shown):
    """versions: those that it is for. default: whether it is for documents without typeVersion, too."""

    versions: list[float]
    default: bool
    parameters: dict[str, Any]  # a JSON Schema


class NodeTypeForm(NodeTypeModel):
    """The parameters of some versions: how a form shows them, and what is valid."""

    fields: list[NodeField]


class NodeTypeListed(NodeTypeShown):
    parameters: dict[str, Any]  # a JSON Schema
    forms: list[NodeTypeModel]


class NodeTypeWhole(NodeTypeShown):
    parameters: dict[str, Any]  # a JSON Schema
    forms: list[NodeTypeForm]


class NodeTypeList(Shown):
    data: list[NodeTypeListed | NodeTypeShown]
    total: int
