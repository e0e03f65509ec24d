"""claude-code-router: `config.json` of its versions 1 and 2, `config.sqlite` of version 3."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield_migration.agents.addresses import base_of, has_scheme
from jackfield_migration.agents.reading import json_file, key_of, rows, table, text, texts
from jackfield_migration.agents.routes import proxy_config, rule
from jackfield_migration.agents.wanted import Setup, WantedProfile, WantedProvider, named

SOURCE = "claude-code-router"
ALIAS = "ccr"
THRESHOLD = 60_000
"""Tokens; its own default of `longContextThreshold`."""
SMALL_MODEL = "ANTHROPIC_DEFAULT_HAIKU_MODEL"
BACKGROUND = "claude-haiku-4-5"
_SPEAKS_ANTHROPIC = ("Anthropic", "anthropic")
_SPEAKS_GEMINI = ("Gemini", "gemini")
_PROTOCOLS = {"anthropic_messages": "anthropic", "openai_chat_completions": "openai", "openai_responses": "openai"}
_SETTINGS = {
    "CUSTOM_ROUTER_PATH": "Its script is JavaScript; write a condition in Rhai (`script` in a rule).",
    "REWRITE_SYSTEM_PROMPT": "Prompts are not rewritten here.",
    "PROXY_URL": "Set HTTPS_PROXY in the daemon's environment.",
    "APIKEY": "A profile's proxy has its own token, which its agent gets by itself.",
    "transformers": "The translation of dialects here does what transformers change in a request.",
    "plugins": "There is nothing like it here.",
    "StatusLine": "There is nothing like it here.",
}
_ORDER = ("longContext", "background", "webSearch", "think", "image", "default")
"""As it decides: the first that fits."""


def read(path: Path, alias: str | None, agent: str | None) -> Setup:
    """path: its directory, or one of its files. Raises `InvalidInput`."""
    file = _file(path)
    config = _database(file) if file.suffix == ".sqlite" else json_file(file)
    setup = Setup(SOURCE)
    ids: dict[str, str] = {}
    for found in rows(config.get("Providers") or config.get("providers") or []):
        _provider(setup, found, str(file), ids)
    if not setup.providers:
        raise InvalidInput(f"The file {file} has no providers: it is not one of {SOURCE}.")
    for name, reason in _SETTINGS.items():
        if config.get(name):
            setup.leave("setting", name, str(file), reason)
    _profile(setup, config, str(file), ids, alias or ALIAS, agent or "claude")
    return setup


def _file(path: Path) -> Path:
    if not path.is_dir():
        return path
    for name in ("config.sqlite", "config.json"):
        if (path / name).is_file():
            return path / name
    raise InvalidInput(f"The directory {path} has neither config.json nor config.sqlite.")


def _database(file: Path) -> Mapping[str, Json]:
    """Every value of the table `app_config`, below its key; one that holds the whole configuration is it."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            found = {
                str(key): json.loads(value) for key, value in database.execute("select key, value_json from app_config")
            }
    except sqlite3.Error as exc:
        raise InvalidInput(f"The file {file} is no database of {SOURCE}: {type(exc).__name__}.") from None
    except ValueError:
        raise InvalidInput(f"The file {file} has a value that is no JSON.") from None
    return next((value for value in found.values() if isinstance(value, dict) and "Providers" in value), found)


def _provider(setup: Setup, found: Mapping[str, Json], origin: str, ids: dict[str, str]) -> None:
    name = text(found, "name", "id")
    address = text(found, "api_base_url", "baseUrl", "baseurl")
    if not name or not has_scheme(address):
        setup.leave("provider", name or "-", origin, "It has no name, or no address with http:// or https://.")
        return
    if found.get("enabled") is False:
        setup.leave("provider", name, origin, f"It is switched off in {SOURCE}.")
        return
    protocol = text(found, "type")
    kind, url = base_of(address, _spoken(protocol, found.get("transformer")))
    key, variable = key_of(text(found, "api_key", "apiKey", "apikey") or _first_credential(found))
    models = texts(found.get("models"))
    provider = WantedProvider(
        named(name, [one.id for one in setup.providers]), name, kind, url, origin, models,
        models[0] if models else None, key, variable,
    )  # fmt: skip
    ids[name] = provider.id
    setup.providers.append(provider)
    if len(list(rows(found.get("credentials") or []))) > 1:
        setup.remark(provider.id, "it has several keys there; the first is brought over")


