"""Bodies of `/api/terminal/sessions/{id}/share`."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from jackfield.api.schemas import Schema


class ShareIn(Schema):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    expires_in: int = Field(3600, ge=60, le=604_800, description="How long the link counts, in seconds.")


class ShareOut(Schema):
    session_id: str
    token: str = Field(description='The first message at /ws/shared: `{"token": "..."}`. It is shown this once.')
    url: str = Field(description="The page that shows the session; the token is in its fragment.")
    mode: Literal["ro"]
    expires_at: str = Field(description="ISO 8601 UTC.")


class ShareAnswer(Schema):
    success: Literal[True]
    data: ShareOut


class ShareEnd(Schema):
    ended: int = Field(description="How many links there were.")


class ShareEndAnswer(Schema):
    success: Literal[True]
    data: ShareEnd
