"""Cases in which a trigger of a service is compared with n8n's own node: what both ask of the service, and the items
that both make of its events."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SECRET = "5" * 64
"""Of every subscription."""
MOMENT = time.time()
"""Of every signed event, and of both sides' clocks when they read one: services let a signature hold for minutes, and
a whole run takes longer."""


@dataclass(frozen=True)
class Reply:
    """What the service answers at a path, to any request of this method; empty: of each method."""

    path: str
    body: Any = None
    method: str = ""
    status: int = 200


@dataclass(frozen=True)
class Event:
    """A call of the service. signed: headers over the raw body, as the service makes them; query: of its address.
    ours: what our address has besides, such as a secret; refused: it lacks its proof, which n8n's node takes or passes
    over in silence. inside: where n8n's reader of bodies puts this form. webhook: n8n's name of the call."""

    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    method: str = "POST"
    ours: Mapping[str, str] = field(default_factory=dict)
    refused: bool = False
    webhook: str = "default"
    inside: str = ""


@dataclass(frozen=True)
class TriggerCase:
    """kind: of the node, whose version and parameters are those of both sides. credentials: kind -> values, the first
    of which is used here. base: address of the service behind its host, such as `/v1`. hidden: keys of request bodies
    and queries that differ on purpose, such as a description with the product's name. state: what n8n's node keeps of
    its subscription, for events and the end; before: what it keeps before it subscribes, where that differs. besides:
    methods and paths that only our subscription asks, and n8n's when it looks whether there is one; only_theirs: that
    n8n alone asks. unlike: why requests are not compared; empty: they are."""

    kind: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    version: float = 1
    credentials: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    base: str = ""
    replies: Sequence[Reply] = ()
    events: Sequence[Event] = ()
    hidden: frozenset[str] = frozenset()
    state: Mapping[str, Any] = field(default_factory=dict)
    besides: frozenset[tuple[str, str]] = frozenset()
    only_theirs: frozenset[tuple[str, str]] = frozenset()
    before: Mapping[str, Any] | None = None
    unlike: str = ""
    name: str = ""

    @property
    def label(self) -> str:
        return f"{self.kind} {self.name}".strip()
