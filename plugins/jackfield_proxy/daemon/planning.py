"""Make a proxy's plan of its profile: rules, addresses and keys of the providers that they name.

A profile's key goes to its own provider alone.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import cast
from urllib.parse import urlencode

from jackfield.api.admission.settings import ConnectionSettings
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.gateway import KeyGate
from jackfield.api.jsontext import Json
from jackfield.api.manifests import Layers
from jackfield.api.profiles import Profile, Profiles
from jackfield.api.providers import Provider, Providers, keys_in
from jackfield.api.proxy import stored_rules, targets_in
from jackfield.api.records import replace
from jackfield.api.urls import joined
from jackfield_proxy.daemon import cloud_credentials, offered_kinds, prices
from jackfield_proxy.daemon.budgets import limits_of
from jackfield_proxy.plan import (
    CONNECTION_RULES,
    LIMITS,
    Concurrency,
    ConnectionRules,
    ProxyLimits,
    ProxyPlan,
    Refusal,
    Rule,
    Stickiness,
    Target,
    Upstream,
)
from jackfield_proxy.routing.conditions import scripts_in
from jackfield_proxy.settings import ProxySettings

_WEB_PROXIES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
)


async def plan_of(
    context: PluginContext, profile: Profile, *, token: str, port: int, refusal: Refusal | None = None
) -> ProxyPlan:
    """port: to listen on, 0 for any. refusal: by a budget."""
    limits, connections, environment = surroundings(context)
    config = profile.proxy_config or {}
    routing = config.get("routing")
    found = routing if isinstance(routing, dict) else {}
    rules = _rules(found.get("rules"))
    strategy = str(found.get("strategy") or "Conditional")
    if offered_kinds.kinds_of(context).strategy(strategy).prices:
        rules = await prices.priced(context, rules)
    aliases = config.get("model_aliases")
    leading = {name: Target.of(str(to)) for name, to in aliases.items()} if isinstance(aliases, dict) else {}
    wanted = {profile.provider_id, *(rule.target.provider for rule in rules), *(to.provider for to in leading.values())}
    return ProxyPlan(
        alias=profile.alias,
        token=token,
        provider=profile.provider_id,
        port=port,
        strategy=strategy,
        rules=rules,
        aliases=leading,
        upstreams=await _upstreams(context, profile, wanted, config),
        limits=limits,
        connections=connections,
        environment=environment,
        sticky=_sticky(found.get("sticky")),
        refusal=refusal,
        plugins=offered_kinds.sources(context, strategy, rules),
        keys=context.find_port(KeyGate) is not None,
    )


def surroundings(context: PluginContext) -> tuple[ProxyLimits, ConnectionRules, Mapping[str, str]]:
    """The settings that all proxies of a daemon have in common: limits and rules of connections.

    From the environment it adds the web proxies and the place of Google's credentials.
    """
    settings, shared = context.settings(ProxySettings), context.settings(ConnectionSettings)
    return (
        ProxyLimits(**{name: getattr(settings, name) for name in LIMITS}),
        ConnectionRules(**{name: getattr(shared, name) for name in CONNECTION_RULES}),
        {**{name: os.environ[name] for name in _WEB_PROXIES if name in os.environ}, **cloud_credentials.of_google()},
    )


def with_cache_part(plan: ProxyPlan, settings: ProxySettings, profiles: Sequence[Profile]) -> ProxyPlan:
    """Of a process: all that may run have the same part of the daemon's cache of answers."""
    processes = sum(one.proxy_enabled for one in profiles) + bool(settings.shared_port)
    return replace(plan, limits=replace(plan.limits, cache_size=settings.cache_size // max(1, processes)))


def _rules(stored: Json) -> list[Rule]:
    return [_rule(rule) for rule in stored if isinstance(rule, dict)] if isinstance(stored, list) else []


def _rule(stored: Mapping[str, Json]) -> Rule:
    weight, condition = stored.get("weight"), stored.get("condition")
    return Rule(
        name=str(stored.get("name")),
        condition=condition if isinstance(condition, dict) else {},
        target=Target.of(str(stored.get("target"))),
        priority=cast("int", stored.get("priority") or 0),
        weight=1.0 if weight is None else float(cast("float", weight)),
        fallback=stored.get("fallback") is True,
    )


def _sticky(stored: Json) -> Stickiness | None:
    if isinstance(stored, dict):
        ttl = stored.get("ttl")
        return Stickiness(float(ttl)) if isinstance(ttl, int | float) else Stickiness()
    return Stickiness() if stored else None


def _concurrency(config: Mapping[str, Json], provider: str) -> Concurrency | None:
    limits = config.get("providers")
    found = limits.get(provider) if isinstance(limits, dict) else None
    if not isinstance(found, dict):
        return None
    names = {"max_concurrent": "limit", "queue": "queue", "queue_timeout": "timeout"}
    return Concurrency(**{ours: cast("int", found[name]) for name, ours in names.items() if name in found})


async def _upstreams(
    context: PluginContext, profile: Profile, wanted: Iterable[str], config: Mapping[str, Json]
) -> dict[str, Upstream]:
    """Those that can be used; the proxy refuses a request to another one and says why."""
    known = await context.port(Providers).all()
    made: dict[str, Upstream] = {}
    for name in sorted(wanted):
        provider = known.get(name)
        if provider is None or provider.dialect is None:
            continue
        own = name == profile.provider_id
        try:
            _, url = provider.endpoint(profile.endpoint_id if own else None)
            key = await (context.port(Profiles).key(profile) if own else context.port(Profiles).provider_key(name))
        except InvalidInput:
            continue
        except JackfieldError as exc:
            context.log.warning("The key of the provider %s cannot be read: %s", name, exc.message)
            key = None
        keys = keys_in(key)
        if not keys and provider.auth.kind == "aws-sigv4":
            keys = await asyncio.to_thread(cloud_credentials.of_aws)
        made[name] = replace(_upstream(provider, url, keys), concurrency=_concurrency(config, name))
        for one in keys:
            context.secrets.redact(one, *(one.split(":")[1:] if provider.auth.kind == "aws-sigv4" else ()))
    return made


def _upstream(provider: Provider, url: str, keys: Sequence[str]) -> Upstream:
    return Upstream(
        id=provider.id,
        family=provider.dialect or "openai",
        url=joined(url, "", urlencode(provider.query)),
        native=not provider.type.endswith("-compatible"),
        keys=keys,
        models=tuple(provider.models.available),
        auth=provider.auth.kind or "",
        header=provider.auth.header,
        headers=dict(provider.headers),
        responses=provider.models.responses,
        cache_control=provider.cache_control,
        platform=provider.platform or "",
        region=provider.auth.region,
        service=provider.auth.service,
    )


async def problems_of(context: PluginContext, config: Mapping[str, Json]) -> tuple[dict[str, str], list[str]]:
    """The names in a configuration that are not there: mistakes by their json path, and warnings."""
    known = await context.port(Providers).all()
    mistakes: dict[str, str] = {}
    warnings: list[str] = []
    for path, target in targets_in(config):
        provider = known.get(target.provider)
        if provider is None:
            mistakes[path] = f"there is no provider {target.provider}; {_use(known)}"
        elif provider.dialect is None:
            mistakes[path] = f"the provider {target.provider} keeps its own login and cannot be reached by a proxy"
        elif provider.models.available and target.model not in provider.models.available and "*" not in target.model:
            warnings.append(f"{path}: the provider {target.provider} does not list the model {target.model}.")
    mistakes |= await _scripts(context, config)
    limits = config.get("providers")
    for name in limits if isinstance(limits, dict) else ():
        if name not in known:
            mistakes[f"proxy_config.providers.{name}"] = f"there is no provider {name}; {_use(known)}"
    if not mistakes and any(limit.unit == "usd" for limit in limits_of(config)):
        warnings += await _unpriced(context, config)
    return mistakes, warnings


def _use(known: Iterable[str]) -> str:
    return f"use one of: {', '.join(sorted(known))}"


async def _unpriced(context: PluginContext, config: Mapping[str, Json]) -> list[str]:
    """A budget in dollars does not see what has no price."""
    targets = {target for _, target in targets_in(config)}
    names = [target.text for target in targets if await prices.price_of(context, target) is None]
    return [f"No price is known for {name}: a budget in dollars does not count it." for name in sorted(names)]


async def _scripts(context: PluginContext, config: Mapping[str, Json]) -> dict[str, str]:
    missing = {}
    for number, rule in enumerate(stored_rules(config)):
        condition = rule.get("condition")
        for path in scripts_in(condition) if isinstance(condition, dict) else ():
            if await asyncio.to_thread(context.port(Layers).find, "scripts", path) is None:
                place = f"proxy_config.routing.rules[{number}].condition"
                missing[place] = f"there is no script scripts/{path} in the configuration directory"
    return missing
