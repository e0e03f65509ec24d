"""Traces and metrics reach an OTLP collector on the loopback address, and no collector is no trouble."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from otel_lab import Collector, values

from jackfield.api.records import replace
from jackfield.api.telemetry import Cost, ExecutionEnded, ProxiedRequest, RunEnded, RunUsage, Tokens
from jackfield.api.tracing import TraceContext, below
from jackfield.testing.context import FakeContext
from jackfield.testing.daemon import Daemon, free_port
from jackfield_telemetry.metrics import MOST_LABELS, UsageCounts, metrics
from jackfield_telemetry.otel.exporter import ExportFailed
from jackfield_telemetry.otel.sink import MISSING, OtlpSink, findings
from jackfield_telemetry.settings import TelemetrySettings

USAGE = RunUsage(Tokens(10, 20, 30, 40), Cost(1.5), ["m-one"])
STARTED = 1_767_225_600_000
RUN = RunEnded("run-1", "mine", "claude", "anthropic", "m-one", "profile_run", STARTED, STARTED + 5000, 0, USAGE)


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.server.shutdown()
    made.server.server_close()


def context_of(root: Path, **settings: object) -> FakeContext:
    return FakeContext(root, tables=[TelemetrySettings.model_validate(settings)])


def sink_of(context: FakeContext) -> OtlpSink:
    made = OtlpSink(context, context.settings(TelemetrySettings))  # type: ignore[arg-type]
    context.ports["jackfield_telemetry_sinks"] = [made]
    return made


async def test_a_run_is_a_span_and_counts(collector: Collector, tmp_path: Path) -> None:
    context = context_of(tmp_path, otlp_endpoint=collector.url, otlp_headers={"X-Key": "secret-key"})
    sink = sink_of(context)
    await sink.take([RUN, replace(RUN, exit_code=3, usage=None)])
    await sink.close()
    good, bad = collector.spans
    assert good.name == "invoke_agent mine"
    assert good.start_time_unix_nano == STARTED * 1_000_000
    assert good.end_time_unix_nano == (STARTED + 5000) * 1_000_000
    assert {name: values(good)[name] for name in values(good) if name.startswith("gen_ai.")} == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.id": "claude",
        "gen_ai.agent.name": "mine",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "m-one",
        "gen_ai.response.model": "m-one",
        "gen_ai.usage.input_tokens": 80,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_creation.input_tokens": 30,
        "gen_ai.usage.cache_read.input_tokens": 40,
    }
    assert (values(good)["jackfield.cost.usd"], values(bad)["process.exit.code"]) == (1.5, 3)
    assert (good.status.code, bad.status.code) == (0, 2)
    assert collector.sum_of("jackfield.runs") == 2
    assert collector.sum_of("jackfield.usage.tokens") == 100
    assert collector.sum_of("jackfield.usage.cost") == 1.5
    assert collector.keys == {"secret-key"}
    assert "secret-key" in context.secrets.redacted


async def test_a_proxied_request_is_a_call_of_a_model(collector: Collector, tmp_path: Path) -> None:
    sink = sink_of(context_of(tmp_path, otlp_endpoint=collector.url))
    served = ProxiedRequest(
        "req-1", "mine", "anthropic", "m-one", "asked", 200, STARTED + 2000, 2000, 500, tokens=Tokens(10, 20, 30, 40),
        cost=1.5, stream=True, key="key-1",
    )  # fmt: skip
    await sink.take([served, replace(served, status=429, tokens=None, stream=False, error="too many")])
    await sink.close()
    good, bad = collector.spans
    assert (good.name, good.kind, good.status.code, bad.status.code) == ("chat m-one", 3, 0, 2)
    assert (good.start_time_unix_nano, good.end_time_unix_nano) == (STARTED * 1_000_000, (STARTED + 2000) * 1_000_000)
    found = values(good)
    assert (found["gen_ai.usage.input_tokens"], found["gen_ai.usage.output_tokens"]) == (80, 20)
    assert (found["jackfield.key.id"], found["jackfield.request.model"]) == ("key-1", "asked")
    assert (values(bad)["error.type"], "gen_ai.usage.input_tokens" in values(bad)) == ("429", False)
    spreads = {metric.name: metric.histogram.data_points for metric in collector.metrics}
    assert sum(point.count for point in spreads["gen_ai.client.operation.duration"]) == 2
    (first,) = spreads["gen_ai.client.operation.time_to_first_chunk"]
    assert (first.count, first.sum) == (1, 0.5)
    assert sorted(point.sum for point in spreads["gen_ai.client.token.usage"]) == [20, 80]
    assert min(first.explicit_bounds) == 0.01


async def test_a_collector_that_hangs_does_not_hold_up_the_stop(collector: Collector, tmp_path: Path) -> None:
    collector.delay = 30
    sink = sink_of(context_of(tmp_path, otlp_endpoint=collector.url, otlp_timeout=0.3))
    with pytest.raises(ExportFailed):  # which the sink's queue counts
        await sink.take([RUN])
    start = time.monotonic()
    await sink.close()
    assert time.monotonic() - start < 5
    await sink.take([RUN])  # after the end nothing is done


async def test_without_the_extra_it_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in [
        name for name in sys.modules if name.startswith(("opentelemetry", "jackfield_telemetry.otel.exporter"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    context = context_of(tmp_path, otlp_endpoint="http://127.0.0.1:9")
    sink = sink_of(context)
    await sink.take([RUN])
    await sink.take([RUN])
    await sink.close()
    assert [record.getMessage() for record in caplog.records] == [MISSING]
    (found,) = findings(context)  # type: ignore[arg-type]
    assert (found.good, found.message) == (False, MISSING)


def test_where_no_endpoint_is_set_nothing_is_said(tmp_path: Path) -> None:
    assert findings(context_of(tmp_path)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("endpoint", ["127.0.0.1:4318", "ftp://x", "http://user:pass@host", "http://host/?a=b"])
def test_a_bad_endpoint_is_refused(endpoint: str) -> None:
    with pytest.raises(ValueError, match="otlp_endpoint"):
        TelemetrySettings(otlp_endpoint=endpoint)


async def test_executions_count(collector: Collector, tmp_path: Path) -> None:
    sink = sink_of(context_of(tmp_path, otlp_endpoint=collector.url))
    await sink.take([ExecutionEnded("e1", "w1", "Triage", "webhook", "failed", 1000, 4500)])
    await sink.close()
    assert collector.spans == []
    assert collector.sum_of("jackfield.executions") == 1


async def test_the_agent_s_run_and_its_requests_belong_to_the_execution(collector: Collector, tmp_path: Path) -> None:
    above = TraceContext("a" * 32, "b" * 16, True, "vendor=1")
    run = below(above)
    sink = sink_of(context_of(tmp_path, otlp_endpoint=collector.url))
    served = ProxiedRequest("q", "mine", "anthropic", "m", "m", 200, STARTED, 5, trace=run.own)
    not_sampled = below(replace(above, sampled=False))
    await sink.take([replace(RUN, span=run), served, replace(RUN, span=not_sampled)])
    await sink.close()
    agent, chat = collector.spans
    assert {agent.trace_id.hex(), chat.trace_id.hex()} == {"a" * 32}
    assert (agent.parent_span_id.hex(), chat.parent_span_id) == ("b" * 16, agent.span_id)
    assert (agent.trace_state, chat.trace_state) == ("vendor=1", "vendor=1")


def test_a_daemon_without_its_collector_stops_in_time(tmp_path: Path) -> None:
    settings = f'[telemetry]\notlp_endpoint = "http://127.0.0.1:{free_port()}"\notlp_timeout = 1\n'
    daemon = Daemon(tmp_path, settings=settings)
    try:
        daemon.start()
        start = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - start < 10
    finally:
        daemon.close()


def test_ended_runs_are_metrics(tmp_path: Path) -> None:
    context = context_of(tmp_path)
    counts = context.port(UsageCounts)  # type: ignore[arg-type]
    for code in (0, 0, 1):
        counts.count_run("claude", "profile_run", code)
    assert {(m.labels["agent"], m.labels["result"], m.value) for m in metrics(context)} == {  # type: ignore[arg-type]
        ("claude", "success", 2),
        ("claude", "failure", 1),
    }
    for number in range(MOST_LABELS + 5):
        counts.count_run(f"agent{number}", "profile_run", 0)
    assert len(counts.metrics()) == MOST_LABELS + 1
