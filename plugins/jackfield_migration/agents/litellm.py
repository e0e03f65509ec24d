"""LiteLLM's proxy: `config.yaml`."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.records import record, replace, state
from jackfield_migration.agents.addresses import GOOGLE, base_of, has_scheme
from jackfield_migration.agents.reading import rows, table, text, texts, yaml_file
from jackfield_migration.agents.routes import proxy_config, rule
from jackfield_migration.agents.wanted import Setup, WantedProfile, WantedProvider, named

SOURCE = "litellm"
ALIAS = "litellm"
AZURE = "azure"
AZURE_VERSION = "2024-10-21"
"""Of its API, where the file names none."""
ENVIRONMENT = "os.environ/"
"""How a value says that it is in the environment."""


@record
class Vendor:
    """A provider in LiteLLM's words. `variable`: that its key is in, unless the file says otherwise."""

    type: str
    url: str
    variable: str | None


VENDORS: Mapping[str, Vendor] = {
    "openai": Vendor("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": Vendor("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "gemini": Vendor("gemini", GOOGLE, "GEMINI_API_KEY"),
    "openrouter": Vendor("openai-compatible", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "groq": Vendor("openai-compatible", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "deepseek": Vendor("openai-compatible", "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    "xai": Vendor("openai-compatible", "https://api.x.ai/v1", "XAI_API_KEY"),
    "mistral": Vendor("openai-compatible", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "together_ai": Vendor("openai-compatible", "https://api.together.ai/v1", "TOGETHERAI_API_KEY"),
    "fireworks_ai": Vendor("openai-compatible", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "cerebras": Vendor("openai-compatible", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    "moonshot": Vendor("openai-compatible", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    "zai": Vendor("openai-compatible", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
    "minimax": Vendor("openai-compatible", "https://api.minimax.io/v1", "MINIMAX_API_KEY"),
    "perplexity": Vendor("openai-compatible", "https://api.perplexity.ai", "PERPLEXITYAI_API_KEY"),
    "ollama": Vendor("openai-compatible", "http://localhost:11434/v1", None),
    "ollama_chat": Vendor("openai-compatible", "http://localhost:11434/v1", None),
    "lm_studio": Vendor("openai-compatible", "http://localhost:1234/v1", None),
    "azure": Vendor("openai-compatible", "", "AZURE_API_KEY"),
    "hosted_vllm": Vendor("openai-compatible", "", None),
    "custom_openai": Vendor("openai-compatible", "", None),
    "openai_like": Vendor("openai-compatible", "", None),
}
"""By the prefix of a model, such as `groq/`. An empty address: `api_base` has to say it."""
_FAMILIES = (("gpt-*", "openai"), ("o[0-9]*", "openai"), ("claude-*", "anthropic"))
"""Models that LiteLLM knows without a prefix."""
_WITHOUT_VERSION = ("ollama", "ollama_chat")
"""Providers whose `api_base` has no `/v1`."""
STRATEGIES = {
    "simple-shuffle": "Weighted",
    "least-busy": "LeastBusy",
    "latency-based-routing": "LowestLatency",
    "cost-based-routing": "LowestCost",
    "usage-based-routing": "LeastBusy",
    "usage-based-routing-v2": "LeastBusy",
}
_SECTIONS = {
    "general_settings": "Keys, users and the database of that proxy have no counterpart in the import.",
    "litellm_settings": "Callbacks, caches and retries have their own settings here; see the configuration.",
}


@record
class Deployment:
    """target: `provider/model`, in our form."""

    target: str
    weight: float


@state
class _Reader:
    """One file. made: what tells providers apart -> the provider."""

    setup: Setup
    origin: str
    environment: Mapping[str, Json]
    made: dict[tuple[str, ...], WantedProvider]
    groups: dict[str, list[Deployment]]


def read(path: Path, alias: str | None, agent: str | None) -> Setup:
    """path: the file, or the directory with `config.yaml`. Raises `InvalidInput`."""
    file = _file(path)
    config = yaml_file(file)
    setup = Setup(SOURCE)
    reader = _Reader(setup, str(file), table(config, "environment_variables"), {}, {})
    for found in rows(config.get("model_list") or []):
        _deployment(reader, found)
    for name in texts(config.get("include") or []):
        setup.leave("setting", f"include {name}", str(file), "Import that file by itself.")
    if not reader.groups and not setup.left:
        raise InvalidInput(f"The file {file} has no model_list: it is not one of LiteLLM's proxy.")
    setup.providers.extend(reader.made.values())
    _sections(setup, config, str(file))
    if reader.groups:
        setup.profiles.append(_profile(reader, config, alias or ALIAS, agent or "claude"))
    return setup


def _file(path: Path) -> Path:
    if not path.is_dir():
        return path
    for name in ("config.yaml", "config.yml", "litellm_config.yaml", "litellm-config.yaml"):
        if (path / name).is_file():
            return path / name
    raise InvalidInput(f"The directory {path} has no config.yaml; name the file.")


def _deployment(reader: _Reader, found: Mapping[str, Json]) -> None:
    group, params = text(found, "model_name"), table(found, "litellm_params")
    model = text(params, "model")
    vendor, name = _vendor(model, text(params, "custom_llm_provider"))
    if not group or not name:
        reader.setup.leave("route", group or "-", reader.origin, "It names no model.")
    elif group.count("*") > 1 or name.count("*") > group.count("*"):
        reader.setup.leave(
            "route", group, reader.origin, "A family has one * in its name, and one or none in its model."
        )
    elif "*" in group and group in reader.groups:
        reader.setup.leave("route", group, reader.origin, "A family has one deployment here; the first one is taken.")
    elif vendor not in VENDORS:
        whom = vendor or f"the vendor of {model}"
        reader.setup.leave("route", group, reader.origin, f"The import knows no address of {whom}; write a manifest.")
    elif (provider := _provider(reader, vendor, params)) is None:
        reader.setup.leave("route", group, reader.origin, f"{vendor} needs api_base, with http:// or https://.")
    else:
        known = reader.made[_identity(provider)]
        if name not in known.models and "*" not in name:
            reader.made[_identity(provider)] = _with_model(known, name)
        reader.groups.setdefault(group, []).append(Deployment(f"{known.id}/{name}", _weight(params)))


def _vendor(model: str, stated: str) -> tuple[str, str]:
    prefix, slash, rest = model.partition("/")
    if stated:
        return stated, rest if slash and prefix == stated else model
    if slash and prefix.replace("_", "").replace("-", "").isalnum():
        return prefix, rest
    return next((vendor for pattern, vendor in _FAMILIES if fnmatch.fnmatchcase(model, pattern)), ""), model


def _provider(reader: _Reader, vendor: str, params: Mapping[str, Json]) -> WantedProvider | None:
    """The one of this vendor, address and key; None without an address."""
    usual = VENDORS[vendor]
    address = _resolved(reader, text(params, "api_base", "base_url"))[0] or ""
    if address and not has_scheme(address):
        return None
    kind, url = (usual.type, usual.url) if not address else _addressed(vendor, usual, address)
    if not url:
        return None
    query: dict[str, str] = {}
    if vendor == AZURE:
        url, query = f"{address.rstrip('/')}/openai/deployments/{{model}}", {"api-version": _version(reader, params)}
    key, variable = _resolved(reader, text(params, "api_key"))
    if key is None and variable is None and not address:
        variable = usual.variable
    found = WantedProvider(
        named(vendor, [one.id for one in reader.made.values()]), vendor, kind, url, reader.origin, key=key,
        env_key=variable, query=query, auth_kind="api-key" if vendor == AZURE else None,
    )  # fmt: skip
    return reader.made.setdefault(_identity(found), found)


def _version(reader: _Reader, params: Mapping[str, Json]) -> str:
    return _resolved(reader, text(params, "api_version"))[0] or AZURE_VERSION


def _addressed(vendor: str, usual: Vendor, address: str) -> tuple[str, str]:
    kind, url = base_of(address, usual.type.partition("-")[0])
    if vendor in _WITHOUT_VERSION and not url.endswith("/v1"):
        url += "/v1"
    return kind, url


def _identity(provider: WantedProvider) -> tuple[str, ...]:
    return (provider.name, provider.url, provider.key or "", provider.env_key or "", *provider.query.values())


def _with_model(known: WantedProvider, model: str) -> WantedProvider:
    return replace(known, models=(*known.models, model), default_model=known.default_model or model)


def _resolved(reader: _Reader, value: str) -> tuple[str | None, str | None]:
    """Value, and variable that has it. The file may give variables itself."""
    if not value.startswith(ENVIRONMENT):
        return value or None, None
    variable = value.removeprefix(ENVIRONMENT)
    given = reader.environment.get(variable)
    return (given, None) if isinstance(given, str) and given else (None, variable)


def _weight(params: Mapping[str, Json]) -> float:
    for name in ("weight", "rpm", "tpm"):
        value = params.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            return float(value)
    return 1.0


def _profile(reader: _Reader, config: Mapping[str, Json], alias: str, agent: str) -> WantedProfile:
    router = {**table(config, "litellm_settings"), **table(config, "router_settings")}
    asked = text(router, "routing_strategy") or "simple-shuffle"
    several = any(len(found) > 1 for found in reader.groups.values())
    strategy = STRATEGIES.get(asked, "Weighted") if several else "Fallback"
    if several and (asked not in STRATEGIES or asked.startswith("usage")):
        reader.setup.remark(alias, f"the strategy {asked} is {strategy} here")
    chains = dict(_chains(reader, router))
    rules: list[Mapping[str, Json]] = []
    aliases: dict[str, str] = {}
    for group, deployments in reader.groups.items():
        if len(deployments) == 1 and group not in chains:
            aliases[group] = deployments[0].target
        else:
            rules += _rules(group, deployments, [one for name in chains.get(group, ()) for one in reader.groups[name]])
    for name, value in table(router, "model_group_alias").items():
        group = value if isinstance(value, str) else text(table(value), "model")
        if group in aliases:
            aliases[name] = aliases[group]
        else:
            reader.setup.leave(
                "route", f"model_group_alias.{name}", reader.origin, "Groups of several have no aliases."
            )
    named_ones = [group for group in reader.groups if "*" not in group]
    model = named_ones[0] if named_ones else None
    found = reader.groups[model] if model else next(iter(reader.groups.values()))
    provider = found[0].target.partition("/")[0]
    return WantedProfile(
        alias, agent, provider, reader.origin, model, proxy_config=proxy_config(strategy, rules, aliases)
    )


def _rules(group: str, found: Sequence[Deployment], others: Sequence[Deployment]) -> Iterator[Mapping[str, Json]]:
    """The group's own, then those that serve when they fail, whatever the strategy is."""
    condition: Mapping[str, Json] = {"type": "model_pattern", "pattern": group}
    for place, one in enumerate(found):
        yield rule(f"{group} {place + 1}", condition, one.target, 10, weight=one.weight)
    for place, one in enumerate(others):
        yield rule(f"{group} fallback {place + 1}", condition, one.target, -place, fallback=True)


def _chains(reader: _Reader, router: Mapping[str, Json]) -> Iterator[tuple[str, list[str]]]:
    """Group -> groups that serve when it fails."""
    default = texts(router.get("default_fallbacks") or [])
    stated = {name: texts(chain) for found in rows(router.get("fallbacks") or []) for name, chain in found.items()}
    for group in reader.groups:
        if "*" in group:
            continue  # an alias has no fallbacks
        chain = [name for name in stated.get(group, default) if name in reader.groups and name != group]
        if chain:
            yield group, chain
    for name in ("context_window_fallbacks", "content_policy_fallbacks"):
        if router.get(name):
            reader.setup.leave("route", name, reader.origin, "A rule with token_count chooses by length here.")


def _sections(setup: Setup, config: Mapping[str, Json], origin: str) -> None:
    for section, reason in _SECTIONS.items():
        known = ("fallbacks", "default_fallbacks", "context_window_fallbacks", "content_policy_fallbacks")
        names = sorted(set(table(config, section)) - set(known))
        if names:
            setup.leave("setting", f"{section}: {', '.join(names)}", origin, reason)
