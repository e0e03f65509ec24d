"""The table `engine.temporal`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class TemporalSettings(BaseModel):
    """Where Temporal is, and what it waits for. Times in seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    address: str = Field(
        "127.0.0.1:7233",
        min_length=3,
        max_length=300,
        pattern=r"^[A-Za-z0-9._\[\]:-]+:[0-9]{1,5}$",
        description="Host and port of the frontend of Temporal's server, such as `temporal.example:7233`.",
    )
    namespace: str = Field(
        "default", min_length=1, max_length=255, description="Namespace of the executions; it must exist."
    )
    task_queue: str = Field(
        "jackfield",
        min_length=1,
        max_length=200,
        pattern=r"^[A-Za-z0-9._-]+$",
        description="Task queue that daemons of one store share, and no others. Each daemon has a second one, whose "
        "name begins with this one.",
    )
    tls: bool = Field(
        False, description="Whether the connection is encrypted; it is with any of the three files, or a key, below."
    )
    ca_file: str = Field(
        "", description="Path of the certificates that the server's is checked against; default: the system's."
    )
    cert_file: str = Field("", description="Path of this daemon's certificate, for a server that asks for one.")
    key_file: str = Field("", description="Path of the key to `cert_file`.")
    server_name: str = Field(
        "", max_length=300, description="Name that the server's certificate must have; default: the address's host."
    )
    api_key: str = Field(
        "",
        max_length=10_000,
        description="Key for a server that asks for one, such as Temporal Cloud.",
        json_schema_extra={"secret": True},
    )
    timeout: float = Field(5.0, ge=0.1, le=300, description="Seconds that one request to the server may take.")
    retry_interval: float = Field(
        1.0, ge=0.1, le=300, description="Seconds until a server that does not answer is asked again."
    )
    heartbeat_timeout: float = Field(
        10.0,
        ge=1,
        le=3_600,
        description="Seconds without a heartbeat after which Temporal gives a segment to another daemon. It runs there "
        "once the lease in the store has run out as well (`executions.lease`).",
    )
    host_patience: float = Field(
        5.0,
        ge=0.5,
        le=3_600,
        description="Seconds that a segment waits for the daemon that had the execution last, which its callers wait "
        "at, before any daemon gets it.",
    )
    takeover_patience: float = Field(
        15.0,
        ge=0,
        le=3_600,
        description="Seconds that a daemon waits with a segment until the store gives it the execution. More than "
        "`executions.lease`, or the segment goes round.",
    )
    wait_in_memory: float = Field(
        1.0,
        ge=0,
        le=3_600,
        description="Waits of up to that many seconds stay in memory; longer ones are timers of Temporal. In place of "
        "`executions.wait_in_memory` and `executions.poll_interval`.",
    )
    look_interval: float = Field(
        60.0,
        ge=1,
        le=86_400,
        description="Seconds between two looks for open executions of which Temporal does not know, or does nothing.",
    )
    untold_limit: int = Field(
        100_000,
        ge=100,
        le=10_000_000,
        description="Executions remembered to be reported to a server that does not answer; the next look finds the "
        "others.",
    )
    requests: int = Field(16, ge=1, le=1_000, description="Requests about executions under way at the same time.")
    cached_workflows: int = Field(
        1_000, ge=0, le=100_000, description="Workflows of Temporal that stay in memory between two of their steps."
    )
