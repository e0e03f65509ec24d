"""Polling triggers: node types that ask a service again and again what is new there.

A node type polls when it has the method `poll` beside those of `NodeType`. The plugin `triggers` calls it at the times
of the node's parameter `pollTimes` (n8n's), one poll of a node at a time. One of the daemons that share a store does
it. `PollRun.state`, as `poll` leaves it, is stored in the transaction that stores the execution of its items. So an
event is neither lost nor told twice, whenever a process ends. See docs/triggers.md.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Protocol, cast, runtime_checkable

from ..binary import BinaryFiles
from ..jsontext import Json
from ..nodes import NodeType
from ..nodes.lists import CredentialAccess
from ..records import record
from ..workflows import Item, Node, Problem, Workflow

POLL_TIMES = "pollTimes"
"""n8n's parameter of all polling triggers: `{item: [{mode, hour, minute ...}]}`."""


@record
class PollRun:
    """The run that one poll gets.

    `node`: with values in place of its expressions. `state`: the node's own static data, `{}` before the first poll.
    Change it in place: plain JSON, as little as possible. It is thrown away when `poll` raises, and in a test. `test`:
    somebody wants to see the newest items, whatever was seen before. `now`: Unix ms. `limit`: items that one execution
    may begin with; of more that are new give the oldest and say `Polled.more`. `pages`: requests of a list that a poll
    may send. `binary`: where files of the items are kept (`jackfield.api.nodes.files.kept_file` takes this object as
    its run).
    """

    node: Node
    workflow: Workflow
    timezone: str
    credentials: CredentialAccess
    state: MutableMapping[str, Json]
    binary: BinaryFiles
    log: logging.Logger
    now: int
    limit: int
    pages: int
    test: bool = False

    @property
    def first(self) -> bool:
        """Nothing was seen yet: a poll then takes what is there as seen, and gives no items."""
        return not self.state and not self.test


@record
class Polled:
    """The new items, in the order in which the workflow gets them; empty: nothing.

    `more`: the service has more that is new, so that it is asked again at once. `left_out`: a sentence that says what
    is lost, such as more pages than may be read. It is shown beside the trigger.
    """

    items: Sequence[Item] = ()
    more: bool = False
    left_out: str = ""


@runtime_checkable
class PollingNode(Protocol):
    """The methods of a node type beside `NodeType` when it polls."""

    async def poll(self, run: PollRun) -> Polled:
        """Ask once. Raises `ServiceRefusal` for a refusal, after which it is asked later and later, and `NodeError` for
        anything else that the user can repair."""

    def poll_problems(self, node: Node) -> Sequence[Problem]:
        """Why a node with these parameters, expressions resolved, must not go live; paths are below the node."""


def polling_node(node_type: NodeType | None) -> PollingNode | None:
    """The same as a `PollingNode`, when it is one."""
    return cast("PollingNode", node_type) if hasattr(node_type, "poll") else None


class PollTimes(Protocol):
    """When a node polls."""

    text: str
    """As a sentence, such as `Every minute`."""

    def after(self, moment: int) -> int | None:
        """The first moment after this one at which it is due, Unix ms; None: never again."""


class PollTimesReader(Protocol):
    """The port that reads `pollTimes`, with all modes that n8n has."""

    def read(self, value: Json, timezone: str, since: int) -> tuple[PollTimes | None, Mapping[str, str]]:
        """value: of the parameter; None: every minute. since: Unix ms from which steps that fit no day are counted.
        Gives what is wrong by the path below the parameter; without times something is."""
