"""The table `nodes.merge`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class MergeSettings(BaseModel):
    """Limits of Merge nodes."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    max_items: int = Field(
        500_000,
        ge=1,
        le=100_000_000,
        description="Most items that one run of a Merge node may make.",
        json_schema_extra={"former": {"maxItems": "0.3"}},
    )
    query_timeout: float = Field(
        10,
        gt=0,
        le=3600,
        description="Longest time of one SQL query, in seconds.",
        json_schema_extra={"former": {"queryTimeout": "0.3"}},
    )
    query_max_bytes: int = Field(
        256 * 2**20,
        ge=2**20,
        le=64 * 2**30,
        description="Most memory that one SQL query may take for its tables, and for its result, in bytes.",
        json_schema_extra={"former": {"queryMaxBytes": "0.3"}},
    )
