"""The table `[gateway]`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class GatewaySettings(BaseModel):
    """Virtual keys of proxies."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    max_keys: int = Field(10_000, ge=1, le=1_000_000, description="Virtual keys that there may be, revoked ones too.")
    usage_days: int = Field(
        400, ge=32, le=36_500, description="Days for which the usage of each key is kept, day by day."
    )
    models_per_day: int = Field(
        200,
        ge=1,
        le=100_000,
        description="Names of models for which the usage of a key is kept apart in a day; all others are counted as "
        "`other`.",
    )
    objects_per_key: int = Field(
        10_000,
        ge=1,
        le=10_000_000,
        description="Stored objects (files, batches, conversations) of each key, and of each profile's own clients, "
        "whose maker is remembered, and as many answers. The oldest ones are forgotten.",
    )
    max_objects: int = Field(500_000, ge=64, le=100_000_000, description="The same of all keys together, about.")
