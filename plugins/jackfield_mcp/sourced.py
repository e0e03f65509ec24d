"""Tools that plugins give, beside the daemon's own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.mcp.tool_sources import TOOL_SOURCES, SourcedTool, ToolSource


class SourcedTools:
    """Asks each source with each request. A tool of the daemon's own, or of an earlier source, hides one of its
    name."""

    def __init__(self, context: PluginContext, own: Mapping[str, object]) -> None:
        """own: the names of the daemon's own tools."""
        self._context = context
        self._own = own

    async def tools(self, caller: Principal) -> list[SourcedTool]:
        found: dict[str, SourcedTool] = {}
        async for _, tool in self._all(caller):
            found.setdefault(tool.name, tool)
        return list(found.values())

    async def find(self, caller: Principal, name: str) -> ToolSource | None:
        """The source that has the tool for this caller."""
        async for source, tool in self._all(caller):
            if tool.name == name:
                return source
        return None

    async def _all(self, caller: Principal) -> AsyncIterator[tuple[ToolSource, SourcedTool]]:
        sources = await asyncio.to_thread(self._context.extensions, TOOL_SOURCES)
        for source in sources.values():
            try:
                tools = await source.tools(caller)
            except JackfieldError as exc:
                self._context.log.warning("The tools of %s cannot be listed: %s", source.name, exc.message)
                continue
            for tool in tools:
                if tool.name not in self._own:
                    yield source, tool
