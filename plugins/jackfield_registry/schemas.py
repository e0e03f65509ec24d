"""Requests and answers of the plugin's routes, also for OpenAPI."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from jackfield.api.registry import TOKEN_FORM


class SyncQuery(BaseModel):
    """Query of a sync."""

    model_config = ConfigDict(extra="ignore", defer_build=True)

    force: bool = Field(False, description="Fetch although the content is fresh, and accept an older state.")


class PinBody(BaseModel):
    """What to stay at."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    ref: str | None = Field(pattern=f"^{TOKEN_FORM}$", description="A commit; null: go with the channel again.")


class RegistryData(BaseModel):
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


class RegistryAnswer(BaseModel):
    """In the envelope."""

    success: Literal[True]
    data: RegistryData
    warnings: list[str] | None = None


class OfferData(BaseModel):
    """What a sync would bring. before: the commit that is here. added, changed, removed: files."""

    before: str | None
    commit: str
    sequence: int | None
    added: list[str]
    changed: list[str]
    removed: list[str]


class OfferAnswer(BaseModel):
    """In the envelope."""

    success: Literal[True]
    data: OfferData
