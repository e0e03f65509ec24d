"""Listening triggers: node types that hold a connection over which a service sends its events.

A node type listens when it has the method `listen` beside those of `NodeType`. The plugin `triggers` opens the
connection while the workflow is live, at one of the daemons that share a store. It opens it again, later and later,
when it ends. An event is settled with the service only after its execution is stored. So a service that keeps events
until they are settled loses none; that none starts twice takes a `Heard.state` or `Heard.key`. See docs/triggers.md.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol, TypeAlias, cast, runtime_checkable

from ..binary import BinaryFiles
from ..jsontext import Json
from ..nodes import NodeType
from ..nodes.lists import CredentialAccess
from ..records import record
from ..workflows import Item, Node, Problem

Settled = Literal["stored", "success", "failed", "left"]
"""The fate of an event: its execution is stored. It has ended so, where `Heard.until_end` asks for that; or it is left
to the service, which may send it again."""
Settle: TypeAlias = Callable[[Settled], Awaitable[None]]


@record
class EventFiles:
    """Where files of one event are kept: `jackfield.api.nodes.files.kept_file` takes it as its run."""

    id: str
    binary: BinaryFiles


@record
class ListenRun:
    """The run that a connection gets.

    `node`: with values in place of its expressions. `ident`: letters, digits and `-`, the same for this node for as
    long as it is there. A name for whatever the service keeps for it. `state`: the node's own static data when the
    connection is opened, `{}` before anything was stored. `prefetch`: events that the service may send ahead, at least
    1. `test`: of one event that somebody waits for in the editor. Take nothing away from the connection of the live
    workflow, and do not change its memory. `now`: Unix ms. `files`: makes room for the files of one event.
    """

    node: Node
    ident: str
    timezone: str
    credentials: CredentialAccess
    state: Mapping[str, Json]
    files: Callable[[], EventFiles]
    log: logging.Logger
    now: int
    prefetch: int
    test: bool = False


@record
class Heard:
    """One event, or several that start one execution.

    `items`: empty: nothing starts, but `state` is kept. `state`: what the node remembers from now on, stored in the
    transaction that stores the execution; None: no change. `key`: the event's own id, so that a repetition of it starts
    nothing within `triggers.remember_hours`. Not beside a state. `files`: where files of the items are. `settle`: tells
    the service, after the execution is stored, or with `until_end` after it has ended.
    """

    items: Sequence[Item]
    state: Mapping[str, Json] | None = None
    key: str = ""
    files: EventFiles | None = None
    settle: Settle | None = None
    until_end: bool = False


@runtime_checkable
class ListeningNode(Protocol):
    """The methods of a node type beside `NodeType` when it listens. `ListeningBase` has the last two."""

    def listen(self, run: ListenRun) -> AbstractAsyncContextManager[AsyncIterator[Heard]]:
        """Open the connection; leaving the context closes it. Iteration waits for events; its end, as well as any
        exception, is the end of the connection, after which another is opened. Each event is taken after the one before
        it is stored. Raises `ServiceRefusal` and `NodeError`, whose messages are shown."""

    async def leave(self, run: ListenRun) -> None:
        """The workflow went, or wants something else: take away what the service keeps for this node. The connection is
        closed by then. Called again later when it raises."""

    def listen_problems(self, node: Node) -> Sequence[Problem]:
        """Why a node with these parameters, expressions resolved, must not go live; paths are below the node."""


class ListeningBase:
    """Of a node for which its service keeps nothing."""

    async def leave(self, run: ListenRun) -> None:
        """Nothing is kept."""

    def listen_problems(self, node: Node) -> Sequence[Problem]:
        return []


def event_items(value: Json) -> list[Item]:
    """As n8n makes items of an event's data: each entry of a list is one, and an object with an object `json` is one
    already."""
    return [_event_item(entry) for entry in (value if isinstance(value, list) else [value])]


def _event_item(value: Json) -> Item:
    inner = value.get("json") if isinstance(value, dict) else None
    if isinstance(inner, dict):
        return {"json": inner}
    return {"json": value if isinstance(value, dict) else {"data": value}}


def listening_node(node_type: NodeType | None) -> ListeningNode | None:
    """The same as a `ListeningNode`, when it is one."""
    return cast("ListeningNode", node_type) if hasattr(node_type, "listen") else None
