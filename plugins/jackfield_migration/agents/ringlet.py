"""ringlet: `config.toml`, `profiles/*.json`, manifests, scripts and what its registry has brought; keys from the
operating system's keyring."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import cast

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield_migration.agents.reading import json_file, rows, table, text, texts, toml_file
from jackfield_migration.agents.wanted import Setup, WantedFile, WantedProfile, WantedSetting

SOURCE = "ringlet"
SERVICE = "ringlet"
"""Of its keys in the keyring."""
KEYRING_S = 3.0
"""Seconds that the keyring may take."""
LONGEST_HOOK = 3600
"""Seconds."""
_MARK = "_RINGLET_"
"""How its own variables begin, which stand among those of a profile."""
_SETTINGS = {
    "defaults.provider": "defaults.provider",
    "defaults.bin_dir": "profiles.bin_dir",
    "daemon.http_port": "server.port",
    "hooks.auto_format": "hooks.auto_format",
    "hooks.auto_lint": "hooks.auto_lint",
    "hooks.custom": "hooks.custom",
}
"""Key there -> key here."""
_NOT_HERE = {
    "daemon.idle_timeout_secs": "The daemon runs until it is stopped.",
    "telemetry.enabled": "Usage is always counted, and stays on this machine.",
    "telemetry.resource_monitoring": "There is nothing like it here.",
}
STRATEGIES = {
    "simple": "Simple",
    "weighted": "Weighted",
    "lowest_cost": "LowestCost",
    "adaptive": "LowestLatency",
    "conditional": "Conditional",
}
_COMMIT = re.compile(r"[A-Za-z0-9._-]+")


def read(path: Path, alias: str | None, agent: str | None) -> Setup:
    """path: its configuration directory. alias, agent: not needed. Raises `InvalidInput`."""
    setup = Setup(SOURCE)
    if not path.is_dir():
        raise InvalidInput(f"{path} is no directory; name the configuration directory of {SOURCE}.")
    _settings(setup, path / "config.toml")
    setup.files += [WantedFile(folder, file) for folder, file in _own_files(path)]
    setup.files += [WantedFile(folder, file, unless_known=True) for folder, file in _registry_files(path)]
    for file in sorted((path / "profiles").glob("*.json")):
        try:
            setup.profiles.append(_profile(setup, json_file(file), str(file)))
        except InvalidInput as exc:
            setup.unreadable.append((str(file), exc.message))
    if not (setup.settings or setup.left or setup.files or setup.profiles or setup.unreadable):
        raise InvalidInput(f"The directory {path} has nothing of {SOURCE}: no config.toml and no profile.")
    return setup


def _settings(setup: Setup, file: Path) -> None:
    if not file.is_file():
        return
    config = toml_file(file)
    origin = str(file)
    for there, here in _SETTINGS.items():
        value = _at(config, there)
        if value not in (None, {}, ""):
            section, _, key = here.rpartition(".")
            setup.settings.append(WantedSetting(section, key, value, origin))
    for there, reason in _NOT_HERE.items():
        if _at(config, there) is not None:
            setup.leave("setting", there, origin, reason)
    for name, value in table(config, "mcp_servers").items():
        if name == "custom":
            servers = table(value).items()
            setup.settings += [WantedSetting("mcp_servers.custom", one, server, origin) for one, server in servers]
        elif isinstance(value, bool):
            setup.settings.append(WantedSetting("mcp_servers", name, value, origin))
    for name in table(config, "custom"):
        setup.settings.append(WantedSetting("custom", name, table(config, "custom")[name], origin))


def _at(config: Mapping[str, Json], path: str) -> Json:
    section, _, key = path.partition(".")
    return table(config, section).get(key)


def _own_files(path: Path) -> Iterator[tuple[str, Path]]:
    for folder, pattern in (("agents.d", "*.toml"), ("providers.d", "*.toml"), ("scripts", "*.rhai")):
        yield from ((folder, file) for file in sorted((path / folder).glob(pattern)))


def _registry_files(path: Path) -> Iterator[tuple[str, Path]]:
    """Of the commit that its lock names; else of the directory itself, which has no level of commits then."""
    registry = path / "registry"
    lock = registry / "registry.lock"
    commit = text(json_file(lock), "commit") if lock.is_file() else ""
    places = [registry / "commits" / (commit or "latest")] if _COMMIT.fullmatch(commit or "latest") else []
    found = next((place for place in (*places, registry / "current", registry) if place.is_dir()), None)
    if found is None:
        return
    for kind, folder, pattern in (
        ("agents", "agents.d", "*.toml"), ("providers", "providers.d", "*.toml"), ("scripts", "scripts", "*.rhai"),
    ):  # fmt: skip
        yield from ((folder, file) for file in sorted((found / kind).glob(pattern)))


def _profile(setup: Setup, found: Mapping[str, Json], origin: str) -> WantedProfile:
    """Raises `InvalidInput`."""
    alias, agent, provider = (text(found, name) for name in ("alias", "agent_id", "provider_id"))
    if not (alias and agent and provider):
        raise InvalidInput("It has no alias, agent_id or provider_id.")
    metadata = table(found, "metadata")
    endpoint = text(found, "endpoint_id")
    env = {name: value for name, value in table(found, "env").items() if not name.startswith(_MARK)}
    home = text(metadata, "home", "profile_home")
    if home:
        setup.remark(alias, f"its home there is {home}; what agents keep in it is not moved")
    for name in ("enabled_hooks", "enabled_mcp_servers"):
        if names := texts(metadata.get(name)):
            setup.remark(alias, f"{name} ({', '.join(names)}) are not brought over")
    key = _key(alias)
    if key is None and any(name.startswith(_MARK) for name in table(found, "env")):
        setup.remark(alias, "its keyring does not give its key; set it with `jackfield profiles edit --key`")
    return WantedProfile(
        alias,
        agent,
        provider,
        origin,
        text(found, "model") or None,
        None if endpoint == "default" else endpoint or None,
        env={name: value for name, value in env.items() if isinstance(value, str)},
        args=texts(found.get("args")),
        working_dir=text(found, "working_dir") or None,
        hooks_config=_hooks(setup, alias, table(metadata, "hooks_config")),
        proxy_config=_proxy(setup, alias, table(metadata, "proxy_config")),
        key=key,
    )


def _hooks(setup: Setup, alias: str, hooks: Mapping[str, Json]) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for event, entries in hooks.items():
        found: list[Json] = [
            {"matcher": text(entry, "matcher") or "*", "hooks": [_action(one) for one in rows(entry.get("hooks"))]}
            for entry in rows(entries)
        ]
        if found:
            made[event] = found
    if "$EVENT" in str(made):
        setup.remark(alias, "$EVENT in hooks: agents give the event on standard input, not in a variable")
    return made


def _action(action: Mapping[str, Json]) -> dict[str, Json]:
    """Milliseconds become whole seconds, at least one; `url` is `http`."""
    made = dict(action)
    if made.get("type") == "url":
        made["type"] = "http"
    timeout = made.get("timeout")
    # JSON of other tools may hold `Infinity` and `NaN`, which are no time.
    if isinstance(timeout, int | float) and not isinstance(timeout, bool) and -math.inf < timeout < math.inf:
        made["timeout"] = min(LONGEST_HOOK, max(1, -(-int(timeout) // 1000)))
    else:
        made.pop("timeout", None)
    return made


def _proxy(setup: Setup, alias: str, config: Mapping[str, Json]) -> dict[str, Json] | None:
    if not config:
        return None
    routing = table(config, "routing")
    asked = text(routing, "strategy") or "conditional"
    strategy = STRATEGIES.get(asked.lower(), asked)
    if asked.lower() == "adaptive":
        setup.remark(alias, f"the strategy {asked} is {strategy} here")
    rules: list[Json] = [
        {"priority": 0, **{key: value for key, value in one.items() if value is not None}}
        for one in rows(routing.get("rules"))
    ]
    aliases: dict[str, Json] = {}
    for name, target in table(config, "model_aliases").items():
        parts = table(target)
        aliases[name] = target if isinstance(target, str) else f"{text(parts, 'provider')}/{text(parts, 'model')}"
        if parts.get("api_base"):
            setup.remark(alias, f"the alias {name} has an address of its own there; make a provider for it")
    port = config.get("port")
    return {
        "enabled": config.get("enabled") is True,
        "port": port if isinstance(port, int) else None,
        "routing": {"strategy": strategy, "rules": rules},
        "model_aliases": aliases,
    }


def _key(alias: str) -> str | None:
    """Of the operating system's keyring; None when it has none, or does not answer."""
    answer: SimpleQueue[str | None] = SimpleQueue()

    def ask() -> None:
        try:
            get = cast("Callable[[str, str], str | None]", load("keyring:get_password"))
            answer.put(get(SERVICE, f"{SERVICE}-{alias}"))
        except Exception:  # its backends raise what they like
            answer.put(None)

    Thread(target=ask, name="ringlet-key", daemon=True).start()
    try:
        return answer.get(timeout=KEYRING_S)
    except Empty:
        return None
