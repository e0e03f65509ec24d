"""The port `Usage`: what runs have used and what proxies have served."""

from __future__ import annotations

import asyncio
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.profiles import Launch
from jackfield.api.telemetry import TELEMETRY_SINKS, Cost, RunEnded, RunUsage, Tokens, UsageEntry
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.ledger.merging import merge
from jackfield_telemetry.ledger.packing import pack
from jackfield_telemetry.metrics import UsageCounts
from jackfield_telemetry.reports.queries import Pricing, profile_answers
from jackfield_telemetry.reports.summary import cost_view, tokens_view
from jackfield_telemetry.service import UsageService
from jackfield_telemetry.sessions.log import LineCost, LineTokens, SessionLine
from jackfield_telemetry.sinks.feed import SinkFeed

PROXIED_WAITING = 10_000
"""Served requests that may wait to be stored; beyond that whoever reports one waits."""

PRICES_SECONDS = 10.0
"""For how long a price list counts as unchanged for requests of proxies."""


class UsageRecorder:
    """`jackfield.api.telemetry.Usage`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._waiting: list[tuple[UsageEntry, asyncio.Future[None]]] = []
        self._room = asyncio.Semaphore(PROXIED_WAITING)
        self._storing: asyncio.Task[None] | None = None
        self._pricing: Pricing | None = None
        self._priced_at = 0.0
        self._service = context.port(UsageService)
        self._counts = context.port(UsageCounts)

    async def run_ended(self, launch: Launch, exit_code: int) -> RunUsage | None:
        ended_ms = self._context.clock.now_ms()
        service = self._service
        source = await self._source(launch)
        found: RunUsage | None = None
        session = ""
        # Beside others, a run without a known session has a share that nobody can tell.
        if source is not None and (launch.alone or launch.session is not None):
            try:
                await service.import_all([source])
                found, session = await service.thread(lambda: _used(service, launch, ended_ms))
            except (JackfieldError, OSError) as exc:
                self._context.log.warning("The log of %s cannot be read: %s", launch.profile.agent_id, exc)
        counted = None if found is None else "log"
        if source is None and launch.alone and launch.profile.proxy_enabled:
            # An agent without a log that is known: its proxy has served all that the run has asked for.
            found, counted = await self.spent(launch.profile.alias, launch.started_ms), "proxy"
        line = _line(launch, exit_code, ended_ms, found, session, counted)
        await service.thread(lambda: service.log.append(line))
        self._counts.count_run(launch.profile.agent_id, launch.kind, exit_code)
        self._counts.count_usage(launch.profile.agent_id, launch.profile.model, found)
        if self._context.extensions(TELEMETRY_SINKS):
            self._context.port(SinkFeed).offer(_ended(launch, exit_code, ended_ms, found))
        await service.changed(_event(launch, found))
        return found

    async def proxied(self, entry: UsageEntry) -> None:
        """Those that come together share a transaction."""
        async with self._room:
            stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((entry, stored))
            if self._storing is None or self._storing.done():
                self._storing = self._context.spawn("store proxied usage", self._store_waiting())
            await stored
        self._counts.count_usage(entry.agent, entry.model, RunUsage(entry.tokens, Cost()))

    async def cost_of(self, entry: UsageEntry) -> Cost | None:
        now = self._context.clock.monotonic()
        if self._pricing is None or now - self._priced_at > PRICES_SECONDS:
            self._pricing = await asyncio.to_thread(self._service.pricing)
            self._priced_at = now
        return self._pricing.cost_of(entry)

    async def spent(self, profile: str, start_ms: int) -> RunUsage:
        return await self._service.thread(lambda: _served(self._service, profile, start_ms))

    async def _store_waiting(self) -> None:
        while self._waiting:
            taken, self._waiting = self._waiting, []
            batch = pack([entry for entry, _ in taken], source="proxy")
            ledger = self._service.ledger
            try:
                await asyncio.to_thread(ledger.write_durably, lambda connection, batch=batch: merge(connection, batch))
            except Exception as exc:
                for _, stored in taken:
                    if not stored.done():
                        stored.set_exception(exc)
                continue
            for _, stored in taken:
                if not stored.done():
                    stored.set_result(None)
            self._context.events.publish("usage", "usage_updated", {"proxied": len(taken)})

    async def _source(self, launch: Launch) -> LogSource | None:
        profile = launch.profile
        try:
            agent = await self._context.port(Agents).find(profile.agent_id)
            if agent.usage is None:
                return None
            reader = await asyncio.to_thread(self._service.reader, agent.usage.reader)
        except (JackfieldError, LookupError):
            return None
        directory = Path(agent.usage.directory.replace("{home}", str(profile.home)))
        return LogSource(reader, directory, profile.alias, profile.provider_id)


LAST_MS = 2**62
"""After every moment."""


def _used(service: UsageService, launch: Launch, ended_ms: int) -> tuple[RunUsage, str]:
    """The usage in the profile's log for the time of the run, and the agent's session that most of it belongs to.

    Of runs of one profile at once each is given its own session.
    """
    pricing = service.pricing()
    profile, start = launch.profile.alias, launch.started_ms
    found = service.ledger.read(lambda connection: list(profile_answers(connection, pricing, profile, start, ended_ms)))
    if not launch.alone:
        found = [one for one in found if one.keys[1] == launch.session]
    tokens, cost = Tokens(), Cost()
    named: dict[str, int] = {}
    for one in found:
        tokens, cost = tokens.plus(one.tokens), cost.plus(one.cost)
        session = str(one.keys[1])
        named[session] = named.get(session, 0) + one.tokens.total
    models = sorted({str(one.keys[0]) for one in found})
    unpriced = sorted({one.unpriced for one in found if one.unpriced is not None})
    most = max(named, key=lambda name: named[name], default="")
    return RunUsage(tokens, cost, models, unpriced, pricing.table.as_of), launch.session or most


def _served(service: UsageService, profile: str, start_ms: int) -> RunUsage:
    pricing = service.pricing()
    tokens, cost = Tokens(), Cost()
    unpriced: set[str] = set()
    models: set[str] = set()

    def add(connection: sqlite3.Connection) -> None:
        nonlocal tokens, cost
        for one in profile_answers(connection, pricing, profile, start_ms, LAST_MS, source="proxy"):
            tokens, cost = tokens.plus(one.tokens), cost.plus(one.cost)
            models.add(str(one.keys[0]))
            unpriced.update([one.unpriced] if one.unpriced is not None else [])

    service.ledger.read(add)
    return RunUsage(tokens, cost, sorted(models), sorted(unpriced), pricing.table.as_of)


def _line(
    launch: Launch, exit_code: int, ended_ms: int, used: RunUsage | None, session: str, counted: str | None
) -> SessionLine:
    """used: None: it is not known, which is not nothing."""
    tokens, cost = LineTokens(None, None, None, None), LineCost()
    if used is not None:
        parts, sums = used.tokens, used.cost
        tokens = LineTokens(parts.input, parts.output, parts.cache_creation, parts.cache_read)
        cost = LineCost(sums.input, sums.output, sums.cache_creation, sums.cache_read, sums.total)
    profile = launch.profile
    return SessionLine(
        profile=profile.alias,
        model=profile.model,
        started_at=_moment(launch.started_ms),
        ended_at=_moment(max(ended_ms, launch.started_ms)),
        tokens=tokens,
        cost=cost,
        session_id=session or launch.session or launch.run_id,
        agent_id=profile.agent_id,
        provider_id=profile.provider_id,
        source=launch.kind,
        exit_code=exit_code,
        duration_secs=max(0, ended_ms - launch.started_ms) / 1000,
        counted_in=counted,
    )


def _ended(launch: Launch, exit_code: int, ended_ms: int, used: RunUsage | None) -> RunEnded:
    """Without what the launch holds of secrets."""
    profile = launch.profile
    return RunEnded(
        run_id=launch.run_id,
        profile=profile.alias,
        agent=profile.agent_id,
        provider=profile.provider_id,
        model=profile.model,
        kind=launch.kind,
        started_ms=launch.started_ms,
        ended_ms=max(ended_ms, launch.started_ms),
        exit_code=exit_code,
        usage=used,
        span=launch.span,
    )


def _event(launch: Launch, used: RunUsage | None) -> dict[str, object]:
    data: dict[str, object] = {"agent": launch.profile.agent_id, "profile": launch.profile.alias}
    if used is not None:
        data |= {"tokens": tokens_view(used.tokens), "cost": cost_view(used.cost)}
    return data


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
