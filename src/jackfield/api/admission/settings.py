"""The table `[server.connections]`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ConnectionSettings(BaseModel):
    """Connections to the daemon's port. Shares and times hold for every proxy's port too."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    total: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="Connections that may be open at a time. 0: as many as the limit of open files leaves beside "
        "`reserved_files`, at most 4,096.",
    )
    reserved_files: int = Field(
        0,
        ge=0,
        le=100_000,
        description="Open files that connections never use, so that the store, logs and programs have them. 0: a "
        "quarter of the limit of open files (`ulimit -n`), at least 32 and at most 1,024.",
    )
    owner_share: float = Field(
        0.25, ge=0, le=0.9, description="Share of `total` that only the daemon's own user on this machine can have."
    )
    user_share: float = Field(
        0.5, gt=0, le=1, description="Largest share of `total` for another user of this machine (Linux)."
    )
    address_share: float = Field(
        0.25,
        gt=0,
        le=1,
        description="Largest share of `total` for one address of another machine, of IPv6 one /64. `trusted_proxies` "
        "are not bound by it.",
    )
    first_byte_timeout: float = Field(
        10.0, ge=0.1, le=600, description="Time until a new connection must have sent its first byte, in seconds."
    )
    head_timeout: float = Field(
        10.0,
        ge=0.1,
        le=600,
        description="Time from the first byte of a request to the end of its whole head, in seconds.",
    )
    request_timeout: float = Field(
        600.0,
        ge=1,
        le=86400,
        description="Time from the first byte of a request to the end of its body, in seconds. It does not bound the "
        "answer, nor a WebSocket.",
    )
