"""Profiles of this host as documents: the choice of agent, provider and model, its settings, hooks and tools.

Source: docs/source-control.md, 'Profiles'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.jsontext import Json
from jackfield.api.profiles import Profile
from jackfield_profiles import views
from jackfield_profiles.mcp_servers import HIDDEN
from jackfield_profiles.portable.masking import has_mask, hidden
from jackfield_profiles.ports import ProfileChanges, ProfileCreation
from jackfield_profiles.storage.profiles import ProfileStore
from jackfield_profiles.wiring.environment import MASK

_FIXED = ("agent_id", "provider_id")
_SETTINGS = (
    "endpoint_id", "model", "sandbox", "limits", "persist", "answers", "daemon_tools", "approvals",
)  # fmt: skip
"""As the API shows them. Variables, the working directory, the home and keys are the host's."""
_TEXTS = ("args", "hooks_config")
_PLACE = ("url", "command", "args")
"""Of an MCP server: where its values go."""


class ProfileDocuments:
    """See `jackfield.api.portable_documents.PortableProfiles`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._store = context.port(ProfileStore)

    async def documents(self) -> Mapping[str, Mapping[str, Json]]:
        """Raises also `Conflict` for a profile that cannot be read: left out, it would seem to be deleted."""
        found = await self._store.all()
        if damaged := self._store.warnings():
            raise Conflict(f"{' '.join(damaged)} Repair the file, or delete the profile with force.")
        return await asyncio.to_thread(lambda: {each.alias: _document(each) for each in found})

    async def put(self, name: str, document: Mapping[str, Json], author: Principal) -> None:
        try:
            present = await self._store.find(name)
        except NotFound:
            await self._create(name, document)
            return
        await self._change(present, document)

    async def _create(self, alias: str, document: Mapping[str, Json]) -> None:
        given = {key: document[key] for key in (*_FIXED, *_SETTINGS) if key in document}
        given |= _texts(document, {})
        proxy = _without_port(_plain("proxy_config", document.get("proxy_config")))
        servers = _servers(document.get("mcp_servers"), {})
        body = {**given, "alias": alias, "mcp_servers": servers, "proxy_config": proxy, "allow_missing": True}
        await self._context.port(ProfileCreation).create_from(body)

    async def _change(self, present: Profile, document: Mapping[str, Json]) -> None:
        """Raises `InvalidInput` for another agent or provider: the home and the key belong to those that are here."""
        for field, mine in (("agent_id", present.agent_id), ("provider_id", present.provider_id)):
            if document.get(field, mine) != mine:
                raise InvalidInput(
                    f"The profile {present.alias} here has another {field}, {mine}. Delete it here, then pull again."
                )
        shown = _document(present)
        changed = {key: document[key] for key in _SETTINGS if key in document and document[key] != shown[key]}
        changed |= _texts(document, shown)
        if "mcp_servers" in document and document["mcp_servers"] != shown["mcp_servers"]:
            changed["mcp_servers"] = _servers(document["mcp_servers"], present.metadata.get("mcp_servers"))
        if "proxy_config" in document and document["proxy_config"] != shown["proxy_config"]:
            changed["proxy_config"] = _with_port(_plain("proxy_config", document["proxy_config"]), present)
        if changed:
            await self._context.port(ProfileChanges).change_from(present.alias, changed)


def _document(profile: Profile) -> dict[str, Json]:
    shown = views.detail(profile, has_key=False)
    made = {key: shown[key] for key in ("alias", *_FIXED, *_SETTINGS)}
    made |= {key: hidden(shown[key]) for key in _TEXTS}
    servers = profile.metadata.get("mcp_servers")
    made["mcp_servers"] = {name: hidden(one) for name, one in servers.items()} if isinstance(servers, dict) else {}
    proxy = profile.proxy_config
    made["proxy_config"] = None if proxy is None else _without_port(hidden(dict(proxy)))
    return made


def _texts(document: Mapping[str, Json], shown: Mapping[str, Json]) -> dict[str, Json]:
    """Those that differ."""
    return {key: _plain(key, document[key]) for key in _TEXTS if key in document and document[key] != shown.get(key)}


def _plain(field: str, value: Json) -> Json:
    """The same. Raises `InvalidInput` for a hidden value: a command without it would be another one."""
    if has_mask(value):
        raise InvalidInput(
            f"{field} of the profile has a hidden value. Name a variable in its place there, or make the same change "
            "here by hand."
        )
    return value


def _servers(given: Json, present: Json) -> Json:
    """Hidden values of a server that is the same here are those that it has. Another one has none in `env` and
    `headers`. Raises `InvalidInput` for a hidden value elsewhere."""
    if not isinstance(given, dict):
        return {} if given is None else given  # whoever checks the body refuses it
    known = present if isinstance(present, dict) else {}
    return {name: _server(name, server, known.get(name)) for name, server in given.items()}


def _server(name: str, server: Json, present: Json) -> Json:
    if not isinstance(server, dict):
        return server
    mine = present if isinstance(present, dict) else {}
    shown = cast("Mapping[str, Json]", hidden(mine))
    same = all((shown.get(part) or None) == (server.get(part) or None) for part in _PLACE)
    made: dict[str, Json] = {}
    for part, value in server.items():
        if part in HIDDEN and isinstance(value, dict):
            there = mine.get(part) if same else None
            known = there.keys() if isinstance(there, dict) else frozenset[str]()
            made[part] = {key: text for key, text in value.items() if text != MASK or key in known}
        elif same and part in _PLACE and part in mine:
            made[part] = mine[part]
        elif has_mask(value):
            raise InvalidInput(f"mcp_servers.{name}.{part} of the profile has a hidden value; set this server by hand.")
        else:
            made[part] = value
    return made


def _without_port(given: Json) -> Json:
    """The port is the host's, also in a file that has one."""
    return {key: part for key, part in given.items() if key != "port"} if isinstance(given, dict) else given


def _with_port(given: Json, present: Profile) -> Json:
    port = (present.proxy_config or {}).get("port")
    own = _without_port(given)
    return {**own, "port": port} if isinstance(own, dict) and port is not None else own
