"""Changes of a stored profile. A field that is not named stays, and so do keys of a newer version and the user's own.

Source: docs/decisions.md, 'Agents, providers and profiles'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import cast

from jackfield.api.agents import Agent, Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, NotFound
from jackfield.api.http import parse_model
from jackfield.api.jsontext import Json
from jackfield.api.profiles import Profile
from jackfield.api.providers import Providers
from jackfield.api.proxy import Proxies
from jackfield.api.records import replace
from jackfield_profiles.editing import fitting, hooks_config, proxy_config
from jackfield_profiles.editing.creating import directory
from jackfield_profiles.keys.files import KeyUnreadable
from jackfield_profiles.keys.store import KeyStore, checked_key
from jackfield_profiles.keys.system_keyring import KeyringSilent
from jackfield_profiles.mcp_servers import HIDDEN
from jackfield_profiles.ports import HooksDocument, ProfileLaunching, Written
from jackfield_profiles.schemas import ProfileChange
from jackfield_profiles.storage.files import Document
from jackfield_profiles.storage.profiles import ProfileStore
from jackfield_profiles.views import hooks_of
from jackfield_profiles.wiring.access import require_address
from jackfield_profiles.wiring.environment import MASK

IN_METADATA = frozenset(
    {
        "answers",
        "approvals",
        "daemon_tools",
        "hooks_config",
        "limits",
        "mcp_servers",
        "persist",
        "proxy_config",
        "sandbox",
    }
)


class ProfileEditor:
    """`ProfileChanges`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._profiles = context.port(ProfileStore)
        self._keys = context.port(KeyStore)

    async def change_from(self, alias: str, body: Json) -> Written:
        return await self.change(alias, _fields(body))

    async def check_from(self, alias: str, body: Json) -> Sequence[str]:
        asked = _fields(body)
        present = await self._profiles.find(alias)
        if "api_key" in asked and self._key(asked) is None:
            await self._require_dispensable(present)
        _, warnings = await self._checked(present, asked)
        return warnings

    def _key(self, asked: Mapping[str, Json]) -> str | None:
        """None: it is removed, or nothing is said of it. Raises `InvalidInput` for what can be none."""
        key = checked_key(str(asked["api_key"] or "")) or None if "api_key" in asked else None
        if key is not None:
            self._context.secrets.redact(key)
        return key

    async def change(self, alias: str, asked: Mapping[str, Json]) -> Written:
        key = self._key(asked)
        await self._profiles.find(alias)
        async with self._profiles.changing(alias):
            present = await self._profiles.find(alias)
            values, warnings = await self._checked(present, asked)
            if "api_key" in asked:
                changed = await self._with_key(present, key, values)
            else:
                changed = await self._profiles.rewrite(alias, _setting(values)) if values else present
        await self._follow(present, changed, asked)
        return Written(changed, warnings)

    async def set_proxy(self, alias: str, config: Mapping[str, Json] | None) -> Profile:
        return (await self.change(alias, {"proxy_config": None if config is None else dict(config)})).profile

    async def with_proxy(self, alias: str, config: Mapping[str, Json]) -> Profile:
        present = await self._profiles.find(alias)
        checked: Json = proxy_config.checked(config, proxy_config.AddedKinds.of(self._context))
        return replace(present, metadata={**present.metadata, "proxy_config": checked})

    async def check_proxy(self, alias: str, config: Mapping[str, Json]) -> Profile:
        present = await self._profiles.find(alias)
        checked = await self._proxy(present, dict(config))
        return replace(present, metadata={**present.metadata, "proxy_config": checked})

    async def change_hooks(self, alias: str, change: Callable[[HooksDocument], None]) -> HooksDocument:
        await self._profiles.find(alias)
        async with self._profiles.changing(alias):
            present = await self._profiles.find(alias)
            checked = await self._checked_hooks(present, change)
            changed = await self._profiles.rewrite(alias, _setting({"hooks_config": checked}))
        await self._follow(present, changed, {"hooks_config": checked})
        return checked

    async def check_hooks(self, alias: str, change: Callable[[HooksDocument], None]) -> HooksDocument:
        return await self._checked_hooks(await self._profiles.find(alias), change)

    async def _checked_hooks(self, present: Profile, change: Callable[[HooksDocument], None]) -> HooksDocument:
        agent = await self._agent(present)
        hooks_config.allowed(agent)
        hooks = copied(hooks_of(present))
        change(hooks)
        return hooks_config.checked(hooks, agent)

    async def _checked(self, present: Profile, asked: Mapping[str, Json]) -> tuple[dict[str, Json], Sequence[str]]:
        """The stored values, all of them looked at before the first is stored."""
        as_given = ("answers", "args", "daemon_tools", "limits", "persist", "sandbox")
        values: dict[str, Json] = {name: value for name, value in asked.items() if name in as_given}
        warnings: list[str] = []
        if "daemon_tools" in asked:
            await fitting.require_tools(self._context, cast("Mapping[str, Json] | None", asked["daemon_tools"]))
        if "approvals" in asked:
            fitting.require_approvals(await self._agent(present), cast("str | None", asked["approvals"]))
            values["approvals"] = asked["approvals"]
        if "env" in asked:
            values["env"] = _unmasked("env", cast("Mapping[str, str]", asked["env"]), present.env)
        if "mcp_servers" in asked:
            servers = unmasked_servers(asked["mcp_servers"], present.metadata.get("mcp_servers"))
            fitting.require_servers(await self._agent(present), servers)
            values["mcp_servers"] = servers
        if "working_dir" in asked:
            values["working_dir"] = directory(
                cast("str | None", asked["working_dir"]), self._context.service.config_dir, present.home
            )
        if "hooks_config" in asked:
            given = cast("Mapping[str, Json]", asked["hooks_config"])
            values["hooks_config"] = hooks_config.checked(given, await self._agent(present))
        if "endpoint_id" in asked or "model" in asked:
            found, warning = await self._target(present, asked)
            values |= found
            warnings += [warning] if warning else []
        if "proxy_config" in asked:
            values["proxy_config"] = await self._proxy(present, asked["proxy_config"])
        return values, warnings

    async def _target(self, present: Profile, asked: Mapping[str, Json]) -> tuple[dict[str, Json], str | None]:
        provider = await self._context.port(Providers).find(present.provider_id)
        values: dict[str, Json] = {}
        if "endpoint_id" in asked:
            values["endpoint_id"], url = provider.endpoint(cast("str | None", asked["endpoint_id"]))
            require_address(provider, url)
        if "model" not in asked:
            return values, None
        model = asked["model"]
        if model is None:
            agent = await self._context.port(Agents).find(present.agent_id)
            model = fitting.model_for(None, provider, agent)
        return {**values, "model": model}, fitting.model_warning(str(model), provider)

    async def _proxy(self, present: Profile, given: Json) -> Json:
        """Raises `InvalidInput`, also when the agent cannot do without the proxy that is switched off."""
        stored = (
            None
            if given is None
            else proxy_config.checked(cast("Mapping[str, Json]", given), proxy_config.AddedKinds.of(self._context))
        )
        enabled = stored is not None and bool(stored["enabled"])
        agent = await self._agent(present)
        provider = (await self._context.port(Providers).all()).get(present.provider_id)
        if agent is not None and provider is not None:
            fitting.require_fit(agent, provider, proxied=enabled)
            trial = replace(present, metadata={**present.metadata, "proxy_config": stored})
            await self._context.port(ProfileLaunching).require_configurable(trial, agent, provider)
        return stored

    async def _agent(self, profile: Profile) -> Agent | None:
        """None: its manifest has gone."""
        try:
            return await self._context.port(Agents).find(profile.agent_id)
        except NotFound:
            return None

    async def _with_key(self, present: Profile, key: str | None, values: Mapping[str, Json]) -> Profile:
        """The key first, and back again when the rest cannot be stored."""
        if key is None:
            await self._require_dispensable(present)
        before = await self._readable_key(present.alias)
        await self._set_key(present.alias, key)
        try:
            return await self._profiles.rewrite(present.alias, _setting(values)) if values else present
        except BaseException:
            await self._set_key(present.alias, before)
            raise

    async def _require_dispensable(self, present: Profile) -> None:
        """Raises `InvalidInput` when the profile cannot do without its own key."""
        provider = (await self._context.port(Providers).all()).get(present.provider_id)
        if provider is not None and provider.needs_key and self._keys.environment_key(provider) is None:
            raise fitting.key_missing(provider)

    async def _readable_key(self, alias: str) -> str | None:
        """A damaged key is what a new one is set for."""
        try:
            return await self._keys.own(alias)
        except (KeyUnreadable, KeyringSilent):
            return None

    async def _set_key(self, alias: str, key: str | None) -> None:
        if key is None:
            await self._keys.remove(alias)
        else:
            await self._keys.put(alias, key)

    async def _follow(self, before: Profile, after: Profile, asked: Mapping[str, Json]) -> None:
        """A proxy that is switched off stops; listeners hear what has changed, without values."""
        ends = before.proxy_enabled and not after.proxy_enabled
        if ends and (proxies := self._context.find_port(Proxies)) is not None:
            await proxies.stop(after.alias)
        self._context.events.publish("profiles", "profile_updated", {"alias": after.alias, "fields": sorted(asked)})


