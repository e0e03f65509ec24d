"""Where an MCP server is and how it is reached, without a word of the SDK."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from typing import Literal, Protocol, TypeAlias

from jackfield.api.http_client import Authorization
from jackfield.api.jsontext import Json, dumps
from jackfield.api.records import record

Transport: TypeAlias = Literal["httpStreamable", "sse", "stdio"]
Progress: TypeAlias = "Callable[[str], Awaitable[None]]"
"""Told what a server says of a call that goes on."""


@record
class McpTarget:
    """url: of a server over HTTP; command: the name of one in `ai.mcp_commands`, over stdio. authorization: what
    requests carry; credential: its kind, empty: none."""

    transport: Transport
    url: str = ""
    command: str = ""
    credential: str = ""
    authorization: Authorization | None = None

    @property
    def key(self) -> str:
        """Tells its sessions from those of others within one node."""
        return dumps([self.transport, self.url, self.command, self.credential]).decode()

    @property
    def where(self) -> str:
        """For messages; an address may hold a secret."""
        return f"the command {self.command}" if self.transport == "stdio" else "the MCP server"


@record
class ServerTool:
    """A tool as its server describes it. schemas: JSON Schemas; output: empty when it says nothing of it."""

    name: str
    description: str = ""
    schema: Mapping[str, Json] = field(default_factory=dict)
    output: Mapping[str, Json] = field(default_factory=dict)


@record
class McpResult:
    """A tool's result. `content`: blocks as in the protocol. `structured`: None when there is none. `failed`: the tool
    says so."""

    content: Sequence[dict[str, Json]]
    structured: Json = None
    failed: bool = False

    @property
    def text(self) -> str:
        """The first block of text."""
        return next((str(one["text"]) for one in self.content if one.get("type") == "text" and one.get("text")), "")

    @property
    def object(self) -> dict[str, Json] | None:
        """The structured part, when it is an object, as n8n wants it."""
        return self.structured if isinstance(self.structured, dict) else None


class McpSession(Protocol):
    """A session of one server, for everybody who has it at the same time. Its errors are `NodeError`, without
    secrets."""

    async def page(self, cursor: str = "") -> tuple[Sequence[ServerTool], str]:
        """One page of the server's tools, and the cursor of the next one; empty: it was the last."""

    async def tools(self) -> Sequence[ServerTool]:
        """All of them, of at most `MAX_PAGES` pages."""

    async def call(self, name: str, arguments: Mapping[str, Json], seconds: float, heard: Progress) -> McpResult:
        """Call a tool. The server gets to know of a cancellation. seconds: until the call is given up; heard: told how
        it goes on."""


Opened: TypeAlias = "AbstractAsyncContextManager[McpSession]"
MAX_PAGES = 20
