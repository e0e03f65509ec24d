"""Answers of the plugin's routes, for OpenAPI."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class DaemonStatus(BaseModel):
    """The daemon about itself."""

    status: Literal["running"]
    pid: int
    uptime_secs: int
    version: str
    profiles_count: int
    active_proxies: int


class DaemonStatusAnswer(BaseModel):
    """In the envelope."""

    success: Literal[True]
    data: DaemonStatus
