"""The tools of one agent, by name, and how their calls are answered."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from jackfield.api.ai import TOOL, Message, Tool, ToolCall, ToolSpec
from jackfield.api.json_schemas import problems
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError, Suspend, supplying_node
from jackfield_ai.serving import ServedNode
from jackfield_ai.settings import AiSettings
from jackfield_ai.together import each
from jackfield_ai.tools.node_tool import NodeTool
from jackfield_ai.tools.reviewed import ReviewedTool

MAX_NAME = 64
ToolFunction = Callable[[Mapping[str, Json]], Awaitable[Json]]
_GONE = "There is no tool {} any more whose calls a person approves."
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


def tool_name(text: str) -> str:
    """A name that every provider accepts."""
    return _UNFIT.sub("_", text).strip("_")[:MAX_NAME] or "tool"


class Toolbox:
    """Tools under their own names."""

    def __init__(self, tools: Iterable[Tool], settings: AiSettings) -> None:
        self._settings = settings
        self._tools: dict[str, Tool] = {}
        self._specs: list[ToolSpec] = []
        given = list(tools)
        if len(given) > settings.max_tools:
            raise NodeError(f"The node has {len(given)} tools, more than ai.max_tools ({settings.max_tools}).")
        for tool in given:
            self._add(tool)

    def _add(self, tool: Tool) -> None:
        spec = tool.spec
        name, number = tool_name(spec.name), 1
        while name in self._tools:
            number += 1
            name = f"{tool_name(spec.name)[: MAX_NAME - 5]}_{number}"
        self._tools[name] = tool
        self._specs.append(ToolSpec(name, spec.description, spec.schema))

    @property
    def specs(self) -> Sequence[ToolSpec]:
        return self._specs

    async def answer(self, calls: Sequence[ToolCall]) -> list[Message]:
        """One message per call, in their order; calls run side by side."""

        async def one(call: ToolCall) -> Message:
            return Message("tool", self._cut(await self._answer(call)), call_id=call.id, name=call.name)

        return await each(calls, one, self._settings.max_parallel_calls)

    def reviewed(self, call: ToolCall) -> ReviewedTool | None:
        """The tool of a call that waits for a person. None: it runs at once, or cannot run as it is."""
        tool = self._tools.get(call.name)
        if not isinstance(tool, ReviewedTool) or call.problem:
            return None
        return None if problems(dict(call.arguments), dict(tool.spec.schema)) else tool

    async def ask(self, item: int, call: ToolCall, question: str) -> Suspend:
        """Ask a person about a call; see `ReviewedTool.ask`. Raises `NodeError`."""
        tool = self.reviewed(call)
        if tool is None:
            raise NodeError(_GONE.format(call.name))
        return await tool.ask(item, call.name, call.arguments, question)

    async def approved(self, call: ToolCall) -> str:
        """The result of a call that a person has approved."""
        tool = self.reviewed(call)
        if tool is None:  # the workflow's tools are others by now
            return f"Error: {_GONE.format(call.name)}"
        try:
            return self._cut(as_text(await tool.run(call.arguments)))
        except NodeError as exc:
            return f"Error: {exc.message}"

    async def call(self, name: str, arguments: Mapping[str, Json]) -> Json:
        """The result of the tool of this name. Raises `NodeError`, also for arguments that do not fit."""
        tool = self._tools.get(name)
        if tool is None:
            raise NodeError(f"There is no tool {name}; there are: {', '.join(self._tools) or 'none'}.")
        wrong = problems(dict(arguments), dict(tool.spec.schema))
        if wrong:
            raise NodeError(f"The arguments do not fit: {'; '.join(wrong)}.")
        return await tool.call(arguments)

    async def _answer(self, call: ToolCall) -> str:
        if call.problem and call.name in self._tools:
            return f"Error: {call.problem}"
        try:
            return as_text(await self.call(call.name, call.arguments))
        except NodeError as exc:
            return f"Error: {exc.message}"

    def _cut(self, text: str) -> str:
        most = self._settings.max_tool_output
        return text if len(text) <= most else f"{text[:most]}\n[{len(text) - most} characters more were cut off]"


def as_text(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value).decode()


async def tools_of(served: ServedNode, item: int) -> list[Tool]:
    """The tools that the attached parts give; a node of any other type is called as it is. Raises `NodeError`."""
    found: list[Tool] = []
    for part in served.attached(TOOL):
        # An agent that is a tool itself, or a vector store, is run like any other node.
        if supplying_node(part.type) is None:
            found.append(NodeTool(part, item))
            continue
        given = await part.supply(item)
        found += _checked(given if isinstance(given, list | tuple) else [given], part.node.name)
    return found


def _checked(given: Sequence[object], name: str) -> list[Tool]:
    for tool in given:
        if not hasattr(tool, "spec") or not hasattr(tool, "call"):
            raise NodeError(f"The node '{name}' does not give a tool.")
    return list(given)  # type: ignore[arg-type]  # each has what a tool has


class FunctionTool:
    """A tool that is a function of this plugin."""

    def __init__(self, spec: ToolSpec, function: ToolFunction) -> None:
        self.spec = spec
        self._function = function

    async def call(self, arguments: Mapping[str, Json]) -> Json:
        return await self._function(arguments)
