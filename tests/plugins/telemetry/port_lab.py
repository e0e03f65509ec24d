"""What the port needs of a daemon."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from jackfield.api.agents import Agent, UsageLog
from jackfield.api.profiles import Launch, Profile
from jackfield.api.telemetry import RunUsage
from jackfield.testing.context import FakeContext


@dataclass
class FakeAgents:
    async def find(self, id: str) -> Agent:
        return Agent(id=id, binary="claude", usage=UsageLog(reader="claude", directory="{home}/.claude"))


@dataclass
class FakeLayers:
    """pricing: directories with a list of prices."""

    pricing: list[Path] = field(default_factory=list)

    def directories(self, folder: str) -> list[Path]:
        return self.pricing if folder == "pricing" else []


@dataclass
class Sink:
    name: str = "sink"
    runs: list[RunUsage | None] = field(default_factory=list)

    async def run_ended(self, launch: Launch, exit_code: int, usage: RunUsage | None) -> None:
        self.runs.append(usage)
        raise OSError("it is not there")

    async def close(self) -> None: ...


def launch(context: FakeContext, home: Path) -> Launch:
    profile = Profile("p", "claude", "acme", "main", "m-one", metadata={"profile_home": str(home)})
    return Launch("run-1", profile, "profile_run", ["claude"], {}, home, context.clock.now_ms())
