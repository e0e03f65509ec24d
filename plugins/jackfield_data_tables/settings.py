"""The table `data_tables` of the settings."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class DataTablesSettings(BaseModel):
    """Bounds of data tables. Sizes in bytes."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    max_size: int = Field(
        200 * 1024 * 1024,
        ge=1024,
        le=1 << 40,
        description="Bytes that the rows of all data tables may take together; then nothing is added or changed.",
    )
    max_tables: int = Field(1000, ge=1, le=100_000, description="Data tables that there may be.")
    max_columns: int = Field(200, ge=1, le=1000, description="Columns of one data table beside id and times.")
    max_conditions: int = Field(100, ge=1, le=400, description="Conditions of one filter.")
