"""The daemon's side of Temporal, from the connection on: workers, reports, and looks. A server that does not answer is
asked again and again; until it does, calls are accepted and wait."""

from __future__ import annotations

import asyncio

from temporalio.client import Client
from temporalio.service import RPCError

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.engine import ConductedEngine
from jackfield.api.errors import StoreUnavailable
from jackfield_engine_temporal.activities import SegmentActivities
from jackfield_engine_temporal.connection import NoTemporal, check, connect
from jackfield_engine_temporal.looking import Looking
from jackfield_engine_temporal.settings import TemporalSettings
from jackfield_engine_temporal.telling import Telling
from jackfield_engine_temporal.workers import TemporalWorkers

_SUBJECT = "temporal"


class Serving:
    """Runs until it is cancelled."""

    def __init__(
        self, context: PluginContext, settings: TemporalSettings, engine: ConductedEngine, telling: Telling, host: str
    ) -> None:
        """host: task queue of this daemon."""
        self._log = context.log
        self._clock = context.clock
        self._settings = settings
        self._engine = engine
        self._telling = telling
        self._host = host
        self._looking = Looking(context.store, context.clock, engine, telling)
        self.standing = Finding(_SUBJECT, False, "Temporal's server was not reached yet.")
        """Whether the server answers; without ids and addresses, as anybody may ask for it."""
        self._told = ""

    async def run(self) -> None:
        while True:
            try:
                client = await connect(self._settings)
                self._is_up()
                await self._serve(client)
            except NoTemporal as exc:
                self._is_down(str(exc))
            except Exception as exc:  # a worker is refused in several ways; none of them may end the daemon's work
                self._log.debug("a worker of Temporal failed", exc_info=True)
                self._is_down(f"A worker cannot go on at Temporal's server ({type(exc).__name__})")
            await self._clock.sleep(self._settings.retry_interval)

    async def _serve(self, client: Client) -> None:
        activities = SegmentActivities(self._engine, self._host, self._settings.takeover_patience, self._log)
        workers = TemporalWorkers(
            client,
            self._settings,
            activities,
            host=self._host,
            slots=self._engine.slots,
            takes=self._engine.takes,
            clock=self._clock,
        )
        async with asyncio.TaskGroup() as group:
            group.create_task(workers.run())
            group.create_task(self._tell(client))
            group.create_task(self._look(client))

    async def _tell(self, client: Client) -> None:
        while True:
            try:
                await self._telling.run(client)
            except RPCError:
                await self._until_up(client)

    async def _look(self, client: Client) -> None:
        look = self._looking.take_over
        while True:
            try:
                await look(client)
                look = self._looking.look
            except (RPCError, StoreUnavailable):
                self._log.info("open executions are looked for again later")
            await self._clock.sleep(self._settings.look_interval)

    async def _until_up(self, client: Client) -> None:
        while True:
            try:
                await check(client, self._settings)
            except NoTemporal as exc:
                self._is_down(str(exc))
                await self._clock.sleep(self._settings.retry_interval)
            else:
                await self._clock.sleep(self._settings.retry_interval)
                return self._is_up()

    def _is_up(self) -> None:
        if self._told:
            self._log.warning("Temporal's server answers again.")
        self._told = ""
        self.standing = Finding(_SUBJECT, True, "Temporal's server answers.")

    def _is_down(self, message: str) -> None:
        """Once per outage and reason."""
        if message != self._told:
            self._log.error("%s. Executions are accepted, and begin once it does.", message)
        self._told = message
        self.standing = Finding(_SUBJECT, False, "Temporal's server does not answer; the daemon's log says more.")
