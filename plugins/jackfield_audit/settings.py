"""The table `audit`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class AuditSettings(BaseModel):
    """The audit log."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    keep_days: int = Field(
        365, ge=0, le=36_500, description="Days for which records are kept; 0: forever. Older segments go as a whole."
    )
    segment: int = Field(
        1000,
        ge=10,
        le=1_000_000,
        description="Records of a segment: retention drops whole ones, and leaves a checkpoint.",
    )
    queue: int = Field(
        10_000, ge=10, le=1_000_000, description="Records that may wait for the store; of more the request is refused."
    )
    strangers: int = Field(
        60,
        ge=0,
        le=100_000,
        description="Refused logins a minute that are recorded although they name no user; of more there is a count.",
    )
    export_limit: int = Field(
        1_000_000, ge=1, le=100_000_000, description="Records of one export; a longer one takes several, by time."
    )
    readers: int = Field(
        2, ge=1, le=100, description="Exports and checks of the chain at a time; more are refused with 429."
    )
