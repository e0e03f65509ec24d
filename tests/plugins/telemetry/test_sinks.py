"""Records for the sinks of plugins: in order, bounded, counted, and without secrets. No sink holds up anything."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
from port_lab import ListSink, launch

from jackfield.api.context import PluginContext
from jackfield.api.events import Event
from jackfield.api.records import replace
from jackfield.api.telemetry import (
    ExecutionEnded,
    ExecutionStarted,
    ProxiedRequest,
    RunEnded,
    TelemetryRecord,
    TelemetrySink,
    Tokens,
)
from jackfield.core.events import LossyEventBus
from jackfield.testing.context import FakeContext
from jackfield_telemetry.recorder import UsageRecorder
from jackfield_telemetry.settings import TelemetrySettings
from jackfield_telemetry.sinks.feed import SinkFeed
from jackfield_telemetry.sinks.records import OPEN, EventRecords, without_secrets
from jackfield_telemetry.tracing.tracer import SinkTracer

RUN = RunEnded("run", "mine", "claude", "acme", "m-one", "profile_run", 1000, 3000, 0)
EXECUTION = {"id": "e1", "workflowId": "w1", "workflowName": "Triage", "mode": "webhook"}
REQUEST = {
    "profile": "mine", "id": "r1", "provider": "acme", "model": "m-one", "asked_model": "best", "status": 200,
    "attempts": 2, "duration_ms": 40, "first_byte_ms": 10, "cost_usd": 0.5, "error": None,
    "usage": {"input_tokens": 1, "output_tokens": 2, "cache_read_tokens": 3, "cache_creation_tokens": 4},
}  # fmt: skip


class RaisingSink(ListSink):
    async def take(self, batch: Sequence[TelemetryRecord]) -> None:
        await super().take(batch)
        raise OSError("the disk is full")


class StubbornSink(ListSink):
    """Does not end when it is cancelled, before somebody lets it."""

    def __init__(self, name: str = "stubborn") -> None:
        super().__init__(name)
        self.let = asyncio.Event()

    async def take(self, batch: Sequence[TelemetryRecord]) -> None:
        await super().take(batch)
        while not self.let.is_set():
            try:
                await self.let.wait()
            except asyncio.CancelledError:
                continue

    async def close(self) -> None:
        await self.take([])


class Feeding:
    """A feed with these sinks, over a real bus of events."""

    def __init__(self, root: Path, *sinks: TelemetrySink, **settings: object) -> None:
        self.context = FakeContext(root, tables=[TelemetrySettings.model_validate(settings)])
        self.bus = LossyEventBus(self.context.clock)
        self.context.events = self.bus  # type: ignore[assignment]
        self.context.ports["jackfield_telemetry_sinks"] = list(sinks)
        self.feed = SinkFeed(cast("PluginContext", self.context))
        self.feed.start()

    def counts(self, sink: str) -> dict[str, float]:
        return {
            one.labels["result"]: one.value
            for one in self.feed.metrics()
            if one.name == "telemetry_sink_records_total" and one.labels["sink"] == sink
        }


async def until(condition: object) -> None:
    """Until the callable says so; tests have a time limit."""
    async with asyncio.timeout(20):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.01)


@pytest.fixture
def sink() -> ListSink:
    return ListSink()


async def test_events_become_records_in_their_order(tmp_path: Path, sink: ListSink) -> None:
    feeding = Feeding(tmp_path, sink)
    await until(lambda: feeding.bus.wanted("workflows") and feeding.bus.wanted("proxy"))
    feeding.bus.publish("workflows", "execution.started", EXECUTION)
    feeding.bus.publish("workflows", "workflow.saved", {"id": "w1"})
    feeding.bus.publish("workflows", "execution.finished", {**EXECUTION, "status": "failed"})
    feeding.bus.publish("proxy", "proxy_request", REQUEST)
    feeding.bus.publish("proxy", "proxy_request", {"of": "another plugin"})
    feeding.feed.offer(RUN)
    await feeding.feed.stop()
    kinds = [type(record) for record in sink.records if not isinstance(record, RunEnded)]
    assert kinds == [ExecutionStarted, ExecutionEnded, ProxiedRequest]
    (ended,) = (record for record in sink.records if isinstance(record, ExecutionEnded))
    assert (ended.execution_id, ended.workflow_name, ended.status, ended.mode) == ("e1", "Triage", "failed", "webhook")
    assert ended.duration_ms is not None
    (request,) = (record for record in sink.records if isinstance(record, ProxiedRequest))
    assert request == ProxiedRequest(
        "r1", "mine", "acme", "m-one", "best", 200, request.ended_ms, 40, 10, 2, Tokens(1, 2, 4, 3), 0.5
    )
    assert RUN in sink.records
    assert sink.closed
    assert feeding.counts("list") == {"delivered": 4, "dropped": 0, "failed": 0}


async def test_a_sink_gets_what_it_wants_and_nothing_is_asked_for_in_vain(tmp_path: Path, sink: ListSink) -> None:
    sink.takes = {RunEnded}
    feeding = Feeding(tmp_path, sink)
    feeding.feed.offer(ExecutionStarted("e", "w", "W", "test", 1))
    feeding.feed.offer(RUN)
    assert not feeding.bus.wanted("workflows")
    assert not feeding.bus.wanted("proxy")
    await feeding.feed.stop()
    assert sink.records == [RUN]


async def test_records_come_in_batches(tmp_path: Path, sink: ListSink) -> None:
    feeding = Feeding(tmp_path, sink, sink_batch=10)
    runs = [replace(RUN, run_id=str(number)) for number in range(25)]
    for run in runs:
        feeding.feed.offer(run)
    await feeding.feed.stop()
    assert sink.records == runs
    assert sink.batches == [10, 10, 5]


async def test_what_does_not_fit_is_dropped_and_counted_for_that_sink_alone(tmp_path: Path, sink: ListSink) -> None:
    slow = StubbornSink("slow")
    feeding = Feeding(tmp_path, slow, sink, sink_queue=5, sink_batch=1, sink_timeout=60)
    feeding.feed.offer(RUN)
    await until(lambda: slow.batches)
    for number in range(8):
        feeding.feed.offer(RUN)
        await until(lambda number=number: len(sink.records) == number + 2)
    assert feeding.counts("slow")["dropped"] == 3
    assert feeding.counts("list") == {"delivered": 9, "dropped": 0, "failed": 0}
    waiting = {m.labels["sink"]: m.value for m in feeding.feed.metrics() if m.name == "telemetry_sink_queue"}
    assert waiting == {"slow": 5, "list": 0}
    slow.let.set()
    await feeding.feed.stop()
    assert len(slow.records) == 6


async def test_one_that_raises_goes_on_and_is_told_once(
    tmp_path: Path, sink: ListSink, caplog: pytest.LogCaptureFixture
) -> None:
    raising = RaisingSink("raising")
    feeding = Feeding(tmp_path, raising, sink, sink_batch=1)
    for _ in range(3):
        feeding.feed.offer(RUN)
    await feeding.feed.stop()
    assert len(raising.records) == len(sink.records) == 3
    assert feeding.counts("raising") == {"delivered": 0, "dropped": 0, "failed": 3}
    (told,) = [record.getMessage() for record in caplog.records]
    assert "The telemetry sink raising failed" in told
    assert "OSError: the disk is full" in told


async def test_one_that_swallows_its_cancellation_holds_neither_the_others_nor_the_stop(
    tmp_path: Path, sink: ListSink, caplog: pytest.LogCaptureFixture
) -> None:
    stubborn = StubbornSink()
    feeding = Feeding(tmp_path, stubborn, sink, sink_batch=1, sink_timeout=0.1)
    for _ in range(3):
        feeding.feed.offer(RUN)
    await until(lambda: len(sink.records) == 3)
    await until(lambda: feeding.counts("stubborn")["failed"] == 1)
    start = time.monotonic()
    await feeding.feed.stop()
    assert time.monotonic() - start < 10
    assert sink.closed
    assert feeding.counts("stubborn") == {"delivered": 0, "dropped": 2, "failed": 1}
    assert "2 records for the telemetry sink stubborn are lost" in caplog.text
    stubborn.let.set()


async def test_a_run_waits_for_no_sink(context: FakeContext, tmp_path: Path) -> None:
    stubborn = StubbornSink()
    context.ports["jackfield_telemetry_sinks"] = [stubborn]
    context.port(SinkFeed).start()
    recorder = UsageRecorder(context)
    async with asyncio.timeout(20):
        await recorder.run_ended(launch(context, tmp_path / "home"), 3)
        await recorder.run_ended(launch(context, tmp_path / "home"), 0)
        await until(lambda: stubborn.batches)
    stubborn.let.set()
    await until(lambda: len(stubborn.records) == 2)
    first = stubborn.records[0]
    assert isinstance(first, RunEnded)
    assert (first.run_id, first.profile, first.exit_code, first.model) == ("run-1", "p", 3, "m-one")


def test_an_execution_counts_from_its_first_start() -> None:
    records = EventRecords(None)
    for moment in (1000, 3000):
        assert isinstance(records.of(Event("workflows", "execution.started", moment, EXECUTION)), ExecutionStarted)
    finished = Event("workflows", "execution.finished", 4500, {**EXECUTION, "status": "success"})
    first, second = records.of(finished), records.of(finished)
    assert isinstance(first, ExecutionEnded)
    assert isinstance(second, ExecutionEnded)
    assert (first.started_ms, first.duration_ms, second.started_ms, second.duration_ms) == (1000, 3500, None, None)
    for number in range(OPEN + 5):
        records.of(Event("workflows", "execution.started", 1, {**EXECUTION, "id": number}))
    assert len(records._started) == OPEN


@pytest.mark.parametrize(("callers", "found"), [(True, "1" * 32), (False, None)])
def test_a_proxied_request_has_the_span_that_its_client_names(tmp_path: Path, callers: bool, found: str | None) -> None:
    context = FakeContext(tmp_path, tables=[TelemetrySettings(trace_callers=callers)])
    records = EventRecords(SinkTracer(cast("PluginContext", context)))
    named = {"traceparent": f"00-{'1' * 32}-{'2' * 16}-01"}
    for data, expected in (({**REQUEST, **named}, found), (REQUEST, None), ({**REQUEST, "traceparent": "x"}, None)):
        made = records.of(Event("proxy", "proxy_request", 1, data))
        assert isinstance(made, ProxiedRequest)
        assert (made.trace and made.trace.trace_id) == expected


def test_names_that_hold_a_secret_are_masked() -> None:
    def hide(text: str) -> str:
        return text.replace("key-123456", "***")

    assert without_secrets(RUN, hide) is RUN
    named = replace(RUN, model="m-key-123456")
    assert without_secrets(named, hide) == replace(RUN, model="m-***")
