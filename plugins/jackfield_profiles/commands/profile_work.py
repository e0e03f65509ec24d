"""The work of `jackfield profiles`."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.daemon import DaemonAbsent, DaemonClient
from jackfield.api.daemon_commands import segment
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.providers import Providers
from jackfield_profiles import views
from jackfield_profiles.keys.store import KeyStore, checked_key
from jackfield_profiles.ports import ProfileChanges, ProfileCreation, ProfileRemoval
from jackfield_profiles.settings import DefaultsSettings
from jackfield_profiles.storage.profiles import ProfileStore


async def default_provider(context: PluginContext) -> str:
    """Raises `InvalidInput`."""
    found = context.settings(DefaultsSettings).provider
    if not found:
        raise InvalidInput("Name a provider with --provider, or set defaults.provider in config.toml.")
    return found


async def key_prompt(context: PluginContext, provider_id: str) -> str | None:
    """The question to a person; None: no key is needed."""
    provider = await context.port(Providers).find(provider_id)
    if not provider.needs_key:
        return None
    in_environment = context.port(KeyStore).environment_key(provider) is not None
    return (provider.auth.prompt or f"API key for {provider.title}") + (
        f" (empty: {provider.auth.env_key} of the environment)" if in_environment else ""
    )


async def create(context: PluginContext, given: Mapping[str, Json]) -> dict[str, Json]:
    created = await context.port(ProfileCreation).create_from(dict(given))
    profile = created.profile
    return {"alias": profile.alias, "home": str(profile.home), "warnings": list(created.warnings)}


async def check(context: PluginContext, given: Mapping[str, Json]) -> dict[str, Json]:
    """As `create`, and nothing is made."""
    warnings = await context.port(ProfileCreation).check_from(dict(given))
    return {"alias": given["alias"], "dryRun": True, "warnings": list(warnings)}


async def listed(context: PluginContext, agent: str | None) -> tuple[list[dict[str, Json]], Sequence[str]]:
    """Rows, and what is wrong with stored profiles."""
    store = context.port(ProfileStore)
    return [views.item(one) for one in await store.all() if agent in (None, one.agent_id)], store.warnings()


async def shown(context: PluginContext, alias: str) -> dict[str, Json]:
    profile = await context.port(ProfileStore).find(alias)
    return views.detail(profile, has_key=await context.port(KeyStore).has_own(alias))


async def change(
    context: PluginContext, alias: str, asked: dict[str, Json], named: Mapping[str, Json], unset: Collection[str]
) -> dict[str, Json]:
    """named: variables that are set; unset: those that are removed."""
    whole = await _with_variables(context, alias, asked, named, unset)
    changed = await context.port(ProfileChanges).change_from(alias, whole)
    return {"alias": alias, "changed": [*sorted(whole)], "warnings": list(changed.warnings)}


async def check_change(
    context: PluginContext, alias: str, asked: dict[str, Json], named: Mapping[str, Json], unset: Collection[str]
) -> dict[str, Json]:
    """As `change`, and nothing is changed."""
    whole = await _with_variables(context, alias, asked, named, unset)
    warnings = await context.port(ProfileChanges).check_from(alias, whole)
    return {"alias": alias, "dryRun": True, "changed": [*sorted(whole)], "warnings": list(warnings)}


async def _with_variables(
    context: PluginContext, alias: str, asked: dict[str, Json], named: Mapping[str, Json], unset: Collection[str]
) -> dict[str, Json]:
    if not (named or unset):
        return asked
    present = (await context.port(ProfileStore).find(alias)).env
    env: dict[str, Json] = {name: value for name, value in {**present, **named}.items() if name not in unset}
    return {**asked, "env": env}


async def delete(context: PluginContext, alias: str, purge: bool, force: bool) -> dict[str, Json]:
    """By the daemon, when one runs: it knows of live sessions."""
    client = DaemonClient(context.service.config_dir)
    query = {"purge": str(purge).lower(), "force": str(force).lower()}
    path = f"/api/profiles/{segment(alias)}"
    try:
        left: Sequence[str] = (await asyncio.to_thread(client.ask, "DELETE", path, query=query)).warnings
    except DaemonAbsent:
        left = await context.port(ProfileRemoval).delete(alias, purge=purge, force=force)
    return {"alias": alias, "warnings": list(left)}


async def deletion(context: PluginContext, alias: str, purge: bool, force: bool) -> dict[str, Json]:
    """The effect that `delete` would have, and nothing is done; by the daemon, when one runs."""
    client = DaemonClient(context.service.config_dir)
    query = {"purge": str(purge).lower(), "force": str(force).lower()}
    path = f"/api/profiles/{segment(alias)}/deletion"
    try:
        planned: dict[str, Json] = (await asyncio.to_thread(client.ask, "GET", path, query=query)).data
    except DaemonAbsent:
        planned = views.removal(await context.port(ProfileRemoval).plan(alias, purge=purge, force=force))
    return {"alias": alias, "dryRun": True, "removes": planned}


async def put_provider_key(context: PluginContext, provider: str, key: str | None, remove: bool) -> None:
    found = await context.port(Providers).find(provider)
    if remove:
        await context.port(KeyStore).remove_provider_key(found.id)
    elif key:
        await context.port(KeyStore).put_provider_key(found.id, checked_key(key))
