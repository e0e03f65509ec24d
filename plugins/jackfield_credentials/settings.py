"""The table `credentials`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class CredentialSettings(BaseModel):
    """OAuth 2 tokens and how they are asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    refresh_margin: int = Field(
        60,
        ge=0,
        le=3600,
        description="How long before its end an access token is renewed, in seconds.",
        json_schema_extra={"former": {"refreshMargin": "0.3"}},
    )
    token_timeout: float = Field(
        30,
        gt=0,
        le=300,
        description="Longest time of one request for a token or of a test, in seconds.",
        json_schema_extra={"former": {"tokenTimeout": "0.3"}},
    )
    authorize_timeout: int = Field(
        600,
        ge=30,
        le=3600,
        description="How long a user may take to grant access at the provider, in seconds.",
        json_schema_extra={"former": {"authorizeTimeout": "0.3"}},
    )
    service_account_token_url: str = Field(
        "https://oauth2.googleapis.com/token",
        pattern=r"^https?://\S+$",
        description="Where service accounts of Google exchange their assertions for access tokens.",
        json_schema_extra={"former": {"serviceAccountTokenUrl": "0.3"}},
    )
    service_account_tokens: int = Field(
        1000,
        ge=1,
        le=100_000,
        description="Most access tokens of service accounts that are kept in memory.",
        json_schema_extra={"former": {"serviceAccountTokens": "0.3"}},
    )
    authorize_pending: int = Field(
        100,
        ge=1,
        le=10_000,
        description="Most authorizations that are under way; the oldest of more is given up.",
        json_schema_extra={"former": {"authorizePending": "0.3"}},
    )
