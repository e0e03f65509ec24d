"""Answers about workflows that are offered as tools."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class _Shown(BaseModel):
    model_config = ConfigDict(extra="allow", defer_build=True)


class OfferedToolShown(_Shown):
    name: str = Field(description="By which agents call it.")
    description: str
    inputSchema: dict[str, JsonValue] = Field(  # noqa: N815 - as in JSON
        description="JSON Schema of the arguments: the workflow's own, else what its start node says."
    )
    workflowId: str  # noqa: N815
    workflowName: str  # noqa: N815
    startNode: str = Field(description="The node at which a call starts.")  # noqa: N815


class OfferedToolList(_Shown):
    data: list[OfferedToolShown]
    total: int
