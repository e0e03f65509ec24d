"""Runs of agents without a terminal: a few of one profile at a time, bounded, and ended with all that they started."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from weakref import WeakValueDictionary

from jackfield.api.agents import Agents, Headless
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.hosts import Hosts
from jackfield.api.process_containers import ProcessContainers
from jackfield.api.profiles import (
    HeadlessRequest,
    HeadlessResult,
    Launch,
    LaunchRequest,
    Profile,
    with_least_sandbox,
)
from jackfield.api.proxy import Proxies
from jackfield.api.records import replace
from jackfield.api.terminals import confined_launch
from jackfield_profiles.launching.given_up import begun_or_given_up
from jackfield_profiles.launching.headless import answer_of, margin, shown
from jackfield_profiles.launching.interrupted import InterruptedRuns, SessionListener
from jackfield_profiles.launching.overlaps import OverlappingRuns, TrackedRun
from jackfield_profiles.launching.processes import ProcessStart, run_process
from jackfield_profiles.ports import ProfileLaunching
from jackfield_profiles.running_settings import RunSettings


class HeadlessRunner:
    """`HeadlessRuns`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._launching = context.port(ProfileLaunching)
        self._settings = context.settings(RunSettings)
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._overlaps = OverlappingRuns(context)
        self._going: set[str] = set()
        self._under_way: dict[str, set[asyncio.Future[None]]] = {}
        self.busy = 0
        self._interrupted = InterruptedRuns(context.service.config_dir, self._settings.resume_within)

    async def run(self, profile: Profile, request: HeadlessRequest) -> HeadlessResult:
        """See `Profiles.run`. Raises `Conflict` for the key of a run that is going on, and where none may begin."""
        if not self._context.port(Hosts).takes("agents"):
            raise Conflict("This host takes no new runs of agents: see `jackfield hosts list`.", code="HOST_DRAINING")
        with self._alone(request.key):
            self.busy += 1
            try:
                with self._noted(profile.alias):
                    return await self._in_turn(profile, request)
            finally:
                self.busy -= 1

    async def settled(self, alias: str) -> None:
        while runs := self._under_way.get(alias):
            await asyncio.wait(runs)

    @contextlib.contextmanager
    def _noted(self, alias: str) -> Iterator[None]:
        """For `settled`: from before its turn until its hooks have run."""
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        runs = self._under_way.setdefault(alias, set())
        runs.add(ended)
        try:
            yield
        finally:
            runs.discard(ended)
            if not runs:
                self._under_way.pop(alias, None)
            ended.set_result(None)

    @contextlib.contextmanager
    def _alone(self, key: str | None) -> Iterator[None]:
        """Two of one key would go on with one session."""
        if key is None:
            yield
            return
        if key in self._going:
            raise Conflict("A run with this key is going on; wait for it, or give another key.", code="RUN_GOING_ON")
        self._going.add(key)
        try:
            yield
        finally:
            self._going.discard(key)

    async def _in_turn(self, profile: Profile, request: HeadlessRequest) -> HeadlessResult:
        turns = self._turns.setdefault(profile.alias, asyncio.Semaphore(self._settings.concurrent))
        async with turns:
            with self._overlaps.track(profile.alias) as tracked:
                return await self._tracked(profile, request, tracked)

    async def _tracked(self, profile: Profile, request: HeadlessRequest, tracked: TrackedRun) -> HeadlessResult:
        agent = await self._context.port(Agents).find(profile.agent_id)
        session = await asyncio.to_thread(self._interrupted.session, profile, request, agent.headless)
        if session is not None:
            self._context.log.info("An interrupted run of %s goes on with its agent's session.", profile.alias)
        asked = LaunchRequest(
            request.kind,
            request.args,
            request.prompt,
            request.working_dir,
            session,
            tools=request.tools,
            execution_id=request.execution_id,
            depth=request.depth,
        )
        prepared = with_least_sandbox(await self._launching.prepare(profile, asked), request.sandbox)
        async with begun_or_given_up(self._launching, prepared):
            launch = await confined_launch(self._context, prepared)
        if launch.session is not None:
            await asyncio.to_thread(self._interrupted.note, profile, request, launch.session)
        return await self._headless(launch, request, tracked)

    async def _headless(self, launch: Launch, request: HeadlessRequest, tracked: TrackedRun) -> HeadlessResult:
        agent = await self._context.port(Agents).find(launch.profile.agent_id)  # now: it may be gone when the run ends
        noting: list[asyncio.Task[None]] = []

        def named(session: str) -> None:
            noted = asyncio.to_thread(self._interrupted.note, launch.profile, request, session)
            noting.append(self._context.spawn("profiles.note_session", noted))

        limit = self._settings.output_limit
        start = ProcessStart(
            argv=launch.argv,
            cwd=launch.cwd,
            env=launch.env,
            stdin=launch.stdin,
            timeout=request.timeout or self._settings.timeout,
            grace=self._settings.grace,
            limit=limit + margin(launch.secrets),
            heard=_listener(agent.headless, request, launch, named),
        )
        clock = self._context.clock

        async with begun_or_given_up(self._launching, launch):
            container = await self._context.port(ProcessContainers).open(f"run-{launch.run_id}", launch.profile.limits)
        try:
            ended = await run_process(start, container, partial(self._launching.started, launch))
        except asyncio.CancelledError:
            left = replace(launch, alone=self._overlaps.alone(launch.profile.alias, tracked))
            self._context.spawn("profiles.ended", self._after_cancelling(left))
            raise
        if noting:
            await asyncio.wait(noting)
        await asyncio.to_thread(self._interrupted.forget, request)
        duration = clock.now_ms() - launch.started_ms
        output = shown(ended.stdout, limit, launch.secrets)
        answer = answer_of(agent.headless if request.prompt is not None else None, output)
        launch = replace(launch, session=answer.session or launch.session)
        await self._launching.completed(launch, ended.exit_code)
        # Not before: a run that begins while the hooks run is in the time that the log is asked about.
        launch = replace(launch, alone=self._overlaps.alone(launch.profile.alias, tracked))
        usage = await self._launching.recorded(launch, ended.exit_code)
        proxies = self._context.find_port(Proxies) if launch.profile.proxy_enabled else None
        return HeadlessResult(
            exit_code=ended.exit_code,
            output=output,
            errors=_with_reason(shown(ended.stderr, limit, launch.secrets), container.reason),
            timed_out=ended.timed_out,
            duration_ms=duration,
            result=answer.result,
            session=launch.session,
            data=answer.data,
            usage=usage,
            output_cut=max(0, ended.written_out - limit),
            errors_cut=max(0, ended.written_err - limit),
            proxy_error=None if proxies is None else proxies.failure(launch.profile.alias, launch.started_ms),
        )

    async def _after_cancelling(self, launch: Launch) -> None:
        await self._launching.ended(launch, 128 + 15)


def _listener(
    headless: Headless | None, request: HeadlessRequest, launch: Launch, named: Callable[[str], None]
) -> SessionListener | None:
    """None where nothing needs to be heard: the session is known, or nobody could go on with it."""
    if headless is None or headless.resume is None or headless.session is None or headless.output != "json-lines":
        return None
    return None if request.key is None or launch.session is not None else SessionListener(headless, named)


def _with_reason(errors: str, reason: str | None) -> str:
    """Why the daemon has killed the run, behind what it printed."""
    return errors if reason is None else f"{errors.rstrip()}\n{reason}\n".lstrip()
