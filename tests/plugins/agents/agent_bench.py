"""A catalog of agents of the tests' own, and the programs that its manifests name."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Coroutine
from pathlib import Path

from jackfield.api.agents import Agent
from jackfield.api.manifests import ManifestKind
from jackfield.core.manifests import KindLibrary
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext, FakeLibraries
from jackfield.testing.processes import is_running
from jackfield_agents.catalog import AgentCatalog
from jackfield_agents.settings import AgentSettings


class TaskContext(FakeContext):
    """Keeps its background tasks."""

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = super().spawn(name, coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tasks: set[asyncio.Task[None]] = set()


class Bench:
    """directories: bin (on PATH), home (HOME), config."""

    def __init__(self, root: Path) -> None:
        self.bin, self.home, self.config = root / "bin", root / "user", root / "config"
        for directory in (self.bin, self.home, self.config / "agents.d"):
            directory.mkdir(parents=True)
        self.clock = FakeClock()
        self.settings = AgentSettings(detection_timeout=5)
        self._contexts: list[TaskContext] = []
        self.restart()

    def restart(self) -> None:
        """A new daemon on the same directory."""
        self.context = TaskContext(self.config, clock=self.clock, tables=[self.settings])
        # Only the tests' manifests: `own` is in no directory but the user's.
        self.library = KindLibrary(ManifestKind("agents", Agent), self.config)
        self.library._directories = self.library._directories[:1]
        self.context.ports["ManifestLibraries"] = FakeLibraries({"agents": self.library})
        self.catalog = AgentCatalog(self.context)
        self.context.ports["Agents"] = self.catalog
        self._contexts.append(self.context)

    def program(self, name: str, script: str, directory: Path | None = None) -> Path:
        """A shell script that counts its starts."""
        path = (directory or self.bin) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho >> {self.bin}/{name}.starts\n{script}\n")
        path.chmod(0o755)
        return path

    def starts(self, name: str) -> int:
        with contextlib.suppress(FileNotFoundError):
            return len((self.bin / f"{name}.starts").read_text().splitlines())
        return 0

    def agent(self, name: str, *, commands: str | None = None, files: str = "[]", more: str = "") -> None:
        """A manifest; commands, files: TOML lists."""
        listed = f'["{name} --version"]' if commands is None else commands
        text = f'id = "{name}"\nname = "The {name}"\nbinary = "{name}"\n{more}\n'
        text += f"[detect]\ncommands = {listed}\nfiles = {files}\n"
        (self.config / "agents.d" / f"{name}.toml").write_text(text)

    async def settled(self) -> None:
        """Background work has ended."""
        while self.context.tasks:
            await asyncio.wait(set(self.context.tasks))

    async def close(self) -> None:
        tasks = [task for context in self._contexts for task in context.tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def gone(pid: int) -> bool:
    """Within five seconds."""
    for _ in range(500):
        if not is_running(pid):
            return True
        await asyncio.sleep(0.01)
    return False


def environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"]}
