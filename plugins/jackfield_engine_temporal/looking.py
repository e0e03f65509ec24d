"""Looking for open executions that Temporal does not know, or for which it does nothing. They are those of another
engine, of a daemon that died before it had told, and of a workflow that somebody has ended in Temporal."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from temporalio.client import Client

from jackfield.api.clock import Clock
from jackfield.api.engine import ConductedEngine
from jackfield.api.storage import OpenStatus, Store
from jackfield_engine_temporal.telling import Telling

PAGE = 200


class Looking:
    """The store says what is open."""

    def __init__(self, store: Store, clock: Clock, engine: ConductedEngine, telling: Telling) -> None:
        self._store = store
        self._clock = clock
        self._engine = engine
        self._telling = telling

    async def look(self, client: Client) -> None:
        """At what may go on, waits that are over included. Raises RPCError, `StoreUnavailable`."""
        await self._look_at(client, self._open(("queued", "running")))
        await self._look_at(client, self._open(("waiting",), due=self._clock.now_ms()))

    async def _look_at(self, client: Client, executions: AsyncIterator[str]) -> None:
        async for execution_id in executions:
            if await self._telling.is_idle(client, execution_id):
                self._telling.idle(execution_id)

    async def take_over(self, client: Client) -> None:
        """At all of them. Raises RPCError, `StoreUnavailable`."""
        await self.look(client)
        async for execution_id in self._open(("waiting",)):
            self._telling.known(execution_id)

    async def _open(self, statuses: Sequence[OpenStatus], due: int | None = None) -> AsyncIterator[str]:
        after: str | None = None
        while ids := await self._store.open_executions(statuses=statuses, after=after, limit=PAGE, due=due):
            for execution_id in ids:
                if self._engine.is_conducted(execution_id):
                    yield execution_id
            after = ids[-1]