def _fields(body: Json) -> Mapping[str, Json]:
    """Those that were given. Raises `InvalidInput`."""
    return parse_model(ProfileChange, body).model_dump(exclude_unset=True)


def copied(hooks: HooksDocument) -> HooksDocument:
    """To be altered: what is stored is shared with the readers."""
    return deepcopy(hooks)


def _unmasked(field: str, given: Mapping[str, str], present: Mapping[str, str]) -> dict[str, Json]:
    """A client that sends back what it was shown must not store the mask. field: where these values stand."""
    made: dict[str, Json] = {}
    for name, value in given.items():
        if value == MASK and name not in present:
            raise InvalidInput(
                "There is no stored value to keep.", details={f"{field}.{name}": "give the value itself"}
            )
        made[name] = present[name] if value == MASK else value
    return made


def unmasked_servers(given: Json, present: Json) -> dict[str, Json]:
    """As `_unmasked`, for `env` and `headers` of each server. A server that is another one now keeps none: what was
    meant for one place would go to another. Raises `InvalidInput`."""
    stored = present if isinstance(present, dict) else {}
    made: dict[str, Json] = {}
    for name, server in given.items() if isinstance(given, dict) else ():
        if isinstance(server, dict):
            found = stored.get(name)
            before = found if isinstance(found, dict) else {}
            for part in HIDDEN & server.keys():
                field, values = f"mcp_servers.{name}.{part}", cast("Mapping[str, str]", server[part])
                known = before.get(part)
                if isinstance(known, dict) and _goes_elsewhere(before, server):
                    _require_values(field, values)
                texts = cast("Mapping[str, str]", known if isinstance(known, dict) else {})
                server = {**server, part: _unmasked(field, values, texts)}
        made[name] = server
    return made


def _goes_elsewhere(before: Mapping[str, Json], server: Mapping[str, Json]) -> bool:
    return any((before.get(part) or None) != (server.get(part) or None) for part in ("url", "command", "args"))


def _require_values(field: str, values: Mapping[str, str]) -> None:
    remedy = "give the value itself, or leave url, command and args of the server as they are"
    masked = {f"{field}.{name}": remedy for name, value in values.items() if value == MASK}
    if masked:
        raise InvalidInput("A stored value is not kept for a server that is another one now.", details=masked)


def _setting(values: Mapping[str, Json]) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        metadata = cast("Document", document["metadata"])  # the store has seen that it is one
        for name, value in values.items():
            (metadata if name in IN_METADATA else document)[name] = value

    return change
