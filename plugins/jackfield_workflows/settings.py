"""The table `workflows` of the settings."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class WorkflowsSettings(BaseModel):
    """Documents and the management API."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    cached_workflows: int = Field(1000, description="Parsed workflows kept in memory, a count.", ge=1, le=100_000)
    cached_bytes: int = Field(
        32 * 1024 * 1024,
        description="Parsed workflows kept in memory, in bytes of their JSON (about ten times that in memory).",
        ge=0,
        le=2**32,
    )
    folders: int = Field(1000, description="Most folders, a count.", ge=0, le=10_000)
    folder_depth: int = Field(8, description="Most folders inside of each other, a count.", ge=1, le=50)
    execute_timeout: float = Field(
        300.0,
        description="How long `execute` and `run` wait for the end of the execution, in seconds.",
        gt=0,
        le=86_400,
    )
    cancel_timeout: float = Field(
        30.0,
        description="How long the answer to a cancellation waits until the execution's nodes have stopped, in seconds.",
        gt=0,
        le=3600,
    )
    previews: int = Field(4, description="Previews of expressions at the same time, a count.", ge=1, le=1000)
    node_lists: int = Field(
        4, description="Lists for fields of nodes that are asked of services at the same time, a count.", ge=1, le=100
    )
    list_timeout: float = Field(
        20.0, description="How long one page of such a list may take, in seconds.", gt=0, le=300
    )
    list_rows: int = Field(500, description="Most rows of one page of such a list, a count.", ge=1, le=5000)
    list_bytes: int = Field(
        8 * 1024 * 1024,
        description="Longest answer of a service from which such a list is read, in bytes.",
        ge=65_536,
        le=2**30,
    )
    event_streams: int = Field(100, description="Event streams open at the same time, a count.", ge=1, le=10_000)
    event_heartbeat: float = Field(
        15.0, description="Pause after which an idle event stream sends a comment, in seconds.", gt=0, le=300
    )
    event_stream_lifetime: float = Field(
        3600.0,
        description="Age at which an event stream ends, so that its client authenticates anew, in seconds.",
        gt=0,
        le=86_400,
    )
    peer_interval: float = Field(
        0.5,
        description="Seconds between looks for changes that other daemons have made to workflows of the same store, "
        "also while no bus tells of them. With SQLite there are none.",
        ge=0.05,
        le=1,
    )
    attention_interval: float = Field(
        300.0,
        description="How often all live workflows are looked at for what keeps them from starting, in seconds.",
        gt=0,
        le=86_400,
    )


class NodeTypesRule(BaseModel):
    """One of `[[node_types.rules]]`: it applies to the role, or to the project, or to both together."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    role: Literal["", "viewer", "member", "admin"] = Field(
        "", description="Role of the people to whom the rule applies. Empty: everybody."
    )
    project: str = Field(
        "", max_length=200, description="Id or name of the project whose workflows the rule is about. Empty: each one."
    )
    exclude: list[str] = Field(default_factory=list, max_length=1000, description="Node types that are excluded.")
    allow: list[str] = Field(
        default_factory=list, max_length=1000, description="Node types that are allowed. Empty: all but the excluded."
    )


class NodeTypesSettings(BaseModel):
    """Node types that workflows may have."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    exclude: list[str] = Field(
        default_factory=list,
        max_length=1000,
        description="Node types that no workflow may have, such as `executeCommand` or `n8n-nodes-base.ssh`. `*` "
        "stands for any characters.",
    )
    allow: list[str] = Field(
        default_factory=list,
        max_length=1000,
        description="The only node types that workflows may have, as `exclude` names them. Empty: all.",
    )
    rules: list[NodeTypesRule] = Field(
        default_factory=list, max_length=200, description="Rules for a role or a project. They only take away."
    )

    @property
    def in_use(self) -> bool:
        """Whether there is any rule."""
        return bool(self.exclude or self.allow or self.rules)
