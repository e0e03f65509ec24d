"""Answers about the daemon's own MCP tools."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Shown(BaseModel):
    model_config = ConfigDict(extra="allow", defer_build=True)


class McpToolShown(_Shown):
    name: str
    title: str
    description: str
    scopes: list[str] = Field(description="All of which a caller needs.")
    reads: bool = Field(description="It changes nothing.")
    destroys: bool = Field(description="It may take away or replace what is there.")
    outward: bool = Field(description="It may reach beyond the daemon.")


class McpToolList(_Shown):
    data: list[McpToolShown]
    total: int
