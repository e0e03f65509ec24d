"""Operations on a workflow document, as a model writes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=255)]
Object = dict[str, Any]  # JSON whose form the node's type says
Index = Annotated[int, Field(ge=0, le=1000)]
Kind = Annotated[str, Field(pattern="^(main|ai_[A-Za-z]+)$")]


class EditOperation(BaseModel):
    """Base of all: these keys and no others."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class AddNode(EditOperation):
    op: Literal["add_node"]
    node: Object = Field(
        description="name, type (such as n8n-nodes-base.set), typeVersion, parameters; also credentials, position, "
        "onError ..."
    )


class UpdateNode(EditOperation):
    op: Literal["update_node"]
    name: Name
    changes: Object = Field(
        description="Keys of the node; `parameters` and other objects are merged in, null takes a key away, lists are "
        "replaced."
    )


class RemoveNode(EditOperation):
    op: Literal["remove_node"]
    name: Name


class RenameNode(EditOperation):
    op: Literal["rename_node"]
    name: Name
    to: Name


class Connect(EditOperation):
    op: Literal["connect"]
    source: Name
    target: Name
    output: Index = 0
    input: Index = 0
    kind: Kind = Field("main", description="`main`, or that of a part of an agent, such as `ai_languageModel`.")


class Disconnect(EditOperation):
    op: Literal["disconnect"]
    source: Name
    target: Name
    output: Index | None = Field(None, description="Default: every output.")
    kind: Kind = "main"


class EnableNode(EditOperation):
    op: Literal["enable_node"]
    name: Name


class DisableNode(EditOperation):
    op: Literal["disable_node"]
    name: Name


class SetSettings(EditOperation):
    op: Literal["set_settings"]
    settings: Object = Field(description="Merged in; null takes a key away.")


class SetName(EditOperation):
    op: Literal["set_name"]
    name: Name


class PinData(EditOperation):
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
