"""Requests and answers of the plugin's routes, also for OpenAPI."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from jackfield.api.registry import TOKEN_FORM
from jackfield.api.schemas import Schema


class SyncQuery(Schema):
    """Query of a sync."""

    model_config = ConfigDict(extra="ignore")

    force: bool = Field(False, description="Fetch although the content is fresh, and accept an older state.")


class PinBody(Schema):
    """The commit to stay at."""

    model_config = ConfigDict(extra="forbid")

    ref: str | None = Field(pattern=f"^{TOKEN_FORM}$", description="A commit; null: go with the channel again.")


class RegistryData(Schema):
    """State of the registry."""

    channel: str
    commit: str | None
    last_sync: str | None = Field(description="ISO 8601, UTC.")
    cached: bool
    agents: int
    providers: int
    scripts: int
    pinned: str | None = None
    updated: bool | None = None
    artifacts_downloaded: int | None = None


class RegistryAnswer(Schema):
    """In the envelope."""

    success: Literal[True]
    data: RegistryData
    warnings: list[str] | None = None


class OfferData(Schema):
    """The changes that a sync would bring. before: the commit that is here. added, changed, removed: files."""

    before: str | None
    commit: str
    sequence: int | None
    added: list[str]
    changed: list[str]
    removed: list[str]


class OfferAnswer(Schema):
    """In the envelope."""

    success: Literal[True]
    data: OfferData
