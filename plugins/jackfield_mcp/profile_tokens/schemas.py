"""Answers about tokens of runs."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Shown(BaseModel):
    model_config = ConfigDict(extra="allow", defer_build=True)


class ToolTokenShown(_Shown):
    """The token itself is nowhere."""

    id: str
    profile: str
    run: str = Field(description="Id of the run that it was given to.")
    kind: str = Field(description="Of the run: profile_run, terminal_session, agent_session or workflow.")
    host: str = Field(description="The daemon that runs the agent.")
    tools: list[str] = Field(description="MCP tools of the daemon and of plugins that it reaches.")
    offered: bool = Field(description="Whether it reaches the workflows that are offered as tools.")
    without: list[str] = Field(description="Those that it still does not reach.")
    scopes: list[str] = Field(description="Rights that its tools have in the management API.")
    bound: dict[str, str]
    createdAt: str  # noqa: N815 - as in JSON
    expiresAt: str  # noqa: N815


class ToolTokenList(_Shown):
    data: list[ToolTokenShown]
    total: int
