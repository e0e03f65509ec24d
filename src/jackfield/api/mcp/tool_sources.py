"""MCP tools that plugins add to the daemon's own server, `/mcp`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from ..asgi import Scope
from ..auth import Principal
from ..errors import JackfieldError
from ..extensions import ExtensionPoint
from ..json_values import Json
from ..records import record
from ..tracing import TraceContext


class ToolFailed(JackfieldError):
    """The tool gave no result."""

    def __init__(self, message: str, details: Json = None) -> None:
        super().__init__(message)
        self.told = details
        """More of it, as JSON."""


@record
class SourcedTool:
    """`name`: 1 to 40 letters, digits, `_` and `-`.

    `description`: for models. `schema`: a JSON Schema of an object. `reads`: it changes nothing. `destroys`: it may
    take away or replace what is there. `outward`: it may reach beyond the daemon.
    """

    name: str
    title: str
    description: str
    schema: Mapping[str, Json]
    reads: bool = False
    destroys: bool = False
    outward: bool = False


@record
class SourcedCall:
    """`arguments`: as they came, checked by nobody.

    `scope`: of the request, with which `OwnCalls` asks the management API in its caller's name. `progress`: tells the
    client a word of how far it is. `request_id`: empty where there is none. `span`: that the client names.
    """

    caller: Principal
    name: str
    arguments: Mapping[str, Json]
    scope: Scope
    progress: Callable[[str], Awaitable[None]]
    request_id: str = ""
    span: TraceContext | None = None


class ToolSource(Protocol):
    """The tools that a plugin gives with `jackfield_mcp_tools`.

    A tool of the daemon's own comes before one of the same name. Each source decides itself who has its tools. For
    callers with the claim `REACH` (`jackfield.api.profile_tools`), it lists and runs only allowed ones, since nobody
    else looks.
    """

    name: str

    async def tools(self, caller: Principal) -> Sequence[SourcedTool]:
        """Those that the caller may see and call. Raises `JackfieldError`."""

    async def call(self, call: SourcedCall) -> Json:
        """The result; the server marks it as data and bounds it. Asked only for a tool that `tools` has just named for
        the same caller. To cancel it is to cancel the tool's work. Raises `ToolFailed`, `JackfieldError`."""


TOOL_SOURCES = ExtensionPoint("jackfield_mcp_tools", ToolSource)
