"""Gives every record to every sink that wants its kind. A daemon without sinks has none of this."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.containment import told
from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Metric
from jackfield.api.limits import GRACE, contained, within
from jackfield.api.telemetry import TELEMETRY_SINKS, TelemetryRecord
from jackfield.api.tracing import Tracer
from jackfield_telemetry.settings import TelemetrySettings
from jackfield_telemetry.sinks.queue import SinkQueue
from jackfield_telemetry.sinks.records import TOPICS, EventRecords, without_secrets

PLACE = "jackfield_telemetry.sinks.feed:SinkFeed"
LAST_TURNS = 10
"""Turns of the event loop in which the last events become records."""


class SinkFeed:
    """The queues of one daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(TelemetrySettings)
        sinks = context.extensions(TELEMETRY_SINKS).values()
        self.queues = [SinkQueue(sink, self._settings, context.clock, context.log) for sink in sinks]
        self._following: asyncio.Task[None] | None = None
        self._delivering: list[asyncio.Task[None]] = []
        self._missed = 0

    def start(self) -> None:
        spawn = self._context.spawn
        self._delivering = [spawn(f"telemetry sink {queue.sink.name}", queue.deliver()) for queue in self.queues]
        wanted = {kind for queue in self.queues for kind in queue.takes}
        if self._context.service.worker:
            return  # its events are those of the first process, too
        if topics := sorted({topic for kind, topic in TOPICS.items() if kind in wanted}):
            self._following = spawn("telemetry of events", self._follow(topics))

    def offer(self, record: TelemetryRecord) -> None:
        """Never waits and never raises."""
        record = without_secrets(record, self._context.secrets.hide)
        for queue in self.queues:
            queue.offer(record)

    async def stop(self) -> None:
        """Sinks have `telemetry.sink_timeout` for what they have not taken yet, and again for their end, all of them at
        once."""
        if self._following is not None:
            for _ in range(LAST_TURNS):
                await asyncio.sleep(0)
            self._following.cancel()
        for queue in self.queues:
            queue.end()
        if self._delivering:
            _, late = await asyncio.wait(self._delivering, timeout=self._settings.sink_timeout)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=GRACE)
        for queue in self.queues:
            if len(queue):
                self._context.log.warning(
                    "%d records for the telemetry sink %s are lost: it did not take them before the daemon's end.",
                    len(queue), queue.sink.name,
                )  # fmt: skip
            queue.give_up()
        await asyncio.gather(*(self._close(queue) for queue in self.queues))

    def metrics(self) -> Sequence[Metric]:
        help = "Records for telemetry sinks: delivered, dropped from a full queue, or failed in the sink."  # noqa: A001
        counts = [
            Metric("telemetry_sink_records_total", help, "counter", count, {"sink": queue.sink.name, "result": result})
            for queue in self.queues
            for result, count in (
                ("delivered", queue.delivered),
                ("dropped", queue.dropped),
                ("failed", queue.failed),
            )
        ]
        help = "Records that wait for a telemetry sink."  # noqa: A001
        waiting = [
            Metric("telemetry_sink_queue", help, "gauge", len(queue), {"sink": queue.sink.name})
            for queue in self.queues
        ]
        help = "Events that were too many at once to become records for telemetry sinks."  # noqa: A001
        return [*counts, *waiting, Metric("telemetry_missed_events_total", help, "counter", self._missed)]

    async def _follow(self, topics: Sequence[str]) -> None:
        records = EventRecords(self._context.find_port(Tracer))
        with self._context.events.subscribe(*topics) as events:
            async for event in events:
                self._missed += events.missed()
                try:
                    record = records.of(event)
                except LookupError:  # an event of that name by another plugin
                    continue
                if record is not None:
                    self.offer(record)

    async def _close(self, queue: SinkQueue) -> None:
        try:
            await within(self._settings.sink_timeout, contained(queue.sink.close))
        except Exception as exc:  # of a stranger
            self._context.log.error("The telemetry sink %s failed at its end: %s", queue.sink.name, told(exc))


def start(context: PluginContext) -> None:
    """Where there is a sink."""
    context.port(SinkFeed).start()


async def stop(context: PluginContext) -> None:
    await context.port(SinkFeed).stop()
