"""The results that a script makes of a profile: files, environment and arguments."""

from __future__ import annotations

import asyncio
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from jackfield.api.agents import Agent
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.manifests import Layers
from jackfield.api.profiles import Profile
from jackfield.api.providers import Provider
from jackfield.api.records import record
from jackfield.api.scripts import RHAI_REMEDY, SCRIPT_ENGINES, ScopedScripts, ScriptError
from jackfield_profiles.generated.home_files import OWN
from jackfield_profiles.preferences import GITHUB_TOKEN, HookPreferences, hooks_of, preferences
from jackfield_profiles.running_settings import NEVER_INHERITED, RunSettings
from jackfield_profiles.wiring.access import ProviderAccess

API_KEY = "${API_KEY}"
API_KEY_END = "${API_KEY_END}"
"""The key's last `KEY_END` characters, by which Claude Code knows a key that its user has approved."""
KEY_END = 20
"""The text that scripts write in place of the key, in files and in values of the environment."""
LARGEST_SCRIPT = 2**20
"""Bytes."""
LONGEST_PATH = 512
MOST_NAMES = 256
"""Variables, or arguments, of one script."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}\Z")


@record
class Generated:
    """files: relative, normalised path -> text. env, files: with placeholders still in them."""

    files: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    args: Sequence[str] = ()


class ScriptFailed(JackfieldError):
    """The script that makes the agent's configuration failed."""

    code = "SCRIPT_FAILED"
    title = "Script failed"
    refusal: str | None = None
    """The reason of a script that throws: it cannot serve this profile."""


async def generate(
    context: PluginContext,
    agent: Agent,
    provider: Provider,
    profile: Profile,
    access: ProviderAccess,
    servers: Mapping[str, Json] | None = None,
) -> Generated:
    """The results of the agent's script; nothing when it has none. servers: see `script_context`.

    Raises `ScriptFailed`.
    """
    name = agent.profile.script
    if not name:
        return Generated()
    path = await asyncio.to_thread(context.port(Layers).find, "scripts", name)
    if path is None:
        where = context.service.config_dir / "scripts"
        raise ScriptFailed(
            f"The script {name} of the agent {agent.id} is not there; put it into {where} or sync the registry.",
            code="SCRIPT_MISSING",
        )
    return await run_script(context, path, script_context(context, agent, provider, profile, access, servers))


async def run_script(context: PluginContext, path: Path, ctx: Mapping[str, Json]) -> Generated:
    """Raises `ScriptFailed` naming the script and what is wrong."""
    engine = context.extensions(SCRIPT_ENGINES).get("rhai")
    if not isinstance(engine, ScopedScripts):
        raise ScriptFailed(
            f"The agent's configuration is made by a script, and Rhai is missing. {RHAI_REMEDY}",
            code="SCRIPTS_UNAVAILABLE",
        )
    told = named(context, path)
    source = await asyncio.to_thread(source_of, path)
    try:
        value = await engine.value(source, {"ctx": dict(ctx)}, name=path.name)
    except ScriptError as exc:
        line = f" (line {exc.line})" if exc.line and f"line {exc.line}" not in exc.message else ""
        failed = ScriptFailed(f"The script {told} failed: {exc.message}{line}")
        failed.refusal = exc.message if exc.kind == "runtime" else None
        raise failed from None
    return checked(value, told, context.settings(RunSettings))


def named(context: PluginContext, path: Path) -> str:
    """The script's name in a message, with the distribution that brings it."""
    owner = context.port(Layers).distribution(path)
    return f"{path.name} of the distribution {owner}" if owner else path.name


