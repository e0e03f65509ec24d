"""What OpenAPI says of `/api/proxy`, and the bodies that are read."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, RootModel

State = Literal["stopped", "starting", "running", "unhealthy", "restarting", "failed"]


class ProxyShown(BaseModel):
    profile: str
    enabled: bool
    port: int | None = Field(description="Where it listens on 127.0.0.1.")
    pid: int | None
    status: State
    restarts: int = Field(description="After crashes, since it was started.")
    started_at: str | None
    requests: int = Field(description="Served since the daemon has started.")
    budgets: list[dict[str, JsonValue]] = Field(description="Each limit, what is spent of it, and when it resets.")
    error: str | None = Field(description="The last line of its log, when it has failed.")


class ProxyAnswer(BaseModel):
    success: Literal[True]
    data: ProxyShown


class SharedPortShown(BaseModel):
    status: Literal["off", State] = Field(description="Off: proxy.shared_port is 0.")
    host: str
    port: int | None
    restarts: int
    profiles: list[str] = Field(description="Those whose proxies are enabled.")
    error: str | None
    failures: int = Field(description="Starts that have failed since the daemon's own.")
    retry_at: str | None = Field(description="When it is tried again; null: it runs, starts, or is off.")


class SharedAnswer(BaseModel):
    success: Literal[True]
    data: SharedPortShown


class ProxyList(BaseModel):
    success: Literal[True]
    data: list[ProxyShown]


class StoppedShown(BaseModel):
    success: Literal[True]
    data: dict[str, list[str]]


class ProxyConfigBody(RootModel[dict[str, JsonValue]]):
    """A proxy's configuration, as the documentation of proxies has it."""


class ConfigShown(BaseModel):
    success: Literal[True]
    data: dict[str, JsonValue]


class ProxyLogQuery(BaseModel):
    lines: int = Field(100, ge=1, le=10_000, description="How many of the last lines.")


class LogShown(BaseModel):
    success: Literal[True]
    data: dict[str, list[str] | str]


class RequestsQuery(BaseModel):
    limit: int = Field(50, ge=1, le=10_000, description="How many of the latest requests.")


class RequestsShown(BaseModel):
    success: Literal[True]
    data: list[dict[str, JsonValue]]


class RuleTestBody(BaseModel):
    """A request as far as rules look at it."""

    model_config = ConfigDict(extra="forbid")

    model: str = Field(min_length=1, max_length=512)
    tokens: int = Field(1, ge=0, le=1_000_000_000)
    tools: int = Field(0, ge=0, le=100_000)
    thinking: bool = False
    image: bool = False
    web_search: bool = False
    headers: dict[str, Annotated[str, Field(max_length=8192)]] = Field(default_factory=dict, max_length=100)
    time: str | None = Field(None, pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", description="HH:MM; default: now.")
    config: dict[str, JsonValue] | None = Field(
        None, description="A configuration to try in place of the stored one; it is not stored."
    )


class RuleKind(BaseModel):
    name: str
    plugin: str | None = Field(description="That gives it; null: it is the proxies' own.")


class RuleKinds(BaseModel):
    strategies: list[RuleKind]
    conditions: list[RuleKind]


class RuleKindsShown(BaseModel):
    success: Literal[True]
    data: RuleKinds


class RuleTestShown(BaseModel):
    success: Literal[True]
    data: dict[str, JsonValue]
