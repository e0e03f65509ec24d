"""The table `[mcp]`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class McpSettings(BaseModel):
    """The daemon as an MCP server, at /mcp."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    enabled: bool = Field(True, description="Whether the daemon serves /mcp.")
    body_limit: int = Field(
        4_194_304, description="Bytes that a request of an MCP client may have.", ge=1024, le=268_435_456
    )
    body_timeout: float = Field(
        20, description="Seconds that a request of an MCP client may take to arrive.", gt=0, le=3600
    )
    result_bytes: int = Field(
        131_072,
        description="Bytes of JSON that a tool's result may have; long texts and lists in a larger one are cut, and it "
        "says so.",
        ge=4096,
        le=16_777_216,
    )
    calls: int = Field(
        200, description="Tool calls under way at once in this process; more are refused.", ge=1, le=10_000
    )
    progress: float = Field(
        5, description="Seconds between two reports of progress to a client that asks for them.", gt=0, le=3600
    )
    wait: float = Field(
        60,
        description="Seconds that a tool waits for an execution where its caller names no time.",
        gt=0,
        le=3600,
    )
    wait_most: float = Field(
        600, description="Seconds that a caller may let a tool wait for an execution at most.", gt=0, le=86_400
    )
