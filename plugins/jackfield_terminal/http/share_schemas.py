"""Bodies of `/api/terminal/sessions/{id}/share`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ShareIn(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    expires_in: int = Field(3600, ge=60, le=604_800, description="How long the link counts, in seconds.")


class ShareOut(BaseModel):
    session_id: str
    token: str = Field(description='The first message at /ws/shared: `{"token": "..."}`. It is shown this once.')
    url: str = Field(description="The page that shows the session; the token is in its fragment.")
    mode: Literal["ro"]
    expires_at: str = Field(description="ISO 8601 UTC.")


class ShareAnswer(BaseModel):
    success: Literal[True]
    data: ShareOut


class ShareEnd(BaseModel):
    ended: int = Field(description="How many links there were.")


class ShareEndAnswer(BaseModel):
    success: Literal[True]
    data: ShareEnd
