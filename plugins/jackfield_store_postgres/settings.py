"""The table `store.postgres`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class PostgresSettings(BaseModel):
    """Where the database is and what it may take. Sizes in bytes, times in seconds unless a field says otherwise."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    dsn: str = Field(
        "",
        description="Address of the database as libpq reads it: `postgresql://user:password@host:5432/database?"
        "sslmode=verify-full&sslrootcert=/path/ca.pem`, or `host=... dbname=...`. The rest comes from the "
        "variables and files of libpq, such as PGPASSFILE.",
        json_schema_extra={
            "secret": True,
            "libraries": ["PGPASSWORD"],
            "addresses": ["postgresql://", "postgres://"],
        },
    )
    schema_name: str = Field(
        "jackfield",
        min_length=1,
        max_length=63,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="Schema of the tables. It is made when it is not there; nothing outside of it is touched.",
    )
    timeout: float = Field(
        5.0,
        ge=0.05,
        le=300,
        description="Seconds after which a waiting operation fails with STORE_UNAVAILABLE. One that a transaction has "
        "begun gets as long again from there, because its outcome would be unknown otherwise.",
    )
    start_timeout: float = Field(
        30.0, ge=0, le=3600, description="Seconds that a start waits for a server that does not answer yet."
    )
    queue_size: int = Field(
        10_000,
        ge=1,
        le=1_000_000,
        description="Writes that may wait; more fail at once with STORE_UNAVAILABLE.",
    )
    queue_bytes: int = Field(
        134_217_728,
        ge=1_048_576,
        description="Bytes of bodies and results that waiting writes may hold together; more fail at once with "
        "STORE_UNAVAILABLE. A single larger write passes when it is alone.",
    )
    batch_size: int = Field(500, ge=1, le=10_000, description="Writes that share one transaction at most.")
    readers: int = Field(
        4,
        ge=1,
        le=64,
        description="Connections that read side by side. A daemon has as many connections, and one that writes.",
    )
    read_queue_size: int = Field(
        1000, ge=1, le=100_000, description="Reads that may wait; more fail at once with STORE_UNAVAILABLE."
    )
    versions_kept: int = Field(
        100,
        ge=1,
        le=100_000,
        description="Versions kept per workflow, the newest; older ones are deleted on saving.",
    )
