"""Queries and answers of `GET /api/usage/report` and `/api/usage/answers`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from jackfield.api.schemas import Schema
from jackfield_telemetry.http.schemas import AS_OF, MISSING, Name, ProjectId, UsageCost, UsageTokens
from jackfield_telemetry.reports.answers import MOST_ANSWERS, USUAL_ANSWERS
from jackfield_telemetry.reports.report import MOST_ROWS, Breakdown, Kind, Order

Day = Annotated[str, StringConstraints(max_length=10)]


class ReportQuery(Schema):
    """`since`, `until`: days, YYYY-MM-DD or YYYYMMDD, both included; of blocks those that begin within. `tz`: IANA
    name; default the machine's. `project`: the directory that an agent worked in, or the last parts of its path.
    `breakdown`: the parts into which each row is divided. `limit`: rows. `hours`, `token_limit` (a number, or `max`:
    the largest block that has ended) and `active` (the current one alone) are for blocks.
    """

    model_config = ConfigDict(extra="forbid")

    kind: Kind = "daily"
    since: Day = ""
    until: Day = ""
    tz: Annotated[str, StringConstraints(max_length=64)] = ""
    agent: Name = ""
    provider: Name = ""
    profile: Name = ""
    model: Name = ""
    project: Annotated[str, StringConstraints(max_length=4096)] = ""
    breakdown: Breakdown = "model"
    order: Order = "asc"
    limit: int = Field(MOST_ROWS, ge=1, le=MOST_ROWS)
    hours: int = Field(5, ge=1, le=168)
    token_limit: Annotated[str, StringConstraints(pattern=r"^(max|[1-9]\d{0,14})?$")] = ""
    active: bool = False
    project_id: ProjectId = ""


class AnswersQuery(Schema):
    """`since`, `until`: days, YYYY-MM-DD or YYYYMMDD, both included. `tz`: IANA name; default the machine's. `session`:
    the agent's own name of it. `limit`: how many of the latest answers.
    """

    model_config = ConfigDict(extra="forbid")

    since: Day = ""
    until: Day = ""
    tz: Annotated[str, StringConstraints(max_length=64)] = ""
    agent: Name = ""
    provider: Name = ""
    profile: Name = ""
    model: Name = ""
    session: Annotated[str, StringConstraints(max_length=4096)] = ""
    limit: int = Field(USUAL_ANSWERS, ge=1, le=MOST_ANSWERS)
    project_id: ProjectId = ""


class LoggedAnswer(Schema):
    """`time`: when it was there. `source`: the agent's own log, or the profile's proxy. `response_id`: the provider's
    id of the answer, as the agent has got it; null: the log names none. `cost`: null: the model's price is not known.
    """

    model_config = ConfigDict(defer_build=True)

    time: str
    agent: str
    provider: str
    profile: str
    model: str
    session: str
    project: str
    source: Literal["log", "proxy"]
    response_id: str | None
    tokens: UsageTokens
    total_tokens: int
    cost: UsageCost | None


class LoggedAnswers(Schema):
    """rows: in the order of their time. left_out: how many earlier ones there are."""

    model_config = ConfigDict(defer_build=True)

    rows: list[LoggedAnswer]
    left_out: int


class LoggedAnswersAnswer(Schema):
    model_config = ConfigDict(defer_build=True)

    success: Literal[True]
    data: LoggedAnswers
    warnings: list[str] | None = None
    missing_hosts: list[str] | None = Field(None, description="Hosts that did not answer.")


class Sums(Schema):
    model_config = ConfigDict(extra="allow")

    answers: int
    tokens: UsageTokens
    total_tokens: int
    cost: UsageCost


class Row(Sums):
    """Beside these the name of what it is about (`date`, `week`, `month`, `session`, `model` ...)."""

    first_used: str
    last_used: str
    agents: list[str]
    models: list[str]
    breakdown: list[Sums] | None = None
    as_of: str | None = Field(None, description=AS_OF)


class Rate(Schema):
    """Between the first and the last answer of the block. cost_per_hour: US dollars."""

    model_config = ConfigDict(defer_build=True)

    tokens_per_minute: float
    uncached_tokens_per_minute: float
    cost_per_hour: float


class Projection(Schema):
    """At the end of the block, when it goes on at this rate."""

    model_config = ConfigDict(defer_build=True)

    total_tokens: int
    total_cost: float
    remaining_minutes: float
    limit_percent: float | None = None
    limit_status: Literal["ok", "warning", "exceeds"] | None = None


class Block(Schema):
    """start, end: ISO 8601; the end is not in it. gap: nothing was used; all else is left out."""

    model_config = ConfigDict(extra="allow")

    start: str
    end: str
    gap: bool
    active: bool
    answers: int | None = None
    tokens: UsageTokens | None = None
    total_tokens: int | None = None
    cost: UsageCost | None = None
    first_used: str | None = None
    last_used: str | None = None
    agents: list[str] | None = None
    models: list[str] | None = None
    breakdown: list[Sums] | None = None
    limit_percent: float | None = None
    burn_rate: Rate | None = None
    as_of: str | None = Field(None, description=AS_OF)
    projection: Projection | None = None


class Report(Schema):
    """left_out: rows beyond the limit; `totals` includes them. unpriced: models whose price is not known."""

    model_config = ConfigDict(extra="allow")

    kind: Kind
    rows: list[Row | Block]
    totals: Sums
    left_out: int
    unpriced: list[str]
    as_of: str | None = Field(None, description=AS_OF)


class ReportAnswer(Schema):
    model_config = ConfigDict(defer_build=True)

    success: Literal[True]
    data: Report
    warnings: list[str] | None = None
    missing_hosts: list[str] | None = Field(None, description=MISSING)
