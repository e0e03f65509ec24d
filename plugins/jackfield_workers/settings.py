"""The settings of worker processes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class WorkersSettings(BaseModel):
    """Worker processes of all script languages together."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    processes: int = Field(
        0,
        ge=0,
        le=512,
        description="Worker processes of all languages together, those that are idle among them. One is always kept "
        "for expressions. 0: as many as the settings of the languages allow.",
    )
    long_inputs_memory: int = Field(
        1024,
        ge=16,
        le=1_048_576,
        description="MiB that Code nodes with long inputs may hold together beyond what each may hold anyway. A run "
        "that does not fit waits for others to end; one that wants more than this runs beside no other of them.",
    )
