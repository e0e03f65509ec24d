"""MCP servers: those of config.toml, those that its switches name, and a profile's own. Scripts write them in their
agent's format.

Source: docs/decisions.md, 'Agents, providers and profiles'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from jackfield.api.caller_secrets import SHORTEST, is_secret_parameter
from jackfield.api.jsontext import Json

if TYPE_CHECKING:
    from jackfield.api.agents import Agent

ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
_Line = Annotated[str, StringConstraints(max_length=131_072, pattern=r"^[^\x00]*$")]
_Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
_Header = Annotated[str, StringConstraints(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$")]
_HeaderValue = Annotated[str, StringConstraints(max_length=8192, pattern=r"^[^\x00\r\n]*$")]


class StdioServer(BaseModel):
    """A server that is a command and speaks over its standard input and output."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    command: Annotated[str, StringConstraints(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
    args: list[_Line] = Field(default_factory=list, max_length=1000)
    env: dict[_Variable, _Line] = Field(default_factory=dict, max_length=256)


class RemoteServer(BaseModel):
    """A server that is asked over HTTP. type: `http`, streamable HTTP, or `sse`, the older transport."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    url: Annotated[str, StringConstraints(max_length=4096, pattern=r"^https?://[^\s\x00-\x1f]+$")]
    type: Literal["http", "sse"] = "http"
    headers: dict[_Header, _HeaderValue] = Field(default_factory=dict, max_length=64)


Server: TypeAlias = StdioServer | RemoteServer
PROJECT = "{project}"
"""Stands for the directory in which the profile's agent works."""
HIDDEN = frozenset({"env", "headers"})
"""Parts of a server whose values are not shown."""
SHORTEST_NAMED = 6
"""Characters of a value that is hidden because its name tells a secret."""
LONGEST_SECRET = 8192
"""Characters; what an agent writes is searched for a value as it comes, which takes too long for a longer one."""
KNOWN: Mapping[str, Server] = {
    "filesystem": StdioServer.model_construct(
        command="npx", args=["-y", "@modelcontextprotocol/server-filesystem", PROJECT]
    ),
    "github": RemoteServer.model_construct(
        url="https://api.githubcopilot.com/mcp/", headers={"Authorization": "Bearer ${GITHUB_TOKEN}"}
    ),
}
"""Servers that a switch is enough for; a server of that name in `custom` counts before it. Constructed without
validation, for which both models would be built at every start."""


def shared(custom: Mapping[str, Server], switches: Mapping[str, bool], project: str) -> dict[str, Json]:
    """Those of all profiles. switches: name -> on or off. project: absolute path."""
    wanted = {name: server for name, server in KNOWN.items() if switches.get(name)} | dict(custom)
    return {name: _told(one, project) for name, one in wanted.items() if switches.get(name) is not False}


def of_profile(given: Mapping[str, Json], own: Json, names: Json) -> dict[str, Json]:
    """`given`: those of all profiles. `own`: the profile's by name, `false` for one that it has not. `names`: those of
    all that it wants, none: all.
    """
    only = {str(name) for name in names} if isinstance(names, list) and names else given.keys()
    found = {name: server for name, server in given.items() if name in only}
    for name, server in own.items() if isinstance(own, dict) else ():
        if isinstance(server, dict):
            found[name] = server
        else:
            found.pop(name, None)
    return found


def taken(agent: Agent, servers: Mapping[str, Json]) -> dict[str, Json]:
    """Those that the agent can have, by what its manifest says."""
    left = agent.untaken_servers(servers)
    return {name: server for name, server in servers.items() if name not in left}


def secrets_of(servers: Mapping[str, Json]) -> list[str]:
    """The values of `env` and `headers` that an agent may not show.

    They are those whose name says that they are secret, and other long values. Long paths are left out, for they stand
    in much that is no secret. Of `Bearer abc` also the end.
    """
    found: dict[str, None] = {}
    for server in servers.values():
        for part in HIDDEN:
            values = server.get(part) if isinstance(server, dict) else None
            for name, value in values.items() if isinstance(values, dict) else ():
                if isinstance(value, str):
                    found |= dict.fromkeys(_secrets(name, value))
    return list(found)


def _secrets(name: str, value: str) -> list[str]:
    is_named = is_secret_parameter(name)
    if not is_named and value.startswith(("/", "~")):
        return []
    shortest = SHORTEST_NAMED if is_named else SHORTEST
    texts = (value, value.partition(" ")[2].strip()) if is_named else (value,)
    return [text for text in texts if shortest <= len(text) <= LONGEST_SECRET]


def nameless(custom: Mapping[str, Server], switches: Mapping[str, bool]) -> list[str]:
    """Switches that are on and name no server."""
    return sorted(name for name, on in switches.items() if on and name not in custom and name not in KNOWN)


def _told(server: Server, project: str) -> Json:
    made: dict[str, Json] = server.model_dump(mode="json")
    if isinstance(server, StdioServer):
        made["args"] = [part.replace(PROJECT, project) for part in server.args]
    return {key: value for key, value in made.items() if value or key == "args"}