def _first_credential(found: Mapping[str, Json]) -> str:
    enabled = (one for one in rows(found.get("credentials") or []) if one.get("enabled") is not False)
    return next((key for one in enabled if (key := text(one, "api_key", "apiKey", "key"))), "")


def _spoken(protocol: str, transformer: Json) -> str:
    """By the form in which its chain of transformers leaves requests; empty: neither says it."""
    if protocol in _PROTOCOLS:
        return _PROTOCOLS[protocol]
    if protocol.startswith("gemini"):
        return "gemini"
    used = transformer.get("use") if isinstance(transformer, dict) else None
    names = [one[0] if isinstance(one, list) and one else one for one in used] if isinstance(used, list) else []
    if any(name in _SPEAKS_ANTHROPIC for name in names):
        return "anthropic"
    return "gemini" if any(name in _SPEAKS_GEMINI for name in names) else ""


def _profile(
    setup: Setup, config: Mapping[str, Json], origin: str, ids: Mapping[str, str], alias: str, agent: str
) -> None:
    router = table(config, "Router")
    rules = list(_rules(setup, router, origin, ids))
    first = setup.providers[0]
    default = _target(text(router, "default"), ids) or _target(text(table(config, "agent"), "model"), ids)
    provider_id, _, model = (default or f"{first.id}/{first.default_model or ''}").partition("/")
    if not default:
        setup.remark(alias, "no default model is chosen there; the first provider is taken")
    fallback = table(config, "fallback")
    strategy = "Fallback" if fallback else "Conditional"
    rules += _fallbacks(setup, fallback, origin, ids)
    setup.profiles.append(
        WantedProfile(
            alias,
            agent,
            provider_id,
            origin,
            model or None,
            env=_environment(agent, router),
            proxy_config=proxy_config(strategy, rules, {}),
        )
    )


def _environment(agent: str, router: Mapping[str, Json]) -> dict[str, str]:
    """Claude Code would ask for the profile's model in the background too, and the route would never be taken."""
    return {SMALL_MODEL: BACKGROUND} if agent == "claude" and text(router, "background") else {}


def _rules(setup: Setup, router: Mapping[str, Json], origin: str, ids: Mapping[str, str]) -> Iterator[dict[str, Json]]:
    threshold = router.get("longContextThreshold")
    least = int(threshold) if isinstance(threshold, int | float) and threshold > 0 else THRESHOLD
    conditions: Mapping[str, Mapping[str, Json]] = {
        "longContext": {"type": "token_count", "min": least + 1},
        "background": {"type": "model_pattern", "pattern": "*claude*haiku*"},
        "webSearch": {"type": "web_search"},
        "think": {"type": "thinking"},
        "image": {"type": "image"},
        "default": {"type": "always"},
    }
    for place, name in enumerate(_ORDER):
        asked = text(router, name)
        if not asked:
            continue
        target = _target(asked, ids)
        if target:
            yield rule(name, conditions[name], target, (len(_ORDER) - place) * 10)
        else:
            setup.leave("route", name, origin, f"{asked} names no provider that is there.")
    for found in rows(router.get("rules") or []):
        name = text(found, "name", "id") or "-"
        setup.leave("route", name, origin, "Rules on fields of requests have no counterpart; see conditions of rules.")


def _fallbacks(
    setup: Setup, fallback: Mapping[str, Json], origin: str, ids: Mapping[str, str]
) -> Iterator[dict[str, Json]]:
    """Those of the default route serve every request here; others would need their own conditions."""
    for scenario, chain in fallback.items():
        if scenario != "default":
            setup.leave(
                "route", f"fallback.{scenario}", origin, "Fallbacks of the default route serve every route here."
            )
            continue
        for place, asked in enumerate(texts(chain)):
            if target := _target(asked, ids):
                yield rule(f"fallback {place + 1}", {"type": "always"}, target, -10 * (place + 1))


def _target(asked: str, ids: Mapping[str, str]) -> str:
    """`provider,model` or, since version 3, `provider/model`, in our form; empty where the provider is unknown."""
    provider, separator, model = asked.partition(",")
    if not separator:
        provider, separator, model = asked.partition("/")
    found = ids.get(provider.strip())
    return f"{found}/{model.strip()}" if found and model.strip() else ""
