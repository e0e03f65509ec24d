"""What the tests of usage share."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from port_lab import FakeAgents, FakeLayers, ListSink
from usage_lab import Books

from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield_telemetry.background import stop
from jackfield_telemetry.readers.claude import ClaudeReader


@pytest.fixture
def books(tmp_path: Path) -> Iterator[Books]:
    made = Books(tmp_path)
    yield made
    made.ledger.close()


@pytest.fixture
async def context(tmp_path: Path) -> AsyncIterator[FakeContext]:
    made = FakeContext(tmp_path / "config", clock=FakeClock())
    made.ports.update(
        Agents=FakeAgents(),
        Layers=FakeLayers(),
        jackfield_usage_readers=[ClaudeReader()],
        jackfield_telemetry_sinks=[ListSink()],
    )
    yield made
    await stop(made)
