"""The settings table `forms`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class FormSettings(BaseModel):
    """Web pages that start or continue workflows."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    test_enabled: bool | None = Field(
        None, description="Whether /form-test is served. Unset: only while the daemon listens on loopback."
    )
    body_limit: int = Field(
        16_777_216, description="Bytes that a submitted form may have, files included.", ge=1024, le=1_073_741_824
    )
    body_timeout: float = Field(20, description="Seconds that a submitted form may take to arrive.", gt=0, le=3600)
    body_min_rate: int = Field(
        32_768, description="Bytes that extend the time for a form by one second.", ge=1, le=1_073_741_824
    )
    submissions: int = Field(
        16,
        description="Forms that are taken in at a time, at most half of them from one address; further ones are asked "
        "to try again.",
        ge=1,
        le=10_000,
    )
    max_parts: int = Field(1_000, description="Fields and files that a submitted form may have.", ge=1, le=100_000)
    html_tags: int = Field(
        2_000, description="Tags that the HTML of one field may have; with more it is shown as text.", ge=0, le=100_000
    )
    response_timeout: float = Field(
        300, description="Seconds that a page waits for the workflow's end or answer.", gt=0, le=86_400
    )
    inbox_executions: int = Field(
        1_000,
        description="Waiting executions, the newest first, whose questions the inbox of approvals shows.",
        ge=1,
        le=100_000,
    )
    completion_wait: float = Field(
        60,
        description="Seconds that a completion page waits to be looked at before the workflow goes on.",
        ge=1,
        le=86_400,
    )
