"""Queries and answers of the plugin's routes."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from jackfield.api.schemas import Schema


class DaemonStatus(Schema):
    """The daemon about itself."""

    status: Literal["running"]
    pid: int
    uptime_secs: int
    version: str
    profiles_count: int
    active_proxies: int


class DaemonStatusAnswer(Schema):
    """In the envelope."""

    success: Literal[True]
    data: DaemonStatus


class LogStreamQuery(Schema):
    """Which lines."""

    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True)

    level: Literal["debug", "info", "warning", "error", "critical"] = Field(
        "debug", description="Lines of this level and above."
    )
    search: str = Field("", max_length=200, description="Text that a line must have, in whatever case.")


class LogQuery(LogStreamQuery):
    """Which lines, and how many."""

    before: str = Field(
        "", max_length=40, description="`next` of an answer, or a line's `cursor`: older lines than that."
    )
    limit: int = Field(100, ge=1, le=500, description="Lines at most.")


class LogLine(Schema):
    """One line of the log."""

    time: str | None
    level: str
    logger: str
    message: str
    request_id: str | None
    exception: str | None
    fields: dict[str, object] = Field(description="The parts that the daemon added to the line.")
    cursor: str = Field(description="The line's place in the log.")


class LogPage(Schema):
    """Lines, the newest first."""

    lines: list[LogLine]
    next: str | None = Field(
        description="For `before`; null: there is nothing older. A page may be short, or empty, and more be behind it: "
        "one request looks at 16 MiB of the log."
    )


class LogAnswer(Schema):
    """In the envelope."""

    success: Literal[True]
    data: LogPage
