"""The table `migration` of the settings."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class MigrationSettings(BaseModel):
    """Imports from other systems."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    document_limit: int = Field(
        64 * 1024 * 1024, ge=1024, le=1 << 30, description="Bytes of one JSON file of an import."
    )
    documents: int = Field(20_000, ge=1, le=1_000_000, description="Documents of one import.")
    concurrency: int = Field(8, ge=1, le=64, description="Workflows that an import stores at once.")
