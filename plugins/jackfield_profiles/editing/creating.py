"""A new profile: checked, given a home and a key, stored, and its agent's `create` hooks run. A creation that fails
leaves nothing.

Source: docs/decisions.md, 'Agents, providers and profiles'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from jackfield.api.agents import Agent, Agents
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.http import parse_model
from jackfield.api.jsontext import Json
from jackfield.api.profiles import Profile
from jackfield.api.providers import Provider, Providers
from jackfield.api.records import record
from jackfield_profiles import aliases
from jackfield_profiles.editing import fitting, homes, hooks_config, proxy_config
from jackfield_profiles.keys.store import KeyStore, checked_key
from jackfield_profiles.mcp_servers import of_profile
from jackfield_profiles.ports import NewProfile, ProfileLaunching, Promised, Written
from jackfield_profiles.preferences import ServerPreferences, switched_on
from jackfield_profiles.schemas import ProfileBody
from jackfield_profiles.settings import ProfilesSettings
from jackfield_profiles.shims import Shims
from jackfield_profiles.storage.files import Document, parsed, text
from jackfield_profiles.storage.profiles import ProfileStore
from jackfield_profiles.templates import TemplateCatalog
from jackfield_profiles.wiring.access import require_address
from jackfield_profiles.working_directory import require_outside


@record
class _Ready:
    """A profile that may be made. document: its stored form."""

    alias: str
    key: str | None
    agent: Agent
    provider: Provider
    document: Document
    warnings: Sequence[str]


class ProfileCreator:
    """`ProfileCreation`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._profiles = context.port(ProfileStore)
        self._keys = context.port(KeyStore)
        self._launching = context.port(ProfileLaunching)
        self._shims = context.port(Shims)
        self._templates = TemplateCatalog(context)
        self._limit = context.settings(ProfilesSettings).limit

    async def create_from(self, body: Json) -> Written:
        return await self.create(await self._asked(body))

    async def check_from(self, body: Json, promised: Promised | None = None) -> Sequence[str]:
        ready = await self._prepared(await self._asked(body), promised or Promised())
        await self._require_free(ready.alias)
        profile = parsed(text(ready.document))
        await self._launching.require_configurable(profile, ready.agent, ready.provider)
        return [f"Its home would be {profile.home}.", *ready.warnings]

    async def _asked(self, body: Json) -> NewProfile:
        given = parse_model(ProfileBody, await self._templates.applied(body))
        return NewProfile(**given.model_dump(exclude={"template"}))

    async def create(self, asked: NewProfile) -> Written:
        ready = await self._prepared(asked, Promised())
        await self._require_free(ready.alias)  # also one that the caller does not see
        async with self._profiles.changing(ready.alias):
            await self._require_free(ready.alias)
            async with AsyncExitStack() as undo:
                profile = await self._make(ready, undo)
                if asked.shim:
                    await asyncio.to_thread(self._shims.install, ready.alias)
                undo.pop_all()
        self._context.events.publish("profiles", "profile_created", _told(profile))
        return Written(profile, ready.warnings)

    async def _prepared(self, asked: NewProfile, promised: Promised) -> _Ready:
        """Once everything has been looked at that needs no lock. Raises as `create`."""
        key = checked_key(asked.api_key or "") or None
        if key is not None:
            self._context.secrets.redact(key)
        alias = aliases.checked(asked.alias)
        agent = promised.agents.get(asked.agent_id) or await self._context.port(Agents).find(asked.agent_id)
        provider = promised.providers.get(asked.provider_id) or await self._context.port(Providers).find(
            asked.provider_id
        )
        await fitting.require_tools(self._context, asked.daemon_tools)
        new, warnings = self._document(asked, agent, provider)
        if not asked.allow_missing:
            await fitting.require_installed(self._context, agent)
        if key is None and provider.needs_key and self._keys.environment_key(provider) is None:
            raise fitting.key_missing(provider)
        return _Ready(alias, key, agent, provider, new, warnings)

    async def _require_free(self, alias: str) -> None:
        if (there := await self._profiles.taken(alias)) is not None:
            raise aliases.taken(alias, there)
        if await self._profiles.count() >= self._limit:
            raise Conflict(
                f"There are {self._limit} profiles, which is profiles.limit; delete one or raise it.",
                code="PROFILE_LIMIT",
            )

    def _document(self, asked: NewProfile, agent: Agent, provider: Provider) -> tuple[Document, Sequence[str]]:
        """The stored form, and what is to be said about it. Raises `InvalidInput`."""
        endpoint, url = provider.endpoint(asked.endpoint_id)
        require_address(provider, url)
        proxy: dict[str, Json] | None = None
        if asked.proxy_config is not None:
            proxy = proxy_config.checked(asked.proxy_config, proxy_config.AddedKinds.of(self._context))
        fitting.require_fit(agent, provider, proxied=bool(proxy and proxy["enabled"]))
        fitting.require_servers(agent, asked.mcp_servers)
        fitting.require_approvals(agent, asked.approvals)
        model = fitting.model_for(asked.model, provider, agent)
        warnings = fitting.model_warning(model, provider), self._left_out(agent, asked.mcp_servers)
        home = homes.home_of(agent, asked.alias, self._context.service.config_dir)
        document: Document = {
            "alias": asked.alias,
            "agent_id": agent.id,
            "provider_id": provider.id,
            "endpoint_id": endpoint,
            "model": model,
            "env": dict(asked.env),
            "args": list(asked.args),
            "working_dir": directory(asked.working_dir, self._context.service.config_dir, home),
            "metadata": {
                "created_at": iso(self._context.clock.now_ms()),
                "last_used": None,
                "profile_home": str(home),
                "hooks_config": hooks_config.checked(asked.hooks_config, agent),
                "proxy_config": proxy,
                **({"mcp_servers": dict(asked.mcp_servers)} if asked.mcp_servers else {}),
                "sandbox": asked.sandbox,
                **({} if asked.limits is None else {"limits": dict(asked.limits)}),
                **({} if asked.persist is None else {"persist": asked.persist}),
                **({} if asked.answers is None else {"answers": dict(asked.answers)}),
                **({} if asked.daemon_tools is None else {"daemon_tools": dict(asked.daemon_tools)}),
                **({} if asked.approvals is None else {"approvals": asked.approvals}),
            },
        }
        return document, [warning for warning in warnings if warning is not None]

    def _left_out(self, agent: Agent, own: Mapping[str, Json]) -> str | None:
        """The warnings about servers of all profiles that the agent does not get.

        `own`: the profile's, which may switch them off or have others of their names.
        """
        given = switched_on(self._context.settings(ServerPreferences))
        names = agent.untaken_servers(of_profile(given, dict(own), None))
        return f"{agent.title} does not take these MCP servers of all profiles: {', '.join(names)}." if names else None

    async def _make(self, ready: _Ready, undo: AsyncExitStack) -> Profile:
        """Each step is undone when a later one fails."""
        alias, key, metadata = ready.alias, ready.key, ready.document["metadata"]
        home = Path(str(metadata["profile_home"])) if isinstance(metadata, dict) else Path()
        made = await asyncio.to_thread(homes.make, home, alias)
        undo.push_async_callback(asyncio.to_thread, homes.unmake, made)
        undo.push_async_callback(self._forget_key, alias)
        if key is not None:
            await self._keys.put(alias, key)
        profile = await self._profiles.add(ready.document)
        undo.push_async_callback(self._profiles.remove, alias)
        await self._launching.require_configurable(profile, ready.agent, ready.provider)
        await self._launching.lifecycle(profile, "create")
        return profile

    async def _forget_key(self, alias: str) -> None:
        """A key that cannot be removed now is swept later, and must not hide why the profile was not made."""
        try:
            await self._keys.remove(alias)
        except Exception as exc:
            self._context.log.warning("The key of the profile %s, which was not made, is left: %s", alias, exc)


def directory(given: str | None, config_dir: Path, home: Path) -> str | None:
    """A leading `~` is the user's home here and now, not the agent's. Raises `InvalidInput`, also for what is in the
    configuration directory and not in the profile's home."""
    if given is None:
        return None
    try:
        found = str(Path(given).expanduser()) if given.startswith("~") else given
    except RuntimeError:
        raise InvalidInput(
            "The working directory names a user who is not there.",
            details={"working_dir": "give the absolute path of a directory"},
        ) from None
    require_outside(found, config_dir, home)
    return found


def _told(profile: Profile) -> Mapping[str, str]:
    return {"alias": profile.alias, "agent_id": profile.agent_id, "provider_id": profile.provider_id}
