"""The settings of this plugin: `[insights]`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class InsightsSettings(BaseModel):
    """The records of executions that are no longer in the history, and how much is looked at."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    hourly_days: int = Field(
        90,
        ge=1,
        le=3650,
        description="How far back counts of deleted executions are kept by the hour; older ones are kept by the day. "
        "Days.",
    )
    max_age_days: int = Field(
        1096,
        ge=1,
        le=36_500,
        description="How far back counts of deleted executions are kept at all. Days.",
    )
    compact_interval: float = Field(
        3600.0, ge=1, le=86_400, description="Time between two looks for hours that become days. Seconds."
    )
    sampled_executions: int = Field(
        200,
        ge=1,
        le=2_000,
        description="Newest executions in the history whose node runs tell which nodes are slow. Executions.",
    )
    sampled_bytes: int = Field(
        64 * 2**20,
        ge=1024,
        le=2**30,
        description="Most input and results that are read of them together. Bytes.",
    )
    workflows: int = Field(
        500,
        ge=1,
        le=10_000,
        description="Most workflows of one answer, those with the most executions first; the sums have all of them.",
    )
    remembered_workflows: int = Field(
        10_000,
        ge=1,
        le=1_000_000,
        description="Workflows of which the time that they save is remembered until they change. Workflows.",
    )
