"""The table `log_streams`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class LogStreamsSettings(BaseModel):
    """Log streaming."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    most: int = Field(20, ge=1, le=1000, description="Log streams that there may be.")
    batch: int = Field(100, ge=1, le=1000, description="Messages that are sent together.")
    interval: float = Field(
        2, ge=0.05, le=3600, description="Seconds between two looks for new records of the audit log."
    )
    timeout: float = Field(10, gt=0, le=600, description="Seconds that a receiver may take for a batch.")
    queue: int = Field(
        10_000,
        ge=10,
        le=1_000_000,
        description="Events of executions that wait for a receiver, per stream; of more the oldest are dropped.",
    )
    retry: float = Field(
        300, ge=0.1, le=86_400, description="Longest pause in seconds before a batch is sent again; it begins with 1."
    )
    lease: float = Field(
        30,
        ge=1,
        le=3600,
        description="Seconds after which another daemon takes over the streams of one that is gone.",
    )
