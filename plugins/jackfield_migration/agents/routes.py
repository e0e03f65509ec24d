"""Rules of proxies, in the form in which profiles store them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.jsontext import Json


def rule(name: str, condition: Mapping[str, Json], target: str, priority: int, **more: Json) -> dict[str, Json]:
    """more: further keys, such as weight and fallback."""
    return {"name": name, "condition": dict(condition), "target": target, "priority": priority, **more}


def proxy_config(
    strategy: str, rules: Sequence[Mapping[str, Json]], aliases: Mapping[str, str], *, enabled: bool = True
) -> dict[str, Json]:
    return {
        "enabled": enabled,
        "port": None,
        "routing": {"strategy": strategy, "rules": [dict(one) for one in rules]},
        "model_aliases": dict(aliases),
    }


def retargeted(config: Mapping[str, Json], ids: Mapping[str, str]) -> dict[str, Json]:
    """The same with other ids of providers in its targets."""
    made = dict(config)
    routing, aliases = made.get("routing"), made.get("model_aliases")
    if isinstance(routing, dict) and isinstance(found := routing.get("rules"), list):
        rules: list[Json] = [
            {**one, "target": _target(str(one.get("target")), ids)} for one in found if isinstance(one, dict)
        ]
        made["routing"] = {**routing, "rules": rules}
    if isinstance(aliases, dict):
        made["model_aliases"] = {name: _target(str(target), ids) for name, target in aliases.items()}
    return made


def _target(target: str, ids: Mapping[str, str]) -> str:
    provider, slash, model = target.partition("/")
    return f"{ids.get(provider, provider)}{slash}{model}"
