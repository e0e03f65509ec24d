"""`[signed_requests]`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class SigningKey(BaseModel):
    """`[signed_requests.keys.NAME]`"""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    secret: str = Field(min_length=32, repr=False, description="The shared secret.", json_schema_extra={"secret": True})
    role: Literal["viewer", "member", "admin"] = Field("viewer", description="What its requests may do.")


class SignedRequestsSettings(BaseModel):
    """`[signed_requests]`"""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)

    window: int = Field(300, ge=1, le=3600, description="How far a request's time may be off, in seconds.")
    nonces: int = Field(10_000, ge=1, le=1_000_000, description="Requests within the window at most.")
    keys: dict[str, SigningKey] = Field(default_factory=dict, description="Name -> key.")
