"""Profiles as callers see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield.api.profile_tools import tool_scope_of
from jackfield.api.profiles import HeadlessResult, Profile
from jackfield.api.proxy import ProxyFailure
from jackfield.api.telemetry import RunUsage
from jackfield_profiles.mcp_servers import HIDDEN
from jackfield_profiles.ports import PlannedRemoval
from jackfield_profiles.wiring.environment import MASK, masked


def item(profile: Profile) -> dict[str, Json]:
    """A profile as lists show it."""
    return {
        "alias": profile.alias,
        "agent_id": profile.agent_id,
        "provider_id": profile.provider_id,
        "endpoint_id": profile.endpoint_id,
        "model": profile.model,
        "last_used": _time(profile, "last_used"),
    }


def detail(profile: Profile, *, has_key: bool) -> dict[str, Json]:
    """has_key: whether it has its own one."""
    persist = profile.metadata.get("persist")
    return {
        **item(profile),
        "created_at": _time(profile, "created_at"),
        "profile_home": str(profile.home),
        "env": _shown_whole(profile.env),
        "args": list(profile.args),
        "working_dir": profile.working_dir,
        "sandbox": profile.sandbox,
        "limits": {name: getattr(profile.limits, name) for name in ("memory", "processes", "cpu")},
        "persist": persist if isinstance(persist, bool) else None,
        "answers": answers_of(profile),
        "daemon_tools": tools_of(profile),
        "approvals": profile.approvals,
        "hooks_config": hooks_of(profile),
        "mcp_servers": servers_of(profile),
        "proxy_config": cast("Json", profile.proxy_config),
        "has_key": has_key,
    }


def answers_of(profile: Profile) -> dict[str, Json]:
    """To dialogs; null: they are left to the caller."""
    found = profile.metadata.get("answers")
    given = found if isinstance(found, dict) else {}
    trusting, asking = given.get("trusting"), given.get("asking")
    return {
        "trusting": "yes" if trusting == "yes" else None,
        "asking": asking if asking in ("yes", "no") else None,
    }


def tools_of(profile: Profile) -> dict[str, Json]:
    """The MCP tools of the daemon that its agent reaches."""
    scope = tool_scope_of(profile)
    return {"tools": list(scope.tools), "offered": scope.offered, "without": list(scope.without)}


def hooks_of(profile: Profile) -> dict[str, Json]:
    """As stored."""
    found = profile.metadata.get("hooks_config")
    return found if isinstance(found, dict) else {}


def servers_of(profile: Profile) -> dict[str, Json]:
    """The profile's own MCP servers, without values that may be secrets."""
    return masked_servers(profile.metadata.get("mcp_servers"))


def masked_servers(servers: Json) -> dict[str, Json]:
    """By name, without values that may be secrets."""
    return {name: _server(one) for name, one in servers.items()} if isinstance(servers, dict) else {}


def _server(server: Json) -> Json:
    if not isinstance(server, dict):
        return server
    hidden = {part: server[part] for part in HIDDEN & server.keys()}
    return {**server, **{part: dict.fromkeys(one, MASK) for part, one in hidden.items() if isinstance(one, dict)}}


def run(result: HeadlessResult) -> dict[str, Json]:
    """`result`, `session`, `data`, `proxy_error`, `output_cut` and `errors_cut` are there where there is something to
    say; `usage` is null where nothing tells it."""
    shown: dict[str, Json] = {
        "success": result.success,
        "exit_code": result.exit_code,
        "output": result.output,
        "errors": result.errors,
        "timed_out": result.timed_out,
        "duration_ms": result.duration_ms,
    }
    more: dict[str, Json] = {"result": result.result, "session": result.session, "data": result.data}
    shown |= {name: value for name, value in more.items() if value is not None}
    cut = {"output_cut": result.output_cut, "errors_cut": result.errors_cut}
    shown |= {name: count for name, count in cut.items() if count}
    if result.proxy_error is not None:
        shown["proxy_error"] = proxy_error(result.proxy_error)
    return {**shown, "usage": None if result.usage is None else usage(result.usage)}


def proxy_error(failure: ProxyFailure) -> dict[str, Json]:
    return {
        "time": iso(failure.time_ms),
        "status": failure.status,
        "message": failure.message,
        "provider": failure.provider or None,
        "model": failure.model or None,
        "attempts": failure.attempts,
    }


def usage(used: RunUsage) -> dict[str, Json]:
    """In the names of `GET /api/usage`."""
    tokens, cost = used.tokens, used.cost
    return {
        "tokens": {
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "cache_creation_input_tokens": tokens.cache_creation,
            "cache_read_input_tokens": tokens.cache_read,
        },
        "cost": {
            "input_cost": cost.input,
            "output_cost": cost.output,
            "cache_creation_cost": cost.cache_creation,
            "cache_read_cost": cost.cache_read,
            "total_cost": cost.total,
        },
        "models": list(used.models),
        "unpriced": list(used.unpriced),
        "prices_as_of": used.prices_as_of,
    }


def _time(profile: Profile, name: str) -> str | None:
    found = profile.metadata.get(name)
    return found if isinstance(found, str) else None


def removal(planned: PlannedRemoval) -> dict[str, Json]:
    """As `GET /api/profiles/{alias}/deletion` gives it."""
    return {
        "file": str(planned.file),
        "key": planned.key,
        "shim": None if planned.shim is None else str(planned.shim),
        "home": None if planned.home is None else str(planned.home),
        "home_kept": planned.home_kept,
        "sessions": planned.sessions,
        "proxy": planned.proxy,
        "hooks": list[Json](planned.hooks),
    }


def _shown_whole(environment: Mapping[str, str]) -> dict[str, Json]:
    """A value with a secret is masked whole: a client sends the mask back, and then the stored value stays."""
    shown = masked(environment, ())
    return {name: text if text == environment[name] else MASK for name, text in shown.items()}
