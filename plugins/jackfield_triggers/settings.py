"""The settings table `triggers`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class TriggerSettings(BaseModel):
    """Triggers that ask services again and again, those that services send events to, and those that hold a
    connection."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    poll_concurrency: int = Field(10, description="Polls that are under way at the same time.", ge=1, le=1_000)
    poll_timeout: float = Field(
        120, description="Seconds that one poll may take with all its requests.", gt=0, le=3_600
    )
    poll_items: int = Field(
        1_000,
        description="Items that one poll starts an execution with at most; of more the rest comes with the next poll, "
        "at once.",
        ge=1,
        le=100_000,
    )
    poll_pages: int = Field(20, description="Pages of a list that one poll reads.", ge=1, le=1_000)
    poll_least: float = Field(
        60, description="Seconds that lie between two polls of a node at least, as in n8n.", ge=0.1, le=86_400
    )
    poll_jitter: float = Field(
        60,
        description="Seconds over which polls that are due at the same time are spread, each by its node's id. They "
        "also spread the polls of a start, and its looks at subscriptions.",
        ge=0,
        le=3_600,
    )
    poll_state: int = Field(
        1_048_576, description="Bytes of JSON that a polling node may remember.", ge=1_024, le=16_777_216
    )
    backoff: float = Field(
        30,
        description="Seconds until a trigger asks again after its first failure; each further one doubles them. A "
        "service that names a time (Retry-After) is asked no earlier.",
        ge=0.1,
        le=3_600,
    )
    backoff_most: float = Field(900, description="The most seconds that triggers.backoff grows to.", ge=0.1, le=86_400)
    error_after: int = Field(
        3,
        description="Failures in a row with which a trigger starts the error workflow, once until it works again.",
        ge=1,
        le=1_000,
    )
    subscribe_timeout: float = Field(
        60, description="Seconds that one step of a subscription may take, such as its registration.", gt=0, le=3_600
    )
    subscribe_wait: float = Field(
        5,
        description="Seconds that whoever activates a workflow waits for its subscriptions; later ones go on in the "
        "background.",
        ge=0,
        le=120,
    )
    check_interval: float = Field(
        21_600, description="Seconds between two looks at whether a service still has a subscription.", ge=60
    )
    renew_before: float = Field(
        3_600,
        description="Seconds before its end at which a subscription is renewed; a short one when a fifth of its life "
        "is left.",
        ge=1,
        le=604_800,
    )
    unsubscribe_for: float = Field(
        604_800,
        description="Seconds for which a service that does not answer is asked to end a subscription; then it is given "
        "up, and the log says so.",
        ge=60,
    )
    event_bytes: int = Field(
        16 * 1024 * 1024, description="Largest body of an event, in bytes.", ge=1_024, le=268_435_456
    )
    event_timeout: float = Field(30, description="Seconds that an event's body may take to come in.", gt=0, le=600)
    remember_hours: float = Field(
        72, description="Hours for which it is remembered that an event has started its workflow.", ge=1, le=8_760
    )
    listen_prefetch: int = Field(
        20,
        description="Events that a service may send over one connection before the first of them is settled.",
        ge=1,
        le=10_000,
    )
    listen_concurrency: int = Field(
        10, description="Connections that are opened at the same time; others wait for their turn.", ge=1, le=1_000
    )
    listen_close: float = Field(
        10,
        description="Seconds that the end of a connection may take, with the events that are under way.",
        gt=0,
        le=300,
    )
    test_wait: float = Field(
        120, description="The longest wait for a test event that somebody may ask for, in seconds.", ge=1, le=3_600
    )
