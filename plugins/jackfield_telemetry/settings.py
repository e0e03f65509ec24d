"""The settings of this plugin: `[telemetry]`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class TelemetrySettings(BaseModel):
    """`[telemetry]`"""

    model_config = ConfigDict(
        extra="forbid",
        defer_build=True,
        json_schema_extra={
            "foreign": {
                "enabled": "usage is always counted, and stays on this machine",
                "resource_monitoring": "there is nothing like it here",
            }
        },
    )

    tiers: Literal["request", "marginal"] = Field(
        "request",
        description="How a price above a number of tokens applies. It applies to the whole request once its prompt is "
        "longer, or only to the tokens of each kind beyond that number.",
    )
    cost: Literal["auto", "calculate"] = Field(
        "auto",
        description="auto: a cost that a log itself gives counts, and only others are calculated; calculate: all are.",
    )
    import_workers: int = Field(
        0, ge=0, le=64, description="Processes that read large logs; 0: one for each processor, at most 4."
    )
    worker_threshold: int = Field(
        32 * 2**20,
        ge=0,
        description="A thread of the daemon reads logs with fewer new bytes than this, without extra processes. Bytes.",
    )
    export_limit: int = Field(
        5_000_000, ge=1, le=100_000_000, description="Most rows of one export; one that has more fails. Rows."
    )
    watch: bool = Field(
        True, description="Whether agents' logs that are on this machine are followed live, those of profiles included."
    )
    watch_debounce: float = Field(
        2.0, ge=0.1, le=60, description="How long changes of logs are gathered before they are read. Seconds."
    )
    watch_rescan: float = Field(
        300.0,
        ge=1,
        le=86_400,
        description="Time between two looks for new logs, and for what live watching has missed. Seconds.",
    )
    watch_limit: int = Field(
        8_000,
        ge=1,
        le=1_000_000,
        description="Most directories that are watched; what is in others is counted with the next look. Directories.",
    )
    share_interval: float = Field(
        60.0,
        ge=1,
        le=3600,
        description="Where hosts share a store: longest time until it has what this host has counted, for reports when "
        "the host does not answer. Seconds.",
    )
    share_days: int = Field(
        400,
        ge=1,
        le=3650,
        description="How far back the store has the usage of each host, of those that are gone too. Give all hosts the "
        "same. Days.",
    )
    sink_queue: int = Field(
        10_000,
        ge=1,
        le=1_000_000,
        description="Most records that wait for one telemetry sink of a plugin; further ones are dropped and counted. "
        "Records.",
    )
    sink_batch: int = Field(
        500, ge=1, le=100_000, description="Most records that a telemetry sink is given at once. Records."
    )
    sink_timeout: float = Field(
        10.0,
        ge=0.1,
        le=60,
        description="Time that a telemetry sink has for one batch, for the last ones at the daemon's stop, and for its "
        "end. Seconds.",
    )
    otlp_endpoint: str = Field(
        "",
        pattern=r"^(https?://[^\s?#@]+)?$",
        max_length=2000,
        description="Where traces and metrics go: base URL of an OpenTelemetry collector (OTLP over HTTP), such as "
        "http://127.0.0.1:4318. Empty: nowhere. Needs the extra `otel`.",
    )
    otlp_headers: dict[str, str] = Field(
        default_factory=dict,
        max_length=32,
        repr=False,
        json_schema_extra={"secret": True},
        description="Headers that the collector wants, such as its key.",
    )
    trace_ratio: float = Field(
        1.0,
        ge=0,
        le=1,
        description="Share of the traces that begin here which are sampled, by their id; traces that a caller has "
        "begun are sampled as the caller says. 0: none, 1: all.",
    )
    trace_callers: bool = Field(
        True,
        description="Whether an execution, and a request of a proxy, belongs to the trace that its caller names in "
        "the header `traceparent`. Off: each begins a trace, so that callers from the network decide nothing about "
        "sampling.",
    )
    trace_passed_on: bool = Field(
        True,
        description="Whether requests of nodes carry `traceparent` and `tracestate` of an execution that is traced, "
        "and agents the variables `TRACEPARENT` and `TRACESTATE`.",
    )
    otlp_interval: float = Field(60.0, ge=1, le=3600, description="Time between two exports of metrics. Seconds.")
    otlp_timeout: float = Field(
        10.0,
        ge=0.1,
        le=60,
        description="Time that one export may take, and the last one at the daemon's stop. Seconds.",
    )
