"""The parts of the plugin, put together, and the two that wait on threads: imports, one at a time, and queries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TypeVar

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.manifests import Layers
from jackfield.api.telemetry import USAGE_READERS, UsageReader
from jackfield_telemetry.importing.imports import ImportEffort, ImportProgress, ImportResult, run_import
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.ledger.database import Ledger
from jackfield_telemetry.prices.price_list import Prices
from jackfield_telemetry.reports.periods import local_zone
from jackfield_telemetry.reports.queries import Pricing, UsageFilter
from jackfield_telemetry.reports.summary import UsageSummary, summarise
from jackfield_telemetry.sessions.aggregates import AggregatesFile
from jackfield_telemetry.sessions.log import SessionLog, damaged_lines
from jackfield_telemetry.settings import TelemetrySettings

T = TypeVar("T")
PROGRESS_SECONDS = 0.25
"""Least time between two reports of one import's progress."""
AGGREGATES_SECONDS = 60
"""Least time between two writings of `aggregates.json`: all the ledger is summed for it."""


class UsageService:
    """The services that routes, commands and the port share. Asynchronous methods do their work on threads."""

    def __init__(self, context: PluginContext) -> None:
        self.context = context
        self.settings = context.settings(TelemetrySettings)
        directory = context.service.config_dir / "telemetry"
        self.ledger = Ledger(directory / "ledger.db")
        self.log = SessionLog(directory / "sessions.jsonl")
        self.aggregates = AggregatesFile(directory / "aggregates.json")
        self._importing = asyncio.Lock()
        self._prices: Prices | None = None
        self._aggregated: float | None = None
        """When `aggregates.json` was written last, on the monotonic clock."""
        self._aggregating: asyncio.Task[None] | None = None
        self.progress: ImportProgress | None = None
        """Of the import that runs now."""

    # -- what is known

    def pricing(self) -> Pricing:
        """Blocks."""
        if self._prices is None:
            folders = self.context.port(Layers).directories("pricing")
            shipped = folders[-1] / "litellm.json" if folders else None
            registry = self.context.service.config_dir / "registry" / "litellm-pricing.json"
            self._prices = Prices(shipped, registry)
        return Pricing(self._prices.table(), self.settings.tiers, self.settings.cost)

    def settle(self) -> None:
        """Bring the ledger up to date with the log of sessions. Blocks; costs next to nothing when it is."""
        self.log.repair()
        self.ledger.write(self.log.take_in)

    def summary(self, where: UsageFilter, zone: tzinfo) -> UsageSummary:
        """Blocks."""
        pricing = self.pricing()
        self.settle()
        return self.ledger.read(lambda connection: summarise(connection, where, pricing, zone))

    def warnings(self) -> list[str]:
        """The damage: one sentence each, as of the last look. Blocks."""
        found = list(self._prices.problems()) if self._prices else []
        if self.ledger.trouble is not None:
            found.append(
                f"{self.ledger.path}: {self.ledger.trouble}; it is left as it is, and what was imported before is not "
                "counted until it is repaired. Move it away and import again."
            )
        count, places = self.ledger.read(damaged_lines)
        if count:
            named = ", ".join(map(str, places))
            found.append(f"{self.log.path}: {count} damaged lines are left out, at byte {named}.")
        if self.log.torn.exists():
            found.append(f"{self.log.torn}: ends of lines of {self.log.path} that were cut off; look, and remove it.")
        if (problem := self.aggregates.problem()) is not None:
            found.append(problem)
        return found

    async def thread(self, work: Callable[[], T]) -> T:
        return await asyncio.to_thread(work)

    # -- imports

    def reader(self, name: str) -> UsageReader:
        """Raises `InvalidInput`. Blocks: the first use imports readers."""
        readers = {reader.name: reader for reader in self.context.extensions(USAGE_READERS).values()}
        if name not in readers:
            known = ", ".join(sorted(readers))
            raise InvalidInput("There is no reader for this agent's log.", details={"agent": f"give one of: {known}"})
        return readers[name]

    async def import_all(self, sources: Sequence[LogSource]) -> list[ImportResult]:
        """While another import runs this one waits. Raises `StoreUnavailable`."""
        effort = ImportEffort(self.settings.import_workers, self.settings.worker_threshold)
        report = self._reporter()
        async with self._importing:
            try:
                done = await asyncio.to_thread(run_import, self.ledger, sources, effort, report)
            finally:
                self.progress = None
        if any(one.added.tokens.total for one in done):
            await self.changed({"agents": sorted({one.agent for one in done}), "imported": True})
        return done

    def _reporter(self) -> Callable[[ImportProgress], None]:
        loop, last = asyncio.get_running_loop(), [0.0]

        def publish(progress: ImportProgress) -> None:
            self.progress = progress
            data = {"files": progress.files, "files_done": progress.files_done}
            sizes = {"size": progress.size, "size_done": progress.size_done}
            self.context.events.publish("usage", "import_progress", {**data, **sizes})

        def report(progress: ImportProgress) -> None:
            now = self.context.clock.monotonic()
            if now - last[0] >= PROGRESS_SECONDS:
                last[0] = now
                loop.call_soon_threadsafe(publish, progress)

        return report

    async def changed(self, data: dict[str, object]) -> None:
        """Tell whoever listens, and bring `aggregates.json` up to date: at once, or when its time has come."""
        self.context.events.publish("usage", "usage_updated", data)
        if self._aggregating is not None:
            return
        rest = 0.0
        if self._aggregated is not None:
            rest = self._aggregated + AGGREGATES_SECONDS - self.context.clock.monotonic()
        if rest > 0:
            self._aggregating = self.context.spawn("write aggregates.json", self._aggregate_after(rest))
        else:
            await self._aggregate()

    async def _aggregate_after(self, seconds: float) -> None:
        await self.context.clock.sleep(seconds)
        self._aggregating = None
        await self._aggregate()

    async def _aggregate(self) -> None:
        """Nothing depends on the file: that it cannot be written is nobody's failure."""
        self._aggregated = self.context.clock.monotonic()
        try:
            await asyncio.to_thread(self.write_aggregates)
        except (JackfieldError, OSError) as exc:
            self.context.log.warning("%s", exc)

    async def finish(self) -> None:
        """At the daemon's end: write what would have been written later."""
        waiting, self._aggregating = self._aggregating, None
        if waiting is not None:
            waiting.cancel()
            await self._aggregate()

    def write_aggregates(self) -> None:
        self.aggregates.write(self.summary(UsageFilter(), local_zone()), self.context.clock.now_ms())


