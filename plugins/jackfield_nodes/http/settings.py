"""The table `nodes.http`."""

from __future__ import annotations

import ipaddress

from pydantic import BaseModel, ConfigDict, Field, field_validator


class HttpSettings(BaseModel):
    """The hosts that HTTP Request nodes may reach, and the limits of these nodes."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    allowed_networks: list[str] = Field(
        default_factory=list,
        description="CIDR ranges beyond the public internet that nodes may connect to, such as 10.1.0.0/16.",
        json_schema_extra={"former": {"allowedNetworks": "0.3"}},
    )
    allowed_hosts: list[str] = Field(
        default_factory=list,
        description="Exact host names that nodes may connect to whatever address they have, such as db.internal.",
        json_schema_extra={"former": {"allowedHosts": "0.3"}},
    )
    timeout: float = Field(
        300, gt=0, le=3600, description="Longest time of one request with all its redirects, in seconds."
    )
    connect_timeout: float = Field(
        10,
        gt=0,
        le=300,
        description="Longest time to look a name up, and to connect to one of its addresses, in seconds each.",
        json_schema_extra={"former": {"connectTimeout": "0.3"}},
    )
    max_response_bytes: int = Field(
        32 * 2**20,
        ge=1024,
        le=2**30,
        description="Largest response body that is read in memory, after decompression, in bytes. A body that becomes "
        "a file goes to the disk as it comes, up to binary.file_limit.",
        json_schema_extra={"former": {"maxResponseBytes": "0.3"}},
    )
    max_redirects: int = Field(
        21,
        ge=0,
        le=50,
        description="Most redirects that one request follows.",
        json_schema_extra={"former": {"maxRedirects": "0.3"}},
    )
    max_pages: int = Field(
        1000,
        ge=1,
        le=100_000,
        description="Most pages that one item of an HTTP Request with pagination fetches.",
        json_schema_extra={"former": {"maxPages": "0.3"}},
    )
    max_connections: int = Field(
        32,
        ge=1,
        le=1000,
        description="Most connections that all nodes together hold open, with and without certificate checks each.",
        json_schema_extra={"former": {"maxConnections": "0.3"}},
    )
    max_streams: int = Field(
        1000,
        ge=1,
        le=100_000,
        description="Most answers that last, such as server-sent events and sessions of MCP servers; their connections "
        "do not count in max_connections.",
    )

    @field_validator("allowed_networks")
    @classmethod
    def _networks(cls, value: list[str]) -> list[str]:
        for text in value:
            ipaddress.ip_network(text)
        return value
