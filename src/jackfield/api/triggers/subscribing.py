"""Subscribing triggers: node types that have a service send its events to an address of this daemon.

A node type subscribes when it has the methods of `SubscribingNode` beside those of `NodeType`. The plugin `triggers`
calls them. It subscribes when a workflow goes live, checks after each start and repairs lost subscriptions, and renews
before the end. It unsubscribes when the workflow goes, again and again until the service has answered. The plugin
stores its knowledge of a subscription before and after each step, sealed. Events come in at n8n's addresses,
`/webhook/{webhookId}/webhook`. See docs/triggers.md.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import field
from typing import Protocol, cast, runtime_checkable

from ..binary import BinaryFiles
from ..jsontext import Json
from ..nodes import NodeType
from ..nodes.lists import CredentialAccess
from ..records import record
from ..webhooks import WebhookCall
from ..workflows import Item, Node, Problem

PATH = "webhook"
"""The last segment of an event's address, as all of n8n's vendors have it."""


@record
class SubscriptionRun:
    """The run that each method gets.

    `node`: as it was when the subscription was made, with values in place of its expressions. After a change of the
    workflow, the plugin ends the old subscription with the old node. `url`: where events come in. `secret`: 64 letters
    and digits, of this subscription alone. `state`: what the node remembers of the subscription, such as its id at the
    service; plain JSON, changed in place and stored sealed. `now`: Unix ms. `test`: of one event that somebody waits
    for in the editor.
    """

    node: Node
    timezone: str
    credentials: CredentialAccess
    url: str
    secret: str
    state: MutableMapping[str, Json]
    log: logging.Logger
    now: int
    test: bool = False


@record
class Subscribed:
    """expires: Unix ms at which the service ends the subscription by itself; None: never."""

    expires: int | None = None


@record
class EventCall:
    """One request to the subscription's address.

    `call`: as it came, for proofs. `query`: the first value of each name. `body`: as JSON, a form as an object of
    texts, else None. `binary`: where files of the items are kept.
    """

    call: WebhookCall
    query: Mapping[str, str]
    body: Json
    binary: BinaryFiles


@record
class EventAnswer:
    """The answer that the service gets."""

    status: int = 200
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b'{"message":"Workflow was started"}'
    content_type: str = "application/json"


@record
class Received:
    """`items`: of the execution that the call starts; None: it starts none, as with a challenge.

    `delivery`: the id that the service gives the event, so that a repetition of it starts nothing; empty: it gives
    none. `output`: of the node that gives the items.
    """

    items: Sequence[Item] | None
    answer: EventAnswer = field(default_factory=EventAnswer)
    delivery: str = ""
    output: int = 0


@runtime_checkable
class SubscribingNode(Protocol):
    """The methods of a node type beside `NodeType` when it subscribes.

    Each method raises `ServiceRefusal` for a refusal of the service and `NodeError` for anything else that the user can
    repair. The plugin calls all but `receive` again later.
    """

    async def subscribe(self, run: SubscriptionRun) -> Subscribed:
        """Have events sent to `run.url` from now on."""

    async def check(self, run: SubscriptionRun) -> bool:
        """Whether the service still has it, with `run.url`. True fills what `run.state` lacks: a process may have ended
        between the service's answer and its storage."""

    async def renew(self, run: SubscriptionRun) -> Subscribed:
        """Before it expires."""

    async def unsubscribe(self, run: SubscriptionRun) -> None:
        """A subscription that the service does not know any more counts as done."""

    async def receive(self, run: SubscriptionRun, event: EventCall) -> Received:
        """Verify the call and say what it starts. Raises `WebhookUnauthorized` for a bad proof."""

    def subscription_problems(self, node: Node) -> Sequence[Problem]:
        """Why a node with these parameters, expressions resolved, must not go live; paths are below the node."""


@runtime_checkable
class ProvingNode(Protocol):
    """The methods of a `SubscribingNode` beside those when it knows whether events can be made up."""

    async def unproven(self, run: SubscriptionRun) -> str:
        """Why whoever knows the address can make events up, with the remedy, as sentences; empty: nobody can. Raises
        `NodeError`."""


def proving_node(node_type: object) -> ProvingNode | None:
    """The same as a `ProvingNode`, when it is one."""
    return cast("ProvingNode", node_type) if hasattr(node_type, "unproven") else None


def subscribing_node(node_type: NodeType | None) -> SubscribingNode | None:
    """The same as a `SubscribingNode`, when it is one."""
    return cast("SubscribingNode", node_type) if hasattr(node_type, "subscribe") else None
