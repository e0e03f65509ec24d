"""The form of requests and answers about triggers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class TriggerFailure(BaseModel):
    message: str
    at: str | None = Field(None, description="ISO 8601.")


class TriggerShown(BaseModel):
    """One node. Times are ISO 8601."""

    id: str = Field(description="Of the registration: `/webhooks/{id}/history` has the calls of its service.")
    node: str
    kind: Literal["poll", "subscribe", "listen"]
    state: str = Field(
        description="idle, waiting, connected, failing, or the phase of a subscription: beginning, live, ending."
    )
    events: int = Field(
        description="Executions that it has started; of a trigger that services send events to, those that have ended."
    )
    last_event: str | None = Field(None, alias="lastEvent", description="Of such a trigger its last call.")
    last_poll: str | None = Field(None, alias="lastPoll")
    next: str | None = Field(
        None, description="Of the next poll, the next look at the subscription, or the next try to connect."
    )
    connected: str | None = Field(None, description="Since when the connection is open; null: it is not.")
    expires: str | None = None
    url: str | None = Field(None, description="Where the service sends its events.")
    last_error: TriggerFailure | None = Field(None, alias="lastError")


class TriggersShown(BaseModel):
    data: list[TriggerShown]


class TestEventAsked(BaseModel):
    __test__ = False  # its name is no test's

    model_config = ConfigDict(extra="forbid")

    node: str = Field(description="Name of the trigger.", max_length=500)
    seconds: float = Field(60, description="Seconds to wait for an event that a service sends.", gt=0, le=3_600)


class TestEventShown(BaseModel):
    __test__ = False

    items: list[dict[str, Any]] = Field(description="As the workflow would get them.")
