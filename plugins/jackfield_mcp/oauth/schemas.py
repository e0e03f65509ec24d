"""Bodies and answers of the consent page and of grants."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class OAuthAnswer(BaseModel):
    model_config = ConfigDict(extra="allow", defer_build=True)


class AuthorizationShown(OAuthAnswer):
    """redirectHost: where the browser goes then. scopes: those that may be granted. asked: those that the client asks
    for; empty: it names none."""

    client: str
    redirectHost: str  # noqa: N815 - as in JSON
    username: str
    scopes: list[str]
    asked: list[str]


class Decision(BaseModel):
    """scopes: what is granted, some of those that were shown."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    allow: bool
    scopes: Annotated[list[str], Field(max_length=50)] = []


class Decided(OAuthAnswer):
    redirect: str


class GrantShown(OAuthAnswer):
    id: str
    client: str
    clientId: str  # noqa: N815
    userId: str  # noqa: N815
    scopes: list[str]
    createdAt: str  # noqa: N815
    usedAt: str  # noqa: N815
    expiresAt: str  # noqa: N815


class GrantList(OAuthAnswer):
    data: list[GrantShown]
    total: int
