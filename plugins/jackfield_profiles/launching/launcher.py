"""From a stored profile to a running agent and back: configuration, environment, hooks, the run, its usage."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal
from weakref import WeakValueDictionary

from jackfield.api.agents import AGENT_ADAPTERS, Agent, Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError, InvalidInput, JackfieldError
from jackfield.api.ids import new_id
from jackfield.api.profiles import HeadlessRequest, HeadlessResult, Launch, LaunchRequest, Profile
from jackfield.api.providers import Provider, Providers
from jackfield.api.proxy import Proxies
from jackfield.api.records import record, replace
from jackfield.api.telemetry import RunUsage, Usage
from jackfield.api.terminals import Terminals
from jackfield_profiles.generated.home_files import HomeFiles
from jackfield_profiles.generated.scripts import API_KEY, API_KEY_END, KEY_END, Generated, generate
from jackfield_profiles.generated.writing import write_generated
from jackfield_profiles.keys.store import KeyStore
from jackfield_profiles.launching.headless import answer_of, call_of, margin, session_of, shown
from jackfield_profiles.launching.leftovers import Leftovers
from jackfield_profiles.launching.lifecycle_hooks import run_hooks
from jackfield_profiles.launching.overlaps import OverlappingRuns, TrackedRun
from jackfield_profiles.launching.processes import ProcessStart, run_process
from jackfield_profiles.preferences import GITHUB_TOKEN, ServerPreferences
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.storage.profiles import ProfileStore
from jackfield_profiles.wiring import environment as environments
from jackfield_profiles.wiring.access import NO_KEY, Access, access_of, require_key, variables

TOPIC = "profiles"


@record
class LaunchPlan:
    """What a start of the profile would be, before anything is written. placeholders: in the generated files."""

    agent: Agent
    provider: Provider
    access: Access
    generated: Generated
    env: Mapping[str, str]
    placeholders: Mapping[str, str]
    secrets: tuple[str, ...]


class ProfileLauncher:
    """`ProfileLaunching`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._profiles = context.port(ProfileStore)
        self._keys = context.port(KeyStore)
        self._run = context.settings(RunSettings)
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._overlaps = OverlappingRuns(context)
        self._left = Leftovers(context.service.config_dir, self._run.grace, context.log.warning)
        self._clearing: asyncio.Task[None] | None = None

    # -- what would be started

    async def plan(self, profile: Profile) -> LaunchPlan:
        """Nothing is written. Raises `NotFound`, `InvalidInput`, `JackfieldError` (the script failed)."""
        agent = await self._context.port(Agents).find(profile.agent_id)
        provider = await self._context.port(Providers).find(profile.provider_id)
        access = await access_of(self._context, agent, provider, profile, await self._keys.key(profile))
        generated = await generate(self._context, agent, provider, profile, access)
        github = self._context.settings(ServerPreferences).github_token
        key = access.secret or NO_KEY
        placeholders = {API_KEY: key, API_KEY_END: key[-KEY_END:], GITHUB_TOKEN: github}
        secrets = tuple(value for value in (access.secret, github) if value)
        self._context.secrets.redact(*secrets)
        env = await self._environment(agent, provider, profile, access)
        env |= {name: _filled(value, placeholders) for name, value in generated.env.items()}
        env |= profile.env
        env["HOME"] = str(profile.home)
        return LaunchPlan(agent, provider, access, generated, env, placeholders, secrets)

    async def _environment(self, agent: Agent, provider: Provider, profile: Profile, access: Access) -> dict[str, str]:
        every = (await self._context.port(Providers).all()).values()
        keys = {one.auth.env_key for one in every if one.auth.env_key}
        made = environments.inherited(os.environ, self._run.inherit, keys)
        if access.proxied:
            made |= environments.around_web_proxies(made)
        dialect = None if access.dialect is None else self._context.port(Providers).dialect(access.dialect)
        made |= environments.of_home(profile.home, agent)
        return made | variables(access, provider, profile, dialect)

    async def environment(self, profile: Profile, *, secrets: bool = False) -> Mapping[str, str]:
        """What the agent would run with, sorted. secrets: as they are, else masked. Raises as `plan`."""
        plan = await self.plan(profile)
        return dict(sorted(plan.env.items())) if secrets else environments.masked(plan.env, plan.secrets)

    # -- starting and ending

    async def prepare(self, profile: Profile, request: LaunchRequest) -> Launch:
        """See `Profiles.prepare`. A profile that has been deleted meanwhile gets nothing back."""
        agent = await self._context.port(Agents).find(profile.agent_id)
        binary = await self._binary(agent)
        call = call_of(agent, request.prompt, profile.model)
        cwd = await asyncio.to_thread(_directory, profile, request)
        if profile.proxy_enabled and (proxies := self._context.find_port(Proxies)) is not None:
            await proxies.address(profile.alias)
        plan = await self.plan(profile)
        require_key(plan.provider, profile, plan.access)
        async with self._profiles.changing(profile.alias):
            await self._profiles.find(profile.alias)
            await self._write(profile, plan)
        others = (*profile.args, *plan.generated.args, *request.args)
        session, naming = session_of(None if request.prompt is None else agent.headless, others)
        launch = Launch(
            run_id=new_id(),
            profile=profile,
            kind=request.kind,
            argv=(binary, *call.args, *naming, *others),
            env=plan.env,
            cwd=cwd,
            started_ms=self._context.clock.now_ms(),
            stdin=call.stdin,
            secrets=plan.secrets,
            session=session,
        )
        for adapter in self._context.extensions(AGENT_ADAPTERS).values():
            if adapter.agent_id == agent.id:
                launch = await adapter.adjust(launch, profile)
        await self._hooks("pre_run", agent.hooks.pre_run, profile, launch.env, launch.secrets)
        await self._touch(profile.alias)
        return launch

    async def _touch(self, alias: str) -> None:
        """A full disk does not keep an agent from starting. Raises `NotFound`, `Conflict`."""
        try:
            await self._profiles.touch(alias)
        except ConfigurationError as exc:
            self._context.log.warning("When %s was used last is not noted: %s", alias, exc.message)

    async def _binary(self, agent: Agent) -> str:
        found = await self._context.port(Agents).detect(agent)
        path = found.binary_path or await asyncio.to_thread(shutil.which, agent.binary)
        if path is None:
            raise InvalidInput(
                f"{agent.title} is not installed: {agent.binary} is not on the PATH of the daemon.",
                code="AGENT_NOT_INSTALLED",
            )
        return path

    async def _write(self, profile: Profile, plan: LaunchPlan) -> None:
        def work() -> list[str]:
            with HomeFiles(profile.home) as home:
                for directory in environments.tool_directories(profile.home, plan.agent):
                    home.make_directory(directory)
            return write_generated(profile.home, plan.generated.files, plan.placeholders, self._run)

        for note in await asyncio.to_thread(work):
            self._context.log.warning(note)

    async def ended(self, launch: Launch, exit_code: int) -> RunUsage | None:
        """See `Profiles.ended`. Nothing that fails here fails the run; it is logged."""
        await self._completed(launch, exit_code)
        return await self._recorded(launch, exit_code)

    async def _completed(self, launch: Launch, exit_code: int) -> None:
        try:
            agent = await self._context.port(Agents).find(launch.profile.agent_id)
            await self._hooks("post_run", agent.hooks.post_run, launch.profile, launch.env, launch.secrets)
        except JackfieldError as exc:
            self._context.log.warning("After a run of %s: %s", launch.profile.alias, exc.message)
        if launch.kind != "terminal_session":  # those have events of their own
            data = {"alias": launch.profile.alias, "run_id": launch.run_id, "kind": launch.kind, "exit_code": exit_code}
            self._context.events.publish(TOPIC, "profile_run_completed", data)

    async def _recorded(self, launch: Launch, exit_code: int) -> RunUsage | None:
        try:
            return await self._context.port(Usage).run_ended(launch, exit_code)
        except LookupError:  # no plugin keeps usage
            return None
        except Exception as exc:  # the run has its result, whatever telemetry trips over
            name = type(exc).__name__
            self._context.log.warning(
                "The usage of a run of %s was not recorded: %s: %s", launch.profile.alias, name, exc
            )
            return None

    def started(self, launch: Launch, pid: int) -> None:
        """Tell who listens."""
        data = {"alias": launch.profile.alias, "run_id": launch.run_id, "kind": launch.kind, "pid": pid}
        self._context.events.publish(TOPIC, "profile_run_started", data)

    async def lifecycle(self, profile: Profile, when: Literal["create", "delete"]) -> None:
        """Run the agent's commands for it, in the environment of a run. Raises `JackfieldError` when creating fails;
        when deleting fails it is logged."""
        try:
            agent = await self._context.port(Agents).find(profile.agent_id)
            commands = agent.hooks.create if when == "create" else agent.hooks.delete
            if commands:
                plan = await self.plan(profile)
                await asyncio.to_thread(_make_home, profile.home)
                await self._hooks(when, commands, profile, plan.env, plan.secrets)
        except JackfieldError as exc:
            if when == "create":
                raise
            self._context.log.warning("At the deletion of %s: %s", profile.alias, exc.message)

    async def _hooks(
        self, when: str, commands: Sequence[str], profile: Profile, env: Mapping[str, str], secrets: Sequence[str]
    ) -> None:
        if not commands:
            return
        await run_hooks(
            when,
            commands,
            home=profile.home,
            env=env,
            timeout=self._run.hook_timeout,
            grace=self._run.grace,
            secrets=secrets,
        )

    # -- without a terminal

    async def end_left(self) -> None:
        """End runs that a killed daemon has left, once."""
        if self._clearing is None:
            self._clearing = self._context.spawn("profiles.end_left", self._left.end())
        await asyncio.shield(self._clearing)

    async def _forget(self, run_id: str, noting: Sequence[asyncio.Task[None]]) -> None:
        if noting:
            await asyncio.wait(noting)
        await asyncio.to_thread(self._left.forget, run_id)

    async def run(self, profile: Profile, request: HeadlessRequest) -> HeadlessResult:
        """See `Profiles.run`."""
        await self.end_left()
        turns = self._turns.setdefault(profile.alias, asyncio.Semaphore(self._run.concurrent))
        async with turns:
            with self._overlaps.track(profile.alias) as tracked:
                return await self._tracked(profile, request, tracked)

    async def _tracked(self, profile: Profile, request: HeadlessRequest, tracked: TrackedRun) -> HeadlessResult:
        asked = LaunchRequest(
            kind=request.kind, args=request.args, prompt=request.prompt, working_dir=request.working_dir
        )
        launch = await self._confined(await self.prepare(profile, asked))
        return await self._headless(launch, request, tracked)

    async def _confined(self, launch: Launch) -> Launch:
        """Whoever asked for a sandbox must not get a run without one. Raises `InvalidInput`."""
        if launch.profile.sandbox == "off":
            return launch
        terminals = self._context.find_port(Terminals)
        if terminals is None:
            raise InvalidInput(
                f"The profile {launch.profile.alias} wants the sandbox {launch.profile.sandbox}, which no plugin "
                "gives; set it to off, or enable jackfield_terminal.",
                code="SANDBOX_UNAVAILABLE",
            )
        return await terminals.confined(launch)

    async def _headless(self, launch: Launch, request: HeadlessRequest, tracked: TrackedRun) -> HeadlessResult:
        agent = await self._context.port(Agents).find(launch.profile.agent_id)  # now: it may be gone when the run ends
        limit = self._run.output_limit
        start = ProcessStart(
            argv=launch.argv,
            cwd=launch.cwd,
            env=launch.env,
            stdin=launch.stdin,
            timeout=request.timeout or self._run.timeout,
            grace=self._run.grace,
            limit=limit + margin(launch.secrets),
        )
        clock = self._context.clock

        noting = list[asyncio.Task[None]]()

        def begun(pid: int) -> None:
            noted = asyncio.to_thread(self._left.note, launch.run_id, pid)
            noting.append(self._context.spawn("profiles.note_run", noted))
            self.started(launch, pid)

        try:
            ended = await run_process(start, begun)
        except asyncio.CancelledError:
            left = replace(launch, alone=self._overlaps.alone(launch.profile.alias, tracked))
            self._context.spawn("profiles.ended", self._after_cancelling(left))
            raise
        finally:
            self._context.spawn("profiles.forget_run", self._forget(launch.run_id, noting))
        duration = clock.now_ms() - launch.started_ms
        output = shown(ended.stdout, limit, launch.secrets)
        answer = answer_of(agent.headless if request.prompt is not None else None, output)
        launch = replace(launch, session=answer.session or launch.session)
        await self._completed(launch, ended.exit_code)
        # Not before: a run that begins while the hooks run is in the time that the log is asked about.
        launch = replace(launch, alone=self._overlaps.alone(launch.profile.alias, tracked))
        usage = await self._recorded(launch, ended.exit_code)
        return HeadlessResult(
            exit_code=ended.exit_code,
            output=output,
            errors=shown(ended.stderr, limit, launch.secrets),
            timed_out=ended.timed_out,
            duration_ms=duration,
            result=answer.result,
            session=launch.session,
            data=answer.data,
            usage=usage,
        )

    async def _after_cancelling(self, launch: Launch) -> None:
        await self.ended(launch, 128 + 15)


def require_no_sandbox(profile: Profile) -> None:
    """For an agent in the user's own terminal: it would share it with what is outside. Raises `InvalidInput`."""
    if profile.sandbox != "off":
        raise InvalidInput(
            f"The profile {profile.alias} wants the sandbox {profile.sandbox}, which this terminal cannot give; use "
            f"`jackfield terminal new {profile.alias}`, or set the profile's sandbox to off.",
            code="SANDBOX_UNAVAILABLE",
        )


def _filled(text: str, placeholders: Mapping[str, str]) -> str:
    for name, value in placeholders.items():
        text = text.replace(name, value)
    return text


def _make_home(home: Path) -> None:
    with HomeFiles(home):
        pass


def _directory(profile: Profile, request: LaunchRequest) -> Path:
    """Where the agent starts: what was asked for, the profile's own directory, its home. Raises `InvalidInput`."""
    given = request.working_dir or profile.working_dir
    if not given:
        return profile.home
    path = Path(given)
    if "\0" in given or not path.is_absolute() or not path.is_dir():
        raise InvalidInput(
            "The working directory is not there.",
            code="WORKING_DIR",
            details={"working_dir": "give the absolute path of a directory"},
        )
    return path
