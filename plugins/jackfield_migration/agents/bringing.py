"""Makes what another tool has be here: providers first, then keys, then the profiles that need both. Entries that are
here already stay as they are, so that a second import changes nothing."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from jackfield.api.agents import Agent, Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, NotFound
from jackfield.api.jsontext import Json
from jackfield.api.manifests import Layers
from jackfield.api.profile_imports import ProfileImports
from jackfield.api.profiles import Profile, Profiles
from jackfield.api.providers import Provider, Providers
from jackfield.api.records import replace
from jackfield.api.workflows import Problem
from jackfield_migration.agents.config_toml import bring_settings
from jackfield_migration.agents.manifest_files import ManifestFiles
from jackfield_migration.agents.routes import retargeted
from jackfield_migration.agents.wanted import Setup, WantedFile, WantedProfile, WantedProvider
from jackfield_migration.report import Result, Status

Work: TypeAlias = Callable[[], Awaitable["Sequence[Problem] | None"]]
_COMPARED = ("agent_id", "provider_id", "model", "args", "working_dir")
"""Fields by which a profile that is here differs from the one that is wanted."""


class Bringing:
    """One import. dry_run: nothing is written, and each result says what would be."""

    def __init__(self, context: PluginContext, setup: Setup, *, dry_run: bool) -> None:
        self._context = context
        self._setup = setup
        self._dry_run = dry_run
        self._files = ManifestFiles(context.service.config_dir, setup.source, dry_run=dry_run)
        self._ids: dict[str, str] = {}
        """Id of a wanted provider -> id of the one that is here."""
        self._keys: dict[str, str] = {}
        """Id of a wanted provider -> its key."""

    async def all(self) -> list[Result]:
        """Raises nothing about single things: what fails is in its result."""
        made = [await self._files.bring(file) for file in await self._wanted_files()]
        made += [await self._provider(wanted) for wanted in self._setup.providers]
        made += [found for wanted in self._setup.providers if (found := await self._key(wanted)) is not None]
        made += [await self._profile(wanted) for wanted in self._setup.profiles]
        made += await bring_settings(self._context.service.config_dir, self._setup.settings, dry_run=self._dry_run)
        return [*made, *self._left()]

    async def _wanted_files(self) -> Sequence[WantedFile]:
        """Without those of a registry that are known here."""
        known = {*(await self._context.port(Agents).all()), *(await self._context.port(Providers).all())}
        layers = self._context.port(Layers)

        def is_known(file: WantedFile) -> bool:
            if file.folder == "scripts":
                return layers.find("scripts", file.source.name) is not None
            return file.source.stem in known

        return [file for file in self._setup.files if not (file.unless_known and is_known(file))]

    def _left(self) -> Iterator[Result]:
        for one in self._setup.left:
            yield Result(
                one.kind, one.name, "", one.origin, "skipped", problems=[Problem(one.name, one.reason, "warning")]
            )

    def _remarks(self, about: str) -> list[Problem]:
        return [Problem(about, text, "warning") for text in self._setup.remarks.get(about, ())]

    # -- providers and their keys

    async def _provider(self, wanted: WantedProvider) -> Result:
        known = await self._context.port(Providers).all()
        status, here = await self._files.provider(wanted, known)
        self._ids[wanted.id] = here
        problems = self._remarks(wanted.id)
        found = known.get(here)
        if status == "matched" and found is not None:
            problems += _missing_models(wanted, found)
        return Result("provider", wanted.name, wanted.id, wanted.origin, status, here, problems=problems)

    async def _key(self, wanted: WantedProvider) -> Result | None:
        """None: the other tool has no key of it either, or takes it from where Jackfield takes it too."""
        here = self._ids[wanted.id]
        found = (await self._context.port(Providers).all()).get(here)
        key = wanted.key
        if key is None and wanted.env_key is not None and found is not None and found.auth.env_key != wanted.env_key:
            key = os.environ.get(wanted.env_key)
        if key is None:
            return self._variable(wanted, found, here)
        result = Result("key", wanted.name, wanted.id, wanted.origin, "created", here)
        self._context.secrets.redact(key)
        self._keys[wanted.id] = key
        present = await self._context.port(ProfileImports).stored_provider_key(here)
        if present is not None:
            told = f"another key is stored and stays; replace it with `jackfield profiles provider-key {here}`"
            problems = () if present == key else [Problem(here, told, "warning")]
            return replace(result, status="matched" if problems else "unchanged", problems=problems)
        imports = self._context.port(ProfileImports)
        return await self._carried_out(
            result, lambda: imports.put_provider_key(here, key), lambda: imports.check_provider_key(key)
        )

    def _variable(self, wanted: WantedProvider, found: Provider | None, here: str) -> Result | None:
        variable = wanted.env_key
        if variable is None or variable in os.environ:
            return None
        read = found.auth.env_key if found is not None else variable
        told = f"it comes from the environment there ({variable}); set {read} for the daemon, or store the key"
        return Result(
            "key", wanted.name, wanted.id, wanted.origin, "skipped", here, "attention",
            problems=[Problem(here, told, "warning")],
        )  # fmt: skip

    # -- profiles

    async def _profile(self, wanted: WantedProfile) -> Result:
        result = Result("profile", wanted.alias, wanted.alias, wanted.origin, "created", wanted.alias, "runs")
        body, left = _with_taken_servers(await self._agent(wanted), self._body(wanted))
        result = replace(result, problems=[*self._remarks(wanted.alias), *left])
        try:
            present = await self._context.port(Profiles).find(wanted.alias)
        except NotFound:
            return await self._new_profile(result, wanted, body)
        except JackfieldError as exc:
            return _failed(result, exc)
        differing = list(_differing(present, body))
        if not differing:
            return replace(result, status="unchanged")
        told = f"a profile of this name is here and stays; it differs in {', '.join(differing)}"
        return replace(result, status="matched", problems=[*result.problems, Problem(wanted.alias, told, "warning")])

    async def _agent(self, wanted: WantedProfile) -> Agent | None:
        """Also one that this import brings; None: nobody knows it."""
        known = await self._context.port(Agents).all()
        return known.get(wanted.agent_id) or self._files.agents.get(wanted.agent_id)

    def _body(self, wanted: WantedProfile) -> dict[str, Json]:
        """Without the key."""
        asked: dict[str, Json] = {
            "agent_id": wanted.agent_id,
            "alias": wanted.alias,
            "provider_id": self._ids.get(wanted.provider_id, wanted.provider_id),
            "endpoint_id": wanted.endpoint_id,
            "model": wanted.model,
            "env": dict(wanted.env),
            "args": list(wanted.args),
            "working_dir": wanted.working_dir,
            "hooks_config": dict(wanted.hooks_config),
            "mcp_servers": {name: dict(server) for name, server in wanted.mcp_servers.items()},
            "allow_missing": True,
        }
        if wanted.proxy_config is not None:
            asked["proxy_config"] = retargeted(wanted.proxy_config, self._ids)
        return asked

    async def _new_profile(self, result: Result, wanted: WantedProfile, body: Mapping[str, Json]) -> Result:
        agent = (await self._context.port(Agents).all()).get(wanted.agent_id)
        if agent is not None and not (await self._context.port(Agents).detect(agent)).installed:
            told = Problem("agent_id", f"{agent.title} is not installed here yet", "warning")
            result = replace(result, verdict="attention", problems=[*result.problems, told])
        key = wanted.key or self._keys.get(wanted.provider_id)  # a profile has its own key, not the provider's
        asked = dict(body) if key is None else {**body, "api_key": key}

        imports = self._context.port(ProfileImports)

        async def create() -> Sequence[Problem]:
            warnings = await imports.create(asked)
            return [Problem(wanted.alias, text.removesuffix("."), "warning") for text in warnings]

        def check() -> Awaitable[None]:
            return imports.check(asked, self._files.agents, self._files.providers)

        return await self._carried_out(result, create, check)

    async def _carried_out(self, result: Result, work: Work, check: Work) -> Result:
        """check: finds what `work` would be refused for, and does nothing; it stands for it in a dry run."""
        try:
            told = await (check() if self._dry_run else work())
        except JackfieldError as exc:
            return _failed(result, exc)
        return replace(result, problems=[*result.problems, *(told or ())])


def _with_taken_servers(agent: Agent | None, body: Mapping[str, Json]) -> tuple[Mapping[str, Json], list[Problem]]:
    """The body without MCP servers that the agent cannot have, and remarks on them."""
    servers = _mapping(body["mcp_servers"])
    left = [] if agent is None else agent.untaken_servers(servers)
    told = [Problem(f"mcp_servers.{name}", "the agent does not take it; it is left out", "warning") for name in left]
    return {**body, "mcp_servers": {name: one for name, one in servers.items() if name not in left}}, told


def _failed(result: Result, error: JackfieldError) -> Result:
    status: Status = "refused" if error.status < 500 else "failed"
    details = [Problem(str(path), str(reason)) for path, reason in (error.details or {}).items()]
    problems = [*result.problems, Problem(result.name, error.message.removesuffix(".")), *details]
    return replace(result, status=status, verdict="", problems=problems)


def _missing_models(wanted: WantedProvider, found: Provider) -> list[Problem]:
    missing = [model for model in wanted.models if found.models.available and model not in found.models.available]
    told = f"{found.id} is the same address and stays as it is; it does not list {', '.join(missing)}, which works too"
    return [Problem(found.id, told, "warning")] if missing else []


def _differing(present: Profile, body: Mapping[str, Json]) -> Iterator[str]:
    """A field that nobody asked for may be as it is."""
    for name in _COMPARED:
        wanted, found = body[name], getattr(present, name)
        if wanted is not None and wanted != (list(found) if name == "args" else found):
            yield name
    if any(present.env.get(name) != value for name, value in _mapping(body["env"]).items()):
        yield "env"
    if _mapping(body["hooks_config"]) != _mapping(present.metadata.get("hooks_config")):
        yield "hooks_config"
    if (servers := _mapping(body["mcp_servers"])) and _mapping(present.metadata.get("mcp_servers")) != servers:
        yield "mcp_servers"
    if "proxy_config" in body and dict(present.proxy_config or {}) != body["proxy_config"]:
        yield "proxy_config"


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}
