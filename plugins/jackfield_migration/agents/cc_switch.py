"""CC Switch: `cc-switch.db`, or `config.json` of its versions before 3.8. Each provider of an agent is a profile here:
what the tool switches to, one may run side by side."""

from __future__ import annotations

import json
import re
import sqlite3
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_migration.agents.addresses import GOOGLE, base_of, has_scheme
from jackfield_migration.agents.reading import json_file, table, text
from jackfield_migration.agents.routes import proxy_config
from jackfield_migration.agents.setting_shapes import SERVERS, fits
from jackfield_migration.agents.wanted import Setup, WantedProfile, WantedProvider, WantedSetting, named

SOURCE = "cc-switch"
DATABASE = "cc-switch.db"
AGENTS = {"claude": "claude", "codex": "codex", "gemini": "gemini", "grokbuild": "grok", "opencode": "opencode"}
"""Its names of agents -> ours."""
_OWN_LOGIN = "self"
_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASSWORD", re.IGNORECASE)
_ENV = {
    "claude": ("ANTHROPIC_BASE_URL", ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"), "ANTHROPIC_MODEL"),
    "gemini": ("GOOGLE_GEMINI_BASE_URL", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "GEMINI_MODEL"),
}
"""Variables of an agent: address, key, model."""
_NPM = {"@ai-sdk/anthropic": "anthropic", "@ai-sdk/google": "gemini"}
"""Packages of a provider of OpenCode that do not speak OpenAI's dialect."""
_TRANSLATED = ("openai_chat", "openai_responses")
"""Formats of a provider of Claude Code that it does not speak by itself."""


@record
class StoredProvider:
    """One provider as it is stored. app: its name of an agent."""

    app: str
    name: str
    settings: Mapping[str, Json]
    meta: Mapping[str, Json]


@record
class StoredServer:
    """One MCP server. apps: its names of the agents for which it is switched on."""

    name: str
    config: Mapping[str, Json]
    apps: frozenset[str]


@record
class ProviderContent:
    """The content of a provider's settings. `env`: further variables."""

    url: str
    key: str
    model: str
    env: Mapping[str, str]
    spoken: str


def read(path: Path, alias: str | None, agent: str | None) -> Setup:
    """path: its directory, or one of its files. alias, agent: not needed. Raises `InvalidInput`."""
    file = _file(path)
    stored, servers = _database(file) if file.suffix == ".db" else _json(json_file(file))
    if not stored and not servers:
        raise InvalidInput(f"The file {file} has no providers: it is not one of CC Switch.")
    setup = Setup(SOURCE)
    usable = [server for server in servers if _is_usable(setup, server, str(file))]
    for one in stored:
        _bring(setup, one, usable, str(file))
    taken = {AGENTS[one.app] for one in stored if one.app in AGENTS} & {one.agent_id for one in setup.profiles}
    for server in usable:
        if taken.isdisjoint(map(AGENTS.get, server.apps)):
            reason = f"It is switched on for {', '.join(sorted(server.apps))}, of which no profile is made."
            setup.leave("setting", f"mcp_servers.{server.name}", str(file), reason)
    return setup


def _file(path: Path) -> Path:
    if not path.is_dir():
        return path
    for name in (DATABASE, "config.json"):
        if (path / name).is_file():
            return path / name
    raise InvalidInput(f"The directory {path} has neither {DATABASE} nor config.json.")


def _database(file: Path) -> tuple[list[StoredProvider], list[StoredServer]]:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            rows = database.execute(
                "select app_type, name, settings_config, meta from providers order by app_type, sort_index, created_at"
            ).fetchall()
            # Each version has its own columns of agents.
            servers = database.execute("select * from mcp_servers order by name, id").fetchall()
        stored = [
            StoredProvider(str(app), str(name), table(json.loads(settings)), table(json.loads(meta)))
            for app, name, settings, meta in rows
        ]
        return stored, [
            StoredServer(
                str(row["name"]), table(json.loads(row["server_config"])),
                frozenset(app for app in AGENTS if row.get(f"enabled_{app}")),
            )
            for row in map(dict, servers)
        ]  # fmt: skip
    except sqlite3.Error as exc:
        raise InvalidInput(f"The file {file} is no database of CC Switch: {type(exc).__name__}.") from None
    except ValueError:
        raise InvalidInput(f"The file {file} has a value that is no JSON.") from None


def _json(config: Mapping[str, Json]) -> tuple[list[StoredProvider], list[StoredServer]]:
    stored = [
        StoredProvider(app, text(table(one), "name"), table(one, "settingsConfig"), table(one, "meta"))
        for app in AGENTS
        for one in table(config, app, "providers").values()
    ]
    return stored, [*_shared_servers(config), *_own_servers(config)]


def _shared_servers(config: Mapping[str, Json]) -> Iterator[StoredServer]:
    """Since 3.7: each says for which agents it is on."""
    for name, one in table(config, "mcp", "servers").items():
        switches = table(one, "apps")
        yield StoredServer(name, table(one, "server"), frozenset(app for app in AGENTS if switches.get(app) is True))


def _own_servers(config: Mapping[str, Json]) -> Iterator[StoredServer]:
    """Before: each agent has its own, which are on unless they say otherwise."""
    for app in AGENTS:
        for name, one in table(config, "mcp", app, "servers").items():
            on = {app} if table(one).get("enabled") is not False else ()
            yield StoredServer(name, table(one, "server"), frozenset(on))


def _bring(setup: Setup, one: StoredProvider, servers: Sequence[StoredServer], origin: str) -> None:
    agent = AGENTS.get(one.app)
    if agent is None or not one.name:
        setup.leave("profile", one.name or "-", origin, f"There is no agent {one.app} here.")
        return
    try:
        access = _access(one)
    except ValueError:
        setup.leave("profile", one.name, origin, "Its configuration of the agent is not TOML.")
        return
    taken = [profile.alias for profile in setup.profiles]
    alias = named(one.name) if named(one.name) not in taken else named(f"{one.name}-{one.app}", taken)
    own = _servers(setup, alias, [server for server in servers if one.app in server.apps])
    if own:
        setup.remark(alias, f"it has the MCP servers that were on for {one.app}: {', '.join(own)}")
    if not access.url:
        setup.profiles.append(
            WantedProfile(alias, agent, _OWN_LOGIN, origin, access.model or None, env=access.env, mcp_servers=own)
        )
        return
    if not has_scheme(access.url):
        setup.leave("profile", one.name, origin, "Its address begins with neither http:// nor https://.")
        return
    provider = _provider(setup, one, access, origin)
    proxied = one.app == "claude" and text(one.meta, "apiFormat") in _TRANSLATED
    config = proxy_config("Conditional", [], {}) if proxied else None
    setup.profiles.append(
        WantedProfile(
            alias, agent, provider.id, origin, access.model or None, env=access.env, mcp_servers=own,
            proxy_config=config, key=access.key or None,
        )
    )  # fmt: skip


def _servers(setup: Setup, alias: str, servers: Sequence[StoredServer]) -> dict[str, dict[str, Json]]:
    """Of a profile, by their ids. The import lists names that make the same id with the ids that they get."""
    made: dict[str, dict[str, Json]] = {}
    names: dict[str, str] = {}
    for server in servers:
        form, wanted = _form(server.config), named(server.name)
        if any(names[own_id] == server.name and made[own_id] == form for own_id in made):
            continue  # one server, which the tool has twice
        own_id = named(server.name, [*made])
        if own_id != wanted:
            both = f"the MCP servers {names[wanted]!r} and {server.name!r}"
            setup.remark(alias, f"{both} would have the same name here; the second one is {own_id}")
        made[own_id], names[own_id] = form, server.name
    return made


def _provider(setup: Setup, one: StoredProvider, access: ProviderContent, origin: str) -> WantedProvider:
    """The same of several agents is one."""
    kind, url = base_of(access.url, access.spoken)
    for known in setup.providers:
        if (known.type, known.url, known.key) == (kind, url, access.key or None):
            return known
    models = [access.model] if access.model else []
    made = WantedProvider(
        named(one.name, [known.id for known in setup.providers]), one.name, kind, url, origin, models,
        access.model or None, access.key or None,
    )  # fmt: skip
    setup.providers.append(made)
    return made


def _access(one: StoredProvider) -> ProviderContent:
    """Raises ValueError for a configuration of Codex that is none."""
    if one.app in ("codex", "grokbuild"):
        return _of_toml(one.settings)
    if one.app == "opencode":
        options = table(one.settings, "options")
        spoken = _NPM.get(text(one.settings, "npm"), "openai")
        model = next(iter(table(one.settings, "models")), "")
        key = text(options, "apiKey")
        return ProviderContent(_address(text(options, "baseURL"), key, spoken), key, model, {}, spoken)
    address, keys, model = _ENV[one.app]
    env = table(one.settings, "env")
    others = {
        name: value
        for name, value in env.items()
        if isinstance(value, str) and name not in (address, model) and not _SECRET.search(name)
    }
    spoken = "openai" if text(one.meta, "apiFormat") in _TRANSLATED else "anthropic"
    spoken, key = "gemini" if one.app == "gemini" else spoken, text(env, *keys)
    return ProviderContent(_address(text(env, address), key, spoken), key, text(env, model), others, spoken)


def _address(given: str, key: str, spoken: str) -> str:
    """Google's own, where there is a key of it and no address."""
    return given or (GOOGLE if key and spoken == "gemini" else "")


def _of_toml(settings: Mapping[str, Json]) -> ProviderContent:
    written = settings.get("config")
    config = tomllib.loads(written) if isinstance(written, str) else {}
    provider = table(config, "model_providers", text(config, "model_provider"))
    auth = table(settings, "auth")
    key = text(auth, "OPENAI_API_KEY", "XAI_API_KEY") or text(provider, "experimental_bearer_token")
    return ProviderContent(
        text(provider, "base_url") or text(config, "base_url"), key, text(config, "model"), {}, "openai"
    )


def _is_usable(setup: Setup, server: StoredServer, origin: str) -> bool:
    """Whether it is on somewhere, and of a form that profiles have; else the report says why it is left."""
    kept = _form(server.config)
    if not server.apps:
        reason = "It is switched off for every agent that is taken over."
    elif not kept:
        reason = "It has neither a command nor an address over HTTP."
    elif not fits(WantedSetting(SERVERS, named(server.name), kept, origin)):
        reason = "It has a form that Jackfield does not take."
    else:
        return True
    setup.leave("setting", f"mcp_servers.{server.name}", origin, reason)
    return False


def _form(server: Mapping[str, Json]) -> dict[str, Json]:
    """As profiles store it. Empty: it has neither a command nor an address of the web."""
    if command := text(server, "command"):
        return {"command": command, "args": server.get("args") or [], "env": dict(table(server, "env"))}
    url, kind = text(server, "url"), text(server, "type") or "http"
    if not has_scheme(url) or kind not in ("http", "sse"):
        return {}
    return {"url": url, "type": kind, "headers": dict(table(server, "headers"))}
