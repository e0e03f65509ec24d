"""The table `store.sqlite`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class SqliteSettings(BaseModel):
    """Where the database is and what it may take. Sizes in bytes, times in seconds unless a field says otherwise."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    file: str = Field(
        "jackfield.db",
        min_length=1,
        description="Database file; a relative path starts at the configuration directory. On a local disk: SQLite's "
        "write-ahead log does not work on network file systems.",
        json_schema_extra={"addresses": [""]},
    )
    timeout: float = Field(
        5.0,
        ge=0.05,
        le=300,
        description="Seconds after which a waiting operation fails with STORE_UNAVAILABLE. One that a transaction has "
        "begun gets as long again from there, because its outcome would be unknown otherwise.",
    )
    busy_timeout: int = Field(
        500,
        ge=1,
        le=60_000,
        description="Milliseconds that one attempt waits for a lock that another process holds; attempts are repeated "
        "until `timeout`.",
        json_schema_extra={"former": {"busyTimeout": "0.3"}},
    )
    queue_size: int = Field(
        10_000,
        ge=1,
        le=1_000_000,
        description="Writes that may wait; more fail at once with STORE_UNAVAILABLE.",
        json_schema_extra={"former": {"queueSize": "0.3"}},
    )
    queue_bytes: int = Field(
        134_217_728,
        ge=1_048_576,
        description="Bytes of bodies and results that waiting writes may hold together; more fail at once with "
        "STORE_UNAVAILABLE. A single larger write passes when it is alone.",
        json_schema_extra={"former": {"queueBytes": "0.3"}},
    )
    batch_size: int = Field(
        500,
        ge=1,
        le=10_000,
        description="Writes that share one transaction at most.",
        json_schema_extra={"former": {"batchSize": "0.3"}},
    )
    readers: int = Field(4, ge=1, le=64, description="Threads that read side by side, each with a connection.")
    read_queue_size: int = Field(
        1000,
        ge=1,
        le=100_000,
        description="Reads that may wait; more fail at once with STORE_UNAVAILABLE.",
        json_schema_extra={"former": {"readQueueSize": "0.3"}},
    )
    cache_size: int = Field(
        4_194_304,
        ge=262_144,
        description="Bytes of page cache of the writing connection; a reading one has an eighth of it.",
        json_schema_extra={"former": {"cacheSize": "0.3"}},
    )
    checkpoint_pages: int = Field(
        2000,
        ge=100,
        le=1_000_000,
        description="Pages of 4 KiB in the write-ahead log after which a commit copies them into the database file. A "
        "file that an earlier version has made has pages of 8 KiB.",
        json_schema_extra={"former": {"checkpointPages": "0.3"}},
    )
    wal_size_limit: int = Field(
        67_108_864,
        ge=0,
        description="Bytes to which the write-ahead log is cut back after it has grown larger.",
        json_schema_extra={"former": {"walSizeLimit": "0.3"}},
    )
    compress_from: int = Field(
        512,
        ge=0,
        le=1_073_741_824,
        description="Bytes from which inputs, results and bodies are compressed (LZ4) where that saves an eighth of "
        "them; 0 = nothing is. Values that are there already stay as they are, and are read either way.",
    )
    versions_kept: int = Field(
        100,
        ge=1,
        le=100_000,
        description="Versions kept per workflow, the newest; older ones are deleted on saving.",
        json_schema_extra={"former": {"versionsKept": "0.3"}},
    )
