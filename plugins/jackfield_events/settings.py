"""The table `events`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class EventsSettings(BaseModel):
    """The WebSocket `/ws`."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    connections: int = Field(100, ge=1, le=10_000, description="Clients of /ws at a time; more are refused with 429.")
    frame_limit: int = Field(
        65_536, ge=256, le=1_048_576, description="Largest message that a client may send, in bytes."
    )
    send_timeout: float = Field(
        60, gt=0, le=3600, description="How long a client may take nothing of what it is sent, in seconds."
    )
    log_streams: int = Field(
        8, ge=1, le=1000, description="Streams of /api/logs/stream at a time; more are refused with 429."
    )
