"""Queries and answers of the API of usage."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from jackfield.api.schemas import Schema

AS_OF = (
    "Where hosts that did not answer are in it: until when what they have used is complete, of several the earliest; "
    "ISO 8601."
)
MISSING = "Hosts that did not answer, also those that are gone; the store may know what they have used."
Name = Annotated[str, StringConstraints(max_length=200)]
ProjectId = Annotated[
    str,
    StringConstraints(max_length=200),
    Field(description="Id of a project: only usage of profiles that belong to it. Empty: of all that you see."),
]


class UsageQuery(Schema):
    """period: today, yesterday, week, month, 7d, 30d, all. tz: IANA name; default the machine's."""

    model_config = ConfigDict(extra="forbid")

    period: Annotated[str, StringConstraints(max_length=40)] = "today"
    profile: Name = ""
    model: Name = ""
    agent: Name = ""
    provider: Name = ""
    tz: Annotated[str, StringConstraints(max_length=64)] = ""
    project_id: ProjectId = ""


class ExportQuery(UsageQuery):
    period: Annotated[str, StringConstraints(max_length=40)] = "all"
    format: Literal["csv", "json"] = "json"


class ImportQuery(Schema):
    """agent_dir: the agent's data directory; default each tool's own. agent: whose log it is."""

    model_config = ConfigDict(extra="forbid")

    agent_dir: Annotated[str, StringConstraints(min_length=1, max_length=4096)] | None = None
    agent: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None


class UsageTokens(Schema):
    model_config = ConfigDict(defer_build=True)

    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int
    cache_read_input_tokens: int


class UsageCost(Schema):
    """US dollars."""

    model_config = ConfigDict(defer_build=True)

    input_cost: float
    output_cost: float
    cache_creation_cost: float
    cache_read_cost: float
    total_cost: float


class ExportedRow(UsageTokens, UsageCost):
    """Usage of one day that is alike in everything; a line of the CSV has the same members.

    `priced`: whether every price is known; the costs hold the known ones. `as_of`: of a host that does not answer,
    until when the row is complete; ISO 8601.
    """

    model_config = ConfigDict(defer_build=True)

    date: str
    agent: str
    profile: str
    provider: str
    model: str
    session: str
    project: str
    source: str
    answers: int
    first_used: str
    last_used: str
    priced: bool
    as_of: str | None


class ExportAnswer(Schema):
    """In the envelope. Where the rows end before they are whole, `success` is false, and `error` says why."""

    model_config = ConfigDict(defer_build=True)

    success: bool
    data: list[ExportedRow]
    error: str = ""
    code: str = ""


class UsageGroupView(Schema):
    model_config = ConfigDict(extra="allow")

    tokens: UsageTokens
    cost: UsageCost
    sessions: int
    runtime_secs: int
    last_used: str
    as_of: str | None = Field(None, description=AS_OF)


class Aggregates(Schema):
    model_config = ConfigDict(defer_build=True)

    by_profile: dict[str, UsageGroupView]
    by_agent: dict[str, UsageGroupView]
    by_provider: dict[str, UsageGroupView]
    by_model: dict[str, UsageGroupView]
    by_date: dict[str, UsageGroupView]


class UsageStatistics(Schema):
    """unpriced: models whose price is not known; their tokens are not in any cost. prices_as_of: the day of the price
    list, YYYY-MM-DD."""

    model_config = ConfigDict(defer_build=True)

    period: str
    total_tokens: UsageTokens
    total_cost: UsageCost
    total_sessions: int
    total_runtime_secs: int
    aggregates: Aggregates
    unpriced: list[str] = Field(default_factory=list)
    prices_as_of: str | None = None
    as_of: str | None = Field(None, description=AS_OF)


class UsageAnswer(Schema):
    model_config = ConfigDict(defer_build=True)

    success: Literal[True]
    data: UsageStatistics
    warnings: list[str] | None = None
    missing_hosts: list[str] | None = Field(None, description=MISSING)


class ImportAnswer(Schema):
    """data: a sentence with what was new."""

    model_config = ConfigDict(defer_build=True)

    success: Literal[True]
    data: str
    warnings: list[str] | None = None
