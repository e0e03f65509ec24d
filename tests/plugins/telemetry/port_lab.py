"""What the port needs of a daemon."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jackfield.api.agents import Agent, UsageLog
from jackfield.api.profiles import Launch, Profile
from jackfield.api.telemetry import ExecutionEnded, ExecutionStarted, ProxiedRequest, RunEnded, TelemetryRecord
from jackfield.testing.context import FakeContext


@dataclass
class FakeAgents:
    """All but `mute` keep a log."""

    async def find(self, id: str) -> Agent:
        if id == "mute":
            return Agent(id=id, binary=id)
        return Agent(id=id, binary="claude", usage=UsageLog(reader="claude", directory="{home}/.claude"))


@dataclass
class FakeLayers:
    """pricing: directories with a list of prices."""

    pricing: list[Path] = field(default_factory=list)

    def directories(self, folder: str) -> list[Path]:
        return self.pricing if folder == "pricing" else []


class ListSink:
    """Keeps what it was given."""

    takes: Collection[type] = frozenset({RunEnded, ExecutionStarted, ExecutionEnded, ProxiedRequest})

    def __init__(self, name: str = "list") -> None:
        self.name = name
        self.records: list[TelemetryRecord] = []
        self.batches: list[int] = []
        self.closed = False

    async def take(self, batch: Sequence[TelemetryRecord]) -> None:
        self.records += batch
        self.batches.append(len(batch))

    async def close(self) -> None:
        self.closed = True


def launch(context: FakeContext, home: Path) -> Launch:
    profile = Profile("p", "claude", "acme", "main", "m-one", metadata={"profile_home": str(home)})
    return Launch("run-1", profile, "profile_run", ["claude"], {}, home, context.clock.now_ms())
