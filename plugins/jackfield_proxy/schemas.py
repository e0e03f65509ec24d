"""The schemas of `/api/proxy` in OpenAPI, and the bodies that are read."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, RootModel

from jackfield.api.schemas import Schema

State = Literal["stopped", "starting", "running", "unhealthy", "restarting", "failed"]


class ProxyShown(Schema):
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
    host: str | None = Field(None, description="In a list that is joined over hosts: the host that has it.")


class ProxyAnswer(Schema):
    success: Literal[True]
    data: ProxyShown


class SharedPortShown(Schema):
    status: Literal["off", State] = Field(description="Off: proxy.shared_port is 0.")
    host: str
    port: int | None
    restarts: int
    profiles: list[str] = Field(description="Those whose proxies are enabled.")
    error: str | None
    failures: int = Field(description="Starts that have failed since the daemon's own.")
    retry_at: str | None = Field(description="When it is tried again; null: it runs, starts, or is off.")


class SharedAnswer(Schema):
    success: Literal[True]
    data: SharedPortShown


class ProxyList(Schema):
    success: Literal[True]
    data: list[ProxyShown]
    missing_hosts: list[str] | None = Field(None, description="Hosts that did not answer.")


class StoppedProxies(Schema):
    stopped: list[str]


class StoppedShown(Schema):
    success: Literal[True]
    data: StoppedProxies


class ProxyConfigBody(RootModel[dict[str, JsonValue]]):
    """A proxy's configuration, as the documentation of proxies has it."""


class ConfigShown(Schema):
    success: Literal[True]
    data: dict[str, JsonValue]


class ProxyLogQuery(Schema):
    lines: int = Field(100, ge=1, le=10_000, description="How many of the last lines.")


class ProxyLogLines(Schema):
    profile: str
    lines: list[str]


class LogShown(Schema):
    success: Literal[True]
    data: ProxyLogLines


class RequestsQuery(Schema):
    limit: int = Field(50, ge=1, le=10_000, description="How many of the latest requests.")


class ServedTokens(Schema):
    input_tokens: int
    output_tokens: int | None
    cache_read_tokens: int
    cache_creation_tokens: int


class ServedShown(Schema):
    """`rule`: that chose the target; null: none fitted. `reason`: why it was chosen, for a person. `attempts`: of
    sending it. `counted`: `estimated_tokens` is the provider's count. `session`: the agent's own. `key`: id of the
    caller's virtual key. `cached`: nothing was sent. `usage`: null: the answer said nothing of it. `missing_tools`:
    hosted ones that the provider does not have.
    """

    id: str
    time: str
    dialect: str
    asked_model: str
    provider: str
    model: str
    rule: str | None
    reason: str
    status: int
    stream: bool
    translated: bool
    attempts: int
    duration_ms: int
    first_byte_ms: int | None
    estimated_tokens: int
    counted: bool
    session: str | None
    key: str | None
    cached: bool
    usage: ServedTokens | None
    cost_usd: float | None
    error: str | None
    missing_tools: list[str]


class RequestsShown(Schema):
    success: Literal[True]
    data: list[ServedShown]


class RuleTestBody(Schema):
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


class RuleKind(Schema):
    name: str
    plugin: str | None = Field(description="That gives it; null: it is the proxies' own.")


class RuleKinds(Schema):
    strategies: list[RuleKind]
    conditions: list[RuleKind]


class RuleKindsShown(Schema):
    success: Literal[True]
    data: RuleKinds


class EvaluatedRule(Schema):
    name: str
    target: str
    priority: int
    condition: dict[str, JsonValue]
    fits: bool


class RuleTestResult(Schema):
    """rule: null: none fits. usable: the provider can be asked. then: targets to be tried afterwards, in this order."""

    provider: str
    model: str
    rule: str | None
    reason: str
    usable: bool
    then: list[str]
    rules: list[EvaluatedRule]


class RuleTestShown(Schema):
    success: Literal[True]
    data: RuleTestResult
