"""Operations on a workflow document, as a model writes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from jackfield_mcp.tool import Arguments

Name = Annotated[str, Field(min_length=1, max_length=255)]
Object = dict[str, Any]  # JSON whose form the node's type says
Index = Annotated[int, Field(ge=0, le=1000)]
Kind = Annotated[str, Field(pattern="^(main|ai_[A-Za-z]+)$")]


class AddNode(Arguments):
    op: Literal["add_node"]
    node: Object = Field(
        description="name, type (such as n8n-nodes-base.set), typeVersion, parameters; also credentials, position, "
        "onError ..."
    )


class UpdateNode(Arguments):
    op: Literal["update_node"]
    name: Name
    changes: Object = Field(
        description="Keys of the node; `parameters` and other objects are merged in, null takes a key away, lists are "
        "replaced."
    )


class RemoveNode(Arguments):
    op: Literal["remove_node"]
    name: Name


class RenameNode(Arguments):
    op: Literal["rename_node"]
    name: Name
    to: Name


class Connect(Arguments):
    op: Literal["connect"]
    source: Name
    target: Name
    output: Index = 0
    input: Index = 0
    kind: Kind = Field("main", description="`main`, or that of a part of an agent, such as `ai_languageModel`.")


class Disconnect(Arguments):
    op: Literal["disconnect"]
    source: Name
    target: Name
    output: Index | None = Field(None, description="Default: every output.")
    kind: Kind = "main"


class EnableNode(Arguments):
    op: Literal["enable_node"]
    name: Name


class DisableNode(Arguments):
    op: Literal["disable_node"]
    name: Name


class SetSettings(Arguments):
    op: Literal["set_settings"]
    settings: Object = Field(description="Merged in; null takes a key away.")


class SetName(Arguments):
    op: Literal["set_name"]
    name: Name


class PinData(Arguments):
    op: Literal["pin_data"]
    node: Name
    items: list[Object] | None = Field(description='Items such as {"json": {...}}; null takes them away.')


Operation = Annotated[
    AddNode
    | UpdateNode
    | RemoveNode
    | RenameNode
    | Connect
    | Disconnect
    | EnableNode
    | DisableNode
    | SetSettings
    | SetName
    | PinData,
    Field(discriminator="op"),
]
