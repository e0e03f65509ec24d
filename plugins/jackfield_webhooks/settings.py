"""The settings table `webhooks`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

_TABLE = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class WebhookRateLimit(BaseModel):
    """`webhooks.rateLimit`: a sliding window per webhook and client address."""

    model_config = _TABLE

    enabled: bool = Field(False, description="Whether calls of a webhook are limited.")
    requests: int = Field(100, description="Calls that pass per window, webhook and client address.", ge=1, le=100_000)
    window: float = Field(60, description="Length of the window in seconds.", gt=0, le=86_400)
    clients: int = Field(
        10_000,
        description="Pairs of webhook and address that a daemon remembers at most. In a store that daemons share there "
        "are about twice as many counts.",
        ge=100,
        le=1_000_000,
    )


class HistorySettings(BaseModel):
    """`webhooks.history`: what is kept of the calls."""

    model_config = _TABLE

    max_age_days: float = Field(
        30,
        description="Days after which a call is deleted.",
        gt=0,
        le=36_500,
        json_schema_extra={"former": {"maxAgeDays": "0.3"}},
    )
    max_calls: int = Field(
        10_000,
        description="Calls that are kept per webhook.",
        ge=0,
        le=100_000_000,
        json_schema_extra={"former": {"maxCalls": "0.3"}},
    )
    prune_interval: float = Field(
        60,
        description="Seconds between two clean-ups.",
        gt=0,
        le=86_400,
        json_schema_extra={"former": {"pruneInterval": "0.3"}},
    )
    body_bytes: int = Field(
        65_536,
        description="Bytes that are kept of a request's and of an answer's body.",
        ge=0,
        le=1_048_576,
        json_schema_extra={"former": {"bodyBytes": "0.3"}},
    )
    rejected_per_minute: int = Field(
        100,
        description="Refused calls that are kept per webhook and minute; more are only counted.",
        ge=0,
        le=10_000,
        json_schema_extra={"former": {"rejectedPerMinute": "0.3"}},
    )


class StreamSettings(BaseModel):
    """`webhooks.stream`: answers of the response mode streaming."""

    model_config = _TABLE

    buffer_bytes: int = Field(
        65_536,
        description="Bytes of an answer that wait for a slow caller; beyond them the nodes that send wait.",
        ge=1024,
        le=16_777_216,
    )
    stall_timeout: float = Field(
        30,
        description="Seconds for which a caller may read nothing; then its connection ends, and the run goes on.",
        gt=0,
        le=3600,
    )
    keepalive: float = Field(
        30,
        description="Seconds without a chunk after which the caller gets a line of the type keepalive.",
        gt=0,
        le=3600,
    )


class WebhookSettings(BaseModel):
    """`webhooks`."""

    model_config = _TABLE

    response_timeout: float = Field(
        300,
        description="Seconds that a caller waits for a workflow's answer before it gets a 504.",
        gt=0,
        le=86_400,
        json_schema_extra={"former": {"responseTimeout": "0.3"}},
    )
    test_enabled: bool | None = Field(
        None,
        description="Whether /webhook-test is served. Unset: only while the daemon listens on loopback.",
        json_schema_extra={"former": {"testEnabled": "0.3"}},
    )
    body_limit: int = Field(
        16_777_216,
        description="Bytes that a body may have, as sent and after decoding.",
        ge=1024,
        le=1_073_741_824,
        json_schema_extra={"former": {"bodyLimit": "0.3"}},
    )
    body_memory: int = Field(
        268_435_456,
        description="Bytes of bodies in memory at a time while they arrive and are read, by all calls together.",
        ge=1_048_576,
        json_schema_extra={"former": {"bodyMemory": "0.3"}},
    )
    body_timeout: float = Field(
        20,
        description="Seconds that a body may take to arrive.",
        gt=0,
        le=3600,
        json_schema_extra={"former": {"bodyTimeout": "0.3"}},
    )
    body_min_rate: int = Field(
        32_768,
        description="Bytes that extend the time for a body by one second.",
        ge=1,
        le=1_073_741_824,
        json_schema_extra={"former": {"bodyMinRate": "0.3"}},
    )
    parse_in_thread: int = Field(
        262_144,
        description="A thread reads bodies of at least this many bytes.",
        ge=0,
        le=1_073_741_824,
        json_schema_extra={"former": {"parseInThread": "0.3"}},
    )
    delivery_headers: list[str] = Field(
        [],
        description="Further headers whose value names a delivery, beside Idempotency-Key, webhook-id and "
        "X-GitHub-Delivery.",
        max_length=20,
        json_schema_extra={"former": {"deliveryHeaders": "0.3"}},
    )
    delivery_hours: float = Field(
        24,
        description="Hours for which a repeated delivery gets the first answer again.",
        gt=0,
        le=8760,
        json_schema_extra={"former": {"deliveryHours": "0.3"}},
    )
    delivery_answer_bytes: int = Field(
        1_048_576,
        description="Bytes of the largest answer that is kept for repeats. A larger one is made again from the run, "
        "or read again if it is a file whose execution is still kept.",
        ge=0,
        le=1_073_741_824,
        json_schema_extra={"former": {"deliveryAnswerBytes": "0.3"}},
    )
    cached_webhooks: int = Field(
        1000,
        description="Webhooks that are kept ready for calls.",
        ge=1,
        le=1_000_000,
        json_schema_extra={"former": {"cachedWebhooks": "0.3"}},
    )
    credential_refresh: float = Field(
        5,
        description="Seconds after which a changed stored credential is noticed.",
        ge=0,
        le=3600,
        json_schema_extra={"former": {"credentialRefresh": "0.3"}},
    )
    preset_timeout: float = Field(
        5,
        description="Seconds that a plugin's preset may take to verify a call; then the call is refused.",
        gt=0,
        le=60,
    )
    preset_threads: int = Field(
        4, description="Threads on which the calls of one plugin's preset are verified at a time.", ge=1, le=64
    )
    rate_limit: WebhookRateLimit = Field(
        default_factory=WebhookRateLimit,
        alias="rateLimit",  # as the specification spells it; every other key is snake_case
        description="Limit per webhook and client address.",
        json_schema_extra={"former": {"rate_limit": "0.3"}},
    )
    stream: StreamSettings = Field(
        default_factory=StreamSettings, description="Answers that come in chunks while the workflow runs."
    )
    history: HistorySettings = Field(default_factory=HistorySettings, description="The part of the calls that is kept.")
