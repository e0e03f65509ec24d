"""The settings of agents."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class AgentSettings(BaseModel):
    """How installed agents are found."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    detection_timeout: float = Field(
        5.0, gt=0, le=60, description="How long one command may take that detects an agent, in seconds."
    )
    detection_wait: float = Field(
        5.0,
        gt=0,
        le=60,
        description="How long an answer waits for programs that tell their versions, in seconds. The path is known "
        "at once, and the event agent_detected announces a version that comes later.",
    )
    detection_retry: float = Field(
        600.0,
        ge=0,
        le=86_400,
        description="How long a failed detection counts while the binary stays the same, in seconds.",
    )
    detection_parallel: int = Field(
        4, ge=1, le=256, description="Commands that detect agents side by side; some take a second of a processor."
    )
