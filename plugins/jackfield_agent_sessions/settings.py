"""The table `[agent_sessions]`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class AgentSessionSettings(BaseModel):
    """Agents that are spoken to in their own protocols."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    max_sessions: int = Field(32, ge=1, le=10_000, description="Agent sessions that may run at the same time.")
    keep_ended: int = Field(
        50, ge=0, le=10_000, description="Ended sessions whose messages are kept; older ones are forgotten."
    )
    history_messages: int = Field(
        2_000, ge=10, le=1_000_000, description="Messages that are kept of a session; older ones are forgotten."
    )
    history_bytes: int = Field(
        8 * 1024 * 1024,
        ge=64 * 1024,
        le=1024**3,
        description="Memory for the messages of a session, in bytes; the oldest are forgotten.",
    )
    message_limit: int = Field(
        256 * 1024,
        ge=1024,
        le=16 * 1024 * 1024,
        description="Largest message that may be sent to an agent or is kept of one, in bytes; the rest is cut off.",
    )
    line_limit: int = Field(
        8 * 1024 * 1024,
        ge=64 * 1024,
        le=256 * 1024 * 1024,
        description="Largest line of an agent that is read, in bytes; a longer one is left out and reported.",
    )
    unsent_limit: int = Field(
        1024 * 1024,
        ge=64 * 1024,
        le=256 * 1024 * 1024,
        description="Bytes that may wait for an agent that does not read; then it counts as busy.",
    )
    errors_kept: int = Field(
        16 * 1024, ge=1024, le=1024 * 1024, description="How much is kept of the end of an agent's errors, in bytes."
    )
    start_timeout: float = Field(
        60.0, gt=0, le=600, description="Time within which an agent must be ready for messages, in seconds."
    )
    permission_timeout: float = Field(
        0.0,
        ge=0,
        le=7 * 86_400,
        description="Time within which somebody must answer a permission that an agent asks for, in seconds; then it "
        "is rejected. 0: it waits as long as the session lasts.",
    )
    leave_grace: float = Field(
        2.0,
        ge=0,
        le=60,
        description="Time that an agent gets to end by itself once its input is closed, in seconds; then it is "
        "terminated.",
    )
    kill_grace: float = Field(
        3.0, ge=0, le=300, description="Time between terminating a session and killing it, in seconds."
    )
    network_sandbox: Literal["off", "standard", "strict"] = Field(
        "standard",
        description="Least sandbox of a session that a caller from another machine, or through a proxy, starts.",
    )
