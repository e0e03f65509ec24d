"""Scripts of a model that builds workflows through the daemon's MCP server: what it calls next follows from what the
tools before have told."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from agents_lab import said
from model_streams import Call, Reply, Used

_ID = re.compile(r'\bid\\*"\s*:\s*\\*"([0-9a-f]{8}-[0-9a-f-]{27})')
_WAIT = "WaitForMcpServers"
"""Claude Code's tool for a model that is asked before the servers are there."""
Arguments = Mapping[str, Any] | Callable[[list[str]], Mapping[str, Any]]
"""Of a tool, or what makes them of the ids that the conversation has, in their order."""


def offered(body: Any) -> list[tuple[str, str]]:
    """Namespace and name of each tool, of whatever grammar."""
    found: list[tuple[str, str]] = []
    for tool in body.get("tools", ()):
        if inner := tool.get("tools"):
            found += [(str(tool["name"]), str(one["name"])) for one in inner]
        else:
            found.append(("", str((tool.get("function") or tool).get("name"))))
    return found


def calls(tool: str, arguments: Arguments) -> Callable[[Any], Reply]:
    """The model calls this tool of the daemon."""

    def reply(body: Any) -> Reply:
        names = offered(body)
        fitting = [(space, name) for space, name in names if name.endswith(tool)]
        if not fitting and ("", _WAIT) in names:
            return Reply(calls=[Call(_WAIT, {})], used=Used(fresh=10, output=5), early=True)
        assert fitting, f"{tool} is not offered: {names}"
        given = arguments(_ID.findall("\n".join(said(body)))) if callable(arguments) else arguments
        space, name = fitting[0]
        return Reply(calls=[Call(name, given, space)], used=Used(fresh=10, output=5))

    return reply


def says(text: str) -> Reply:
    return Reply(text, used=Used(fresh=10, output=5))
