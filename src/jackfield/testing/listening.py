"""One connection of a node that listens, without a daemon."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..api.http_client import Authorization
from ..api.ids import new_id
from ..api.jsontext import Json
from ..api.nodes import NodeType
from ..api.triggers.listening import EventFiles, Heard, ListenRun, Settled, listening_node
from ..api.workflows import Item, Node
from .binary import MemoryFiles


@dataclass
class GivenCredentials:
    """`CredentialAccess` over values by kind."""

    values: Mapping[str, Mapping[str, str]]

    async def credential(self, kind: str) -> Mapping[str, str]:
        return self.values[kind]

    async def authorization(self, kind: str) -> Authorization:
        raise NotImplementedError("give values")


def listen_run(
    node_type: NodeType,
    parameters: Mapping[str, Json],
    *,
    version: float = 1,
    credentials: Mapping[str, Mapping[str, str]] | None = None,
    state: Mapping[str, Json] | None = None,
    now: int = 1_767_225_600_000,
    node_id: str = "n-1",
    test: bool = False,
) -> ListenRun:
    """The run that a connection of this node would get. `now`: Unix ms."""
    node = Node(node_id, "Trigger", node_type.kind, node_type.kind, version, dict(parameters))
    return ListenRun(
        node=node,
        ident=f"ident-{node_id}",
        timezone="UTC",
        credentials=GivenCredentials(credentials or {}),
        state=dict(state or {}),
        files=lambda: EventFiles(new_id(), MemoryFiles()),
        log=logging.getLogger("jackfield.test"),
        now=now,
        prefetch=10,
        test=test,
    )


@dataclass
class HeardEvents:
    """Events of an open connection, each settled when it was taken. state: what the node remembers by now."""

    events: AsyncIterator[Heard]
    state: dict[str, Any] = field(default_factory=dict)
    """Any: the test looks into it."""

    async def event(self, seconds: float = 10, settled: Settled = "stored") -> Heard:
        """The next one. Raises TimeoutError, StopAsyncIteration."""
        async with asyncio.timeout(seconds):
            heard = await anext(self.events)
        if heard.state is not None and settled != "left":
            self.state = dict(heard.state)
        if heard.settle is not None:
            await heard.settle(settled)
        return heard

    async def items(self, count: int, seconds: float = 10) -> list[Item]:
        """That many items, of as many events as it takes."""
        found: list[Item] = []
        while len(found) < count:
            found += (await self.event(seconds)).items
        return found

    async def json(self, count: int, seconds: float = 10) -> list[dict[str, Any]]:  # Any: as in the items
        return [item["json"] for item in await self.items(count, seconds)]


@contextlib.asynccontextmanager
async def listening(node_type: NodeType, run: ListenRun) -> AsyncIterator[HeardEvents]:
    """An open connection."""
    node = listening_node(node_type)
    if node is None:
        raise TypeError(f"{node_type.kind} does not listen")
    async with node.listen(run) as events:
        yield HeardEvents(events, dict(run.state))
