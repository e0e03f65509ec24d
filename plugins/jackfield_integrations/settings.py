"""The table `integrations`."""

from __future__ import annotations

import ipaddress

from pydantic import BaseModel, ConfigDict, Field, field_validator


class IntegrationSettings(BaseModel):
    """The targets that mail, database, SSH, FTP and command nodes may reach, and their limits."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    allowed_hosts: list[str] = Field(
        default_factory=list,
        description="Host names, addresses and CIDR ranges beyond the public internet that mail, database, Redis, "
        "SSH and FTP nodes may connect to. Examples: db.internal, 10.1.0.0/16. Loopback too has to be named.",
    )
    connect_timeout: float = Field(
        10,
        gt=0,
        le=300,
        description="Longest time to connect and sign in, and until a kept connection answers or is closed, in seconds "
        "each.",
    )
    timeout: float = Field(
        300, gt=0, le=3600, description="Longest time of one run of a node with all its items, in seconds."
    )
    max_connections: int = Field(
        16, ge=1, le=1000, description="Most connections that nodes of one kind hold at once; others wait."
    )
    idle_connections: int = Field(
        8,
        ge=0,
        le=1000,
        description="Connections that memories and vector stores keep for the next one with the same credential; 0: "
        "none.",
    )
    idle_seconds: float = Field(
        30, gt=0, le=3600, description="How long such a connection is kept that nobody uses, in seconds."
    )
    max_rows: int = Field(
        100_000, ge=1, le=10_000_000, description="Most rows, keys or list entries that one item may bring."
    )
    max_bytes: int = Field(
        64 * 2**20, ge=1024, le=2**31, description="Largest file that is sent or fetched, and largest mail, in bytes."
    )
    execute_command: bool = Field(
        False,
        description="Whether Execute Command nodes run commands of this machine, with the daemon's rights. Everybody "
        "who may edit workflows can then do whatever the daemon's user can.",
    )
    command_timeout: float = Field(
        60, gt=0, le=3600, description="Longest time of one command of an Execute Command node, in seconds."
    )
    command_output_bytes: int = Field(
        2**20,
        ge=1024,
        le=2**28,
        description="Most output that is kept of one local or SSH command, standard output and errors each, in bytes; "
        "a command that writes more is ended.",
    )
    sqlite_root: str | None = Field(
        None, description="Directory below which SQLite nodes open database files. Unset: they open none."
    )
    ssh_known_hosts: str | None = Field(
        None, description="File in OpenSSH's known_hosts format with the host keys that SSH and SFTP nodes trust."
    )
    ssh_accept_unknown: bool = Field(
        False,
        description="Whether SSH and SFTP nodes trust a server whose key neither the credential nor ssh_known_hosts "
        "knows; somebody between could then read and change everything.",
    )

    @field_validator("allowed_hosts")
    @classmethod
    def _ranges(cls, value: list[str]) -> list[str]:
        for text in value:
            if "/" in text:
                ipaddress.ip_network(text)
        return value
