"""Which rule would take a request, and why: what `jackfield proxy test` shows. Nothing is sent."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from typing import TYPE_CHECKING

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.profiles import Profile, Profiles
from jackfield.api.records import replace
from jackfield.api.scripts import ScriptError
from jackfield_proxy.daemon import offered_kinds, scripts
from jackfield_proxy.daemon.planning import plan_of
from jackfield_proxy.plan import ProxyPlan, Rule
from jackfield_proxy.routing.choosing import choose, scripts_of
from jackfield_proxy.routing.health import TargetRecords
from jackfield_proxy.routing.kinds import RoutingKinds
from jackfield_proxy.routing.request_attributes import RequestAttributes, told

if TYPE_CHECKING:
    from jackfield_proxy.schemas import RuleTestBody


async def tested(context: PluginContext, profile: Profile, body: RuleTestBody) -> dict[str, Json]:
    """Raises `InvalidInput` for a configuration that is not valid."""
    if body.config is not None:
        profile = await context.port(Profiles).with_proxy_config(profile.alias, body.config)
    plan = await plan_of(context, profile, token="", port=0)
    attributes = await _with_scripts(context, plan, _attributes(body))
    kinds = offered_kinds.kinds_of(context)
    candidates = choose(plan, attributes, TargetRecords(time.monotonic), kinds)
    chosen = candidates[0]
    return {
        "provider": chosen.target.provider,
        "model": chosen.target.model,
        "rule": chosen.rule,
        "reason": chosen.reason,
        "usable": chosen.target.provider in plan.upstreams,
        "then": [one.target.text for one in candidates[1:]],
        "rules": [_evaluated(rule, attributes, kinds) for rule in sorted(plan.rules, key=lambda rule: -rule.priority)],
    }


def _attributes(body: RuleTestBody) -> RequestAttributes:
    clock = body.time or datetime.fromtimestamp(time.time()).astimezone().strftime("%H:%M")
    hours, _, minutes = clock.partition(":")
    return RequestAttributes(
        model=body.model,
        tokens=body.tokens,
        tools=body.tools,
        thinking=body.thinking,
        image=body.image,
        web_search=body.web_search,
        headers={name.lower(): value for name, value in body.headers.items()},
        minute=int(hours) * 60 + int(minutes),
    )


async def _with_scripts(context: PluginContext, plan: ProxyPlan, attributes: RequestAttributes) -> RequestAttributes:
    async def said(path: str) -> bool:
        try:
            return await scripts.evaluated(context, path, told(attributes))
        except (ScriptError, OSError):
            return False

    paths = sorted(scripts_of(plan))
    values = await asyncio.gather(*map(said, paths))
    return replace(attributes, scripts=dict(zip(paths, values, strict=True)))


def _evaluated(rule: Rule, attributes: RequestAttributes, kinds: RoutingKinds) -> dict[str, Json]:
    return {
        "name": rule.name,
        "target": rule.target.text,
        "priority": rule.priority,
        "condition": dict(rule.condition),
        "fits": kinds.holds(rule.condition, attributes),
    }
