"""Answers of the kernel's own routes, for OpenAPI."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from jackfield.api.hosts import Role
from jackfield.api.schemas import Schema


class HealthShown(Schema):
    """The process answers."""

    status: Literal["ok"]
    service: Literal["jackfield"]
    version: str
    time: str


class ReadinessShown(Schema):
    """Whether the daemon can work, and each check behind that."""

    status: Literal["ready", "degraded", "not ready"]
    time: str
    checks: dict[str, JsonValue] = Field(description="`ok`, or what is wrong, of each; failed plugins.")


class DescriptionShown(Schema):
    """A document of OpenAPI 3.1. Its members are those of the specification."""

    openapi: Literal["3.1.0"]
    info: dict[str, JsonValue]
    servers: list[JsonValue]
    paths: dict[str, JsonValue]
    components: dict[str, JsonValue]


class PluginShown(Schema):
    """One plugin."""

    name: str
    status: Literal["loaded", "failed", "disabled"]
    distribution: str = Field(description="The package that brings it; empty when none does.")
    version: str
    error: str = Field(description="The mistake; empty when there is none.")


class PluginsAnswer(Schema):
    """In the envelope."""

    success: Literal[True]
    data: list[PluginShown]


class HostSlotsShown(Schema):
    """Slots of one role."""

    used: int
    total: int


class HostShown(Schema):
    """One daemon among those that share the store."""

    name: str
    address: str = Field(description="Where the other daemons reach it.")
    here: bool = Field(description="Whether it is the one that answers.")
    state: Literal["ready", "draining", "gone"]
    roles: list[Role]
    labels: list[str]
    slots: dict[str, HostSlotsShown] = Field(description="By role, for those that count any.")
    version: str
    draining: bool = Field(description="Whether it is to take no new work, also while it is gone.")
    renewed_ms_ago: int = Field(description="Milliseconds since it renewed; 0 for the one that answers.")


class HostList(Schema):
    """In the envelope."""

    success: Literal[True]
    data: list[HostShown]


class HostWishShown(Schema):
    """A wish for a host, which hears of it with its next renewal."""

    name: str
    draining: bool


class HostDone(Schema):
    """In the envelope."""

    success: Literal[True]
    data: HostWishShown