def source_of(path: Path) -> str:
    """The script's text. Blocks. Raises `ScriptFailed`."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_SCRIPT + 1)
        if len(content) > LARGEST_SCRIPT:
            raise ScriptFailed(f"The script {path.name} has more than {LARGEST_SCRIPT} bytes.")
        return content.decode()
    except (OSError, UnicodeDecodeError) as exc:
        raise ScriptFailed(f"The script {path} cannot be read: {type(exc).__name__}.") from None


def script_context(
    context: PluginContext,
    agent: Agent,
    provider: Provider,
    profile: Profile,
    access: ProviderAccess,
    servers: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """The variable `ctx`. servers: MCP servers of the daemon's own, by name. endpoint: where the agent's requests go,
    the proxy's address while it is enabled. The key is in none of it."""
    stored = profile.metadata.get("hooks_config")
    hooks: dict[str, Json] = {}
    if agent.supports_hooks:
        hooks = hooks_of(stored if isinstance(stored, dict) else {}, context.settings(HookPreferences))
    return {
        "profile": {
            "alias": profile.alias,
            "home": str(profile.home),
            "model": profile.model,
            "endpoint": access.url,
            "endpoint_id": profile.endpoint_id,
            "dialect": access.dialect,
            "proxy_url": access.url if access.proxied else None,
            "working_dir": profile.working_dir,
            "hooks": profile.metadata.get("enabled_hooks") or [],
            # Those that it has are in `prefs` already; none of them is to be left out.
            "mcp_servers": [],
            "hooks_config": hooks or None,
        },
        "provider": {
            "id": provider.id,
            "name": provider.title,
            "type": provider.type,
            "dialect": provider.dialect,
            "auth_env_key": provider.auth.env_key,
            "own_login": provider.dialect is None or provider.auth.kind == "agent",
            "models": list(provider.models.available),
            "default_model": provider.models.default,
        },
        "agent": {
            "id": agent.id,
            "name": agent.title,
            "binary": agent.binary,
            "dialect": agent.dialect,
            "supports_hooks": agent.supports_hooks,
        },
        "prefs": preferences(context, agent, profile, servers or {}),
    }


def checked(value: Json, script: str, settings: RunSettings) -> Generated:
    """A script's result. Raises `ScriptFailed` naming the script and the key."""

    def wrong(key: str, why: str) -> ScriptFailed:
        return ScriptFailed(f"The script {script} gives a wrong {key}: {why}.", details={key: why})

    if not isinstance(value, dict):
        raise wrong("result", "its last value must be a map with files, env and args")
    files, env, args = value.get("files"), value.get("env"), value.get("args")
    if not isinstance(files, dict | None) or not isinstance(env, dict | None):
        raise wrong("files or env", "both must be maps from text to text")
    if not isinstance(args, list | None):
        raise wrong("args", "it must be a list of texts")
    if len(files or {}) > settings.max_files:
        raise wrong("files", f"there may be {settings.max_files} (profiles.run.max_files)")
    if len(env or {}) > MOST_NAMES or len(args or ()) > MOST_NAMES:
        raise wrong("env or args", f"each may have {MOST_NAMES} entries")
    made: dict[str, str] = {}
    for name, content in (files or {}).items():
        path, why = _placed(name, content, settings.max_file_bytes)
        why = why or ("two entries name this file" if path in made else "")
        if why:
            raise wrong(f"files[{name!r}]", why)
        made[path] = str(content)
    for name, content in (env or {}).items():
        if why := _bad_variable(name, content):
            raise wrong(f"env[{name!r}]", why)
    for index, argument in enumerate(args or ()):
        if why := _bad_argument(argument):
            raise wrong(f"args[{index}]", why)
    return Generated(
        made, {name: str(content) for name, content in (env or {}).items()}, tuple(str(one) for one in args or ())
    )


def _placed(name: str, content: Json, limit: int) -> tuple[str, str]:
    """The normalised path, and what is wrong."""
    path = posixpath.normpath(name)
    if not isinstance(content, str):
        return path, "a file's content must be text"
    if len(content.encode("utf-8", "surrogatepass")) > limit:
        return path, f"a file may have {limit} bytes (profiles.run.max_file_bytes)"
    if not name or "\0" in name or "\\" in name or name.endswith("/") or len(name) > LONGEST_PATH:
        return path, f"give a relative path of at most {LONGEST_PATH} characters with / between its parts"
    if path.startswith(("/", "../")) or path in (".", ".."):
        return path, "a path must be relative and stay under the profile's home"
    if path.split("/", maxsplit=1)[0] == OWN:
        return path, f"the directory {OWN} is the daemon's own"
    return path, ""


def _bad_variable(name: str, content: Json) -> str:
    if not isinstance(content, str) or "\0" in content:
        return "a variable's value must be text"
    if not _VARIABLE.match(name):
        return "a variable's name has letters, digits and _, and begins with no digit"
    if name == "HOME" or name.startswith(NEVER_INHERITED):
        return "HOME and names that begin with JACKFIELD_ are the daemon's"
    return ""


def _bad_argument(argument: Json) -> str:
    if not isinstance(argument, str) or "\0" in argument:
        return "an argument must be text"
    if any(place in argument for place in (API_KEY, API_KEY_END, GITHUB_TOKEN)):
        return "a key must not be an argument, which every user of the machine can see; use env or a file"
    return ""
