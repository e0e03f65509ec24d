"""Figures of usage for `/metrics`, and requests that proxies have served."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from port_lab import FakeLayers, launch
from usage_lab import claude_line

from jackfield.api.clock import iso
from jackfield.api.records import replace
from jackfield.api.telemetry import Tokens, UsageEntry
from jackfield.testing.context import FakeContext
from jackfield_telemetry import metrics as figures
from jackfield_telemetry.metrics import metrics
from jackfield_telemetry.recorder import UsageRecorder
from jackfield_telemetry.service import UsageService


def served(answer: str, model: str = "m-one", agent: str = "claude") -> UsageEntry:
    return UsageEntry(agent, answer, "s", 1_769_860_800_000, model, Tokens(100, 10, 5, 7))


@pytest.fixture
def port(context: FakeContext) -> UsageRecorder:
    made = UsageRecorder(context)
    context.ports["Usage"] = made
    return made


def samples(context: FakeContext, name: str) -> dict[tuple[str, ...], float]:
    """Of one name; by the values of the labels."""
    return {tuple(one.labels.values()): one.value for one in metrics(context) if one.name == name}


async def test_another_plugins_port_has_no_samples_of_ours(context: FakeContext) -> None:
    context.ports["Usage"] = object()
    assert metrics(context) == []


async def test_proxied_tokens_are_counted_by_kind(context: FakeContext, port: UsageRecorder) -> None:
    await asyncio.gather(*(port.proxied(served(f"m{number}")) for number in range(20)))
    assert samples(context, "usage_tokens_total") == {
        ("claude", "m-one", "input"): 2000,
        ("claude", "m-one", "output"): 200,
        ("claude", "m-one", "cache_creation"): 100,
        ("claude", "m-one", "cache_read"): 140,
    }
    assert samples(context, "usage_cost_usd_total") == {}
    assert all(one.kind == "counter" and one.name.endswith("_total") for one in metrics(context))


async def test_a_runs_tokens_and_cost_are_counted(context: FakeContext, port: UsageRecorder, tmp_path: Path) -> None:
    (tmp_path / "pricing").mkdir()
    prices = {"m-one": {"input_cost_per_token": 1e-3, "output_cost_per_token": 1e-2}}
    (tmp_path / "pricing" / "litellm.json").write_text(json.dumps(prices))
    context.ports["Layers"] = FakeLayers([tmp_path / "pricing"])
    log = tmp_path / "home" / ".claude" / "projects" / "one.jsonl"
    log.parent.mkdir(parents=True)
    log.write_bytes(claude_line("m", "r", (7, 1, 0, 0), timestamp=iso(context.clock.now_ms())))
    await port.run_ended(launch(context, tmp_path / "home"), 0)
    assert samples(context, "usage_tokens_total")["claude", "m-one", "input"] == 7
    assert samples(context, "usage_cost_usd_total") == {("claude",): pytest.approx(0.017)}


async def test_the_number_of_samples_is_bounded(
    context: FakeContext, port: UsageRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "MOST_LABELS", 8)
    for number in range(5):
        await port.proxied(served(f"m{number}", model=f"model-{number}"))
    found = samples(context, "usage_tokens_total")
    assert {labels[1] for labels in found} == {"model-0", "model-1", "other"}
    assert found["claude", "other", "input"] == 300


async def test_what_a_proxy_has_served_is_on_the_disk_when_that_is_said(
    context: FakeContext, port: UsageRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, durable = context.port(UsageService).ledger, list[int]()
    real = ledger.write_durably

    def watched(work: Callable[[sqlite3.Connection], object]) -> object:
        def looked(connection: sqlite3.Connection) -> object:
            durable.extend(connection.execute("PRAGMA synchronous").fetchone())
            return work(connection)

        return real(looked)

    monkeypatch.setattr(ledger, "write_durably", watched)
    await port.proxied(served("m"))
    assert durable == [2]  # FULL
    assert ledger.write(lambda connection: connection.execute("PRAGMA synchronous").fetchone()) == (1,)


async def test_a_proxied_request_that_cannot_be_stored_is_not_counted(
    context: FakeContext, port: UsageRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(work: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(context.port(UsageService).ledger, "write_durably", fail)
    with pytest.raises(OSError, match="no space left"):
        await port.proxied(served("m"))
    assert metrics(context) == []


async def test_an_answer_costs_what_the_list_says(context: FakeContext, port: UsageRecorder, tmp_path: Path) -> None:
    (tmp_path / "pricing").mkdir()
    prices = {"m-one": {"input_cost_per_token": 1e-3, "output_cost_per_token": 1e-2}}
    (tmp_path / "pricing" / "litellm.json").write_text(json.dumps(prices))
    context.ports["Layers"] = FakeLayers([tmp_path / "pricing"])
    found = await port.cost_of(served("m"))
    assert found is not None
    assert (found.input, found.output) == (pytest.approx(0.1), pytest.approx(0.1))
    assert await port.cost_of(served("m", model="mystery")) is None


async def test_what_a_profiles_proxy_has_served_since_then(
    context: FakeContext, port: UsageRecorder, tmp_path: Path
) -> None:
    (tmp_path / "pricing").mkdir()
    (tmp_path / "pricing" / "litellm.json").write_text(json.dumps({"m-one": {"input_cost_per_token": 1e-3}}))
    context.ports["Layers"] = FakeLayers([tmp_path / "pricing"])
    entries = [
        replace(served("m1"), profile="p", time_ms=1000),
        replace(served("m2"), profile="p", time_ms=2000),
        replace(served("m3", model="mystery"), profile="p", time_ms=3000),
        replace(served("m4"), profile="q", time_ms=2000),
    ]
    await asyncio.gather(*map(port.proxied, entries))
    found = await port.spent("p", 2000)
    assert (found.tokens.total, found.unpriced) == (2 * 122, ["mystery"])
    assert found.cost.total == pytest.approx((100 + 5 + 7) * 1e-3)
    assert (await port.spent("nobody", 0)).tokens.total == 0
