"""Telemetry sinks: what holds for every one.

class TestMine(SinkContract):
    @pytest.fixture
    def sink(self) -> MySink:
        return MySink(...)

    def delivered(self, sink: MySink) -> int:
        return the number of records that have arrived where the sink takes them
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from ...api.telemetry import (
    Cost,
    ExecutionEnded,
    ExecutionStarted,
    ProxiedRequest,
    RunEnded,
    RunUsage,
    TelemetryRecord,
    TelemetrySink,
    Tokens,
)

RECORDS: Sequence[TelemetryRecord] = (
    ExecutionStarted("e1", "w1", "Überprüfung", "webhook", 1_000),
    ExecutionEnded("e1", "w1", 'Line\nbreak, "quotes" and \\', "webhook", "failed", 1_000, 1_250),
    ExecutionEnded("e2", "w1", "", "trigger", "cancelled", None, 1_250),
    RunEnded("r1", "mine", "claude", "acme", "m-one", "profile_run", 1, 2, 0, RunUsage(Tokens(10, 5), Cost(0.25))),
    RunEnded("r2", "mine", "unknown", "acme", "m-one", "workflow", 1, 2, -9),
    ProxiedRequest("q1", "mine", "acme", "m-one", "best", 200, 2, 40, tokens=Tokens(1, 2), cost=0.5),
)
"""One of each kind, with texts that a careless sink breaks, and with what may be missing left out."""
LARGEST_BATCH = 500
PATIENCE = 10.0
"""Seconds for what a sink sends to arrive."""
LONGEST_HOLD = 0.5
"""Seconds that taking a batch may keep the event loop from everything else."""


class SinkContract:
    """Subclass it, give the fixture `sink` and `delivered`."""

    def delivered(self, sink: Any) -> int:  # Any: the sink of the subclass
        """The records that have arrived. It may block."""
        raise NotImplementedError("Count the records that have arrived where the sink takes them.")

    def _wanted(self, sink: TelemetrySink) -> list[TelemetryRecord]:
        return [record for record in RECORDS if isinstance(record, tuple(sink.takes))]

    async def _arrive(self, sink: TelemetrySink, count: int) -> None:
        found = -1
        try:
            async with asyncio.timeout(PATIENCE):
                while (found := await asyncio.to_thread(self.delivered, sink)) < count:
                    await asyncio.sleep(0.01)
        except TimeoutError:
            pytest.fail(f"{found} of {count} records have arrived within {PATIENCE:g} s")
        assert found == count

    async def test_it_says_its_name_and_the_records_that_it_takes(self, sink: TelemetrySink) -> None:
        assert sink.name
        assert sink.name == sink.name.strip()
        assert sink.takes, "a sink that takes nothing is of no use"
        assert set(sink.takes) <= {type(record) for record in RECORDS}
        await sink.close()

    async def test_every_record_that_it_takes_arrives(self, sink: TelemetrySink) -> None:
        records = self._wanted(sink)
        for record in records:
            await sink.take([record])
        await sink.close()
        await self._arrive(sink, len(records))

    async def test_a_large_batch_arrives_whole(self, sink: TelemetrySink) -> None:
        wanted = self._wanted(sink)
        batch = [wanted[place % len(wanted)] for place in range(LARGEST_BATCH)]
        await sink.take(batch)
        await sink.close()
        await self._arrive(sink, LARGEST_BATCH)

    async def test_it_keeps_nobody_waiting(self, sink: TelemetrySink) -> None:
        """It works on a thread, or by awaiting."""
        wanted = self._wanted(sink)
        loop = asyncio.get_running_loop()
        taking = asyncio.ensure_future(sink.take([wanted[0]] * LARGEST_BATCH))
        longest = 0.0
        while not taking.done():
            before = loop.time()
            await asyncio.sleep(0.001)
            longest = max(longest, loop.time() - before)
        await taking
        await sink.close()
        assert longest < LONGEST_HOLD, f"it held the event loop for {longest:.2f} s"

    async def test_it_does_not_change_what_it_is_given(self, sink: TelemetrySink) -> None:
        """Other sinks get the same records."""
        wanted = self._wanted(sink)
        before = [repr(record) for record in wanted]
        batch = list(wanted)
        await sink.take(batch)
        await sink.close()
        assert batch == wanted
        assert [repr(record) for record in wanted] == before

    async def test_its_end_needs_no_batch(self, sink: TelemetrySink) -> None:
        await sink.close()
        assert await asyncio.to_thread(self.delivered, sink) == 0
