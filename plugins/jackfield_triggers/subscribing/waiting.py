"""The callers that wait for a test event, and the address of each."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.records import state
from jackfield.api.workflows import Item
from jackfield_triggers.subscribing.records import SubscriptionRecord

MOST = 100
"""How many callers wait at the same time."""


@state
class TestWait:
    """kept: the subscription, as soon as it is stored. items: of the event."""

    __test__ = False  # its name is no test's

    items: asyncio.Future[Sequence[Item]]
    kept: SubscriptionRecord | None = None


class TestEvents:
    """Part of the plugin, of the daemon's first process: test addresses are served there."""

    __test__ = False

    def __init__(self, context: PluginContext) -> None:
        self._waits: dict[str, TestWait] = {}

    @contextlib.contextmanager
    def waiting(self, ident: str) -> Iterator[TestWait]:
        """At this address. Raises `Conflict` while somebody else does."""
        if ident in self._waits or len(self._waits) >= MOST:
            raise Conflict("Somebody waits for a test event of this node already; try again later.")
        wait = self._waits[ident] = TestWait(asyncio.get_running_loop().create_future())
        try:
            yield wait
        finally:
            del self._waits[ident]
            wait.items.cancel()

    def find(self, ident: str) -> TestWait | None:
        return self._waits.get(ident)
