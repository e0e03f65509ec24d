"""Payloads of the management routes, named as the specification names them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from jackfield.api.paging import Clamped
from jackfield.api.schemas import Schema

_WIRE = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class WebhookStatsView(Schema):
    """Counters since the webhook was saved first. The three kinds add up to the total once no execution is open."""

    model_config = _WIRE

    total_calls: int
    success_calls: int
    failed_calls: int = Field(description="Calls whose execution failed, was cancelled, or took too long.")
    rejected_calls: int = Field(description="Calls that started no execution, such as one without the credential.")
    last_call: str | None = Field(None, description="ISO 8601, UTC; absent before the first call.")


class WebhookItem(Schema):
    """A webhook in the list."""

    model_config = _WIRE

    id: str
    kind: str = Field(description="Of the trigger: `webhook`, or one that a plugin gives.")
    workflow_id: str
    workflow_name: str
    node_id: str
    path: str = Field(description="With one leading slash.")
    method: str
    active: bool
    url: str
    test_url: str | None = Field(None, description="Where test calls go; absent while they are switched off.")
    authentication: str
    created_at: str = Field(description="ISO 8601, UTC.")
    stats: WebhookStatsView | None = Field(None, description="In lists only with `stats=true`.")


class WebhooksQuery(Schema):
    """Which webhooks; a number out of range is clamped."""

    model_config = _WIRE

    offset: Annotated[int, Clamped(0, 1 << 40)] = 0
    limit: Annotated[int, Clamped(1, 250)] = 100
    active: bool | None = None
    workflow_id: str | None = None
    stats: bool = Field(False, description="Whether each webhook comes with its counters.")


class HistoryQuery(Schema):
    """Which calls; a number out of range is clamped."""

    model_config = _WIRE

    offset: Annotated[int, Clamped(0, 1 << 40)] = 0
    limit: Annotated[int, Clamped(1, 1000)] = 20
    status: Literal["success", "failed", "timeout", "rejected", "pending"] | None = Field(
        None, description="How a call ended."
    )


class WebhookDetail(WebhookItem):
    """One webhook."""

    auth_config: dict[str, str] | None = Field(None, description="Without its secrets; absent without authentication.")
    response_mode: str
    response_data: str
    stats: WebhookStatsView


class WebhookList(Schema):
    """A page of webhooks."""

    model_config = _WIRE

    data: list[WebhookItem]
    total: int = Field(description="How many match in all.")


class CallEntry(Schema):
    """One call in the history."""

    model_config = _WIRE

    id: str
    timestamp: str
    status: str = Field(description="success, failed, timeout, rejected, or pending while the run goes on.")
    execution_id: str | None = None
    event: str | None = Field(None, description="The event's name, where the sender's preset knows it.")
    request_method: str
    request_headers: dict[str, str] = Field(description="Secrets are ***.")
    request_query: str = Field(description="Without the question mark, at most 2048 characters; secrets are ***.")
    request_body: str
    truncated: bool | None = Field(None, description="true when the request's body is longer than what is kept.")
    response_status: int | None = None
    response_body: str
    response_truncated: bool | None = Field(None, description="true when the answer is longer than what is kept.")
    duration: int | None = Field(None, description="Milliseconds until the answer.")


class CallHistory(Schema):
    """A page of calls, the newest first."""

    model_config = _WIRE

    data: list[CallEntry]
    total: int


class TestCallRequest(Schema):
    """A call to check. Everything may be left out."""

    __test__ = False  # its name is no test's

    model_config = ConfigDict(extra="forbid")

    method: str | None = Field(None, max_length=20, description="Default: the webhook's own.")
    headers: dict[str, str] = Field(default_factory=dict)
    query: dict[str, str | list[str]] = Field(default_factory=dict)
    body: JsonValue = Field(None, description="A text is the body as sent; anything else is sent as JSON.")
    sign: bool = Field(
        False, description="Whether the call is signed with the webhook's own secret first, as its sender would."
    )
    send: bool = Field(
        False,
        description="Whether a call that passes is made at the test address, so that the workflow runs as a test. "
        "Needs the scope workflows:execute.",
    )


class CallCheck(Schema):
    """One thing that was looked at."""

    model_config = _WIRE

    name: str
    ok: bool
    message: str


class TestCallAnswer(Schema):
    """The answer of the test address."""

    __test__ = False

    model_config = _WIRE

    status: int
    body: str = Field(description="At most 64 KiB of it.")


class TestCallResult(Schema):
    """The effect that the call would have, or had."""

    __test__ = False

    model_config = _WIRE

    valid: bool
    message: str
    parsed_body: JsonValue = None
    event: str | None = Field(None, description="The event's name, where the sender's preset knows it.")
    checks: list[CallCheck]
    answer: TestCallAnswer | None = Field(None, description="Of a call that was sent.")


class PresetFieldView(Schema):
    """A value of `authConfig` that a preset asks for."""

    model_config = _WIRE

    name: str
    label: str
    description: str
    required: bool
    options: list[str] = Field(description="The only values; empty: any text.")


class PresetView(Schema):
    """How one sender signs its calls."""

    model_config = _WIRE

    name: str = Field(description="The value of `authConfig.preset`.")
    label: str
    description: str
    key_label: str = Field(description="The sender's name for its secret; empty when there is none.")
    fields: list[PresetFieldView]
    plugin: str = Field(description="The plugin that gives it.")


class PresetList(Schema):
    """Every preset."""

    model_config = _WIRE

    data: list[PresetView]
