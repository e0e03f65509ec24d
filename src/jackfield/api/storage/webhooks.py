"""The part of the store port that keeps webhooks, their calls and deliveries; see `jackfield.api.storage`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from ..call_places import Places
from ..paging import Page
from ..records import record
from .projects import Within

if TYPE_CHECKING:
    import asyncio

CallStatus = Literal["pending", "success", "failed", "timeout", "rejected"]


@record
class Webhook:
    """A registration as kept. id: stable while the workflow keeps the node and the method. kind: of its trigger."""

    id: str
    workflow_id: str
    workflow_name: str
    node_id: str
    node_name: str
    method: str
    path: str
    pattern: str
    authentication: str
    active: bool
    created_at: int
    kind: str = "webhook"


@record
class WebhookStats:
    """Since the webhook was saved first. A call whose execution is still open is in the total alone."""

    total_calls: int = 0
    success_calls: int = 0
    failed_calls: int = 0
    rejected_calls: int = 0
    last_call: int | None = None


@record
class NewCall:
    """A call of a webhook as it came in.

    `headers`: already masked, JSON bytes of a name -> value map. `query`: already masked, without the question mark.
    `body`: at most 64 KiB of the raw body as text. status `rejected` comes complete with response_status; else
    `pending` until `CallUpdate`.
    """

    id: str
    webhook_id: str
    time: int
    method: str
    headers: bytes
    body: str
    truncated: bool = False
    status: CallStatus = "pending"
    response_status: int | None = None
    response_body: str = ""
    duration_ms: int | None = None
    query: str = ""
    event: str = ""
    """Its name, as the sender's preset knows it."""
    places: Places = ()
    """Where `NewExecution.input` has the body, which is empty here then: only of a call that comes with its execution.
    The body outlives the execution as long as the call does."""


@record
class CallUpdate:
    """How a call was answered, or (status only) how the run of an onReceived call ended."""

    call_id: str
    webhook_id: str
    status: CallStatus | None = None
    response_status: int | None = None
    response_body: str | None = None
    response_truncated: bool = False
    duration_ms: int | None = None


@record
class StoredCall:
    """A call of a webhook, as the history shows it."""

    id: str
    webhook_id: str
    execution_id: str | None
    time: int
    method: str
    headers: Mapping[str, str]
    body: str
    truncated: bool
    status: CallStatus
    response_status: int | None
    response_body: str
    response_truncated: bool
    duration_ms: int | None
    query: str = ""
    event: str = ""


@record
class Delivery:
    """A de-duplication key of a webhook: the same (webhook, key) starts one execution until `expires_at`. fingerprint:
    of the request that the key stands for. Empty where the key counts whatever the request says."""

    webhook_id: str
    key: str
    expires_at: int
    fingerprint: str = ""


@record
class StoredDelivery:
    """answer: status, headers and body of the first answer; None while it has not been given. fingerprint: of the first
    request, if it had one."""

    execution_id: str
    answer: StoredAnswer | None
    fingerprint: str = ""


@record
class StoredAnswer:
    """The answer that a call got, for deliveries that come again."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes


class WebhookStore(Protocol):
    """Webhooks by path, their calls, and the answers to deliveries."""

    async def webhooks(
        self,
        *,
        offset: int,
        limit: int,
        active: bool | None,
        workflow_id: str | None,
        kind: str | Sequence[str] = "webhook",
        within: Within | None = None,
    ) -> Page[Webhook]:
        """Newest first. kind: one or several; what other triggers register is kept in the same form. within: of whose
        workflows; None: all."""

    async def webhook(self, webhook_id: str) -> Webhook | None:
        """Of any kind."""

    async def webhooks_by_path(self, path: str, kind: str = "webhook") -> list[Webhook]: ...

    async def webhook_stats(self, webhook_id: str) -> WebhookStats: ...

    async def webhooks_stats(self, webhook_ids: Sequence[str]) -> dict[str, WebhookStats]:
        """Of each of these, by id; one that was never called is left out."""

    def add_call(self, call: NewCall) -> asyncio.Future[None]:
        """A call that started no execution (rejected)."""

    def count_calls(
        self, webhook_id: str, count: int, time: int, status: CallStatus = "pending"
    ) -> asyncio.Future[None]:
        """Calls that are counted but not kept. `pending`: nothing is known of their end."""

    def update_call(
        self, update: CallUpdate, delivery: tuple[Delivery, StoredAnswer] | None = None, owner: str | None = None
    ) -> asyncio.Future[None]:
        """The first final status counts as a success or a failure. owner: the incarnation that ran what the call has
        started. Raises `Fenced`, and changes nothing, when it is not alive."""

    async def calls(self, webhook_id: str, *, status: str | None, offset: int, limit: int) -> Page[StoredCall]:
        """Newest first."""

    async def delivery(self, webhook_id: str, key: str, now: int) -> StoredDelivery | None: ...
