"""From a stored profile to an agent that can be started, and the end of a run: configuration, hooks, usage."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from jackfield.api.agents import AGENT_ADAPTERS, Agent, Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError, InvalidInput, JackfieldError
from jackfield.api.ids import new_id
from jackfield.api.process_containers import ProcessContainers
from jackfield.api.profile_tools import TOOLS_VARIABLE, ProfileTools, tool_scope_of
from jackfield.api.profiles import Launch, LaunchRequest, Profile
from jackfield.api.providers import Provider, Providers, keys_in
from jackfield.api.proxy import Proxies
from jackfield.api.records import replace
from jackfield.api.telemetry import RunUsage, Usage
from jackfield.api.tracing import TraceContext, active_tracer, below, present_trace, trace_pairs
from jackfield_profiles.generated.home_files import HomeFiles
from jackfield_profiles.generated.writing import write_generated
from jackfield_profiles.launching.headless import call_of, session_of
from jackfield_profiles.launching.key_check import KeyCheck, checkable
from jackfield_profiles.launching.lifecycle_hooks import run_hooks
from jackfield_profiles.launching.planning import LaunchPlan, LaunchPlanner
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.storage.profiles import ProfileStore
from jackfield_profiles.wiring import environment as environments
from jackfield_profiles.wiring.access import require_key
from jackfield_profiles.working_directory import existing_directory

TOPIC = "profiles"


class ProfileLauncher:
    """`ProfileLaunching`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._profiles = context.port(ProfileStore)
        self._planner = LaunchPlanner(context)
        self._run = context.settings(RunSettings)
        self._key_check = KeyCheck(context.clock, self._run.key_check, self._run.key_check_lasts)

    async def environment(self, profile: Profile, *, secrets: bool = False) -> Mapping[str, str]:
        plan = await self._planner.plan(profile)
        return dict(sorted(plan.env.items())) if secrets else environments.masked(plan.env, plan.secrets)

    async def require_configurable(self, profile: Profile, agent: Agent, provider: Provider) -> None:
        await self._planner.require_configurable(profile, agent, provider)

    async def prepare(self, profile: Profile, request: LaunchRequest) -> Launch:
        """A profile that has been deleted meanwhile gets nothing back."""
        await self._profiles.require(profile.alias, "start")
        agent = await self._context.port(Agents).find(profile.agent_id)
        binary = await self._binary(agent)
        call = call_of(agent, request.prompt, profile.model, request.resume)
        cwd = await asyncio.to_thread(_directory, profile, request, self._context.service.config_dir)
        if profile.proxy_enabled and (proxies := self._context.find_port(Proxies)) is not None:
            await proxies.address(profile.alias)
        plan = await self._planner.plan(profile, request.tools)
        require_key(plan.provider, profile, plan.access)
        await self._check_key(plan, profile)
        async with self._profiles.starting(profile.alias):
            await self._profiles.find(profile.alias)
            await self._write(profile, plan)
        others = (*profile.args, *plan.generated.args, *request.args)
        session, naming = (
            session_of(None if request.prompt is None else agent.headless, others)
            if request.resume is None
            else (request.resume, ())
        )
        above = present_trace()
        span = None if above is None else below(above)
        launch = Launch(
            run_id=new_id(),
            profile=profile,
            kind=request.kind,
            argv=(binary, *call.args, *request.leading, *naming, *others),
            env=plan.env if span is None else {**plan.env, **self._named(span.own, plan)},
            cwd=cwd,
            started_ms=self._context.clock.now_ms(),
            stdin=call.stdin,
            secrets=plan.secrets,
            session=session,
            execution_id=request.execution_id,
            span=span,
        )
        for adapter in self._context.extensions(AGENT_ADAPTERS).values():
            if adapter.agent_id == agent.id:
                launch = await adapter.adjust(launch, profile)
        await self._hooks("pre_run", agent.hooks.pre_run, profile, launch.env, launch.secrets)
        await self._touch(profile.alias)
        return await self._with_tools(launch, request) if plan.has_tools else launch

    def _named(self, span: TraceContext, plan: LaunchPlan) -> dict[str, str]:
        """The variables by which agents that trace themselves find the span above theirs, and by which those that do
        not name it to their provider or proxy."""
        tracer = active_tracer(self._context)
        if tracer is None or not tracer.passes_on:
            return {}
        pairs = trace_pairs(span)
        variables = {name.upper(): value for name, value in pairs}
        family = plan.agent.dialect
        if family and (variable := self._context.port(Providers).dialect(family).headers):
            variables[variable] = environments.with_headers(plan.env.get(variable, ""), pairs)
        return variables

    async def _with_tools(self, launch: Launch, request: LaunchRequest) -> Launch:
        """With a token for tools of the daemon, which no command around the run has seen."""
        scope = request.tools or tool_scope_of(launch.profile)
        issue = self._context.port(ProfileTools).issue
        token = await issue(launch.profile, launch.run_id, launch.kind, scope, request.depth)
        return replace(launch, env={**launch.env, TOOLS_VARIABLE: token}, secrets=(*launch.secrets, token))

    async def _check_key(self, plan: LaunchPlan, profile: Profile) -> None:
        """Where the requests of the run can only go to its own provider, with the profile's own key. Raises
        `InvalidInput`."""
        name, keys = plan.provider.dialect, keys_in(plan.key)
        if name is None or _routes(profile) or len(keys) > 1 or not checkable(plan.provider):
            return
        dialect = self._context.port(Providers).dialect(name)
        if profile.env.keys().isdisjoint((dialect.base_url, dialect.token, dialect.api_key)):
            await self._key_check.require(plan.provider, profile, next(iter(keys), None))

    async def _touch(self, alias: str) -> None:
        """A full disk does not keep an agent from starting. Raises `NotFound`, `Conflict`."""
        try:
            await self._profiles.touch(alias)
        except ConfigurationError as exc:
            self._context.log.warning("When %s was used last is not noted: %s", alias, exc.message)

    async def _binary(self, agent: Agent) -> str:
        found = await self._context.port(Agents).located(agent)
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
        if launch.kind == "shell":  # no agent has run
            return None
        await self.completed(launch, exit_code)
        return await self.recorded(launch, exit_code)

    async def given_up(self, launch: Launch) -> None:
        tools = self._context.find_port(ProfileTools) if TOOLS_VARIABLE in launch.env else None
        try:
            if tools is not None:
                await tools.end(launch.run_id)
        except JackfieldError as exc:
            self._context.log.warning("The token of a run of %s is left to expire: %s", launch.profile.alias, exc)

    async def completed(self, launch: Launch, exit_code: int) -> None:
        await self.given_up(launch)
        try:
            agent = await self._context.port(Agents).find(launch.profile.agent_id)
            await self._hooks("post_run", agent.hooks.post_run, launch.profile, launch.env, launch.secrets)
        except JackfieldError as exc:
            self._context.log.warning("After a run of %s: %s", launch.profile.alias, exc.message)
        if launch.kind not in ("terminal_session", "agent_session"):  # those have their own events
            data = {"alias": launch.profile.alias, "run_id": launch.run_id, "kind": launch.kind, "exit_code": exit_code}
            self._context.events.publish(TOPIC, "profile_run_completed", data)

    async def recorded(self, launch: Launch, exit_code: int) -> RunUsage | None:
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
                plan = await self._planner.plan(profile)
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
            containers=self._context.port(ProcessContainers),
        )


def require_no_sandbox(profile: Profile) -> None:
    """For an agent in the user's own terminal: it would share it with what is outside. Raises `InvalidInput`."""
    if profile.sandbox != "off":
        raise InvalidInput(
            f"The profile {profile.alias} wants the sandbox {profile.sandbox}, which this terminal cannot give; use "
            f"`jackfield terminal new {profile.alias}`, or set the profile's sandbox to off.",
            code="SANDBOX_UNAVAILABLE",
        )


def _routes(profile: Profile) -> bool:
    """Its proxy may ask other providers than the profile's."""
    config = profile.proxy_config if profile.proxy_enabled else None
    routing = (config or {}).get("routing")
    return bool((isinstance(routing, dict) and routing.get("rules")) or (config or {}).get("model_aliases"))


def _make_home(home: Path) -> None:
    with HomeFiles(home):
        pass


def _directory(profile: Profile, request: LaunchRequest, config_dir: Path) -> Path:
    """Where the agent starts: what was asked for, the profile's own directory, its home. Raises `InvalidInput`."""
    given = request.working_dir or profile.working_dir
    if not given:
        return profile.home
    return existing_directory(given, config_dir, profile.home)
