"""MCP servers: those of config.toml, those that its switches name, and a profile's own. Scripts write them in their
agent's format.

Source: docs/decisions.md, 'Agents, providers and profiles'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from jackfield.api.jsontext import Json

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
KNOWN: Mapping[str, Server] = {
    "filesystem": StdioServer(command="npx", args=["-y", "@modelcontextprotocol/server-filesystem", PROJECT]),
    "github": RemoteServer(
        url="https://api.githubcopilot.com/mcp/", headers={"Authorization": "Bearer ${GITHUB_TOKEN}"}
    ),
}
"""Servers that a switch is enough for; a server of that name in `custom` counts before it."""


def shared(custom: Mapping[str, Server], switches: Mapping[str, bool], project: str) -> dict[str, Json]:
    """Those of all profiles. switches: name -> on or off. project: absolute path."""
    wanted = {name: server for name, server in KNOWN.items() if switches.get(name)} | dict(custom)
    return {name: _told(one, project) for name, one in wanted.items() if switches.get(name) is not False}


def of_profile(given: Mapping[str, Json], own: Json, names: Json) -> dict[str, Json]:
    """given: those of all profiles; own: the profile's by name, `false` for one that it has not; names: those of all
    that it wants, none: all."""
    only = {str(name) for name in names} if isinstance(names, list) and names else given.keys()
    found = {name: server for name, server in given.items() if name in only}
    for name, server in own.items() if isinstance(own, dict) else ():
        if isinstance(server, dict):
            found[name] = server
        else:
            found.pop(name, None)
    return found


def nameless(custom: Mapping[str, Server], switches: Mapping[str, bool]) -> list[str]:
    """Switches that are on and name no server."""
    return sorted(name for name, on in switches.items() if on and name not in custom and name not in KNOWN)


def _told(server: Server, project: str) -> Json:
    made: dict[str, Json] = server.model_dump(mode="json")
    if isinstance(server, StdioServer):
        made["args"] = [part.replace(PROJECT, project) for part in server.args]
    return {key: value for key, value in made.items() if value or key == "args"}
