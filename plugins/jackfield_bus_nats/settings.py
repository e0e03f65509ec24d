"""The table `bus.nats`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class NatsBusSettings(BaseModel):
    """Where daemons meet. Times in seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    servers: list[str] = Field(
        default_factory=lambda: ["nats://127.0.0.1:4222"],
        min_length=1,
        description="Addresses of the servers of one cluster: `nats://user:password@host:4222`, or `tls://`.",
        json_schema_extra={"secret": True},
    )
    credentials_file: str = Field(
        "", description="Path of a file of credentials (`.creds`), for servers that ask for a JWT."
    )
    ca_file: str = Field(
        "", description="Path of the certificates that `tls://` is checked against; default: the system's."
    )
    subject: str = Field(
        "jackfield",
        min_length=1,
        max_length=100,
        pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$",
        description="Subject that daemons of one store share, and no others.",
    )
    timeout: float = Field(5.0, ge=0.1, le=300, description="Seconds that connecting, and sending, may take.")
