"""Queries, bodies and answers of `/api/gateway`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from jackfield.api.schemas import Schema

Name = Annotated[str, Field(min_length=1, max_length=200)]
Count = Annotated[int, Field(ge=1, le=1_000_000_000_000)]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class _GatewayBody(Schema):
    model_config = ConfigDict(extra="forbid")


class KeyBudgetBody(_GatewayBody):
    """Each that is given is a separate limit."""

    usd: float | None = Field(None, gt=0, le=1e9, description="US dollars, by the price list.")
    tokens: Count | None = Field(None, description="Tokens of all kinds.")


class KeyBudgetsBody(_GatewayBody):
    """Days and months are those of local time; a total never resets."""

    day: KeyBudgetBody | None = None
    month: KeyBudgetBody | None = None
    total: KeyBudgetBody | None = None


class KeyChangeBody(_GatewayBody):
    """A member that is not given stays as it is; null takes a limit away."""

    label: Name | None = Field(None, description="For people: what the key is for.")
    owner: str | None = Field(
        None, max_length=200, description="The key's owner; keys of one owner share what providers store for them."
    )
    models: list[Name] | None = Field(
        None, max_length=1000, description="Patterns (*, ?, [...]) of the models that may be asked for; none: all."
    )
    profiles: list[Name] | None = Field(
        None,
        max_length=1000,
        description="Profiles whose proxies the key opens; null: all of them. An empty list is refused.",
    )
    requests_per_minute: Count | None = Field(None, description="Most requests in any 60 seconds.")
    tokens_per_minute: Count | None = Field(None, description="Most tokens in any 60 seconds, reserved ones too.")
    parallel_requests: Count | None = Field(None, description="Most requests in flight.")
    budgets: KeyBudgetsBody | None = None
    cache_seconds: float | None = Field(
        None, ge=0, le=86_400, description="How long an answer may serve the same request again; 0: not at all."
    )
    expires_at: str | None = Field(None, max_length=40, description="ISO 8601; null: never.")


class NewKeyBody(KeyChangeBody):
    label: Name = Field(description="For people: what the key is for.")


class BudgetShown(Schema):
    period: Literal["day", "month", "total"]
    unit: Literal["usd", "tokens"]
    limit: float
    used: float
    reserved: float = Field(description="For requests in flight.")
    resets_at: str | None = Field(description="Null: never.")


class VirtualKeyShown(Schema):
    id: str
    prefix: str = Field(description="The first characters of the key.")
    label: str
    owner: str
    models: list[str]
    profiles: list[str]
    requests_per_minute: int | None
    tokens_per_minute: int | None
    parallel_requests: int | None
    budgets: list[BudgetShown]
    cache_seconds: float
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    in_flight: int = Field(description="Requests that hold a reservation now.")
    status: Literal["valid", "expired", "revoked"]


class NewVirtualKeyShown(VirtualKeyShown):
    key: str = Field(description="The key itself. Nobody can read it again.")


class VirtualKeyAnswer(Schema):
    success: Literal[True]
    data: VirtualKeyShown


class NewVirtualKeyAnswer(Schema):
    success: Literal[True]
    data: NewVirtualKeyShown


class VirtualKeyList(Schema):
    success: Literal[True]
    data: list[VirtualKeyShown]


class KeysQuery(Schema):
    revoked: bool = Field(False, description="Revoked keys too.")


class KeyUsageQuery(Schema):
    key: str | None = Field(None, max_length=64, description="The id of one key; default: all keys.")
    since: Day | None = Field(None, description="The first local day, YYYY-MM-DD; default: all that is kept.")
    until: Day | None = Field(None, description="The last local day.")
    limit: int = Field(1000, ge=1, le=10_000, description="How many rows, the latest days first.")


class KeyUsageShown(Schema):
    key: str
    label: str
    owner: str
    day: str | None = Field(description="Null: all days before `gateway.usage_days`.")
    profile: str
    provider: str
    model: str
    requests: int
    failures: int = Field(description="Those that were answered with a status of 400 and more.")
    cached: int = Field(description="Those that were answered from the cache.")
    estimated: int = Field(description="Those whose answers did not say all that they used.")
    unpriced: int = Field(description="Those whose cost is not known; they count 0 US dollars.")
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    estimated_tokens: int = Field(description="They stand for what answers did not say.")
    cost_usd: float


class KeyUsageList(Schema):
    success: Literal[True]
    data: list[KeyUsageShown]
