"""A line in the log for every call of a tool and every resource that is read. It has who, which one, on what, and how
it ended. Arguments are not in it, but for ids: they may hold secrets."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.json_values import Json
from jackfield.api.profile_tools import reach_of

_IDS = (
    "workflow_id",
    "execution_id",
    "session_id",
    "webhook_id",
    "template_id",
    "table",
    "profile",
    "kind",
    "key",
    "uri",
)
_LONGEST = 100


class Audit:
    """Of one daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def note(
        self, caller: Principal, tool: str, arguments: Mapping[str, Json], outcome: str, request_id: str, took_ms: int
    ) -> None:
        """outcome: success, failed, refused or cancelled."""
        named = {name: _short(arguments[name]) for name in _IDS if isinstance(arguments.get(name), str)}
        reach = reach_of(caller)
        if reach is not None:
            named |= {name: _short(bound) for name, bound in reach.scope.bound.items()}
        who = caller.username if reach is None else f"{caller.username} (profile {reach.alias})"
        proof = caller.claims.get("key") or caller.claims.get("client") or ""
        self._context.log.info(
            "MCP: %s called %s%s: %s.",
            _short(who),
            _short(tool),
            "".join(f" {name}={value}" for name, value in named.items()),
            outcome,
            extra={
                "mcpTool": _short(tool),
                "userId": caller.user_id,
                "method": caller.method,
                "credential": str(proof),
                "outcome": outcome,
                "durationMs": took_ms,
                "requestId": request_id,
                **({} if reach is None else {"callerProfile": reach.alias, "runId": reach.run}),
                **named,
            },
        )


def _short(value: object) -> str:
    text = str(value)[:_LONGEST]
    return text if text.isprintable() else ascii(text)