async def settle(context: PluginContext) -> None:
    """After the start."""
    await asyncio.to_thread(context.port(UsageService).settle)


async def close(context: PluginContext) -> None:
    """At the end of the daemon or of a command."""
    service = context.built_port(UsageService)
    if service is not None:
        await service.finish()
        await asyncio.to_thread(service.ledger.close)


def sources_of(
    service: UsageService, agent: str | None, directory: str | None, environment: dict[str, str]
) -> list[LogSource]:
    """The sources that an import reads: the directory that is named, else every tool's own.

    Raises `InvalidInput`. Blocks.
    """
    home = Path(environment.get("HOME") or Path.home())
    if directory is None:
        readers = [service.reader(agent)] if agent else list(service.context.extensions(USAGE_READERS).values())
        return [LogSource(reader, place) for reader in readers for place in reader.directories(environment, home)]
    try:
        place = Path(directory).expanduser()
    except RuntimeError:
        name = directory.partition("/")[0]
        raise InvalidInput(
            f"There is no user {name}.", details={"agent_dir": "give the full path of a directory"}
        ) from None
    if "\0" in directory or not place.is_absolute() or not place.is_dir():
        raise InvalidInput("This directory is not there.", details={"agent_dir": "give the full path of a directory"})
    return [LogSource(service.reader(agent or "claude"), place)]
