"""A tool's definition."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from jackfield.api.context import PluginContext
from jackfield.api.json_values import Json
from jackfield.api.records import record
from jackfield_mcp.caller import ApiCaller
from jackfield_mcp.settings import McpSettings


class ToolArguments(BaseModel):
    """Base of what tools take: these and no others."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


ArgumentsT = TypeVar("ArgumentsT", bound=ToolArguments)


@record
class ToolRun:
    """One call. progress: tells the client a word of how far it is."""

    context: PluginContext
    settings: McpSettings
    api: ApiCaller
    progress: Callable[[str], Awaitable[None]]


@record
class McpTool(Generic[ArgumentsT]):
    """`name`: unique. `description`: for models, what it does and what its result has. `scopes`: all of which the
    caller needs, those of the operations that it calls. `reads`: it changes nothing. `destroys`: it may take away or
    replace what is there. `repeatable`: the same call again changes nothing more. `outward`: it may reach beyond the
    daemon."""

    name: str
    title: str
    description: str
    scopes: Sequence[str]
    arguments: type[ArgumentsT]
    run: Callable[[ToolRun, ArgumentsT], Awaitable[Json]]
    reads: bool = False
    destroys: bool = False
    repeatable: bool = False
    outward: bool = False


AnyTool = McpTool[Any]  # each tool has its own arguments
