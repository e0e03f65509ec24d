"""The table `bus.pg`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class PostgresBusSettings(BaseModel):
    """Where daemons meet. Times in seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    dsn: str = Field(
        "",
        description="Address of the PostgreSQL server as libpq reads it; default: `store.postgres.dsn`. Nobody can "
        "LISTEN through a pooler: where one stands before the store, write the server's own address here.",
        json_schema_extra={"secret": True},
    )
    channel: str = Field(
        "jackfield",
        min_length=1,
        max_length=63,
        pattern=r"^[a-z_][a-z0-9_]*$",
        description="Channel of the database that daemons of one store share, and no others.",
    )
    timeout: float = Field(5.0, ge=0.1, le=300, description="Seconds that connecting, and sending, may take.")
